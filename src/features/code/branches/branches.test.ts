import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { branchRef, objectId, refName, tagRef } from "../../../git/index.ts"
import { renameJob } from "./rename.ts"

withHearth("branches", { people: ["ann", "ben", "cal"], on: databaseKinds }, ({ test, forge, call, status, ann, ben, cal }) => {
  let last = 0

  const base64 = (text: string) => Buffer.from(text).toString("base64")
  /** A repository of ann's, where ben writes; without files it is empty. */
  const repository = async (files: number, options: object = {}) => {
    const name = `box${++last}`
    await call(ann, "POST /user/repos", { name, ...options })
    const at = `/repos/ann/${name}`
    await call(ann, `PUT ${at}/collaborators/ben`, { permission: "write" })
    const commits: string[] = []
    for (let index = 0; index < files; index++) commits.push(await commit(at, `file${index}`, "main", index))
    return { at, name, commits }
  }
  const commit = async (at: string, path: string, branch: string, minute: number, more: object = {}): Promise<string> => {
    const date = `2024-03-01T10:${String(minute).padStart(2, "0")}:00+01:00`
    const { status: made, body } = await call(ann, `POST ${at}/contents/${path}`, {
      content: base64(path),
      message: `Add ${path}`,
      branch,
      author: { name: "Ada", email: "ada@example.org" },
      committer: { name: "Kim", email: "ben@example.com" },
      dates: { author: date, committer: date },
      ...more,
    })
    if (made !== 201) throw new Error(`${made} ${JSON.stringify(body)}`)
    return body.commit.sha
  }
  const row = async (name: string) => {
    const { database, git } = forge.hearth.services
    const found = await database.read.selectFrom("repositories").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
    return { found, storage: git.at(found.storage, found.object_format) }
  }
  const names = async (at: string, query = "") => {
    const { body, headers } = await call(cal, `GET ${at}/branches${query}`)
    return [body.map(({ name }: { name: string }) => name), headers.get("x-total-count")]
  }

  test("are made from the default branch, a branch, a tag and a commit", async () => {
    const { at, name, commits } = await repository(2)
    await commit(at, "side", "main", 5, { new_branch: "feature/one" })
    const { storage } = await row(name)
    const [first = "", second = ""] = commits
    await forge.hearth.services.git.references.update(storage, [{ name: tagRef("mark"), from: null, to: objectId(first) }])
    const made = await call(ben, `POST ${at}/branches`, { new_branch_name: "copy" })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      name: "copy",
      commit: {
        id: second,
        message: "Add file1\n",
        url: expect.stringMatching(new RegExp(`/ann/${name}/commit/${second}$`)),
        author: { name: "Ada", email: "ada@example.org", username: "" },
        committer: { name: "Kim", email: "ben@example.com", username: "ben" },
        verification: { verified: false, reason: "gpg.error.not_signed_commit", signature: "", signer: null, payload: "" },
        timestamp: "2024-03-01T10:01:00+01:00",
        added: null,
        removed: null,
        modified: null,
      },
      protected: false,
      required_approvals: 0,
      enable_status_check: false,
      status_check_contexts: [],
      user_can_push: true,
      user_can_merge: true,
      effective_branch_protection_name: "",
    })
    const from = async (body: object) => (await call(ben, `POST ${at}/branches`, body)).body.commit.id
    expect(await from({ new_branch_name: "b1", old_branch_name: "feature/one" })).not.toBe(second)
    expect(await from({ new_branch_name: "b2", old_ref_name: "mark", old_branch_name: "main" })).toBe(first)
    expect(await from({ new_branch_name: "b3", old_ref_name: first.slice(0, 10) })).toBe(first)
    expect(await from({ new_branch_name: "b4", old_ref_name: "refs/tags/mark" })).toBe(first)
    expect(await from({ new_branch_name: "b5", old_ref_name: "refs/heads/main" })).toBe(second)
    expect(await status(ben, `POST ${at}/branches`, { new_branch_name: "mark" })).toBe(409)
    const told = { op_type: "commit_repo", content: "" }
    expect((await call(ann, `GET ${at}/activities/feeds?limit=2`)).body).toMatchObject([
      { ...told, ref_name: "refs/heads/b5" },
      { ...told, ref_name: "refs/heads/b4" },
    ])
    const events = await forge.hearth.services.database.read
      .selectFrom("events")
      .select("kind")
      .where("repository_id", "=", (await row(name)).found.id)
      .orderBy("id", "desc")
      .limit(5)
      .execute()
    expect(events.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "reference.created"))
  })

  test("are not made by others, from nothing, or under names that are taken or impossible", async () => {
    const { at } = await repository(1)
    await call(ann, `POST ${at}/branches`, { new_branch_name: "a/b" })
    const tried = async (caller: Caller, body: object) => status(caller, `POST ${at}/branches`, body)
    expect(await tried(undefined, { new_branch_name: "x" })).toBe(401)
    expect(await tried(cal, { new_branch_name: "x" })).toBe(403)
    expect(await tried(ben, { new_branch_name: "a/b" })).toBe(409)
    expect(await tried(ben, { new_branch_name: "a" })).toBe(409)
    expect(await tried(ben, { new_branch_name: "a/b/c" })).toBe(409)
    expect(await tried(ben, { new_branch_name: "a/bb" })).toBe(201)
    expect(await tried(ben, { new_branch_name: "x", old_branch_name: "nowhere" })).toBe(404)
    expect(await tried(ben, { new_branch_name: "x", old_ref_name: "nowhere" })).toBe(404)
    expect(await tried(ben, { new_branch_name: "x", old_ref_name: "refs/hearth/x" })).toBe(404)
    for (const new_branch_name of [
      "",
      "x".repeat(101),
      "a..b",
      "-x",
      "--upload-pack=x",
      "HEAD",
      "x.lock",
      "x\ny",
      "x\u0000y",
      "x y",
      "@{1}",
      "x~1",
      "../../config",
      "refs/../x",
      "/x",
      "x/",
      ".x",
      "\u{1f600}".repeat(80),
    ])
      expect([new_branch_name, await tried(ben, { new_branch_name })]).toEqual([new_branch_name, 422])
    for (const old_ref_name of ["--all", "main^{/x}", "../x", "refs/../../x", "HEAD:file0"])
      expect(await tried(ben, { new_branch_name: "x", old_ref_name })).toBe(404)
    const empty = await repository(0)
    expect(await status(ann, `POST ${empty.at}/branches`, { new_branch_name: "x" })).toBe(404)
    expect(await names(empty.at)).toEqual([[], "0"])
    await call(ann, `PATCH ${at}`, { archived: true })
    expect(await tried(ann, { new_branch_name: "y" })).toBe(423)
    expect(await tried(cal, { new_branch_name: "y" })).toBe(403)
  })

  test("are listed with the newest commits first, in pages, by a part of the name", async () => {
    const { at } = await repository(1)
    await commit(at, "x", "main", 9, { new_branch: "newest" })
    for (const name of ["b", "a", "50%_done"]) await call(ann, `POST ${at}/branches`, { new_branch_name: name })
    expect(await names(at)).toEqual([["newest", "50%_done", "a", "b", "main"], "5"])
    expect(await names(at, "?limit=2&page=2")).toEqual([["a", "b"], "5"])
    expect(await names(at, "?limit=2&page=9")).toEqual([[], "5"])
    expect(await names(at, "?q=NEW")).toEqual([["newest"], "1"])
    expect(await names(at, "?q=%25_")).toEqual([["50%_done"], "1"])
    const page = await call(undefined, `GET ${at}/branches?limit=1`)
    expect(page.body[0]).toMatchObject({ name: "newest", user_can_push: false, user_can_merge: false })
    expect(page.headers.get("link")).toContain('rel="next"')
  })

  test("show long messages and signed commits as git has them", async () => {
    const { at, name, commits } = await repository(1)
    const { storage } = await row(name)
    const { git, database, now } = forge.hearth.services
    const [first = ""] = commits
    const base = await git.objects.readCommit(storage, objectId(first))
    const person = { name: "Ada", email: "ada@example.org", when: 1_700_000_000, offset: 90 }
    const shared = { tree: base.tree, parents: [base.id], author: person, committer: person }
    const signature = "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
    const signed = await git.objects.writeCommit(storage, { ...shared, message: "signed\n", signature })
    const long = await git.objects.writeCommit(storage, { ...shared, message: `${"long ".repeat(2000)}\n` })
    for (const [branch, id] of [
      ["signed", signed],
      ["long", long],
    ] as const)
      expect(await status(ann, `POST ${at}/branches`, { new_branch_name: branch, old_ref_name: id })).toBe(201)
    const found = new Map((await call(cal, `GET ${at}/branches`)).body.map((branch: { name: string }) => [branch.name, branch]))
    expect(found.get("signed")).toMatchObject({
      commit: { message: "signed\n", timestamp: "2023-11-14T23:43:20+01:30", verification: { verified: false, signature } },
    })
    expect(found.get("long")).toMatchObject({ commit: { message: `${"long ".repeat(2000)}\n` } })
    // A row from before these columns existed.
    await database.write((tx) => tx.updateTable("branches").set({ is_told: 0, commit_message: "Add" }).where("name", "=", "main").execute())
    expect((await call(cal, `GET ${at}/branches/main`)).body.commit.message).toBe("Add file0\n")
    expect(now()).toBeGreaterThan(0)
  })

  test("are got by names with slashes", async () => {
    const { at } = await repository(1)
    await call(ann, `POST ${at}/branches`, { new_branch_name: "feature/a b".replace(" ", "+") })
    expect((await call(undefined, `GET ${at}/branches/feature/a+b`)).body.name).toBe("feature/a+b")
    expect((await call(ben, `GET ${at}/branches/feature%2Fa%2Bb`)).body).toMatchObject({ name: "feature/a+b", user_can_push: true })
    expect(await status(ann, `GET ${at}/branches/Main`)).toBe(404)
    expect(await status(ann, `GET ${at}/branches/nowhere`)).toBe(404)
    const secret = await repository(1, { private: true })
    expect(await status(cal, `GET ${secret.at}/branches/main`)).toBe(404)
    expect(await status(undefined, `GET ${secret.at}/branches`)).toBe(404)
    expect(await status(ben, `GET ${secret.at}/branches`)).toBe(200)
    await call(ann, `PATCH ${at}`, { has_code: false })
    expect(await status(cal, `GET ${at}/branches`)).toBe(403)
  })

  test("are made to name another commit", async () => {
    const { at, name, commits } = await repository(3)
    const [one = "", two = "", three = ""] = commits
    await call(ann, `POST ${at}/branches`, { new_branch_name: "early", old_ref_name: one })
    const put = (caller: Caller, body: object, branch = "early") => status(caller, `PUT ${at}/branches/${branch}`, body)
    expect(await put(cal, { new_commit_id: two })).toBe(403)
    expect(await put(ben, { new_commit_id: two, old_commit_id: one })).toBe(204)
    expect(await put(ben, { new_commit_id: three, old_commit_id: one })).toBe(422)
    expect(await put(ben, { new_commit_id: one })).toBe(422)
    expect((await call(ann, `GET ${at}/branches/early`)).body.commit.id).toBe(two)
    expect(await put(ben, { new_commit_id: one, force: true })).toBe(204)
    expect(await put(ben, { new_commit_id: one, force: true, old_commit_id: one })).toBe(204)
    expect((await call(ann, `GET ${at}/branches/early`)).body.commit).toMatchObject({ id: one, message: "Add file0\n" })
    expect(await put(ben, { new_commit_id: "f".repeat(40) })).toBe(404)
    expect(await put(ben, { new_commit_id: "main" })).toBe(404)
    expect(await put(ben, { new_commit_id: "--all" })).toBe(404)
    expect(await put(ben, {})).toBe(422)
    expect(await put(ben, { new_commit_id: two }, "nowhere")).toBe(404)
    expect(await put(ben, { new_commit_id: two }, "..%2F..%2FHEAD")).toBe(404)
    const { storage } = await row(name)
    const { tree } = await forge.hearth.services.git.objects.readCommit(storage, objectId(one))
    expect(await put(ben, { new_commit_id: tree })).toBe(404)
    expect(await put(ben, { new_commit_id: three.slice(0, 12) })).toBe(204)
  })

  test("are deleted, but for the default branch", async () => {
    const { at } = await repository(1)
    await call(ann, `POST ${at}/branches`, { new_branch_name: "a/b" })
    expect(await status(cal, `DELETE ${at}/branches/a/b`)).toBe(403)
    expect(await status(ben, `DELETE ${at}/branches/main`)).toBe(403)
    expect(await status(ben, `DELETE ${at}/branches/a/b`)).toBe(204)
    expect(await status(ben, `DELETE ${at}/branches/a/b`)).toBe(404)
    expect(await names(at)).toEqual([["main"], "1"])
    expect((await call(ann, `GET ${at}`)).body.branch_count).toBe(1)
    const activities = await call(ann, `GET ${at}/activities/feeds`)
    expect(activities.body[0]).toMatchObject({ op_type: "delete_branch", ref_name: "refs/heads/a/b", content: "" })
    const empty = await repository(0)
    expect(await status(ann, `DELETE ${empty.at}/branches/main`)).toBe(404)
  })

  describe("renamed", () => {
    const rename = (caller: Caller, at: string, from: string, name: string) => call(caller, `PATCH ${at}/branches/${from}`, { name })

    test("take everything with them", async () => {
      const { at, name } = await repository(1)
      const { database, git } = forge.hearth.services
      await commit(at, "side", "main", 5, { new_branch: "side" })
      const pull = await call(ann, `POST ${at}/pulls`, { title: "bring it", head: "side", base: "main" })
      expect(pull.status).toBe(201)
      await call(ann, `POST ${at}/branch_protections`, { rule_name: "main", enable_push: true })
      expect((await rename(ben, at, "side", "aside")).status).toBe(204)
      expect((await rename(ben, at, "main", "trunk")).status).toBe(403)
      expect((await rename(ann, at, "main", "trunk")).status).toBe(204)
      expect((await rename(ben, at, "aside", "beside")).status).toBe(204)
      expect(await names(at)).toEqual([["beside", "trunk"], "2"])
      expect((await call(ben, `GET ${at}`)).body).toMatchObject({ default_branch: "trunk", branch_count: 2 })
      expect((await call(ann, `GET ${at}/branch_protections`)).body.map((rule: { rule_name: string }) => rule.rule_name)).toEqual(["trunk"])
      expect((await call(ann, `GET ${at}/pulls/${pull.body.number}`)).body).toMatchObject({
        state: "open",
        base: { ref: "trunk" },
        head: { ref: "beside" },
      })
      const { found, storage } = await row(name)
      expect(await git.references.head(storage)).toBe("refs/heads/trunk")
      expect((await git.references.list(storage, "refs/heads/")).map((ref) => ref.name)).toEqual(["refs/heads/beside", "refs/heads/trunk"])
      const redirects = await database.read
        .selectFrom("branch_redirects")
        .select(["name", "new_name"])
        .where("repository_id", "=", found.id)
        .orderBy("name")
        .execute()
      expect(redirects).toEqual([
        { name: "aside", new_name: "beside" },
        { name: "main", new_name: "trunk" },
        { name: "side", new_name: "beside" },
      ])
      expect((await call(ann, `GET ${at}/activities/feeds?limit=2`)).body).toMatchObject([
        { op_type: "commit_repo", ref_name: "refs/heads/beside", content: "" },
        { op_type: "delete_branch", ref_name: "refs/heads/aside" },
      ])
      await forge.hearth.services.jobs.drain()
      expect((await forge.hearth.services.jobs.counts()).filter(({ kind: of }) => of === "branch.rename")).toEqual([])
    })

    test("don't conflict with each other", async () => {
      const { at } = await repository(1)
      for (const name of ["a", "b/c"]) await call(ann, `POST ${at}/branches`, { new_branch_name: name })
      const tried = async (from: string, to: string) => (await rename(ben, at, from, to)).status
      expect(await tried("a", "a")).toBe(422)
      expect(await tried("a", "b/c")).toBe(422)
      expect(await tried("a", "b")).toBe(422)
      expect(await tried("a", "b/c/d")).toBe(422)
      expect(await tried("a", "a/b")).toBe(422)
      expect(await tried("b/c", "b")).toBe(422)
      expect(await tried("a", "x..y")).toBe(422)
      expect(await tried("a", "")).toBe(422)
      expect(await tried("nowhere", "x")).toBe(404)
      expect(await tried("nowhere", "a")).toBe(422)
      expect(await tried("b/c", "b/d")).toBe(204)
      expect((await rename(cal, at, "a", "x")).status).toBe(403)
      expect(await names(at)).toEqual([["a", "b/d", "main"], "3"])
    })

    test("can't be used to bypass protection rules", async () => {
      const { at } = await repository(1)
      for (const name of ["work", "release/1", "Main2"]) await call(ann, `POST ${at}/branches`, { new_branch_name: name })
      await call(ann, `POST ${at}/branch_protections`, { rule_name: "release/*", enable_push: true, protected_file_patterns: "*.lock" })
      await call(ann, `POST ${at}/branch_protections`, { rule_name: "main2" })
      // A branch can't be renamed out of its rule, not even by an administrator …
      expect((await rename(ann, at, "release/1", "free")).status).toBe(403)
      expect((await rename(ann, at, "Main2", "free")).status).toBe(403)
      // … nor into one whose branches the caller could not have pushed to.
      await commit(at, "deps.lock", "work", 7)
      const refused = await rename(ben, at, "work", "release/2")
      expect([refused.status, refused.body.message]).toEqual([403, "branch release/2 is protected from changing file deps.lock"])
      expect((await rename(ann, at, "work", "MAIN2")).status).toBe(403)
      await call(ann, `POST ${at}/branches`, { new_branch_name: "plain" })
      expect((await rename(ben, at, "plain", "release/3")).status).toBe(204)
    })

    test("are finished after a crash", async () => {
      const { at, name } = await repository(1)
      await call(ann, `POST ${at}/branches`, { new_branch_name: "old" })
      const { database, git, jobs } = forge.hearth.services
      const { found, storage } = await row(name)
      const tip = await git.references.resolve(storage, branchRef("old"))
      if (!tip) throw new Error("no branch")
      const job = { repositoryId: found.id, doerId: found.owner_id, from: "old", to: "new", tip }
      // The process ended before any reference moved: nothing changed.
      await database.write((tx) => jobs.enqueue(tx, renameJob, job))
      await jobs.drain()
      expect(await names(at)).toEqual([["main", "old"], "2"])
      // It ended with the reference renamed, but no row updated.
      await git.references.update(storage, [
        { name: branchRef("old"), from: tip, to: null },
        { name: branchRef("new"), from: null, to: tip },
      ])
      await database.write((tx) => jobs.enqueue(tx, renameJob, job))
      await jobs.drain()
      expect(await names(at)).toEqual([["main", "new"], "2"])
      // It ended before, and both branches were created since: both are listed, and neither counts as renamed.
      await git.references.update(storage, [{ name: branchRef("old"), from: null, to: tip }])
      await database.write((tx) => tx.deleteFrom("branches").where("repository_id", "=", found.id).where("name", "=", "new").execute())
      await database.write((tx) => jobs.enqueue(tx, renameJob, job))
      await jobs.drain()
      expect(await names(at)).toEqual([["main", "new", "old"], "3"])
    })
  })

  test("and tags are listed as references", async () => {
    const { at, name, commits } = await repository(1)
    await call(ann, `POST ${at}/branches`, { new_branch_name: "feature/one" })
    const { storage } = await row(name)
    const { git } = forge.hearth.services
    const first = objectId(commits[0] ?? "")
    const person = { name: "Ada", email: "ada@example.org", when: 1_700_000_000, offset: 0 }
    const tag = await git.objects.writeTag(storage, { object: first, type: "commit", name: "heavy", tagger: person, message: "heavy\n" })
    await git.references.update(storage, [
      { name: tagRef("heavy"), from: null, to: tag },
      { name: tagRef("light"), from: null, to: first },
      { name: refName("refs/hearth/secret"), from: null, to: first },
    ])
    const refs = async (path: string) => {
      const { status: answered, body } = await call(undefined, `GET ${at}/git/refs${path}`)
      return answered === 200 ? body.map(({ ref, object }: { ref: string; object: { type: string } }) => `${ref} ${object.type}`) : answered
    }
    const heads = ["refs/heads/feature/one commit", "refs/heads/main commit"]
    expect(await refs("")).toEqual([...heads, "refs/tags/heavy tag", "refs/tags/light commit"])
    expect(await refs("/heads")).toEqual(heads)
    expect(await refs("/heads/")).toEqual(heads)
    expect(await refs("/heads/feature")).toEqual(heads.slice(0, 1))
    expect(await refs("/heads/main")).toEqual(heads.slice(1))
    expect(await refs("/heads/feat")).toEqual(heads.slice(0, 1))
    expect(await refs("/head")).toEqual(heads)
    for (const path of [
      "/heads/nowhere",
      "/heads/main/x",
      "/hear",
      "/hearth",
      "/hearth/secret",
      "/..",
      "/heads/..%2F..%2Fconfig",
      "/-x",
      "/x",
    ])
      expect([path, await refs(path)]).toEqual([path, 404])
    const [one] = (await call(undefined, `GET ${at}/git/refs/tags/heavy`)).body
    expect(one).toEqual({
      ref: "refs/tags/heavy",
      url: expect.stringMatching(new RegExp(`/api/v1${at}/git/refs/tags/heavy$`)),
      object: { type: "tag", sha: tag, url: expect.stringMatching(new RegExp(`/api/v1${at}/git/tags/${tag}$`)) },
    })
    const empty = await repository(0)
    expect(await status(ann, `GET ${empty.at}/git/refs`)).toBe(404)
  })
})
