import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect } from "vitest"
import { withWorld } from "../../../tests/support/fixture.ts"
import { must } from "../../../tests/support/http.ts"
import type { Repository } from "../../access/permission.ts"
import type { KeyFile } from "../../features/people/keys/ssh/testing.ts"
import { client, ok, type Run } from "../../git/testing.ts"
import { branchRows, change, commit, feed, repository, workFolder } from "../git-http/testing.ts"
import { deploy, give, type KeyedPerson, keyed, openWorld, ssh, sshAddress, withKey } from "./testing.ts"

withWorld("who may do what over SSH", { open: openWorld }, ({ test, world }) => {
  let ann: KeyedPerson
  let ben: KeyedPerson
  let open: Repository
  let hidden: Repository
  let work: string
  test.beforeAll(async () => {
    ann = await keyed(world, "ann")
    ben = await keyed(world, "ben")
    open = await repository(world, ann.user, "open")
    hidden = await repository(world, ann.user, "hidden", { isPrivate: true })
    work = await workFolder(world, "work")
    for (const name of ["open", "hidden"]) expect((await push(ann.key, `ann/${name}.git`)).code).toBe(0)
  })

  const push = (key: KeyFile, path: string, ref = "main"): Promise<Run> =>
    client(work, [...withKey(key), "push", "-q", sshAddress(world, path), ref])
  const list = (key: KeyFile, path: string): Promise<Run> => client(work, [...withKey(key), "ls-remote", sshAddress(world, path)])
  const api = (method: string, path: string, body: object) =>
    must(world.hearth.url, method, path, { authorization: `token ${ann.token}`, body })
  const setAccount = (person: KeyedPerson, values: { is_active?: 0 | 1; prohibit_login?: 0 | 1; must_change_password?: 0 | 1 }) =>
    world.services.database.write((tx) => tx.updateTable("users").set(values).where("id", "=", person.user.id).execute())

  test("people are greeted by name, and get no shell", async () => {
    const { code, out, err } = await ssh(world, ann.key, undefined)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("Hi there, ann! You've successfully authenticated")
    expect(await ssh(world, ann.key, "ls -l")).toMatchObject({ code: 1, out: "", err: expect.stringContaining("only git can be used") })
  })

  test("an unknown key is refused, and so is everything that is no key", async () => {
    const stranger = await world.keys.make("ed25519")
    for (const more of [[], ["-oPubkeyAuthentication=no", "-oPreferredAuthentications=password,keyboard-interactive"]]) {
      const { code, err } = await ssh(world, stranger, undefined, ...more)
      expect(code).toBe(255)
      expect(err).toContain("Permission denied (publickey)")
    }
  })

  test.each([
    ["ecdsa", ["-b", "521"]],
    ["rsa", ["-b", "3072"]],
  ])("a key of %s %j lets in as well", async (type, more) => {
    const key = await world.keys.make(type, ...more)
    await give(world, ann, key)
    expect((await ssh(world, key, undefined)).code).toBe(0)
    const sha1 = await ssh(world, key, undefined, "-oPubkeyAcceptedAlgorithms=ssh-rsa")
    expect(sha1.code).toBe(255)
  })

  test("all users fetch public repositories, only writers push", async () => {
    expect((await list(ben.key, "ann/open.git")).code).toBe(0)
    const { code, err } = await push(ben.key, "ann/open.git", "main:stolen")
    expect(code).toBe(1)
    expect(err).toContain("main -> stolen (User permission denied for writing.)")
    expect(Object.keys(await branchRows(world, open))).toEqual(["main"])
  })

  test("what is hidden and what is missing look the same", async () => {
    for (const attempt of [list, push])
      for (const path of ["ann/hidden.git", "ann/missing.git", "nobody/missing.git"])
        expect((await attempt(ben.key, path)).err).toMatch(/^error: Repository not found\n/)
  })

  test("collaborators push, and the feed says who", async () => {
    await world.services.database.write((tx) =>
      tx.insertInto("collaborations").values({ user_id: ben.user.id, repository_id: hidden.id, mode: 2, created_at: 0 }).execute(),
    )
    expect((await push(ben.key, "ann/hidden.git", "main:by-ben")).code).toBe(0)
    expect((await feed(world, hidden)).at(-1)).toMatchObject({ actor_id: ben.user.id, ref_name: "refs/heads/by-ben" })
  })

  test("accounts that may not act are told so, and do nothing", async () => {
    for (const [values, words] of [
      [{ is_active: 0 }, "This account is not activated."],
      [{ prohibit_login: 1 }, "This account is prohibited from signing in"],
      [{ must_change_password: 1 }, "You must change your password."],
    ] as const) {
      await setAccount(ben, values)
      for (const attempt of [ssh(world, ben.key, undefined), list(ben.key, "ann/open.git"), push(ben.key, "ann/hidden.git")])
        expect(await attempt).toMatchObject({
          code: expect.not.toSatisfy((code: unknown) => code === 0),
          err: expect.stringContaining(words),
        })
      await setAccount(ben, { is_active: 1, prohibit_login: 0, must_change_password: 0 })
    }
    expect((await list(ben.key, "ann/open.git")).code).toBe(0)
  })

  test("a key that was removed is refused at once", async () => {
    const cal = await keyed(world, "cal")
    expect((await list(cal.key, "ann/open.git")).code).toBe(0)
    await world.services.database.write((tx) => tx.deleteFrom("public_keys").where("owner_id", "=", cal.user.id).execute())
    expect((await list(cal.key, "ann/open.git")).err).toContain("Permission denied (publickey)")
  })

  test("archived repositories and mirrors are read, and not written", async () => {
    await change(world, open, { is_archived: 1 })
    expect((await list(ann.key, "ann/open.git")).code).toBe(0)
    expect((await push(ann.key, "ann/open.git", "main:x")).err).toContain("This repository is archived")
    await change(world, open, { is_archived: 0, is_mirror: 1 })
    expect((await push(ann.key, "ann/open.git", "main:x")).err).toContain("mirror repository is read-only")
    await change(world, open, { is_mirror: 0 })
  })

  test("old names lead on", async () => {
    const { database } = world.services
    await database.write(async (tx) => {
      await tx.insertInto("repository_redirects").values({ owner_id: ann.user.id, lower_name: "older", repository_id: open.id }).execute()
    })
    expect((await list(ann.key, "ann/older.git")).code).toBe(0)
    expect((await push(ann.key, "ann/older.git", "main:through-old")).code).toBe(0)
  })

  test("the last use of a key is known to the minute", async () => {
    const { database, now } = world.services
    const used = () =>
      database.read.selectFrom("public_keys").select("last_used_at").where("owner_id", "=", ann.user.id).orderBy("id").executeTakeFirst()
    await database.write((tx) =>
      tx
        .updateTable("public_keys")
        .set({ last_used_at: now() - 3600 })
        .execute(),
    )
    await list(ann.key, "ann/open.git")
    await expect.poll(async () => (await used())?.last_used_at ?? 0).toBeGreaterThan(now() - 60)
    const first = await used()
    await database.write((tx) =>
      tx
        .updateTable("public_keys")
        .set({ last_used_at: now() - 30 })
        .execute(),
    )
    await list(ann.key, "ann/open.git")
    expect((await used())?.last_used_at).toBeLessThan((first?.last_used_at ?? 0) + 1)
  })

  describe("keys of repositories", () => {
    let writing: KeyFile
    let reading: KeyFile
    beforeAll(async () => {
      writing = await world.keys.make("ed25519")
      reading = await world.keys.make("ed25519")
      await deploy(world, hidden, writing, false)
      await deploy(world, hidden, reading, true)
    })

    test("are greeted without a name", async () => {
      expect((await ssh(world, writing, undefined)).out).toContain("You've successfully authenticated with a deploy key")
    })

    test("are for their own repository alone, even where another is public", async () => {
      for (const key of [writing, reading]) {
        expect((await list(key, "ann/hidden.git")).code).toBe(0)
        for (const path of ["ann/open.git", "ann/missing.git"]) {
          expect((await list(key, path)).err).toMatch(/^error: Repository not found\n/)
          expect((await push(key, path)).err).toMatch(/^error: Repository not found\n/)
        }
      }
    })

    test("push unless they are read-only, in the name of the owner", async () => {
      expect((await push(writing, "ann/hidden.git", "main:by-key")).code).toBe(0)
      expect((await feed(world, hidden)).at(-1)).toMatchObject({ actor_id: ann.user.id, ref_name: "refs/heads/by-key" })
      expect((await push(reading, "ann/hidden.git", "main:by-reader")).err).toContain("error: this key may only read")
    })

    test("may not say what the repository is", async () => {
      const { code, err } = await client(work, [
        ...withKey(writing),
        "push",
        "-o",
        "repo.private=false",
        sshAddress(world, "ann/hidden.git"),
        "main:options",
      ])
      expect(code).toBe(1)
      expect(err).toContain("are for administrators of the repository")
    })

    test("are judged by what they may do when the push arrives, not when it began", async () => {
      const key = await world.keys.make("ed25519")
      await deploy(world, hidden, key, false)
      const original = world.services.git.transport.receive
      Object.assign(world.services.git.transport, {
        receive: async (...args: Parameters<typeof original>) => {
          await world.services.database.write((tx) => tx.updateTable("deploy_keys").set({ is_read_only: 1 }).execute())
          return original(...args)
        },
      })
      try {
        expect((await push(key, "ann/hidden.git", "main:late")).err).toContain("User permission denied for writing.")
      } finally {
        Object.assign(world.services.git.transport, { receive: original })
        await world.services.database.write((tx) =>
          tx.updateTable("deploy_keys").set({ is_read_only: 0 }).where("title", "not like", "%true").execute(),
        )
      }
    })

    test("obey the rules for branches and tags, which may let them in by name", async () => {
      const guarded = { rule_name: "guarded", enable_push: true, enable_push_whitelist: true }
      await api("POST", "/repos/ann/hidden/branch_protections", guarded)
      expect((await push(writing, "ann/hidden.git", "main:guarded")).err).toContain("Not allowed to push to protected branch guarded")
      await api("PATCH", "/repos/ann/hidden/branch_protections/guarded", { ...guarded, push_whitelist_deploy_keys: true })
      expect((await push(writing, "ann/hidden.git", "main:guarded")).code).toBe(0)
      expect((await push(reading, "ann/hidden.git", "main:guarded")).code).toBe(1)

      await api("POST", "/repos/ann/hidden/tag_protections", { name_pattern: "v*", whitelist_usernames: ["ann"] })
      expect((await push(writing, "ann/hidden.git", "main:refs/tags/v1")).err).toContain("Tag v1 is protected")
      expect((await push(ann.key, "ann/hidden.git", "main:refs/tags/v1")).code).toBe(0)
    })

    test("rest while the owner may not act", async () => {
      await setAccount(ann, { prohibit_login: 1 })
      expect((await list(writing, "ann/hidden.git")).err).toContain("Repository not found")
      await setAccount(ann, { prohibit_login: 0 })
    })

    test("work for repositories of organisations, whose owner is no person", async () => {
      const { database, now } = world.services
      const crew = await database.write((tx) =>
        tx
          .insertInto("users")
          .values({ kind: "organization", name: "Crew", lower_name: "crew", is_active: 1, created_at: now(), updated_at: now() })
          .returningAll()
          .executeTakeFirstOrThrow(),
      )
      const theirs = await repository(world, crew, "theirs", { isPrivate: true })
      await deploy(world, theirs, writing, false)
      expect((await push(writing, "crew/theirs.git")).code).toBe(0)
      expect((await feed(world, theirs)).at(-1)).toMatchObject({ actor_id: crew.id })
      expect((await list(writing, "ann/hidden.git")).code).toBe(0)
    })
  })

  test("signed commits are asked for where a rule asks for them", async () => {
    await api("POST", "/repos/ann/hidden/branch_protections", { rule_name: "signed", enable_push: true, require_signed_commits: true })
    const folder = join(world.folder, "signing")
    await mkdir(folder)
    await ok(folder, "init", "-q", "-b", "signed")
    await ok(folder, ...withKey(ann.key), "pull", "-q", sshAddress(world, "ann/hidden.git"), "main")
    const unsigned = await commit(folder, "unsigned")
    const pushIt = () => client(folder, [...withKey(ann.key), "push", "-q", sshAddress(world, "ann/hidden.git"), "signed"])
    expect((await pushIt()).err).toContain(`branch signed is protected from unverified commit ${unsigned}`)
    await ok(folder, "reset", "-q", "--hard", "HEAD~1")
    // The committer of the tests' git is ben@example.com, and Ben has not signed this.
    const signing = (key: KeyFile) => ["-c", "gpg.format=ssh", "-c", `user.signingkey=${key.file}.pub`]
    await ok(folder, ...signing(ann.key), "commit", "-q", "-S", "--allow-empty", "-m", "in Ben's name")
    expect((await pushIt()).err).toContain("is protected from unverified commit")
    await ok(folder, "reset", "-q", "--hard", "HEAD~1")
    await ok(folder, ...signing(ben.key), "commit", "-q", "-S", "--allow-empty", "-m", "signed")
    expect((await pushIt()).code).toBe(0)
  })

  describe("wikis", () => {
    let ivy: KeyedPerson
    beforeAll(async () => {
      ivy = await keyed(world, "ivy")
    })

    test("are cloned empty, pushed to and fetched by those who may, under their name alone", async () => {
      const wiki = "ann/open.wiki.git"
      expect(await list(ann.key, wiki)).toMatchObject({ code: 0, out: "" })
      expect(await push(ann.key, wiki)).toMatchObject({ code: 0 })
      expect((await list(ivy.key, "Ann/OPEN.wiki")).out).toContain("refs/heads/main")
      const refused = await push(ivy.key, wiki, "main:other")
      expect(refused.code).not.toBe(0)
      expect(refused.err).toContain("Repository not found")
      const pages = await must<readonly unknown[]>(world.hearth.url, "GET", "/repos/ann/open/wiki/pages")
      expect(pages).toEqual([])
      expect((await branchRows(world, open))["other"]).toBeUndefined()
    })

    test("of hidden and missing repositories look the same, and none is made by a push", async () => {
      for (const path of ["ann/hidden.wiki.git", "ann/missing.wiki.git", "nobody/missing.wiki.git"]) {
        expect((await list(ivy.key, path)).err).toContain("Repository not found")
        expect((await push(ivy.key, path)).err).toContain("Repository not found")
      }
      expect((await push(ann.key, "ann/missing.wiki.git")).err).toContain("Repository not found")
      expect((await ssh(world, ann.key, "git-lfs-authenticate ann/open.wiki.git download")).err).toContain("not found")
    })

    test("that are switched off, archived or mirrors are refused in words", async () => {
      const wiki = "ann/open.wiki.git"
      await change(world, open, { has_wiki: 0 })
      expect((await list(ann.key, wiki)).err).toContain("repository wiki is disabled")
      expect((await push(ann.key, wiki)).err).toContain("repository wiki is disabled")
      await change(world, open, { has_wiki: 1, is_archived: 1 })
      expect((await push(ann.key, wiki)).err).toContain("archived")
      expect((await list(ivy.key, wiki)).code).toBe(0)
      await change(world, open, { is_archived: 0, is_mirror: 1 })
      expect((await push(ann.key, wiki)).err).toContain("mirror repository is read-only")
      await change(world, open, { is_mirror: 0 })
    })

    test("are there for deploy keys, by what the key may", async () => {
      const [reading, writing] = [await world.keys.make("ed25519"), await world.keys.make("ed25519")]
      await deploy(world, hidden, reading, true)
      await deploy(world, hidden, writing, false)
      const wiki = "ann/hidden.wiki.git"
      expect(await push(writing, wiki)).toMatchObject({ code: 0 })
      expect((await list(reading, wiki)).out).toContain("refs/heads/main")
      expect((await push(reading, wiki, "main:other")).err).toContain("this key may only read")
      expect((await push(writing, "ann/open.wiki.git")).err).toContain("Repository not found")
    })
  })
})
