/**
 * What git-credential-oauth does for git: it opens the browser, waits at a port of its own for the code, exchanges it as a client without a secret, and
 * gives git the token as a password. The requests are those of version 0.4.2, letter by letter: its verifier and its state are base64 with `+`, `/` and
 * `=`, and it tries its id as Basic credentials first.
 */
import { hash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { ok } from "../../src/git/testing.ts"
import { withWorld } from "../support/fixture.ts"
import { basic } from "../support/hearth.ts"
import { GIT_CREDENTIAL_OAUTH, jsonOf, openOAuth2World } from "../support/oauth2.ts"

async function open(kind: Parameters<typeof openOAuth2World>[0]) {
  const world = await openOAuth2World(kind, { lfs: { enabled: true } })
  const folder = await mkdtemp(join(tmpdir(), "hearth-credential-"))
  const close = async () => {
    await world.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...world, folder, close }
}

withWorld("git-credential-oauth", { open }, ({ test, world }) => {
  /** A program that waits for its code on a loopback port, and the browser that brings it there. */
  async function credential(scope?: string): Promise<string> {
    const { authorizePath, post, signedIn, url } = world
    const listener = createServer((_request, response) => response.end("You can close this page."))
    listener.listen(0, "127.0.0.1")
    await once(listener, "listening")
    try {
      const address: AddressInfo | string | null = listener.address()
      const port = typeof address === "object" ? address?.port : 0
      const redirect = `http://127.0.0.1:${port}`
      const client = { id: GIT_CREDENTIAL_OAUTH, secret: "", redirect }
      const state = `+/${randomBytes(16).toString("base64")}`
      // The first bytes make sure of the letters that it has in most cases.
      const verifier = Buffer.concat([Buffer.from([0xfb, 0xff, 0xbf]), randomBytes(29)]).toString("base64")
      const challenge = hash("sha256", verifier, "base64url")
      const browser = await signedIn()
      const page = await browser.get(
        authorizePath(client, { state, code_challenge: challenge, code_challenge_method: "S256", ...(scope !== undefined && { scope }) }),
      )
      expect(page.text).toContain(`Authorize git-credential-oauth?`)
      expect(page.text).toContain(`which comes with ${new URL(url).hostname}`)
      const back = await browser.submit(page, { granted: "true" })
      const called = once(listener, "request")
      expect((await fetch(back.location)).status).toBe(200)
      const [received] = await called
      const brought = new URL(received.url, redirect).searchParams
      expect(brought.get("state")).toBe(state)
      const code = brought.get("code") ?? ""
      expect(verifier).toMatch(/^\+.*\/.*=$/)
      const fields = { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier }
      const first = await post("access_token", fields, { authorization: basic(client.id, "") })
      const { status, body } = first.status === 200 ? first : await post("access_token", { ...fields, client_id: client.id })
      expect([status, body.token_type]).toEqual([200, "bearer"])
      return body.access_token
    } finally {
      listener.close()
    }
  }

  const git = (args: readonly string[]) => ok(world.folder, ...args)
  const addressWith = (token: string) => `${world.url.replace("://", `://oauth2:${token}@`)}/ben/vault.git`

  test("git clones and pushes a private repository with the token as password, LFS and downloads go by it too", async () => {
    const { ben, call, folder, url } = world
    await call(ben, "POST /user/repos", { name: "vault", private: true, auto_init: true, default_branch: "main" })
    const token = await credential()
    await git(["clone", "-q", addressWith(token), "vault"])
    await writeFile(join(folder, "vault/note.txt"), "kept\n")
    const inVault = (...args: readonly string[]) => git(["-C", "vault", "-c", "user.name=Ben", "-c", "user.email=ben@example.com", ...args])
    await inVault("add", ".")
    await inVault("commit", "-qm", "A note")
    await inVault("push", "-q", "origin", "HEAD:main")
    const pushed = await call(`Bearer ${token}`, "GET /repos/ben/vault/raw/note.txt")
    expect([pushed.status, pushed.body]).toEqual([200, "kept\n"])
    expect(await readFile(join(folder, "vault/note.txt"), "utf8")).toBe("kept\n")

    const authorization = `Basic ${btoa(`oauth2:${token}`)}`
    const archive = await fetch(`${url}/ben/vault/archive/main.zip`, { headers: { authorization } })
    expect([archive.status, (await archive.arrayBuffer()).byteLength > 100]).toEqual([200, true])
    const lfs = { authorization, accept: "application/vnd.git-lfs+json", "content-type": "application/vnd.git-lfs+json" }
    const content = "large"
    const oid = "a8ff5d9cbd6a5c2c5da2d3b8f2d8f8b6b7a5c6a5a4d6a2c0a6f5a2c0f0f0f0f0"
    const batch = { operation: "upload", transfers: ["basic"], objects: [{ oid, size: content.length }] }
    const answer = await fetch(`${url}/ben/vault.git/info/lfs/objects/batch`, { method: "POST", headers: lfs, body: JSON.stringify(batch) })
    expect(answer.status).toBe(200)
    const { objects } = await jsonOf(Promise.resolve(answer))
    const { href, header } = objects[0].actions.upload
    // A pass that was issued by the token: the bytes are others than announced, which is found out after the pass was accepted.
    const sent = await fetch(href, { method: "PUT", headers: header, body: content })
    expect(sent.status).toBe(422)
  })

  test("a token that may only read fetches and doesn't push, one for something else does neither", async () => {
    const { url } = world
    const [reading, other] = [await credential("read:repository"), await credential("write:issue")]
    const statusOf = async (token: string, service: string) => {
      const headers = { authorization: `Basic ${btoa(`oauth2:${token}`)}` }
      return (await fetch(`${url}/ben/vault.git/info/refs?service=${service}`, { headers })).status
    }
    expect(await statusOf(reading, "git-upload-pack")).toBe(200)
    expect(await statusOf(reading, "git-receive-pack")).toBe(403)
    for (const service of ["git-upload-pack", "git-receive-pack"]) expect(await statusOf(other, service)).toBe(403)
  })

  test("what was granted is seen and taken back on a page, and git is refused then, and so are passes for LFS", async () => {
    const { signedIn, url } = world
    const token = await credential()
    const lfs = { accept: "application/vnd.git-lfs+json", "content-type": "application/vnd.git-lfs+json" }
    const batch = JSON.stringify({ operation: "upload", objects: [{ oid: "b".repeat(64), size: 1 }] })
    const authorization = `Basic ${btoa(`oauth2:${token}`)}`
    const asked = await fetch(`${url}/ben/vault.git/info/lfs/objects/batch`, {
      method: "POST",
      headers: { ...lfs, authorization },
      body: batch,
    })
    const { href, header } = (await jsonOf(Promise.resolve(asked))).objects[0].actions.upload
    await git(["ls-remote", "-q", addressWith(token)])
    const [browser, stranger] = [await signedIn(), await signedIn("ann")]
    const page = await browser.get("/user/settings/applications/grants")
    expect(page.text).toContain("git-credential-oauth")
    expect(page.text).toContain("Do everything that you can do")
    expect((await stranger.get("/user/settings/applications/grants")).text).toContain("No authorized applications")
    // Someone else can't take it back.
    await stranger.post(page.forms[0]?.action ?? "", {})
    await git(["ls-remote", "-q", addressWith(token)])
    const cross = await browser.submit(page, {}, { "sec-fetch-site": "cross-site" })
    expect(cross.status).toBe(403)
    const done = await browser.submit(page, {})
    expect([done.status, done.location]).toEqual([303, "/user/settings/applications/grants"])
    expect((await browser.get(done.location)).text).toContain("No authorized applications")
    await expect(git(["ls-remote", "-q", addressWith(token)])).rejects.toThrow(/Authentication failed/)
    expect((await fetch(href, { method: "PUT", headers: header, body: "x" })).status).toBe(401)
  })
})
