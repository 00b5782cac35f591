import { gunzipSync } from "node:zlib"
import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

withHearth("the list of paths", { people: ["ann", "ben"] }, ({ test, forge, ann, call }) => {
  test("has every file of a revision, by the id of its tree, for who may read the code", async () => {
    await call(ann, "POST /user/repos", { name: "mill", private: true, auto_init: true })
    const write = async (file: string) =>
      expect((await call(ann, `POST /repos/ann/mill/contents/${encodeURIComponent(file)}`, { content: btoa(file) })).status).toBe(201)
    await write("src/deep er/wheel.ts")
    const [name, stranger] = [openBrowser(forge.hearth.url), openBrowser(forge.hearth.url)]
    await name.signIn("ann", PASSWORD)
    await stranger.signIn("ben", PASSWORD)
    const token = (await call(ann, "POST /users/ann/tokens", { name: "paths", scopes: ["read:repository"] })).body.sha1
    const list = async () => {
      const answer = await fetch(`${forge.hearth.url}/ann/mill/paths/branch/main`, { headers: { authorization: `token ${token}` } })
      const paths = answer.ok
        ? gunzipSync(Buffer.from(await answer.arrayBuffer()))
            .toString()
            .split("\0")
        : []
      return { paths, tag: answer.headers.get("etag") }
    }
    const before = await list()
    expect(before.paths).toEqual(["README.md", "src/deep er/wheel.ts"])
    expect(await list()).toEqual(before)
    await write("a.ts")
    const after = await list()
    expect(after.paths).toEqual(["README.md", "a.ts", "src/deep er/wheel.ts"])
    expect(after.tag).not.toBe(before.tag)
    expect((await stranger.get("/ann/mill/paths/branch/main")).status).toBe(404)
    // The same letters find the same file on the server.
    const { text } = await name.get("/ann/mill/find/branch/main?q=whl")
    expect([...text.matchAll(/class="title" href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      "/ann/mill/src/branch/main/src/deep%20er/wheel.ts",
    ])
    expect((await name.get("/ann/mill/find/branch/main?q=zzz")).text).not.toContain('class="title" href')
  })
})
