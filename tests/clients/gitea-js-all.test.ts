/**
 * Every method of the npm client `gitea-js`, called with the example of the operation that it belongs to.
 *
 * Slow: what 400 operations act on is made for each.
 */
import { giteaApi } from "gitea-js"
import { expect, test as plain } from "vitest"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { prepareCall } from "../examples/prepare.ts"
import { withWorld } from "../support/fixture.ts"
import { openCheckedWorld } from "../support/world.ts"

/** A method as it was seen to ask. */
interface Method {
  readonly name: string
  readonly verb: string
  /** Below /api/v1, with `ARGUMENT` and a number for each parameter. */
  readonly path: string
  readonly wants: number
  readonly call: (url: string, args: readonly unknown[]) => Promise<unknown>
}

const ARGUMENT = "argument"

const methodsOf = (url: string, fetching: typeof fetch) =>
  Object.entries(giteaApi(url, { customFetch: fetching })).flatMap(([group, members]) =>
    typeof members !== "object" || members === null || !/^[a-z]+$/.test(group)
      ? []
      : Object.entries(members).flatMap(([name, member]) =>
          typeof member === "function" ? [{ name: `${group}.${name}`, wants: member.length, run: member.bind(members) }] : [],
        ),
  )

async function methods(): Promise<readonly Method[]> {
  let asked: { readonly verb: string; readonly path: string } | undefined
  const listen: typeof fetch = async (input, options) => {
    asked = { verb: options?.method ?? "GET", path: new URL(String(input)).pathname.slice("/api/v1".length) }
    return new Response("{}")
  }
  const found: Method[] = []
  for (const { name, wants, run } of methodsOf("http://localhost", listen)) {
    asked = undefined
    await run(...Array.from({ length: wants }, (_, at) => `${ARGUMENT}${at}`))
    if (!asked) continue
    const call = (url: string, args: readonly unknown[]): Promise<unknown> => {
      const method = methodsOf(url, fetch).find((each) => each.name === name)
      return Promise.resolve(method?.run(...args))
    }
    found.push({ name, wants, call, ...Object(asked) })
  }
  return found
}

/** A pattern of an operation's addresses, with this one for each parameter. */
const patternOf = ({ path }: Operation, parameter: string): RegExp =>
  new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, parameter)}$`)

/** The operation that a method asks, if it is there. */
const operationOf = ({ verb, path }: Method) =>
  operations.find((operation) => {
    if (operation.method !== verb) return false
    return patternOf(operation, `${ARGUMENT}\\d+`).test(path)
  })

/** What the client knows and the service doesn't have: federation, and what newer versions of the API have dropped. */
const ABSENT = [
  "activitypub.activitypubPerson",
  "activitypub.activitypubPersonInbox",
  "admin.adminGetRunnerRegistrationToken",
  "orgs.orgGetRunnerRegistrationToken",
  "repos.repoGetRunnerRegistrationToken",
  "user.userGetRunnerRegistrationToken",
]

/** Without the body that the operation needs, in the recorded server too. */
const INCOMPLETE = ["user.userVerifyGpgKey"]

const all = await methods()

plain("all methods of gitea-js belong to operations, but for those listed", () => {
  expect(all.length).toBeGreaterThan(400)
  expect(all.flatMap((method) => (operationOf(method) ? [] : [method.name])).toSorted()).toEqual(ABSENT.toSorted())
})

withWorld("gitea-js", { open: openCheckedWorld }, ({ test, world }) => {
  const there = all.flatMap((method) => {
    const operation = operationOf(method)
    return operation && !INCOMPLETE.includes(method.name) ? [[method.name, method, operation] as const] : []
  })
  test.each(there)("%s", async (_, method, operation) => {
    const { address, calling, isRight } = await prepareCall(world, operation)
    const values = patternOf(operation, "([^/]+?)").exec(address)?.slice(1) ?? []
    const isForm = calling.body instanceof FormData
    const body = calling.body instanceof FormData ? Object.fromEntries(calling.body) : (calling.body ?? {})
    // After the path, a method takes the body, the query, or both in this order.
    const takesBoth = method.wants - values.length === 2
    const more = takesBoth ? [body, calling.query ?? {}] : [operation.body ? body : (calling.query ?? {})]
    const args = [...values, ...more.slice(0, method.wants - values.length)]
    const headers = { ...(calling.authorization !== undefined && { authorization: calling.authorization }) }
    // Some methods forget to say that they send JSON, which the recorded server refuses too.
    const options = { headers, ...(operation.body && !isForm && { type: "application/json" }) }
    const answer: unknown = await method.call(world.hearth.url, [...args, options]).catch((thrown: unknown) => thrown)
    expect(
      isRight(Object(answer).status),
      `${operation.id} was answered ${Object(answer).status} ${JSON.stringify(Object(answer).error)}`,
    ).toBe(true)
  })

  test("is answered as declared", () => expect(world.check.mismatches()).toEqual([]))
})
