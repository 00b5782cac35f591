import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, expect } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { client, ok, writeHistory } from "../../../git/testing.ts"

const execute = promisify(execFile)

/** Protection rules for branches and tags, enforced on git pushes and on writes through the API. */
withHearth("rules for what is pushed", { people: ["ann", "ben"] }, ({ test, forge, call, ann, ben }) => {
  let folder: string
  let last = 0
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-rules-"))
    await forge.person("cal")
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const base64 = (text: string) => Buffer.from(text).toString("base64")

  /** A repository of ann's with `main`, where ben writes, and ben's clone of it. */
  const stage = async () => {
    const name = `box${++last}`
    const at = `/repos/ann/${name}`
    await call(ann, "POST /user/repos", { name, auto_init: true })
    await call(ann, `PUT ${at}/collaborators/ben`, { permission: "write" })
    const url = (login: string, repository = `ann/${name}`) => {
      const address = new URL(`${forge.hearth.url}/${repository}.git`)
      address.username = login
      address.password = "pass-word-1"
      return address.href
    }
    const work = join(folder, name)
    await ok(folder, "clone", "-q", url("ben"), work)
    const change = async (file: string, content = `${file} ${Math.random()}`) => {
      mkdirSync(dirname(join(work, file)), { recursive: true })
      await writeFile(join(work, file), content)
      await ok(work, "add", "-A")
      await ok(work, "commit", "-q", "-m", `change ${file}`)
    }
    /** The server's refusal of a push, or "ok". */
    const push = async (login: string, ...refs: readonly string[]) => {
      const { code, err } = await client(work, ["push", url(login), ...refs])
      if (code === 0) return "ok"
      return /remote: error: (?:\S+: )?([^\n]*\S)/.exec(err)?.[1] ?? /\(([^)]*)\)\s*$/m.exec(err)?.[1] ?? err
    }
    const protect = async (body: object) => {
      const made = await call(ann, `POST ${at}/branch_protections`, body)
      if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`)
    }
    const write = (caller: string, path: string, branch: string) =>
      call(caller, `POST ${at}/contents/${path}`, { content: base64(path), branch })
    return { at, name, work, url, change, push, protect, write }
  }

  test("a bare rule refuses all pushes to its branch, in whatever case it is written, and its deletion", async () => {
    const { at, change, push, protect, write } = await stage()
    await protect({ rule_name: "Main" })
    await change("a")
    expect(await push("ben", "main")).toContain("Not allowed to push to protected branch main")
    expect(await push("ann", "main")).toContain("Not allowed to push to protected branch main")
    // Creating a protected branch counts as pushing to it.
    expect(await push("ann", "main:MAIN")).toContain("Not allowed to push to protected branch MAIN")
    expect(await push("ben", "main:free")).toBe("ok")
    for (const caller of [ann, ben]) {
      const refused = await write(caller, "b", "main")
      expect([refused.status, refused.body.message]).toEqual([403, "Not allowed to push to protected branch main"])
    }
    await protect({ rule_name: "free" })
    expect(await push("ann", ":free")).toContain("branch free is protected from deletion")
    expect((await call(ann, `DELETE ${at}/branches/free`)).status).toBe(403)
    expect((await call(ann, `POST ${at}/branches`, { new_branch_name: "FREE" })).status).toBe(403)
    expect(await push("ann", ":main")).toContain("cannot be deleted")
  })

  test("those listed push, and force where that is allowed", async () => {
    const { at, work, change, push, protect, write } = await stage()
    await protect({ rule_name: "main", enable_push: true, enable_push_whitelist: true, push_whitelist_usernames: ["ben"] })
    await change("a")
    expect(await push("ann", "main")).toContain("Not allowed to push to protected branch main")
    expect(await push("ben", "main")).toBe("ok")
    expect((await write(ben, "b", "main")).status).toBe(201)
    await ok(work, "reset", "-q", "--hard", "HEAD~1")
    await change("c")
    expect(await push("ben", "+main")).toContain("branch main is protected from force push")
    const edit = (body: object) => call(ann, `PATCH ${at}/branch_protections/main`, body)
    await edit({ enable_force_push: true, enable_force_push_allowlist: true, force_push_allowlist_usernames: ["ann"] })
    expect(await push("ben", "+main")).toContain("Not allowed to force-push to protected branch main")
    // Force-pushing also requires the right to push.
    expect(await push("ann", "+main")).toContain("Not allowed to force-push to protected branch main")
    const head = await ok(work, "rev-parse", "HEAD")
    const tip = (await call(ann, `GET ${at}/branches/main`)).body.commit.id
    expect((await call(ben, `PUT ${at}/branches/main`, { new_commit_id: tip, force: true })).status).toBe(204)
    await edit({ force_push_allowlist_usernames: ["ben"] })
    expect(await push("ben", "+main")).toBe("ok")
    expect((await call(ann, `GET ${at}/branches/main`)).body.commit.id).toBe(head)
  })

  test("protected files stay as they are, under any name that they had", async () => {
    const { at, work, change, push, protect, write } = await stage()
    await change("deps.lock")
    await change("docs/a.txt")
    expect(await push("ben", "main")).toBe("ok")
    await protect({ rule_name: "main", enable_push: true, protected_file_patterns: "*.LOCK; docs/**" })
    const refused = "branch main is protected from changing file"
    for (const file of ["deps.lock", "Other.Lock", "docs/deep/x"]) {
      await change(file)
      expect(await push("ben", "main")).toContain(`${refused} ${file}`)
      await ok(work, "reset", "-q", "--hard", "HEAD~1")
    }
    await ok(work, "mv", "deps.lock", "free")
    await ok(work, "commit", "-q", "-m", "away")
    expect(await push("ben", "main")).toContain(`${refused} deps.lock`)
    await ok(work, "reset", "-q", "--hard", "HEAD~1")
    expect((await write(ann, "docs/b", "main")).body.message).toContain(`${refused} docs/b`)
    expect((await write(ben, "sub/x.lock", "main")).status).toBe(201)
    await ok(work, "pull", "-q", "--rebase", "origin", "main")
    await change("free")
    expect(await push("ben", "main")).toBe("ok")
    expect((await call(ann, `GET ${at}/branches/main`)).body).toMatchObject({ user_can_push: true })
  })

  test("what a new branch brings is judged like what is pushed to it", async () => {
    const { work, change, push, protect } = await stage()
    await protect({ rule_name: "release/*", enable_push: true, protected_file_patterns: "*.lock" })
    expect(await push("ben", "main:release/1")).toBe("ok")
    await change("x.lock")
    expect(await push("ben", "main:release/2")).toContain("protected from changing file x.lock")
    // Nor through an unprotected branch.
    expect(await push("ben", "main:work")).toBe("ok")
    expect(await push("ben", "main:release/2")).toContain("protected from changing file x.lock")
    expect(await push("ben", "main:release/1")).toContain("protected from changing file x.lock")
    // Commits of the default branch are not new.
    expect(await push("ben", "main")).toBe("ok")
    expect(await push("ben", "main:release/2")).toBe("ok")
    await ok(work, "checkout", "-q", "--orphan", "other")
    await ok(work, "commit", "-q", "-m", "no history")
    expect(await push("ben", "other:release/3")).toContain("protected from changing file x.lock")
  })

  test("unprotected files may be pushed by every writer, alone", async () => {
    const { work, change, push, protect, write } = await stage()
    await protect({ rule_name: "main", unprotected_file_patterns: "free/**;*.txt" })
    await change("free/a/b")
    await change("Notes.TXT")
    expect(await push("ben", "main")).toBe("ok")
    await change("free/c")
    await change("bound")
    expect(await push("ben", "main")).toContain("Not allowed to push to protected branch main")
    await ok(work, "reset", "-q", "--hard", "HEAD~1")
    expect(await push("ben", "main")).toBe("ok")
    await ok(work, "commit", "-q", "--allow-empty", "-m", "nothing")
    expect(await push("ben", "main")).toContain("Not allowed to push to protected branch main")
    expect((await write(ben, "free/d", "main")).status).toBe(201)
    expect((await write(ben, "d", "main")).status).toBe(403)
  })

  test("unsigned commits are refused, and those signed with unknown keys", async () => {
    const { at, work, change, push, protect, write } = await stage()
    await protect({ rule_name: "main", enable_push: true, require_signed_commits: true })
    await change("a")
    const id = await ok(work, "rev-parse", "HEAD")
    expect(await push("ben", "main")).toContain(`branch main is protected from unverified commit ${id}`)
    const raw = await ok(work, "cat-file", "commit", "HEAD")
    const [headers = "", ...message] = raw.split("\n\n")
    const forged = `${headers}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n${message.join("\n\n")}\n`
    const signed = (await client(work, ["hash-object", "-t", "commit", "-w", "--stdin"], forged)).out.trim()
    expect(await push("ben", `${signed}:refs/heads/main`)).toContain(`unverified commit ${signed}`)
    expect((await write(ann, "b", "main")).body.message).toContain("unverified commit")
    expect(await push("ben", "main:work")).toBe("ok")
    expect((await call(ben, `PUT ${at}/branches/main`, { new_commit_id: id })).body.message).toContain(`unverified commit ${id}`)
  })

  test("commits signed by known users are accepted, if all of them are", async () => {
    const { work, change, push, protect, at } = await stage()
    await protect({ rule_name: "main", enable_push: true, require_signed_commits: true })
    const key = join(folder, `key${last}`)
    await execute("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ben", "-f", key])
    expect((await call(ben, "POST /user/keys", { title: "signing", key: await readFile(`${key}.pub`, "utf8") })).status).toBe(201)
    for (const [name, value] of Object.entries({ "gpg.format": "ssh", "user.signingKey": key, "commit.gpgSign": "true" }))
      await ok(work, "config", name, value)
    await change("a")
    await change("b")
    expect(await push("ben", "main")).toBe("ok")
    await ok(work, "-c", "commit.gpgSign=false", "commit", "-q", "--allow-empty", "-m", "unsigned")
    const unsigned = await ok(work, "rev-parse", "HEAD")
    await change("c")
    expect(await push("ben", "main")).toContain(`unverified commit ${unsigned}`)
    expect((await call(ann, `GET ${at}/branches/main`)).body.commit.verification).toMatchObject({
      verified: true,
      signer: { username: "ben" },
    })
  })

  test("tags under a rule belong to those listed", async () => {
    const { at, work, push } = await stage()
    const tags = async (name_pattern: string, who: string) =>
      call(ann, `POST ${at}/tag_protections`, { name_pattern, whitelist_usernames: [who] })
    await tags("v*", "ann")
    await tags("/^beta-\\d+$/", "ben")
    await ok(work, "tag", "v1")
    await ok(work, "tag", "beta-1")
    await ok(work, "tag", "beta-x")
    expect(await push("ben", "v1")).toContain("Tag v1 is protected")
    expect(await push("ann", "v1")).toBe("ok")
    expect(await push("ben", ":v1")).toContain("Tag v1 is protected")
    await ok(work, "commit", "-q", "--allow-empty", "-m", "later")
    expect(await push("ben", "+main:refs/tags/v1")).toContain("Tag v1 is protected")
    expect(await push("ben", "+main:refs/tags/v1/deep")).toContain("Tag v1/deep is protected")
    expect(await push("ben", "beta-1", "beta-x")).toBe("ok")
    expect(await push("ann", ":beta-1")).toContain("Tag beta-1 is protected")
    expect(await push("ann", ":beta-x")).toBe("ok")
  })

  test("only the protected one of several references is refused", async () => {
    const { at, change, push, protect } = await stage()
    await protect({ rule_name: "main" })
    await change("a")
    expect(await push("ben", "main", "main:other")).toContain("Not allowed to push to protected branch main")
    expect((await call(ann, `GET ${at}/branches/other`)).status).toBe(200)
    expect(await push("ben", "--atomic", "main", "main:third")).not.toBe("ok")
    expect((await call(ann, `GET ${at}/branches/third`)).status).toBe(404)
  })

  test("a pull request opens its branch to those who maintain its base, and nothing else", async () => {
    const { at, name, work, url, change, push } = await stage()
    const dan = `dan${last}`
    const owner = await forge.person(dan)
    expect((await call(owner, `POST ${at}/forks`, {})).status).toBe(202)
    const fork = `${dan}/${name}`
    await change("a")
    const at2 = `/repos/${fork}`
    const to = async (login: string, ref: string) => {
      const { code, err } = await client(work, ["push", url(login, fork), ref])
      return code === 0 ? "ok" : err
    }
    expect(await to(dan, "main:topic")).toBe("ok")
    await change("b")
    expect(await to("ben", "main:topic")).toContain("User permission denied for writing.")
    const pull = (options: object) => call(owner, `POST ${at}/pulls`, { title: "topic", head: `${dan}:topic`, base: "main", ...options })
    const made = await pull({ allow_maintainer_edit: true })
    expect(made.status).toBe(201)
    expect((await call(ben, `GET ${at2}/branches/topic`)).body).toMatchObject({ user_can_push: true, user_can_merge: false })
    expect((await call(ben, `GET ${at2}/branches/main`)).body).toMatchObject({ user_can_push: false })
    expect(await to("ben", "main:main")).toContain("User permission denied for writing.")
    expect(await to("ben", "main:new")).toContain("User permission denied for writing.")
    expect(await to("ben", ":topic")).toContain("User permission denied for writing.")
    expect(await to("cal", "main:topic")).toContain("User permission denied for writing.")
    expect(await to("ben", "main:topic")).toBe("ok")
    await call(owner, `POST ${at2}/branch_protections`, { rule_name: "topic", enable_push: true })
    await change("c")
    expect(await to("ben", "main:topic")).toContain("Not allowed to push to protected branch topic")
    await call(owner, `DELETE ${at2}/branch_protections/topic`)
    await call(owner, `PATCH ${at}/pulls/${made.body.number}`, { allow_maintainer_edit: false })
    expect(await to("ben", "main:topic")).toContain("User permission denied for writing.")
    expect(await push("ben", "main")).toBe("ok")
  })

  test("a rule can't hold the service up", async () => {
    const { work, push, protect } = await stage()
    await protect({ rule_name: `${"*a".repeat(120)}b`, enable_push: true })
    await protect({ rule_name: "main", enable_push: true, protected_file_patterns: `${"**a".repeat(80)}b;`.repeat(20) })
    await writeHistory(
      work,
      Array.from({ length: 40 }, (_, index) => ({
        ...(index === 0 && { from: "refs/heads/main^0" }),
        files: { [`${"a".repeat(120)}${index}`]: "a" },
      })),
    )
    const effort = await effortOf(async () => {
      expect(await push("ben", `main`)).toBe("ok")
      expect(await push("ben", `main:${"a".repeat(200)}`)).toBe("ok")
    })
    expect(effort).toBeLessThan(10)
  })
})
