import { describe, expect, test } from "vitest"
import type { Method } from "../../core/operation.ts"
import { files } from "../../files.ts"
import { operations } from "../../operations.ts"
import { pages } from "../../pages.ts"
import { API_BASE } from "../api/steps.ts"
import { type DeclaredRoute, routeTable } from "./routes.ts"

const route = (declared: string): DeclaredRoute => {
  const [method, path = ""] = declared.split(" ")
  const known: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"]
  const unused = () => {
    throw new Error("no test handles a request")
  }
  return {
    method: known.find((each) => each === method) ?? "GET",
    path,
    operation: declared,
    body: "collected",
    handle: unused,
    fail: unused,
  }
}
const table = (...declared: readonly string[]) => {
  const { find, methodsAt } = routeTable(declared.map(route))
  return {
    methodsAt,
    at: (method: string, url: string) => {
      const found = find(method, url)
      return found && [found.route.operation, found.parameters]
    },
  }
}

describe("the table of routes", () => {
  test("gives fixed texts before parameters with texts around them, those before others, and these before the rest of a path", () => {
    const { at } = table(
      "GET /a/b",
      "GET /a/{username}.png",
      "GET /a/map-{number}.xml",
      "GET /a/{id}",
      "GET /a/{filepath}",
      "GET /{owner}/b",
    )
    expect(at("GET", "/a/b")).toEqual(["GET /a/b", {}])
    expect(at("GET", "/a/x.png")).toEqual(["GET /a/{username}.png", { username: "x" }])
    expect(at("GET", "/a/map-2.xml")).toEqual(["GET /a/map-{number}.xml", { number: "2" }])
    expect(at("GET", "/a/.png")).toEqual(["GET /a/{id}", { id: ".png" }])
    expect(at("GET", "/a/x")).toEqual(["GET /a/{id}", { id: "x" }])
    expect(at("GET", "/a/x/y")).toEqual(["GET /a/{filepath}", { filepath: "x/y" }])
    expect(at("GET", "/c/b")).toEqual(["GET /{owner}/b", { owner: "c" }])
    expect(at("GET", "/c/d")).toBeUndefined()
  })

  test("goes back where a fixed text leads nowhere", () => {
    const { at } = table("GET /user/settings", "GET /{owner}/{repo}/issues", "POST /user/{repo}")
    expect(at("GET", "/user/settings/issues")).toEqual(["GET /{owner}/{repo}/issues", { owner: "user", repo: "settings" }])
    expect(at("POST", "/user/settings")).toEqual(["POST /user/{repo}", { repo: "settings" }])
  })

  test("decodes each part once, and leaves the query and a last slash out", () => {
    const { at } = table("GET /r/{id}", "GET /f/{filepath}")
    for (const url of ["/r/a%2Fb", "/r/a%2Fb/", "/r/a%2Fb?x=/y"]) expect(at("GET", url)).toEqual(["GET /r/{id}", { id: "a/b" }])
    expect(at("GET", "/r/a%252Fb")).toEqual(["GET /r/{id}", { id: "a%2Fb" }])
    expect(at("GET", "/f/a%20b/c%2Fd")).toEqual(["GET /f/{filepath}", { filepath: "a b/c/d" }])
    expect(at("GET", "/r/%zz")).toBeUndefined()
    expect(at("GET", "/f")).toBeUndefined()
    expect(at("GET", "/f/")).toBeUndefined()
  })

  test("takes HEAD as GET, and names of up to 1,024 characters", () => {
    const { at, methodsAt } = table("GET /r/{id}", "DELETE /r/{id}")
    expect(at("HEAD", "/r/1")).toEqual(["GET /r/{id}", { id: "1" }])
    expect(at("GET", `/r/${"x".repeat(1024)}`)).toBeDefined()
    expect(at("GET", `/r/${"x".repeat(1025)}`)).toBeUndefined()
    expect([methodsAt("/r/1"), methodsAt("/r")]).toEqual([["GET", "HEAD", "DELETE"], []])
  })

  test("chooses the form by the end of the address", () => {
    const { at } = table("GET /pulls/{index}", "GET /pulls/{index}.{diffType}")
    expect(at("GET", "/pulls/1")).toEqual(["GET /pulls/{index}", { index: "1" }])
    expect(at("GET", "/pulls/1.diff?x=1")).toEqual(["GET /pulls/{index}.{diffType}", { index: "1.diff" }])
    expect(at("GET", "/pulls/1.txt")).toEqual(["GET /pulls/{index}", { index: "1.txt" }])
  })

  test("refuses two routes of one method and path", () => {
    expect(() => table("GET /a/{id}", "GET /a/{number}")).toThrow("GET /a/{number}")
  })

  test("finds every declared operation, page, form and file at its own address", () => {
    const declared = [
      ...operations.map(({ method, path }) => route(`${method} ${API_BASE}${path}`)),
      ...[...pages, ...files].map(({ method, address }) => route(`${method} ${address}`)),
    ]
    const whole = routeTable(declared)
    // Values that are no fixed text of any path.
    const lost = declared.filter(
      ({ method, path }) =>
        whole.find(method, path.replace("{diffType}", "diff").replaceAll(/\{(\w+)\}/g, "value-of-$1"))?.route.path !== path,
    )
    expect(lost.map(({ operation }) => operation)).toEqual([])
  })
})
