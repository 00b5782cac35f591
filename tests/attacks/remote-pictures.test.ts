/**
 * Pages show pictures of other sites by way of this server. Anyone who may write a text tried to have it call its own network, follow a redirect there,
 * read without end, wait without end, or send a page in place of a picture; and others tried to use it for addresses that no text has.
 */
import { createServer } from "node:http"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openGuard } from "../../src/core/outgoing/guard.ts"
import { fetchPicture } from "../../src/core/outgoing/picture.ts"
import { openOutgoing } from "../../src/core/outgoing/request.ts"
import { withHearth } from "../support/fixture.ts"

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
const MOST = 100_000

const KINDS: Readonly<Record<string, Buffer>> = {
  "image/png": PNG,
  "image/jpeg": Buffer.from("ffd8ffe000104a464946", "hex"),
  "image/gif": Buffer.from("GIF89a…"),
  "image/webp": Buffer.from("RIFF\x0a\x00\x00\x00WEBPVP8 ", "latin1"),
  "image/avif": Buffer.from("\x00\x00\x00\x1cftypavif\x00\x00", "latin1"),
  "image/svg+xml": Buffer.from(`<?xml version="1.0"?>\n<!-- made by hand -->\n${SVG}`),
}

/** The server of the attacker, and whatever else runs on this machine: it listens at all its addresses, of which 127.0.0.1 alone may be called. */
const asked: string[] = []
const stray = createServer((request, response) => {
  asked.push(`${request.headers.host} ${request.url}`)
  const [, first = "", rest = ""] = /^\/([^/?]*)\/?(.*)$/.exec(request.url ?? "") ?? []
  const to = (location: string) => response.writeHead(302, { location }).end()
  if (first === "kind") response.writeHead(200, { "content-type": rest }).end(KINDS[rest])
  else if (first === "unlabelled") response.end(PNG)
  else if (first === "page") response.writeHead(200, { "content-type": "image/png" }).end("<!doctype html><script>alert(1)</script>")
  else if (first === "svg") response.writeHead(200, { "content-type": rest }).end(SVG)
  else if (first === "entities")
    response.writeHead(200, { "content-type": "image/svg+xml" }).end(`<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>`)
  else if (first === "huge") response.end(Buffer.concat([PNG, Buffer.alloc(MOST)]))
  else if (first === "endless") {
    const more = () => {
      while (!response.destroyed && response.write(PNG));
    }
    response.on("drain", more)
    more()
  } else if (first === "silent") return
  else if (first === "slow") response.write(PNG.subarray(0, 10))
  else if (first === "private") to(`http://127.0.0.2:${port()}/unlabelled`)
  else if (first === "file") to("file:///etc/passwd")
  else if (first === "round") to(`/round/${Number(rest) + 1}`)
  else if (first === "twice") to(rest === "" ? "/twice/more" : "/unlabelled")
  else response.writeHead(404).end(PNG)
})
beforeAll(() => new Promise<void>((resolve) => stray.listen(0, "0.0.0.0", resolve)))
afterAll(() => {
  stray.closeAllConnections()
  return new Promise((resolve) => stray.close(resolve))
})
const port = (): number => {
  const address = stray.address()
  return typeof address === "object" && address !== null ? address.port : 0
}
const at = (path: string, host = "127.0.0.1"): string => `http://${host}:${port()}/${path}`

const fetched = (path: string, timeoutMs = 60_000) =>
  fetchPicture(openOutgoing(openGuard("127.0.0.1"), "hearth/test"), at(path), { maxBytes: MOST, timeoutMs })

it.each(["silent", "slow"])("a picture that never comes is given up: %s", async (path) => {
  expect(await fetched(path, 200)).toBeUndefined()
})

it("redirects are followed three times, each as carefully as the first", async () => {
  expect(await fetched("twice")).toEqual({ type: "image/png", bytes: PNG })
  asked.length = 0
  expect(await fetched("round/0")).toBeUndefined()
  expect(asked).toHaveLength(4)
  asked.length = 0
  for (const path of ["private", "file"]) expect(await fetched(path), path).toBeUndefined()
  expect(asked.map((each) => each.split(" ")[1])).toEqual(["/private", "/file"])
})

const config = { outgoing: { allowedHosts: "127.0.0.1" }, markup: { maxRemoteImageBytes: MOST } }

withHearth("a picture of another site in a text", { people: ["ann"], config }, ({ test, forge, ann, call }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "box" })
  })

  /** The path at which a page shows the picture. */
  async function shownAt(url: string): Promise<string> {
    const { body } = await call(ann, "POST /repos/ann/box/issues", { title: "Picture", body: `![what it is](${url})` })
    const page = await (await fetch(`${forge.hearth.url}/ann/box/issues/${body.number}`)).text()
    const [, path = ""] = /<img src="(\/-\/picture[^"]*)" alt="what it is"/.exec(page) ?? []
    return path.replaceAll("&amp;", "&")
  }
  const get = (path: string) => fetch(forge.hearth.url + path, { redirect: "manual" })
  const statusOf = async (url: string): Promise<number> => {
    const path = await shownAt(url)
    expect(path, url).not.toBe("")
    return (await get(path)).status
  }

  test.each(Object.keys(KINDS))("is shown: %s", async (type) => {
    const answer = await get(await shownAt(at(`kind/${type}`)))
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": type,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/^default-src 'none'.*; sandbox$/),
      "cache-control": "private, max-age=3600",
    })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(KINDS[type])
  })

  test("is fetched once for all readers, and without saying who they are", async () => {
    const path = await shownAt(at("unlabelled?once"))
    asked.length = 0
    const cookie = "hearth_session=of-a-reader"
    const answers = await Promise.all(
      [1, 2, 3].map(() => fetch(forge.hearth.url + path, { headers: { cookie, referer: `${forge.hearth.url}/ann/box` } })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await get(path)).status).toBe(200)
    expect(asked).toEqual([`127.0.0.1:${port()} /unlabelled?once`])
  })

  test("is not fetched from the own network, at once or by a redirect", async () => {
    asked.length = 0
    for (const host of ["127.0.0.2", "[::1]", "10.0.0.1", "169.254.169.254", "0x7f000002"])
      expect(await statusOf(at("unlabelled", host)), host).toBe(404)
    expect(asked).toEqual([])
    expect(await statusOf(at("private"))).toBe(404)
    expect(asked).toEqual([`127.0.0.1:${port()} /private`])
  })

  test.each(["page", "svg/text/html", "svg/image/png", "entities", "huge", "endless", "missing", "file", "round/0"])(
    "is missing where another thing comes: %s",
    async (path) => {
      expect(await statusOf(at(path))).toBe(404)
    },
  )

  test("is fetched from no address that this site has not signed", async () => {
    const path = await shownAt(at("unlabelled?signed"))
    const query = new URLSearchParams(path.split("?")[1])
    const signature = query.get("signature") ?? ""
    asked.length = 0
    const wrong = [
      new URLSearchParams({ url: at("unlabelled?other"), signature }),
      new URLSearchParams({ url: at("unlabelled?signed"), signature: `${signature.slice(0, -2)}AA` }),
      new URLSearchParams({ url: at("unlabelled?signed"), signature: signature.slice(0, -1) }),
      new URLSearchParams({ url: at("unlabelled?signed") }),
      new URLSearchParams(),
    ]
    for (const each of wrong) expect((await get(`/-/picture?${each}`)).status, String(each)).toBe(404)
    expect(asked).toEqual([])
    expect((await get(path)).status).toBe(200)
  })
})

withHearth(
  "where pictures are links",
  { people: ["ann"], config: { ...config, markup: { remoteImages: "link" } } },
  ({ test, forge, ann, call }) => {
    test("they are named, and nothing is fetched", async () => {
      await call(ann, "POST /user/repos", { name: "box" })
      await call(ann, "POST /repos/ann/box/issues", { title: "Picture", body: `![what it is](${at("unlabelled")})` })
      const page = await (await fetch(`${forge.hearth.url}/ann/box/issues/1`)).text()
      expect(page).toContain(`>what it is</span>`)
      expect(page).not.toContain("/-/picture")
      expect((await fetch(`${forge.hearth.url}/-/picture?url=${encodeURIComponent(at("unlabelled"))}&signature=x`)).status).toBe(404)
    })
  },
)
