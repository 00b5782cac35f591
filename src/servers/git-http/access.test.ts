import { request } from "node:http"
import { join } from "node:path"
import { Secret, TOTP } from "otpauth"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { withWorld } from "../../../tests/support/fixture.ts"
import type { Repository } from "../../access/permission.ts"
import { newTotpSecret } from "../../features/people/sign-in/second-factor/totp.ts"
import { twoFactorContext } from "../../features/people/sign-in/second-factor/two-factor.ts"
import { client, ok } from "../../git/testing.ts"
import {
  address,
  branchRows,
  change,
  commit,
  openWorld,
  PASSWORD,
  type Person,
  person,
  repository,
  tokenOf,
  workFolder,
} from "./testing.ts"

/** Who may fetch and push, and the answers to all others. */
withWorld("git over HTTP", { open: openWorld }, ({ kind, test, world }) => {
  let ada: Person
  let ben: Person
  let work: string
  let open: Repository
  let secret: Repository

  test.beforeAll(async () => {
    ada = await person(world, "Ada")
    ben = await person(world, "ben")
    work = await workFolder(world, "work")
    open = await repository(world, ada.user, "Open")
    secret = await repository(world, ada.user, "secret", { isPrivate: true })
    for (const name of ["Open", "secret"]) await ok(work, "push", "-q", address(world, `Ada/${name}`, "ada", ada.token), "main")
  })

  const list = (path: string, ...who: readonly string[]) => client(world.folder, ["ls-remote", address(world, path, ...pair(who))])
  const pair = ([login, password]: readonly string[]): [string?, string?] => (login === undefined ? [] : [login, password ?? ""])
  const basic = (login: string, password: string) => ({ authorization: `Basic ${btoa(`${login}:${password}`)}` })
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${world.hearth.url}/${path}`, { headers, redirect: "manual" })
  const post = (path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${world.hearth.url}/${path}`, {
      method: "POST",
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers,
      redirect: "manual",
    })
  const FETCH = "info/refs?service=git-upload-pack"
  const PUSH = "info/refs?service=git-receive-pack"

  describe("reading", () => {
    test("a public repository is readable by all, under every spelling of its address", async () => {
      for (const path of ["Ada/Open.git", "Ada/Open", "ada/open.git", "ADA/OPEN", "a%64a/op%65n.git"])
        expect((await list(path)).out).toContain("refs/heads/main")
    })

    test("a private one only to those who may know of it, by password and by every way to present a token", async () => {
      const ways: readonly (readonly string[])[] = [
        ["ada", PASSWORD],
        ["ada@example.com", PASSWORD],
        ["ada", ada.token],
        ["whoever", ada.token],
        [ada.token, ""],
        [ada.token, "x-oauth-basic"],
      ]
      for (const way of ways) expect((await list("ada/secret.git", ...way)).out).toContain("refs/heads/main")
      for (const scheme of ["Bearer", "token", "Token"]) {
        const run = await client(world.folder, [
          "-c",
          `http.extraHeader=Authorization: ${scheme} ${ada.token}`,
          "ls-remote",
          address(world, "ada/secret"),
        ])
        expect(run.out).toContain("refs/heads/main")
      }
    })

    test("to others a hidden repository and a missing one look the same", async () => {
      const answers = async (headers: Readonly<Record<string, string>>) =>
        Promise.all(
          ["ada/secret", "ada/missing", "nobody/missing"].flatMap((path) =>
            [FETCH, PUSH].map(async (end) => {
              const answer = await get(`${path}/${end}`, headers)
              return [answer.status, answer.headers.get("www-authenticate"), await answer.text()]
            }),
          ),
        )
      const strangers = await answers({})
      expect(strangers).toEqual(strangers.map(() => [401, 'Basic realm="Gitea"', "Unauthorized\n"]))
      const others = await answers(basic("ben", ben.token))
      expect(others).toEqual(others.map(() => [404, null, "Repository not found\n"]))
      expect((await list("ada/secret", "ben", PASSWORD)).err).toContain("not found")
      expect((await list("ada/secret")).err).toContain("could not read Username")
    })

    test("the requests that carry data are judged like the first one", async () => {
      const headers = { "content-type": "application/x-git-upload-pack-request" }
      expect((await post("ada/secret/git-upload-pack", "0000", headers)).status).toBe(401)
      expect((await post("ada/secret/git-upload-pack", "0000", { ...headers, ...basic("ben", PASSWORD) })).status).toBe(404)
      expect((await post("ada/secret/git-upload-pack", "0000", { ...headers, ...basic("ada", PASSWORD) })).status).toBe(200)
    })

    test("wrong credentials are refused even where none are needed", async () => {
      for (const headers of [basic("ada", "wrong"), basic("nobody", PASSWORD), { authorization: `Bearer ${"0".repeat(40)}` }]) {
        const answer = await get(`ada/open/${FETCH}`, headers)
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Gitea"'])
        expect(await answer.text()).toContain("Failed to authenticate user")
      }
      expect((await list("ada/secret", "ada", "wrong")).err).toContain("Authentication failed")
    })

    test("a repository whose code is switched off is there only for its administrators", async () => {
      const row = await repository(world, ada.user, "nocode")
      await change(world, row, { has_code: 0 })
      expect((await get(`ada/nocode/${FETCH}`)).status).toBe(401)
      expect((await get(`ada/nocode/${FETCH}`, basic("ben", ben.token))).status).toBe(404)
      expect((await get(`ada/nocode/${FETCH}`, basic("ada", ada.token))).status).toBe(200)
    })

    test("an owner whose account is not active", async () => {
      const dora = await person(world, `dora`)
      await repository(world, dora.user, "stale")
      await world.services.database.write((tx) => tx.updateTable("users").set({ is_active: 0 }).where("id", "=", dora.user.id).execute())
      const answer = await get(`dora/stale/${FETCH}`)
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("not active")])
      expect((await get(`ada/open/${FETCH}`, basic("dora", dora.token))).status).toBe(403)
    })
  })

  describe("tokens", () => {
    const status = async (path: string, token: string) => (await get(path, basic("ada", token))).status

    test("must be for repositories, and for writing where something is written", async () => {
      const [read, write, other] = await Promise.all(
        [["read:repository"], ["write:repository"], ["write:issue", "write:user"]].map((scopes) => tokenOf(world, ada, scopes)),
      )
      const paths = [`ada/secret/${FETCH}`, `ada/secret/${PUSH}`]
      expect(await Promise.all(paths.map((path) => status(path, read ?? "")))).toEqual([200, 403])
      expect(await Promise.all(paths.map((path) => status(path, write ?? "")))).toEqual([200, 200])
      expect(await Promise.all(paths.map((path) => status(path, other ?? "")))).toEqual([403, 403])
      const bearer = await get(`ada/open/${FETCH}`, { authorization: `Bearer ${other}` })
      expect([bearer.status, await bearer.text()]).toEqual([403, expect.stringContaining("required=[read:repository]")])
    })

    test("for public things only don't know of private ones", async () => {
      const token = await tokenOf(world, ada, ["public-only", "all"])
      expect(await status(`ada/open/${PUSH}`, token)).toBe(200)
      expect(await status(`ada/secret/${FETCH}`, token)).toBe(404)
      expect(await status(`ada/secret/${PUSH}`, token)).toBe(404)
    })
  })

  test("with a second factor the password alone is of no use, whatever the code; a token is", async () => {
    const cleo = await person(world, "cleo")
    const secretText = newTotpSecret()
    await world.services.database.write((tx) =>
      tx
        .insertInto("two_factors")
        .values({
          user_id: cleo.user.id,
          sealed_secret: world.services.secrets.seal(secretText, twoFactorContext(cleo.user)),
          last_step: 0,
          created_at: 0,
        })
        .execute(),
    )
    const code = new TOTP({ secret: Secret.fromBase32(secretText) }).generate()
    for (const headers of [basic("cleo", PASSWORD), { ...basic("cleo", PASSWORD), "x-gitea-otp": code }]) {
      const answer = await get(`ada/open/${FETCH}`, headers)
      expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining("access token")])
    }
    expect((await get(`ada/open/${FETCH}`, basic("cleo", cleo.token))).status).toBe(200)
  })

  describe("writing", () => {
    test("takes a sign-in, and a right to write", async () => {
      expect((await get(`ada/open/${PUSH}`)).status).toBe(401)
      const refused = await client(work, ["push", address(world, "ada/open", "ben", ben.token), "main:ben"])
      expect(refused.err).toContain("main -> ben (User permission denied for writing.)")
      // Where not even a pull request can be made of it, git is told at once.
      await change(world, open, { has_pull_requests: 0 })
      const outright = await client(work, ["push", address(world, "ada/open", "ben", ben.token), "main:ben"])
      await change(world, open, { has_pull_requests: 1 })
      expect(outright.err).toContain("remote: User permission denied for writing.")
      expect(outright.err).toContain("403")
    })

    test("is open to collaborators with that right", async () => {
      const row = await repository(world, ada.user, "shared", { isPrivate: true })
      const grant = (mode: number) =>
        world.services.database.write((tx) =>
          tx
            .insertInto("collaborations")
            .values({ repository_id: row.id, user_id: ben.user.id, mode, created_at: 0 })
            .onConflict((conflict) => conflict.columns(["repository_id", "user_id"]).doUpdateSet({ mode }))
            .execute(),
        )
      const url = address(world, "ada/shared", "ben", ben.token)
      await grant(1)
      expect((await list("ada/shared", "ben", ben.token)).code).toBe(0)
      expect((await client(work, ["push", url, "main"])).err).toContain("403")
      await grant(2)
      expect(await client(work, ["push", url, "main"])).toMatchObject({ code: 0 })
      expect(Object.keys(await branchRows(world, row))).toEqual(["main"])
    })

    test("a right that was taken away while a push was under way is gone", async () => {
      const row = await repository(world, ada.user, "revoked")
      const head = await ok(work, "rev-parse", "main")
      await ok(work, "push", "-q", address(world, "ada/revoked", "ada", ada.token), "main", "main:doomed")
      await world.services.database.write((tx) =>
        tx.insertInto("collaborations").values({ repository_id: row.id, user_id: ben.user.id, mode: 2, created_at: 0 }).execute(),
      )
      const command = `${head} ${"0".repeat(40)} refs/heads/doomed\0report-status`
      const receive = vi.spyOn(world.services.git.transport, "receive")
      const answer = await new Promise<string>((resolve, reject) => {
        const sent = request(
          `${world.hearth.url}/ada/revoked/git-receive-pack`,
          { method: "POST", headers: { ...basic("ben", ben.token), "content-type": "application/x-git-receive-pack-request" } },
          (response) => response.setEncoding("utf8").on("data", resolve),
        )
        sent.on("error", reject)
        // Authorised, then silent until the permission is gone.
        sent.write((command.length + 4).toString(16).padStart(4, "0"))
        const goOn = async () => {
          await expect.poll(() => receive).toHaveBeenCalledOnce()
          await world.services.database.write((tx) => tx.deleteFrom("collaborations").where("repository_id", "=", row.id).execute())
          sent.end(`${command}0000`)
        }
        goOn().catch(reject)
      })
      receive.mockRestore()
      expect(answer).toContain("ng refs/heads/doomed User permission denied for writing.")
      expect(Object.keys(await branchRows(world, row))).toEqual(["doomed", "main"])
    })

    test("an archived repository says so before it asks for credentials, and stays readable", async () => {
      const row = await repository(world, ada.user, "old")
      await ok(work, "push", "-q", address(world, "ada/old", "ada", ada.token), "main")
      await change(world, row, { is_archived: 1 })
      const answer = await get(`ada/old/${PUSH}`)
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("archived")])
      const push = await client(work, ["push", address(world, "ada/old", "ada", ada.token), "main:new"])
      expect(push.err).toContain("remote: This repository is archived")
      expect((await list("ada/old")).out).toContain("refs/heads/main")
    })

    test("a hidden archived repository says nothing", async () => {
      const row = await repository(world, ada.user, "oldsecret", { isPrivate: true })
      await change(world, row, { is_archived: 1 })
      expect((await get(`ada/oldsecret/${PUSH}`)).status).toBe(401)
      expect((await get(`ada/oldsecret/${PUSH}`, basic("ben", ben.token))).status).toBe(404)
      expect((await get(`ada/oldsecret/${PUSH}`, basic("ada", ada.token))).status).toBe(403)
    })

    test("a mirror is read-only", async () => {
      const row = await repository(world, ada.user, "mirror")
      await change(world, row, { is_mirror: 1 })
      expect((await get(`ada/mirror/${PUSH}`)).status).toBe(401)
      const answer = await get(`ada/mirror/${PUSH}`, basic("ada", ada.token))
      expect([answer.status, await answer.text()]).toEqual([403, "mirror repository is read-only\n"])
    })
  })

  describe("a renamed repository", () => {
    beforeAll(async () => {
      const row = await repository(world, ada.user, "after")
      await repository(world, ada.user, "hiddenafter", { isPrivate: true }).then((hidden) =>
        world.services.database.write((tx) =>
          tx
            .insertInto("repository_redirects")
            .values([
              { owner_id: ada.user.id, lower_name: "before", repository_id: row.id },
              { owner_id: ada.user.id, lower_name: "hiddenbefore", repository_id: hidden.id },
            ])
            .execute(),
        ),
      )
      await world.services.database.write((tx) =>
        tx.insertInto("user_redirects").values({ lower_name: "countess", user_id: ada.user.id }).execute(),
      )
    })

    test("is followed by git, for pushing and for fetching", async () => {
      const url = address(world, "ada/before.git", "ada", ada.token)
      expect(await client(work, ["push", url, "main"])).toMatchObject({ code: 0 })
      await ok(world.folder, "clone", "-q", address(world, "ada/before"), join(world.folder, `moved-${kind}`))
      const answer = await get(`ada/before.git/${FETCH}`)
      expect([answer.status, answer.headers.get("location")]).toEqual([301, `/Ada/after.git/${FETCH}`])
    })

    test("so is its owner", async () => {
      const answer = await get(`countess/open/${FETCH}`)
      expect([answer.status, answer.headers.get("location")]).toEqual([307, `/Ada/open/${FETCH}`])
      expect((await list("countess/before")).out).toContain("refs/heads/main")
    })

    test("is served under the old name when it was renamed in the middle of a visit", async () => {
      const headers = { "content-type": "application/x-git-upload-pack-request" }
      expect((await post("ada/before/git-upload-pack", "0000", headers)).status).toBe(200)
    })

    test("doesn't reveal what is hidden", async () => {
      expect((await get(`ada/hiddenbefore/${FETCH}`)).status).toBe(401)
      expect((await get(`ada/hiddenbefore/${FETCH}`, basic("ben", ben.token))).status).toBe(404)
      expect((await get(`ada/hiddenbefore/${FETCH}`, basic("ada", ada.token))).status).toBe(301)
    })
  })

  test("a push to what is missing makes nothing unless that is switched on", async () => {
    const missing = await get(`ada/brandnew/${PUSH}`, basic("ada", ada.token))
    expect([missing.status, await missing.text()]).toEqual([403, "Push to create is not enabled for users.\n"])
    expect((await get(`ben/brandnew/${PUSH}`, basic("ada", ada.token))).status).toBe(404)
  })

  test("a repository that was pushed to is what the rows say", async () => {
    await commit(work, `more ${kind}`)
    await ok(work, "push", "-q", address(world, "ada/open.git", "ada", PASSWORD), "main:more")
    expect((await branchRows(world, open))["more"]).toBe(await ok(work, "rev-parse", "HEAD"))
    expect(Object.keys(await branchRows(world, secret))).toEqual(["main"])
  })
})

describe("with sign-in required everywhere", () => {
  test("nothing is readable without it", async () => {
    const world = await openWorld("memory", { security: { requireSignIn: true } })
    try {
      const ada = await person(world, "ada")
      await repository(world, ada.user, "open")
      const path = `${world.hearth.url}/ada/open/info/refs?service=git-upload-pack`
      expect((await fetch(path)).status).toBe(401)
      expect((await fetch(path, { headers: { authorization: `token ${ada.token}` } })).status).toBe(200)
    } finally {
      await world.close()
    }
  })
})
