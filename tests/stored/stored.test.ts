/**
 * Data folders that earlier versions have written start under this one: tables are migrated, repositories are read, tokens still count.
 * Each `VERSION.tar.gz` beside this file was filled through the API of that version: an organisation with a repository, a labelled issue with a comment,
 * a reviewed and merged pull request that closed it, a release, a webhook with a secret, and a token.
 */
import { execFileSync } from "node:child_process"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, type Serving, serveHearth } from "../../src/app.ts"

const TOKENS: Readonly<Record<string, string>> = { "0.1.0": "4d2353355c68987461cd2f490fb1d4c06b50e0f6" }
const archives = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".tar.gz"))

it("there is one for each version whose token is known", () => {
  expect(archives.toSorted()).toEqual(Object.keys(TOKENS).map((version) => `${version}.tar.gz`))
})

describe.each(Object.keys(TOKENS))("a data folder of %s", (version) => {
  let folder: string
  let serving: Serving & Pick<Hearth, "url">
  const ask = async (path: string) => {
    const response = await fetch(`${serving.url}/api/v1${path}`, { headers: { authorization: `token ${TOKENS[version]}` } })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-stored-"))
    execFileSync("tar", ["xzf", join(import.meta.dirname, `${version}.tar.gz`), "-C", folder])
    serving = await serveHearth({ env: {}, config: { dataDir: folder, http: { port: 0 }, ssh: { port: 0 }, log: { level: "silent" } } })
  })
  afterAll(async () => {
    await serving?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it("lets the people in that it knows", async () => {
    expect((await ask("/user")).body).toMatchObject({ login: "root", is_admin: true })
    expect((await ask("/users/ada")).body).toMatchObject({ login: "ada" })
  })
  it("shows what was planned and reviewed", async () => {
    expect((await ask("/repos/acme/rocket/issues/1")).body).toMatchObject({
      title: "It leaks",
      state: "closed",
      comments: 1,
      labels: [{ name: "bug" }],
      milestone: { title: "1.0" },
    })
    expect((await ask("/repos/acme/rocket/pulls/2")).body).toMatchObject({ merged: true, state: "closed" })
    expect((await ask("/repos/acme/rocket/pulls/2/reviews")).body).toMatchObject([{ state: "APPROVED", user: { login: "ada" } }])
    const kinds = (await ask("/repos/acme/rocket/issues/1/timeline")).body.map(({ type }: { readonly type: string }) => type)
    expect(kinds).toEqual(["milestone", "label", "comment", "pull_ref", "close"])
  })
  it("reads its repositories", async () => {
    const { body } = await ask("/repos/acme/rocket/contents/engine.txt")
    expect(Buffer.from(body.content, "base64").toString()).toBe("engine\n")
    expect((await ask("/repos/acme/rocket/releases/tags/v1.0")).body).toMatchObject({ name: "One" })
  })
  it("keeps its webhooks", async () => {
    expect((await ask("/repos/acme/rocket/hooks")).body).toMatchObject([{ config: { url: "http://example.com/hook" }, events: ["push"] }])
  })
  it("takes writes, which are published", async () => {
    const response = await fetch(`${serving.url}/api/v1/repos/acme/rocket/issues`, {
      method: "POST",
      headers: { authorization: `token ${TOKENS[version]}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "After the upgrade" }),
    })
    expect([response.status, JSON.parse(await response.text()).number]).toEqual([201, 3])
  })
})
