import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { File } from "../../src/core/file.ts"
import type { Page } from "../../src/core/page.ts"
import { files } from "../../src/files.ts"
import { pages } from "../../src/pages.ts"
import { fileAddress, formAddress, placesOf } from "../pages/addresses.ts"
import { type DemoWorld, openDemoWorld } from "../pages/world.ts"
import { sweep } from "../support/sample.ts"

const ODD_VALUES = [
  "-1",
  "1.5",
  "999999999",
  "-9223372036854775809",
  "%00",
  "%ff",
  "%F0%9F%98%80",
  "nonsense",
  "__proto__",
  "%25%27%22%5C_%3Cb%3E",
  "..%2f..%2f",
  "a".repeat(4_000),
]
/** Names that pages have beside those that they declare. */
const COMMON = ["page", "limit", "sort", "q", "state"]
const ODD_QUERIES = ["q=a&q=b&q[]=c&page[]=1", "%=%&%zz", "&&&=&=", "page=2&page=-1"]

const ODD_PARTS = [
  "%00",
  "%ff",
  "-1",
  "0",
  "9223372036854775808",
  "1e9",
  "%F0%9F%98%80",
  "a".repeat(900),
  "'%22%3B--",
  "%25",
  "__proto__",
  "..%2f..",
]

const isLast = ({ id }: Page): boolean => id === "signIn.end"

const PERMITTED = [200, 301, 302, 303, 304, 400, 404, 405, 409, 413, 414, 422]

interface Place {
  readonly page: Page | File
  readonly path: string
}

const all: readonly (Page | File)[] = [...pages, ...files]
const isForm = (record: Page | File): record is Page => record.method === "POST"

/** Addresses that someone mistyped, or made up. */
describe.each(sweep(all))("odd input for pages and files on $kind", ({ kind, parts }) => {
  let world: DemoWorld
  let cookie: string
  let places: readonly Place[]
  beforeAll(async () => {
    world = await openDemoWorld(kind)
    const shown: readonly Place[] = (await placesOf(world, ["mira"])).get("mira") ?? []
    places = [...shown, ...files.map((page) => ({ page, path: fileAddress(page) }))].filter(({ page }) => parts.includes(page))
    cookie = await world.signIn("mira")
  })
  afterAll(() => world?.close())

  /** Not by fetch, which mends addresses. */
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = ""): Promise<number> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(world.url)
      // A form that leads on with what it was sent has long headers.
      const options = { hostname, port, method, path, maxHeaderSize: 128 * 1024, headers: { accept: "text/html", cookie, ...headers } }
      request(options, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0))
      })
        .on("error", reject)
        .end(body)
    })

  /** The addresses that are answered otherwise than they may be; four are asked at a time. */
  async function wrongOf(paths: readonly string[]): Promise<readonly string[]> {
    const waiting = [...paths]
    const wrong: string[] = []
    const work = async () => {
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        const status = await ask("GET", path)
        // The link to an artifact says no more than that it is not signed, and what others may do is not explained to everyone.
        const isRefused = (status === 401 && path.includes("/zip/raw")) || (status === 403 && path.startsWith("/-/explain?"))
        if (!PERMITTED.includes(status) && !isRefused) wrong.push(`${status} ${path.slice(0, 250)}`)
      }
    }
    await Promise.all(Array.from({ length: 4 }, work))
    return wrong
  }

  test("in queries", { timeout: 600_000 }, async () => {
    const paths = places.flatMap(({ page, path }, place) => {
      const [address = ""] = path.split("?", 1)
      const own = Object.keys(page.query.properties)
      const names = [...new Set([...COMMON, ...own])]
      // Each request has another odd value for each name.
      const mixed = ODD_VALUES.map((_, at) =>
        names.map((name, index) => `${name}=${ODD_VALUES[(at + index) % ODD_VALUES.length]}`).join("&"),
      )
      const queries = [...mixed.map((text) => text.slice(0, 12_000)), ...ODD_QUERIES]
      // What a page declares no name for, the server reads for all of them: each such page gets another quarter of the queries.
      const isAsked = (_: string, index: number) => own.length > 0 || index % 4 === place % 4
      return queries.filter(isAsked).map((query) => `${address}?${query}`)
    })
    expect(await wrongOf(paths)).toEqual([])
  })

  test("in paths", { timeout: 600_000 }, async () => {
    const paths = places.flatMap(({ page, path }) => {
      const parts = (path.split("?", 1)[0] ?? "").split("/")
      return page.address
        .split("/")
        .flatMap((part, index) =>
          part.startsWith("{") ? ODD_PARTS.map((odd) => parts.with(Math.min(index, parts.length - 1), odd).join("/")) : [],
        )
    })
    expect(await wrongOf([...new Set(paths)])).toEqual([])
  })

  // Signing out comes last: most forms show the others' checks only to who has signed in.
  const forms = parts.filter(isForm).toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))
  const FORM = { "content-type": "application/x-www-form-urlencoded" }

  test("in forms that another site sends", async () => {
    const wrong: string[] = []
    for (const form of forms.filter(({ fromAnySite }) => !fromAnySite))
      for (const [name, value] of [
        ["sec-fetch-site", "cross-site"],
        ["sec-fetch-site", "same-site"],
        ["origin", "https://elsewhere.example"],
        ["origin", "null"],
      ] as const) {
        const status = await ask("POST", formAddress(form), { ...FORM, [name]: value })
        if (status !== 403) wrong.push(`${form.id} with ${name} ${value}: ${status}`)
      }
    expect(wrong).toEqual([])
  })

  test("in forms", { timeout: 600_000 }, async () => {
    const wrong: string[] = []
    for (const form of forms) {
      const names = Object.keys(form.query.properties)
      const filled = [...ODD_VALUES, "a".repeat(100_000)].map((value) => names.map((name) => `${name}=${value}`).join("&"))
      const bodies = [...filled, "", "{", "%", "=&=&", "\u0000", "a[]=1&a[b]=2"].map((text) => [FORM, text] as const)
      const others = [
        [{ "content-type": "application/json" }, "{"],
        [{ "content-type": "text/plain" }, "x"],
        [{ "content-type": "multipart/form-data; boundary=x" }, "--x\r\nno"],
        [{}, ""],
      ] as const
      for (const [headers, body] of [...bodies, ...others]) {
        const status = await ask("POST", formAddress(form), { "sec-fetch-site": "same-origin", ...headers }, body)
        // Some of the forms end the session, and some count wrong guesses.
        if (![...PERMITTED, 401, 403, 415, 429].includes(status))
          wrong.push(`${form.id} with ${JSON.stringify(headers)} ${body.slice(0, 100)}: ${status}`)
      }
    }
    expect(wrong).toEqual([])
  })
})
