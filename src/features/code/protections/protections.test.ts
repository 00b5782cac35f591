import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { beginWork } from "../../../core/work.ts"
import { checksSatisfied, workOfChecks } from "./required-checks.ts"
import { findProtection, officialReviewers } from "./rules.ts"
import { controlOfTags } from "./tags.ts"

withHearth("rules", { people: ["ann", "ben", "cal"], on: databaseKinds }, ({ test, forge, call, status, ann, ben, cal }) => {
  let last = 0

  const db = () => forge.hearth.services.database.read
  /** A repository of ann or of an organisation owned by ann; ben may write to it and cal may read it. */
  const repository = async (owner = "ann") => {
    const name = `box${++last}`
    const made = await call(ann, owner === "ann" ? "POST /user/repos" : `POST /orgs/${owner}/repos`, { name, auto_init: true })
    const at = `/repos/${owner}/${name}`
    await call(ann, `PUT ${at}/collaborators/ben`, { permission: "write" })
    await call(ann, `PUT ${at}/collaborators/cal`, { permission: "read" })
    return { at, id: made.body.id }
  }
  const protect = async (at: string, body: object) => {
    const made = await call(ann, `POST ${at}/branch_protections`, body)
    if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`)
    return made.body
  }
  const rules = async (at: string): Promise<string[]> =>
    (await call(ann, `GET ${at}/branch_protections`)).body.map(
      ({ rule_name, priority }: { rule_name: string; priority: number }) => `${priority} ${rule_name}`,
    )

  const PLAIN = {
    enable_push: false,
    enable_push_whitelist: false,
    push_whitelist_usernames: [],
    push_whitelist_teams: [],
    push_whitelist_deploy_keys: false,
    enable_force_push: false,
    enable_force_push_allowlist: false,
    force_push_allowlist_usernames: [],
    force_push_allowlist_teams: [],
    force_push_allowlist_deploy_keys: false,
    enable_merge_whitelist: false,
    merge_whitelist_usernames: [],
    merge_whitelist_teams: [],
    enable_bypass_allowlist: false,
    bypass_allowlist_usernames: [],
    bypass_allowlist_teams: [],
    enable_status_check: false,
    status_check_contexts: null,
    required_approvals: 0,
    enable_approvals_whitelist: false,
    approvals_whitelist_username: [],
    approvals_whitelist_teams: [],
    block_on_rejected_reviews: false,
    block_on_official_review_requests: false,
    block_on_outdated_branch: false,
    dismiss_stale_approvals: false,
    ignore_stale_approvals: false,
    require_signed_commits: false,
    protected_file_patterns: "",
    unprotected_file_patterns: "",
    block_admin_merge_override: false,
    enable_merge_queue: false,
    merge_queue_batch_size: 5,
    merge_queue_check_minutes: 60,
    merge_queue_style: "merge",
    created_at: expect.any(String),
    updated_at: expect.any(String),
  }

  describe("for branches", () => {
    test("are made with little or with everything", async () => {
      const { at } = await repository()
      expect(await protect(at, { rule_name: "main" })).toEqual({ branch_name: "main", rule_name: "main", priority: 1, ...PLAIN })
      const all = {
        rule_name: "release/*",
        priority: 7,
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_usernames: ["ben"],
        push_whitelist_deploy_keys: true,
        enable_force_push: true,
        enable_force_push_allowlist: true,
        force_push_allowlist_usernames: ["ann", "ben"],
        force_push_allowlist_deploy_keys: true,
        enable_merge_whitelist: true,
        merge_whitelist_usernames: ["ann"],
        enable_bypass_allowlist: true,
        bypass_allowlist_usernames: ["ben"],
        enable_status_check: true,
        status_check_contexts: ["ci/*"],
        required_approvals: 2,
        enable_approvals_whitelist: true,
        approvals_whitelist_username: ["ben", "cal"],
        block_on_rejected_reviews: true,
        block_on_official_review_requests: true,
        block_on_outdated_branch: true,
        dismiss_stale_approvals: true,
        ignore_stale_approvals: true,
        require_signed_commits: true,
        protected_file_patterns: "*.lock; docs/**",
        unprotected_file_patterns: "free/**",
        block_admin_merge_override: true,
        enable_merge_queue: true,
        merge_queue_batch_size: 8,
        merge_queue_check_minutes: 30,
        merge_queue_style: "squash",
      }
      const made = await protect(at, all)
      expect(made).toEqual({ ...PLAIN, ...all, branch_name: "" })
      expect((await call(ann, `GET ${at}/branch_protections/release/*`)).body).toEqual(made)
      expect((await call(ann, `GET ${at}/branch_protections/release%2F*`)).body).toEqual(made)
      expect(await protect(at, { branch_name: "next" })).toMatchObject({ branch_name: "next", rule_name: "next", priority: 8 })
    })

    test("have what stands under a switch that is off switched off", async () => {
      const { at } = await repository()
      const under = {
        enable_push_whitelist: true,
        push_whitelist_deploy_keys: true,
        enable_force_push: true,
        enable_force_push_allowlist: true,
      }
      const off = {
        enable_push_whitelist: false,
        push_whitelist_deploy_keys: false,
        enable_force_push: false,
        enable_force_push_allowlist: false,
      }
      expect(await protect(at, { rule_name: "a", ...under, push_whitelist_usernames: ["ben"], required_approvals: -3 })).toMatchObject({
        ...off,
        push_whitelist_usernames: ["ben"],
        required_approvals: 0,
      })
      const edit = async (body: object) => (await call(ann, `PATCH ${at}/branch_protections/a`, body)).body
      expect(await edit({ enable_push_whitelist: true })).toMatchObject({ enable_push: false, enable_push_whitelist: false })
      expect(await edit({ enable_push: true, enable_push_whitelist: true, push_whitelist_deploy_keys: true })).toMatchObject({
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_deploy_keys: true,
      })
      expect(await edit({ enable_push: true })).toMatchObject({ enable_push_whitelist: true })
      expect(await edit({ enable_force_push: true, enable_force_push_allowlist: true })).toMatchObject({
        enable_force_push: true,
        enable_force_push_allowlist: true,
      })
      expect(await edit({ enable_push: false })).toMatchObject({
        enable_push: false,
        enable_push_whitelist: false,
        push_whitelist_deploy_keys: false,
      })
    })

    test.each([
      ["push_whitelist_usernames", { enable_push: true, enable_push_whitelist: true }, "ben"],
      ["force_push_allowlist_usernames", { enable_push: true, enable_force_push: true, enable_force_push_allowlist: true }, "ben"],
      ["merge_whitelist_usernames", { enable_merge_whitelist: true }, "ben"],
      ["bypass_allowlist_usernames", { enable_bypass_allowlist: true }, "ben"],
      ["approvals_whitelist_username", { enable_approvals_whitelist: true }, "ben"],
      ["status_check_contexts", { enable_status_check: true }, "ci/*"],
    ])("empty %s where [] is sent, and leave the rest", async (list, switches, entry) => {
      const { at } = await repository()
      const made = await protect(at, { rule_name: "main", ...switches, [list]: [entry] })
      expect(made[list]).toEqual([entry])
      const { updated_at: _, ...cleared } = (await call(ann, `PATCH ${at}/branch_protections/main`, { [list]: [] })).body
      expect(cleared).toEqual({ ...made, [list]: [], updated_at: undefined })
    })

    test("keep what an edit doesn't send", async () => {
      const { at } = await repository()
      await protect(at, { rule_name: "main", push_whitelist_usernames: ["ben"], required_approvals: 2, status_check_contexts: ["a"] })
      const edit = async (body: object) => (await call(ann, `PATCH ${at}/branch_protections/main`, body)).body
      const kept = { push_whitelist_usernames: ["ben"], required_approvals: 2, status_check_contexts: ["a"] }
      expect(await edit({})).toMatchObject(kept)
      expect(await edit({ required_approvals: -1, push_whitelist_usernames: null })).toMatchObject(kept)
      expect(await edit({ push_whitelist_usernames: ["BEN", "ann", "ann"] })).toMatchObject({ push_whitelist_usernames: ["ann", "ben"] })
      expect(await edit({ push_whitelist_usernames: [], status_check_contexts: [], required_approvals: 0 })).toMatchObject({
        push_whitelist_usernames: [],
        status_check_contexts: [],
        required_approvals: 0,
      })
      expect(await edit({ rule_name: "other" })).toMatchObject({ rule_name: "main" })
    })

    test("list only those who could do it at all", async () => {
      const { at } = await repository()
      const made = await protect(at, {
        rule_name: "main",
        push_whitelist_usernames: ["ben", "cal"],
        approvals_whitelist_username: ["ben", "cal"],
        push_whitelist_teams: ["nobody knows"],
      })
      expect(made).toMatchObject({
        push_whitelist_usernames: ["ben"],
        approvals_whitelist_username: ["ben", "cal"],
        push_whitelist_teams: [],
      })
    })

    test("are refused without a name, with one that is taken, or with what is not there", async () => {
      const { at } = await repository()
      await protect(at, { rule_name: "main" })
      const tried = async (body: object) => {
        const { status: answered, body: told } = await call(ann, `POST ${at}/branch_protections`, body)
        return `${answered} ${/^\[\w+\]/.exec(told.message)?.[0] ?? told.message}`
      }
      expect(await tried({})).toBe("400 [rule_name]")
      expect(await tried({ rule_name: "main" })).toBe("403 Branch protection already exist")
      expect(await tried({ rule_name: "MAIN" })).toBe("403 Branch protection already exist")
      for (const rule_name of ["[a", "{a", "a..b", "a b", "a*".repeat(200), "release/{a,b"])
        expect(await tried({ rule_name })).toBe("422 [rule_name]")
      expect(await tried({ rule_name: "x", merge_whitelist_usernames: ["nobody"] })).toBe("422 [merge_whitelist_usernames]")
      expect(await tried({ rule_name: "x", status_check_contexts: ["ok", "[a"] })).toBe("422 [status_check_contexts]")
      expect(await tried({ rule_name: "x", protected_file_patterns: "ok;[a" })).toBe("422 [protected_file_patterns]")
      expect(await tried({ rule_name: "x", unprotected_file_patterns: "a;".repeat(101) })).toBe("422 [unprotected_file_patterns]")
      expect(await tried({ rule_name: "x", required_approvals: "many" })).toContain("422")
      expect(await status(ann, `PATCH ${at}/branch_protections/nowhere`, {})).toBe(404)
      expect(
        await status(ann, `PATCH ${at}/branch_protections/main`, { push_whitelist_usernames: ["nobody"], required_approvals: 5 }),
      ).toBe(422)
      expect((await call(ann, `GET ${at}/branch_protections/main`)).body.required_approvals).toBe(0)
      expect(await status(ann, `GET ${at}/branch_protections/Main`)).toBe(404)
      expect(await rules(at)).toEqual(["1 main"])
    })

    test("are for administrators, and stand still in an archive", async () => {
      const { at } = await repository()
      await protect(at, { rule_name: "main" })
      for (const [route, body] of [
        [`GET ${at}/branch_protections`],
        [`GET ${at}/branch_protections/main`],
        [`POST ${at}/branch_protections`, { rule_name: "x" }],
        [`PATCH ${at}/branch_protections/main`, {}],
        [`POST ${at}/branch_protections/priority`, { ids: [] }],
        [`DELETE ${at}/branch_protections/main`],
      ] as const) {
        expect(await status(ben, route, body)).toBe(403)
        expect(await status(undefined, route, body)).toBe(401)
      }
      await call(ann, `PATCH ${at}`, { archived: true })
      expect(await status(ann, `POST ${at}/branch_protections`, { rule_name: "x" })).toBe(423)
      expect(await status(ann, `DELETE ${at}/branch_protections/main`)).toBe(423)
      expect(await rules(at)).toEqual(["1 main"])
      await call(ann, `PATCH ${at}`, { archived: false })
      expect(await status(ann, `DELETE ${at}/branch_protections/main`)).toBe(204)
      expect(await status(ann, `DELETE ${at}/branch_protections/main`)).toBe(404)
    })

    test("are put in order, and the first that fits counts", async () => {
      const { at, id } = await repository()
      for (const rule_name of ["**", "release/*", "Release/1"]) await protect(at, { rule_name })
      const first = async (branch: string) => (await findProtection(db(), id, branch))?.rule_name
      expect([await first("release/1"), await first("x/y")]).toEqual(["**", "**"])
      const ids = (
        await db().selectFrom("branch_protections").select(["id", "rule_name"]).where("repository_id", "=", id).execute()
      ).toSorted((a, b) => (a.rule_name < b.rule_name ? 1 : -1))
      expect(await status(ann, `POST ${at}/branch_protections/priority`, { ids: ids.map((rule) => rule.id) })).toBe(204)
      expect(await rules(at)).toEqual(["1 release/*", "2 Release/1", "3 **"])
      expect([await first("release/1"), await first("Release/1"), await first("RELEASE/1")]).toEqual([
        "release/*",
        "Release/1",
        "Release/1",
      ])
      expect(await first("release/1/2")).toBe("**")
      for (const wrong of [[0], [99_999], [ids[0]?.id, ids[0]?.id]])
        expect(await status(ann, `POST ${at}/branch_protections/priority`, { ids: wrong })).toBe(422)
      // With equal priority plain names come first.
      await call(ann, `PATCH ${at}/branch_protections/Release/1`, { priority: 1 })
      expect(await first("Release/1")).toBe("Release/1")
      expect((await call(ann, `PATCH ${at}/branch_protections/**`, { priority: 0 })).body.priority).toBe(0)
      expect(await rules(at)).toEqual(["0 **", "1 Release/1", "1 release/*"])
    })

    test("know teams of an organisation", async () => {
      const org = `guild${++last}`
      await call(ann, "POST /orgs", { username: org })
      const { at, id } = await repository(org)
      const team = async (name: string, member: string, inside: boolean) => {
        const { body } = await call(ann, `POST /orgs/${org}/teams`, { name, units_map: { "repo.code": "write" } })
        await call(ann, `PUT /teams/${body.id}/members/${member}`)
        if (inside) await call(ann, `PUT /teams/${body.id}${at}`)
      }
      await team("Pushers", "cal", true)
      await team("Away", "ben", false)
      const made = await protect(at, {
        rule_name: "main",
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_teams: ["pushers", "away"],
        enable_approvals_whitelist: true,
        approvals_whitelist_teams: ["Pushers"],
      })
      expect(made).toMatchObject({ push_whitelist_teams: ["Pushers"], approvals_whitelist_teams: ["Pushers"] })
      expect((await call(cal, `GET ${at}/branches/main`)).body).toMatchObject({ user_can_push: true, user_can_merge: true })
      expect((await call(ben, `GET ${at}/branches/main`)).body).toMatchObject({ user_can_push: false, user_can_merge: true })
      expect(await status(ann, `PATCH ${at}/branch_protections/main`, { push_whitelist_teams: ["unknown"] })).toBe(422)
      const people = await db().selectFrom("users").selectAll().where("lower_name", "in", ["ann", "ben", "cal"]).orderBy("id").execute()
      const repositoryRow = await db().selectFrom("repositories").selectAll().where("id", "=", id).executeTakeFirstOrThrow()
      const owner = await db().selectFrom("users").selectAll().where("id", "=", repositoryRow.owner_id).executeTakeFirstOrThrow()
      const owned = { repository: repositoryRow, owner }
      const rule = await findProtection(db(), id, "main")
      const official = async (protection: typeof rule) => {
        const ids = await officialReviewers(db(), protection, owned, people)
        return people.filter((person) => ids.has(person.id)).map(({ name }) => name)
      }
      expect(await official(rule)).toEqual(["cal"])
      expect(await official(undefined)).toEqual(["ann", "ben", "cal"])
    })

    test("say what the checks must be", async () => {
      type Asked = Parameters<typeof checksSatisfied>
      const satisfied = (of: Asked[0], checks: Asked[1]) => checksSatisfied(of, checks, workOfChecks(forge.hearth.services))
      const state = (context: string, value: string) => ({ context, state: value })
      const rule = (...globs: readonly string[]) => ({ enable_status_check: 1 as const, status_check_contexts: JSON.stringify(globs) })
      expect(await satisfied(undefined, [])).toBe(true)
      expect(await satisfied({ ...rule("a"), enable_status_check: 0 }, [])).toBe(true)
      expect(await satisfied(rule(), [])).toBe(false)
      expect(await satisfied({ ...rule(), status_check_contexts: "null" }, [state("x", "success")])).toBe(true)
      expect(await satisfied(rule(), [state("x", "success"), state("y", "skipped")])).toBe(true)
      expect(await satisfied(rule(), [state("x", "success"), state("y", "pending")])).toBe(false)
      expect(await satisfied(rule("ci/*"), [state("ci/a/b", "success"), state("lint", "failure")])).toBe(true)
      expect(await satisfied(rule("ci/*"), [state("ci/a", "success"), state("ci/b", "warning")])).toBe(false)
      expect(await satisfied(rule("ci/*", "lint"), [state("ci/a", "success")])).toBe(false)
    })
  })

  describe("for tags", () => {
    test("are made, got, edited and deleted", async () => {
      const { at, id } = await repository()
      expect((await call(ann, `GET ${at}/tag_protections`)).body).toEqual([])
      const made = await call(ann, `POST ${at}/tag_protections`, { name_pattern: " v* ", whitelist_usernames: ["ben"] })
      expect([made.status, made.body]).toEqual([
        201,
        {
          id: expect.any(Number),
          name_pattern: "v*",
          whitelist_usernames: ["ben"],
          whitelist_teams: [],
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ])
      const one = `${at}/tag_protections/${made.body.id}`
      expect((await call(ann, `GET ${one}`)).body).toEqual(made.body)
      expect((await call(ann, `PATCH ${one}`, {})).body).toMatchObject({ name_pattern: "v*", whitelist_usernames: ["ben"] })
      const edited = await call(ann, `PATCH ${one}`, { name_pattern: "/^v\\d+$/", whitelist_usernames: ["ann"] })
      expect([edited.status, edited.body]).toEqual([
        200,
        expect.objectContaining({ name_pattern: "/^v\\d+$/", whitelist_usernames: ["ann"] }),
      ])
      const [annRow, benRow] = await db().selectFrom("users").selectAll().where("lower_name", "in", ["ann", "ben"]).orderBy("id").execute()
      if (!annRow || !benRow) throw new Error("no people")
      const may = async (tag: string, user: { readonly id: number }) =>
        (await controlOfTags(db(), id, user))(tag, beginWork({ what: "compare", steps: 10_000 }))
      expect(await may("v1", benRow)).toBe(false)
      expect(await may("v1x", benRow)).toBe(true)
      expect(await may("v1", annRow)).toBe(true)
      // One allowing rule of several for a tag is enough.
      await call(ann, `POST ${at}/tag_protections`, { name_pattern: "v1*", whitelist_usernames: ["ben"] })
      expect(await may("v1", benRow)).toBe(true)
      expect(await status(ann, `DELETE ${one}`)).toBe(204)
      expect(await status(ann, `DELETE ${one}`)).toBe(404)
    })

    test("are refused to others, and as nonsense", async () => {
      const { at } = await repository()
      const tried = (body: object, caller: Caller = ann) => status(caller, `POST ${at}/tag_protections`, body)
      expect(await tried({ whitelist_usernames: ["ben"] })).toBe(400)
      expect(await tried({ name_pattern: "  ", whitelist_usernames: ["ben"] })).toBe(400)
      expect(await tried({ name_pattern: "v*" })).toBe(400)
      expect(await tried({ name_pattern: "v*", whitelist_usernames: ["nobody"] })).toBe(422)
      for (const name_pattern of ["[v", "/(/", "/(a)\\1/", "/(?=a)/"])
        expect(await tried({ name_pattern, whitelist_usernames: ["ben"] })).toBe(422)
      expect(await tried({ name_pattern: "v*", whitelist_usernames: ["ben"] }, ben)).toBe(403)
      expect(await status(undefined, `POST ${at}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["ben"] })).toBe(401)
      expect(await tried({ name_pattern: "v*", whitelist_usernames: ["ben"] })).toBe(201)
      expect(await tried({ name_pattern: "v*", whitelist_usernames: ["ann"] })).toBe(403)
      // A rule is found only in its own repository.
      const [rule] = (await call(ann, `GET ${at}/tag_protections`)).body
      const other = await repository()
      for (const method of ["GET", "DELETE"]) expect(await status(ann, `${method} ${other.at}/tag_protections/${rule.id}`)).toBe(404)
      expect(await status(ann, `PATCH ${other.at}/tag_protections/${rule.id}`, {})).toBe(404)
      await call(ann, `PATCH ${at}`, { archived: true })
      expect(await tried({ name_pattern: "x", whitelist_usernames: ["ben"] })).toBe(423)
      expect(await status(ann, `PATCH ${at}/tag_protections/${rule.id}`, {})).toBe(423)
      expect(await status(ann, `DELETE ${at}/tag_protections/${rule.id}`)).toBe(204)
    })
  })
})
