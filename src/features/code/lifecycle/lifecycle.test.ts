import { beforeAll, describe, expect } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { type Caller, openWorld } from "../repositories/testing.ts"

withWorld("repositories", { open: openWorld, on: databaseKinds }, ({ test, world }) => {
  let alice: Caller
  let bob: Caller
  let carol: Caller

  test.beforeAll(async () => {
    alice = await world.person("alice")
    bob = await world.person("bob")
    carol = await world.person("carol")
    expect((await alice.call("POST", "/orgs", { username: "crew" })).status).toBe(201)
  })

  const create = (caller: Caller, name: string, options: object = {}) => caller.call("POST", "/user/repos", { name, ...options })
  const db = () => world.hearth.services.database.read
  const row = (name: string) =>
    db().selectFrom("repositories").selectAll().where("lower_name", "=", name.toLowerCase()).executeTakeFirstOrThrow()
  const fileCount = async () => (await db().selectFrom("repositories").select("id").execute()).length
  const counter = async (name: string) =>
    (await db().selectFrom("users").select("repositories_count").where("lower_name", "=", name).executeTakeFirstOrThrow())
      .repositories_count
  const feed = async (op: "create_repo" | "rename_repo" | "transfer_repo", repositoryId: number) =>
    db()
      .selectFrom("activities")
      .select(["receiver_id", "actor_id", "content"])
      .where("op_type", "=", op)
      .where("repository_id", "=", repositoryId)
      .execute()

  describe("making", () => {
    test("everything derived is there at once", async () => {
      const before = await counter("alice")
      const made = await create(alice, "first", { description: "One" })
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({
        full_name: "alice/first",
        empty: true,
        watchers_count: 1,
        permissions: { admin: true, push: true, pull: true },
      })
      expect(await counter("alice")).toBe(before + 1)
      expect(await feed("create_repo", made.body.id)).toEqual([{ receiver_id: alice.id, actor_id: alice.id, content: "" }])
    })

    test("with a first commit, labels and a licence", async () => {
      const made = await create(alice, "full", {
        auto_init: true,
        gitignores: "Go,Vim",
        license: "MIT",
        issue_labels: "Default",
        default_branch: "develop",
        object_format_name: "sha256",
      })
      expect(made.body).toMatchObject({
        empty: false,
        branch_count: 1,
        default_branch: "develop",
        licenses: ["MIT"],
        object_format_name: "sha256",
      })
      const { storage, object_format, id } = await row("full")
      const { git } = world.hearth.services
      const commit = await git.history.lastCommit(git.at(storage, object_format), "develop")
      expect(commit).toMatchObject({ message: "Initial commit\n", parents: [], author: { name: "alice", email: "alice@example.com" } })
      const names = commit && (await git.objects.readTree(git.at(storage, object_format), commit.tree)).map((entry) => entry.name)
      expect(names).toEqual([".gitignore", "LICENSE", "README.md"])
      expect(await db().selectFrom("labels").select("id").where("repository_id", "=", id).execute()).toHaveLength(7)
      expect(await db().selectFrom("branches").select("name").where("repository_id", "=", id).execute()).toEqual([{ name: "develop" }])
    })

    test.each([
      [{ name: "FIRST" }, 409, "name"],
      [{ name: "a..b" }, 422, "name"],
      [{ name: "x.git" }, 422, "name"],
      [{ name: "new", default_branch: "a..b" }, 422, "default_branch"],
      [{ name: "new", issue_labels: "None Such" }, 422, "issue_labels"],
      [{ name: "new", auto_init: true, gitignores: "Go,Nope" }, 422, "gitignores"],
      [{ name: "new", auto_init: true, license: "Nope" }, 422, "license"],
      [{ name: "new", license: "MIT" }, 422, "license"],
      [{ name: "new", auto_init: true, readme: "Fancy" }, 422, "readme"],
      [{ name: "new", object_format_name: "md5" }, 422, "object_format_name"],
    ])("%j is refused with %d and leaves nothing", async (options, status, field) => {
      const before = await fileCount()
      const refused = await alice.call("POST", "/user/repos", options)
      expect(refused.status).toBe(status)
      expect(refused.body.message).toContain(field)
      expect(await fileCount()).toBe(before)
    })

    test("a refused name is told which of its characters is wrong, wherever names are sent", async () => {
      await alice.call("POST", "/user/repos", { name: "well-named" })
      for (const [method, path, member] of [
        ["POST", "/user/repos", "name"],
        ["POST", "/org/crew/repos", "name"],
        ["POST", "/orgs/crew/repos", "name"],
        ["PATCH", "/repos/alice/well-named", "name"],
        ["POST", "/orgs", "username"],
        ["POST", "/orgs/crew/teams", "name"],
      ] as const) {
        const { status, body } = await alice.call(method, path, { [member]: "a+b", units_map: { "repo.code": "read" } })
        expect([path, status, body.message]).toEqual([
          path,
          422,
          expect.stringMatching(new RegExp(String.raw`^\[${member}\]: must not contain "\+"; it must be letters`)),
        ])
      }
    })

    test.each(["/user/repos", "/org/crew/repos", "/orgs/crew/repos"])("an unknown readme template is invalid at POST %s", async (path) => {
      const { status, body } = await alice.call("POST", path, { name: "unreadable", auto_init: true, readme: "Fancy" })
      expect([status, body.message]).toEqual([422, "[readme]: there is no template Fancy; there is Default"])
    })

    test("who may: oneself, members with the right, site administrators", async () => {
      expect((await world.anonymous.call("POST", "/user/repos", { name: "x" })).status).toBe(401)
      expect((await bob.call("POST", "/orgs/crew/repos", { name: "x" })).status).toBe(403)
      expect((await bob.call("POST", "/orgs/nowhere/repos", { name: "x" })).status).toBe(404)
      expect((await bob.call("POST", "/admin/users/alice/repos", { name: "x" })).status).toBe(403)
      expect((await alice.call("POST", "/orgs/crew/repos", { name: "in-crew" })).status).toBe(201)
      expect((await alice.call("POST", "/org/crew/repos", { name: "in-crew-too" })).status).toBe(201)
      expect((await world.root.call("POST", "/admin/users/bob/repos", { name: "given" })).body.owner.login).toBe("bob")
    })

    test("a limit holds, but not for site administrators", async () => {
      const dora = await world.person("dora")
      await world.hearth.services.database.write((tx) =>
        tx.updateTable("users").set({ max_repositories: 1 }).where("id", "=", dora.id).execute(),
      )
      const both = await Promise.all([create(dora, "one"), create(dora, "two")])
      expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
      expect((await world.root.call("POST", "/admin/users/dora/repos", { name: "three" })).status).toBe(201)
    })
  })

  describe("editing", () => {
    const edit = (body: object, caller = alice) => caller.call("PATCH", "/repos/alice/edited", body)
    const tracking = { enable_time_tracker: true, allow_only_contributors_to_track_time: true, enable_issue_dependencies: true }
    const tracker = {
      external_tracker_url: "https://tracker.example",
      external_tracker_format: "https://tracker.example/{user}/{repo}/{index}",
      external_tracker_style: "alphanumeric",
    }
    beforeAll(async () => {
      expect((await create(alice, "edited", { auto_init: true })).status).toBe(201)
    })

    test("who may", async () => {
      expect((await edit({ description: "x" }, world.anonymous)).status).toBe(401)
      expect((await edit({ description: "x" }, bob)).status).toBe(403)
      expect((await edit({ description: "mine" })).body.description).toBe("mine")
    })

    test("nothing of a refused edit stays", async () => {
      expect(
        (
          await edit({
            description: "half",
            name: "renamed",
            private: true,
            has_wiki: true,
            external_wiki: { external_wiki_url: "nonsense" },
          })
        ).status,
      ).toBe(422)
      expect((await alice.call("GET", "/repos/alice/edited")).body).toMatchObject({ description: "mine", private: false, has_wiki: true })
    })

    test.each([
      [{ name: "first" }, "name"],
      [{ name: "x.wiki" }, "name"],
      [{ default_branch: "missing" }, "default_branch"],
      [{ has_issues: true, external_tracker: { external_tracker_url: "ftp://x" } }, "external_tracker_url"],
      [
        {
          has_issues: true,
          external_tracker: { external_tracker_url: "https://x.example", external_tracker_format: "https://x.example/{id}" },
        },
        "external_tracker_format",
      ],
      [{ external_tracker: { external_tracker_url: "nonsense" } }, "external_tracker_url"],
      [{ external_tracker: { external_tracker_url: "" } }, "external_tracker_url"],
      [{ external_tracker: { external_tracker_style: "numeric" } }, "external_tracker_url"],
      [{ external_tracker: { external_tracker_url: "https://x.example", external_tracker_format: "x" } }, "external_tracker_format"],
      [{ has_issues: false, external_tracker: { external_tracker_url: "nonsense" } }, "external_tracker_url"],
      [{ internal_tracker: { enable_time_tracker: 7 } }, "enable_time_tracker"],
      [{ external_wiki: { external_wiki_url: "nonsense" } }, "external_wiki_url"],
      [{ external_wiki: {} }, "external_wiki_url"],
      [{ has_wiki: false, external_wiki: { external_wiki_url: "ftp://x" } }, "external_wiki_url"],
      [{ has_pull_requests: false, allow_rebase_update: false, default_update_style: "rebase" }, "default_update_style"],
      [{ allow_merge_update: false, allow_rebase_update: false }, "allow_merge_update"],
      [{ allow_rebase_update: false, default_update_style: "rebase" }, "default_update_style"],
      [{ default_merge_style: "magic" }, "default_merge_style"],
      [{ allow_squash_merge: false, default_merge_style: "squash" }, "default_merge_style"],
      [{ allow_rebase_explicit: false, default_merge_style: "rebase-merge" }, "default_merge_style"],
      [
        { external_tracker: { external_tracker_url: "https://x.example", external_tracker_style: "regexp" } },
        "external_tracker_regexp_pattern",
      ],
      [
        {
          external_tracker: {
            external_tracker_url: "https://x.example",
            external_tracker_style: "regexp",
            external_tracker_regexp_pattern: "([A-Z]+",
          },
        },
        "external_tracker_regexp_pattern",
      ],
      [{ projects_mode: "some" }, "projects_mode"],
    ])("%j is refused, naming %s", async (body, field) => {
      const refused = await edit(body)
      expect(refused.status).toBe(422)
      expect(refused.body.message).toContain(field)
    })

    test("settings of units count when they are sent alone, and only what is sent changes", async () => {
      const merges = { allow_squash_merge: false, default_merge_style: "rebase", default_allow_maintainer_edit: false }
      expect((await edit(merges)).body).toMatchObject({ ...merges, allow_rebase: true })
      expect((await edit({ projects_mode: "owner" })).body).toMatchObject({ has_projects: true, projects_mode: "owner" })
      const internal = (await edit({ internal_tracker: { enable_time_tracker: false } })).body
      expect(internal.internal_tracker).toEqual({ ...tracking, enable_time_tracker: false })
      const external = await edit({ external_tracker: tracker })
      expect(external.body).toMatchObject({ has_issues: true, external_tracker: { ...tracker, external_tracker_regexp_pattern: "" } })
      expect(external.body).not.toHaveProperty("internal_tracker")
      expect((await edit({ has_issues: true })).body).toEqual(external.body)
      expect((await edit({ external_tracker: { external_tracker_style: "numeric" } })).body).toMatchObject({
        external_tracker: { ...tracker, external_tracker_style: "numeric" },
      })
      const again = (await edit({ internal_tracker: { allow_only_contributors_to_track_time: false } })).body
      expect(again.internal_tracker).toEqual({ ...internal.internal_tracker, allow_only_contributors_to_track_time: false })
      expect(again).not.toHaveProperty("external_tracker")
      const wiki = { external_wiki_url: "https://wiki.example" }
      expect((await edit({ external_wiki: wiki })).body).toMatchObject({ has_wiki: true, external_wiki: wiki })
      expect((await edit({ has_wiki: true, external_wiki: {} })).body).toMatchObject({ has_wiki: true, external_wiki: wiki })
      expect((await edit({ external_wiki: { external_wiki_url: "" } })).body).not.toHaveProperty("external_wiki")
    })

    test("units that are switched off and on keep their settings", async () => {
      await edit({ external_wiki: { external_wiki_url: "https://wiki.example" }, projects_mode: "repo", has_pull_requests: true })
      const units = (on: boolean) => ({ has_pull_requests: on, has_issues: on, has_projects: on, has_wiki: on })
      for (const issues of [{ internal_tracker: { enable_issue_dependencies: false } }, { external_tracker: tracker }]) {
        const { updated_at: _, ...before } = (await edit(issues)).body
        const off = (await edit(units(false))).body
        expect(off).toMatchObject({
          allow_merge_commits: false,
          allow_manual_merge: true,
          default_merge_style: "merge",
          projects_mode: "all",
        })
        for (const name of ["internal_tracker", "external_tracker", "external_wiki"]) expect(off).not.toHaveProperty(name)
        expect((await edit(units(true))).body).toMatchObject(before)
      }
      // They can be changed meanwhile, and nothing is switched on by that.
      const meanwhile = {
        allow_squash_merge: true,
        projects_mode: "all",
        internal_tracker: tracking,
        external_wiki: { external_wiki_url: "" },
      }
      expect((await edit({ ...units(false), ...meanwhile })).body).toMatchObject(units(false))
      expect((await edit(units(false))).body).toMatchObject(units(false))
      const { external_wiki, ...shown } = meanwhile
      expect((await edit(units(true))).body).toMatchObject({ ...shown, default_merge_style: "rebase" })
    })

    test("an edit that changes nothing leaves the time of the last change alone", async () => {
      await world.hearth.services.database.write((tx) =>
        tx.updateTable("repositories").set({ updated_at: 1 }).where("lower_name", "=", "edited").execute(),
      )
      await edit({ description: "mine", has_wiki: true, archived: false, private: false, name: "edited" })
      expect((await row("edited")).updated_at).toBe(1)
    })

    test("archived and back, and settings change meanwhile", async () => {
      expect((await edit({ archived: true })).body.archived_at).not.toBe("1970-01-01T00:00:00Z")
      expect((await edit({ description: "kept" })).status).toBe(200)
      expect((await edit({ archived: false })).body).toMatchObject({ archived: false, archived_at: "1970-01-01T00:00:00Z" })
    })

    test("another default branch moves git's HEAD", async () => {
      await create(alice, "branchy")
      expect((await alice.call("PATCH", "/repos/alice/branchy", { default_branch: "trunk" })).body.default_branch).toBe("trunk")
      const { storage, object_format } = await row("branchy")
      const { git } = world.hearth.services
      expect(await git.references.head(git.at(storage, object_format))).toBe("refs/heads/trunk")
    })

    test("a rename leaves a redirect, until the old name is taken", async () => {
      const { id } = (await create(alice, "old-name")).body
      expect((await alice.call("PATCH", "/repos/alice/old-name", { name: "new-name" })).body.full_name).toBe("alice/new-name")
      const moved = await alice.call("GET", "/repos/alice/OLD-name?x=1")
      expect([moved.status, moved.headers.get("location")]).toEqual([301, "/api/v1/repos/alice/new-name?x=1"])
      expect(await feed("rename_repo", id)).toEqual([{ receiver_id: alice.id, actor_id: alice.id, content: "old-name" }])
      expect((await alice.call("PATCH", "/repos/alice/new-name", { name: "New-Name" })).body.name).toBe("New-Name")
      expect((await create(alice, "old-name")).status).toBe(201)
      expect((await alice.call("GET", "/repos/alice/old-name")).body.name).toBe("old-name")
      expect((await alice.call("PATCH", "/repos/alice/New-Name", { name: "old-name" })).status).toBe(422)
    })
  })

  describe("forks and visibility", () => {
    test("a fork follows what it was forked from, and stands alone afterwards", async () => {
      await create(alice, "base", { auto_init: true })
      const fork = await bob.call("POST", "/repos/alice/base/forks", {})
      expect(fork.status).toBe(202)
      expect(fork.body).toMatchObject({
        fork: true,
        branch_count: 1,
        has_issues: false,
        has_pull_requests: true,
        parent: { full_name: "alice/base", forks_count: 1 },
      })
      expect((await bob.call("POST", "/repos/alice/base/forks", { name: "again" })).status).toBe(409)
      expect((await alice.call("POST", "/repos/alice/base/forks", {})).status).toBe(409)
      expect((await bob.call("POST", "/repos/alice/base/forks", { organization: "crew" })).status).toBe(403)
      expect((await bob.call("POST", "/repos/alice/base/forks", { organization: "nowhere" })).status).toBe(404)
      expect((await world.anonymous.call("POST", "/repos/alice/base/forks", {})).status).toBe(401)
      expect((await world.anonymous.call("GET", "/repos/alice/base/forks")).body).toHaveLength(1)

      await world.hearth.services.database.write(async (tx) => {
        await tx
          .insertInto("stars")
          .values({ user_id: carol.id, repository_id: (await row("base")).id, created_at: 1 })
          .execute()
      })
      const hidden = await alice.call("PATCH", "/repos/alice/base", { private: true })
      expect(hidden.body).toMatchObject({ private: true, stars_count: 0, watchers_count: 1 })
      expect((await bob.call("GET", "/repos/bob/base")).body.private).toBe(true)
      expect((await carol.call("GET", "/repos/bob/base")).status).toBe(404)
      expect((await bob.call("PATCH", "/repos/bob/base", { private: false })).status).toBe(422)
      const shown = await db()
        .selectFrom("activities")
        .select("id")
        .where("repository_id", "=", (await row("base")).id)
        .where("is_private", "=", 0)
        .execute()
      expect(shown).toEqual([])

      expect((await alice.call("DELETE", "/repos/alice/base")).status).toBe(204)
      const alone = (await bob.call("GET", "/repos/bob/base")).body
      expect(alone.fork).toBe(false)
      expect(alone).not.toHaveProperty("parent")
    })

    test("turning a repository private and public again keeps the watchers who may still see it", async () => {
      await create(alice, "watched", { auto_init: true })
      const at = "/repos/alice/watched"
      const dan = await world.person("dan")
      expect((await alice.call("PUT", `${at}/collaborators/bob`, { permission: "read" })).status).toBe(204)
      for (const watcher of [bob, carol, dan, world.root]) expect((await watcher.call("PUT", `${at}/subscription`)).status).toBe(200)
      expect((await dan.call("POST", `${at}/forks`, {})).status).toBe(202)
      expect((await carol.call("PUT", "/repos/dan/watched/subscription")).status).toBe(200)
      expect((await alice.call("PUT", "/user/starred/alice/watched")).status).toBe(204)
      const watchers = async (path: string) =>
        (await world.root.call("GET", `${path}/subscribers`)).body.map(({ login }: { login: string }) => login).sort()
      const before = await watchers(at)
      expect(before).toEqual(["alice", "bob", "carol", "dan", "root"])
      expect((await alice.call("PATCH", at, { private: true })).body).toMatchObject({ private: true, watchers_count: 3, stars_count: 0 })
      expect(await watchers(at)).toEqual(["alice", "bob", "root"])
      expect(await watchers("/repos/dan/watched")).toEqual(["dan"])
      expect((await bob.call("GET", "/user/subscriptions")).body.map(({ name }: { name: string }) => name)).toContain("watched")
      expect((await alice.call("PATCH", at, { private: false })).body).toMatchObject({ private: false, watchers_count: 3 })
      expect(await watchers(at)).toEqual(["alice", "bob", "root"])
    })

    test("a template gives what is asked for", async () => {
      await create(alice, "seed", { auto_init: true, template: true, issue_labels: "Default" })
      expect((await row("seed")).has_actions).toBe(0)
      const generate = (body: object, caller = bob) => caller.call("POST", "/repos/alice/seed/generate", body)
      expect((await generate({ owner: "bob", name: "grown" })).status).toBe(422)
      expect((await generate({ owner: "carol", name: "grown", git_content: true })).status).toBe(403)
      expect((await generate({ owner: "nobody", name: "grown", git_content: true })).status).toBe(404)
      expect((await generate({ owner: "bob", name: "grown", git_content: true }, world.anonymous)).status).toBe(401)
      expect((await bob.call("POST", "/repos/alice/edited/generate", { owner: "bob", name: "grown", git_content: true })).status).toBe(422)
      const grown = await generate({ owner: "bob", name: "grown", git_content: true, labels: true, private: true })
      expect(grown.body).toMatchObject({ empty: false, private: true, template: false, branch_count: 1 })
      expect(await db().selectFrom("labels").select("id").where("repository_id", "=", grown.body.id).execute()).toHaveLength(7)
      expect((await generate({ owner: "bob", name: "grown", git_content: true })).status).toBe(409)
    })

    test("the paths of listed files have variables in them, too", async () => {
      await create(alice, "paths", { auto_init: true, template: true })
      const files = { ".gitea/template": "src/**\n", "src/$REPO_NAME/a.txt": "$REPO_OWNER", "src/b.txt": "b", "$REPO_NAME.txt": "c" }
      for (const [path, text] of Object.entries(files))
        expect((await alice.call("POST", `/repos/alice/paths/contents/${path}`, { content: btoa(text) })).status).toBe(201)
      const generate = (name: string) => bob.call("POST", "/repos/alice/paths/generate", { owner: "bob", name, git_content: true })
      expect((await generate("way")).status).toBe(201)
      const tree = (await bob.call("GET", "/repos/bob/way/git/trees/main?recursive=true")).body.tree
      const paths = tree.flatMap(({ type, path }: { type: string; path: string }) => (type === "blob" ? [path] : []))
      expect(paths).toEqual(["$REPO_NAME.txt", "README.md", "src/b.txt", "src/way/a.txt"])
      expect(atob((await bob.call("GET", "/repos/bob/way/contents/src/way/a.txt")).body.content)).toBe("bob")
      await alice.call("POST", "/repos/alice/paths/contents/src/way/a.txt", { content: "" })
      expect((await generate("way2")).status).toBe(201)
      await alice.call("POST", "/repos/alice/paths/contents/src/way3/a.txt", { content: "" })
      expect((await generate("way3")).status).toBe(422)
    })

    test("rules for branches come along, whom they list only under the same owner", async () => {
      await create(alice, "ruled", { auto_init: true, template: true })
      await alice.call("PUT", "/repos/alice/ruled/collaborators/bob", {})
      const rule = {
        rule_name: "main",
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_usernames: ["bob"],
        required_approvals: 2,
      }
      expect((await alice.call("POST", "/repos/alice/ruled/branch_protections", rule)).status).toBe(201)
      const rules = async (caller: Caller, owner: string) => {
        expect((await caller.call("POST", "/repos/alice/ruled/generate", { owner, name: "ruly", protected_branch: true })).status).toBe(201)
        return (await caller.call("GET", `/repos/${owner}/ruly/branch_protections`)).body
      }
      expect(await rules(alice, "alice")).toMatchObject([rule])
      expect(await rules(bob, "bob")).toMatchObject([
        { rule_name: "main", enable_push: true, required_approvals: 2, enable_push_whitelist: false, push_whitelist_usernames: [] },
      ])
    })
  })

  describe("transfer", () => {
    const transfer = (name: string, body: object, caller = alice) => caller.call("POST", `/repos/alice/${name}/transfer`, body)

    test("an offer waits, can be refused, and is taken over", async () => {
      const { id } = (await create(alice, "gift", { private: true })).body
      expect((await transfer("gift", { new_owner: "bob" }, carol)).status).toBe(404)
      expect((await transfer("gift", {})).status).toBe(404)
      expect((await transfer("gift", { new_owner: "bob", team_ids: [1] })).status).toBe(422)
      expect((await transfer("gift", { new_owner: "alice" })).status).toBe(422)
      expect((await bob.call("POST", "/repos/alice/gift/transfer/accept")).status).toBe(404)
      expect((await transfer("gift", { new_owner: "bob" })).status).toBe(201)
      expect((await transfer("gift", { new_owner: "carol" })).status).toBe(409)
      expect((await bob.call("GET", "/repos/alice/gift")).body.repo_transfer.recipient.login).toBe("bob")
      expect((await alice.call("POST", "/repos/alice/gift/transfer/accept")).status).toBe(403)
      expect((await bob.call("POST", "/repos/alice/gift/transfer/reject")).status).toBe(200)
      expect((await bob.call("GET", "/repos/alice/gift")).status).toBe(404)
      await transfer("gift", { new_owner: "bob" })
      expect((await bob.call("POST", "/repos/alice/gift/transfer/accept")).status).toBe(202)
      expect((await alice.call("GET", "/repos/bob/gift")).status).toBe(404)
      expect((await bob.call("GET", "/repos/alice/gift")).headers.get("location")).toBe("/api/v1/repos/bob/gift")
      expect(await feed("transfer_repo", id)).toEqual([{ receiver_id: bob.id, actor_id: bob.id, content: "alice/gift" }])
      // The previous owner can't read the private repository any more, and so doesn't watch it.
      expect(await db().selectFrom("watches").select("user_id").where("repository_id", "=", id).execute()).toEqual([])
    })

    test("at once into an organisation of one's own, but not over a name", async () => {
      await create(alice, "to-crew")
      expect((await transfer("to-crew", { new_owner: "crew" })).status).toBe(202)
      await create(alice, "to-crew")
      expect((await transfer("to-crew", { new_owner: "crew" })).status).toBe(422)
      expect((await transfer("to-crew", { new_owner: "crew", team_ids: [999_999] })).status).toBe(422)
    })
  })

  test("deleting takes rows and files, and counters follow", async () => {
    await create(alice, "doomed", { auto_init: true })
    const { storage, object_format } = await row("doomed")
    const before = await counter("alice")
    expect((await world.anonymous.call("DELETE", "/repos/alice/doomed")).status).toBe(401)
    expect((await bob.call("DELETE", "/repos/alice/doomed")).status).toBe(403)
    expect((await alice.call("DELETE", "/repos/alice/doomed")).status).toBe(204)
    expect((await alice.call("DELETE", "/repos/alice/doomed")).status).toBe(404)
    expect(await counter("alice")).toBe(before - 1)
    const { git, jobs } = world.hearth.services
    await jobs.drain()
    // Its files stay for as long as it can be restored.
    expect(await git.repositories.exists(git.at(storage, object_format))).toBe(true)
    const [gone] = (await alice.call("GET", "/user/deleted")).body
    expect((await alice.call("DELETE", `/user/deleted/${gone.id}`)).status).toBe(204)
    await jobs.drain()
    expect(await git.repositories.exists(git.at(storage, object_format))).toBe(false)
  })

  test("all repositories of an organisation go one after the other", async () => {
    await alice.call("POST", "/orgs", { username: "shortlived" })
    expect((await alice.call("DELETE", "/orgs/shortlived/repos")).status).toBe(204)
    for (const name of ["a", "b"]) await alice.call("POST", "/orgs/shortlived/repos", { name })
    expect((await bob.call("DELETE", "/orgs/shortlived/repos")).status).toBe(403)
    expect((await alice.call("DELETE", "/orgs/shortlived/repos")).status).toBe(202)
    await world.hearth.services.jobs.drain()
    expect((await alice.call("GET", "/orgs/shortlived/repos")).body).toEqual([])
  })

  describe("lists", () => {
    let lena: Caller
    beforeAll(async () => {
      lena = await world.person("lena")
      await create(lena, "zoo", { description: "Striped Animals" })
      await create(lena, "ant", { private: true })
      await create(lena, "bee", { template: true })
    })
    const names = async (caller: Caller, path: string) => {
      const { body, headers } = await caller.call("GET", path)
      const rows: { name: string }[] = body.data ?? body
      expect(Number(headers.get("x-total-count"))).toBeGreaterThanOrEqual(rows.length)
      return rows.map(({ name }) => name)
    }

    test("page and total hold only what the caller may know of", async () => {
      const seen = await bob.call("GET", "/users/lena/repos")
      expect([seen.body.length, seen.headers.get("x-total-count")]).toEqual([2, "2"])
      expect((await lena.call("GET", "/users/lena/repos")).headers.get("x-total-count")).toBe("3")
      expect(await names(lena, "/user/repos")).toEqual(["ant", "bee", "zoo"])
      expect((await world.anonymous.call("GET", "/user/repos")).status).toBe(401)
    })

    test.each([
      ["exclusive=true", ["bee", "zoo"]],
      ["sort=alpha&order=desc", ["zoo", "bee"]],
      ["sort=id", ["zoo", "bee"]],
      ["template=true", ["bee"]],
      ["q=STRIPED", []],
      ["q=striped&includeDesc=true", ["zoo"]],
      ["q=lena/zo", ["zoo"]],
      ["q=zoo,bee", ["bee", "zoo"]],
      ["q=%25", []],
      ["is_private=true", []],
      ["mode=fork", []],
      ["mode=source", ["bee", "zoo"]],
    ])("search with %s", async (query, expected) => expect(await names(bob, `/repos/search?uid=${lena.id}&${query}`)).toEqual(expected))

    test.each(["sort=beauty", "sort=id&order=up", "mode=odd"])("search with %s is refused", async (query) =>
      expect((await bob.call("GET", `/repos/search?${query}`)).status).toBe(422),
    )

    test("a list takes as many queries for one as for many", async () => {
      const { database } = world.hearth.services
      const one = await statementsOf(database, () => bob.call("GET", "/repos/search?limit=1"))
      const many = await statementsOf(database, () => bob.call("GET", "/repos/search?limit=50"))
      expect(many.length).toBeLessThanOrEqual(one.length + 6)
      expect(many.length).toBeLessThanOrEqual(14)
    })
  })
})
