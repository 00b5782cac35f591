import { createServer } from "node:http"
import { describe, expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { synchronize } from "./pull.ts"
import { must, openForges } from "./testing.ts"

withWorld("mirrors", { open: openForges }, ({ test, world: forges }) => {
  const settle = () => forges.here.hearth.services.jobs.drain()
  const branches = async (at: string): Promise<readonly string[]> =>
    (await must(forges.ann, "GET", `${at}/branches`)).map(({ name }: { name: string }) => name).sort()
  const feed = async (at: string): Promise<readonly string[]> =>
    (await must(forges.ann, "GET", `${at}/activities/feeds`)).map((row: { op_type: string; ref_name: string }) =>
      `${row.op_type} ${row.ref_name}`.trim(),
    )
  /** A mirror, owned by ann, of a repository created at the other forge. */
  const mirror = async (name: string, options: object = {}) => {
    const clone_addr = await forges.origin(name)
    const made = await forges.migrate({ clone_addr, repo_name: name, mirror: true, ...options })
    expect(made.status).toBe(201)
    return { at: `/repos/ann/${name}`, made: made.body, clone_addr }
  }
  const synced = async (at: string, id: number) => {
    expect((await forges.ann.call("POST", `${at}/mirror-sync`)).status).toBe(200)
    await settle()
    return row(id)
  }
  const row = (id: number) =>
    forges.here.hearth.services.database.read.selectFrom("mirrors").selectAll().where("repository_id", "=", id).executeTakeFirstOrThrow()

  describe("migration", () => {
    test("brings branches, tags, HEAD and size", async () => {
      const clone_addr = await forges.origin("whole")
      await must(forges.zoe, "POST", "/repos/zoe/whole/branches", { new_branch_name: "side" })
      await must(forges.zoe, "POST", "/repos/zoe/whole/tags", { tag_name: "v1", message: "one" })
      const { status, body } = await forges.migrate({ clone_addr, repo_name: "whole", description: "all of it", private: true })
      expect([status, body]).toEqual([
        201,
        expect.objectContaining({
          full_name: "ann/whole",
          default_branch: "trunk",
          description: "all of it",
          private: true,
          empty: false,
          mirror: false,
          original_url: clone_addr,
          branch_count: 2,
          has_pull_requests: true,
        }),
      ])
      expect(await branches("/repos/ann/whole")).toEqual(["side", "trunk"])
      expect((await must(forges.ann, "GET", "/repos/ann/whole/tags")).map(({ name }: { name: string }) => name)).toEqual(["v1"])
      expect(await feed("/repos/ann/whole")).toEqual([])
      const { services } = forges.here.hearth
      const stored = await services.database.read.selectFrom("imports").selectAll().where("repository_id", "=", body.id).executeTakeFirst()
      expect(stored).toMatchObject({ phase: "done", error: "", sealed_secret: "" })
      const repository = await services.database.read
        .selectFrom("repositories")
        .selectAll()
        .where("id", "=", body.id)
        .executeTakeFirstOrThrow()
      expect(repository.git_size).toBeGreaterThan(0)
      expect(await services.git.references.head(services.git.at(repository.storage, "sha1"))).toBe("refs/heads/trunk")
    })

    test("brings the wiki where it is wanted and there is one", async () => {
      const wiki = { title: "House rules", content_base64: btoa("one") }
      const clone_addr = await forges.origin("booked")
      await must(forges.zoe, "POST", "/repos/zoe/booked/wiki/new", wiki)
      await must(forges.zoe, "PATCH", "/repos/zoe/booked/wiki/page/House-rules", { title: "Rules", content_base64: btoa("two") })
      const bare = await forges.origin("bookless")
      const steps = async (at: string) =>
        (await must(forges.ann, "GET", `${at}/import`)).steps.map(
          ({ name, state, done }: { name: string; state: string; done: number }) => [name, state, done],
        )
      for (const [repo_name, options, wanted] of [
        ["booked", { clone_addr, wiki: true }, ["Rules"]],
        ["unasked", { clone_addr }, undefined],
        ["bookless", { clone_addr: bare, wiki: true }, undefined],
      ] as const) {
        expect((await forges.migrate({ repo_name, ...options })).status).toBe(201)
        const { status, body } = await forges.ann.call("GET", `/repos/ann/${repo_name}/wiki/pages`)
        expect([status, wanted && body.map(({ title }: { title: string }) => title)]).toEqual([wanted ? 200 : 404, wanted])
      }
      expect(await steps("/repos/ann/booked")).toEqual([
        ["git", "done", 1],
        ["wiki", "done", 1],
      ])
      expect(await steps("/repos/ann/bookless")).toEqual([
        ["git", "done", 1],
        ["wiki", "done", 0],
      ])
      expect((await must(forges.ann, "GET", "/repos/ann/booked/wiki/page/Rules")).content_base64).toBe(btoa("two"))
      const told = await forges.here.hearth.services.database.read
        .selectFrom("events")
        .select("kind")
        .where("kind", "like", "wiki.%")
        .execute()
      expect(told).toEqual([])
      await must(forges.ann, "POST", "/repos/ann/booked/wiki/new", { title: "Ours" })
    })

    test("doesn't disclose its credentials", async () => {
      const clone_addr = await forges.origin("hidden", { private: true })
      const refused = await forges.migrate({ clone_addr, repo_name: "hidden" })
      expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("credentials")])
      expect((await forges.ann.call("GET", "/repos/ann/hidden")).status).toBe(404)
      const wrong = await forges.migrate({ clone_addr, repo_name: "hidden", auth_username: "zoe", auth_password: "wrong" })
      expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([422, expect.not.stringContaining("wrong")])
      const inside = clone_addr.replace("://", `://zoe:${forges.token}@`)
      for (const [repo_name, options] of [
        ["hidden", { clone_addr, auth_username: "zoe", auth_password: forges.token }],
        ["hidden-by-token", { clone_addr, auth_token: forges.token }],
        ["hidden-inside", { clone_addr: inside }],
      ] as const) {
        const made = await forges.migrate({ ...options, repo_name, mirror: true })
        expect([made.status, made.body.empty, made.body.original_url]).toEqual([201, false, clone_addr])
        expect(JSON.stringify(await row(made.body.id))).not.toContain(forges.token)
      }
    })

    test("of an empty repository leaves an empty one", async () => {
      const clone_addr = await forges.origin("nothing", { auto_init: false })
      const made = await forges.migrate({ clone_addr, repo_name: "nothing" })
      expect([made.status, made.body.empty]).toEqual([201, true])
    })

    test.each([
      ["an address that is none", { clone_addr: "nowhere" }, 422, "[clone_addr]"],
      ["a local path", { clone_addr: "/etc" }, 422, "[clone_addr]"],
      ["another protocol", { clone_addr: "file:///etc" }, 422, "[clone_addr]"],
      ["ssh", { clone_addr: "ssh://git@127.0.0.1/x" }, 422, "[clone_addr]"],
      ["what is not there", { clone_addr: "ORIGIN/zoe/missing.git" }, 422, "[clone_addr]"],
      ["a name that is none", { repo_name: "a b" }, 422, "[repo_name]"],
      ["a reserved name", { repo_name: ".git" }, 422, "[repo_name]"],
      ["an owner who is unknown", { repo_owner: "nobody" }, 422, "[repo_owner]"],
      ["an owner by id who is unknown", { uid: 999_999 }, 422, "[uid]"],
      ["someone else as owner", { repo_owner: "bob" }, 403, "not an organization"],
      ["an interval that is too short", { mirror: true, mirror_interval: "1m" }, 422, "[mirror_interval]"],
      ["a private address", { clone_addr: "http://10.0.0.1/x.git" }, 422, "may not be called"],
      ["the address of a cloud's secrets", { clone_addr: "http://169.254.169.254/latest" }, 422, "may not be called"],
      ["an IPv4-mapped IPv6 address", { clone_addr: "http://[::ffff:10.0.0.1]/x.git" }, 422, "may not be called"],
      ["a name without an address", { clone_addr: "http://nowhere.invalid/x.git" }, 422, "no address"],
    ])("refuses %s", async (_, changes: Record<string, unknown>, status, words) => {
      const clone_addr = `${forges.there.hearth.url}/zoe/whole.git`
      const body = { clone_addr, repo_name: "refused", ...changes }
      const answer = await forges.migrate({ ...body, clone_addr: String(body.clone_addr).replace("ORIGIN", forges.there.hearth.url) })
      expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(words)])
      expect((await forges.ann.call("GET", "/repos/ann/refused")).status).toBe(404)
    })

    test("refuses a name that is taken, and strangers", async () => {
      const clone_addr = `${forges.there.hearth.url}/zoe/whole.git`
      expect((await forges.migrate({ clone_addr, repo_name: "Whole" })).status).toBe(409)
      expect((await forges.here.anonymous.call("POST", "/repos/migrate", { clone_addr, repo_name: "x" })).status).toBe(401)
    })

    test("refuses an owner who has reached the limit", async () => {
      const { database } = forges.here.hearth.services
      const carl = await forges.here.person("carl")
      await database.write((tx) => tx.updateTable("users").set({ max_repositories: 0 }).where("id", "=", carl.id).execute())
      const body = { clone_addr: `${forges.there.hearth.url}/zoe/whole.git`, repo_name: "one-more" }
      const answer = await carl.call("POST", "/repos/migrate", body)
      expect([answer.status, answer.body.message]).toEqual([422, "[repo_owner]: carl may own at most 0 repositories"])
    })

    test("into an organization takes an owner", async () => {
      await must(forges.ann, "POST", "/orgs", { username: "crew" })
      const body = { clone_addr: `${forges.there.hearth.url}/zoe/whole.git`, repo_name: "ours", repo_owner: "crew" }
      expect((await forges.bob.call("POST", "/repos/migrate", body)).status).toBe(403)
      expect((await forges.migrate(body)).body.full_name).toBe("crew/ours")
    })

    test("does not follow a server's redirects", async () => {
      const leading = createServer((request, response) => {
        response.writeHead(302, { location: `${forges.there.hearth.url}/zoe/whole.git${request.url?.replace(/^\/x/, "")}` }).end()
      })
      await new Promise<void>((resolve) => leading.listen(0, "127.0.0.1", resolve))
      const address = leading.address()
      const port = typeof address === "object" && address ? address.port : 0
      const answer = await forges.migrate({ clone_addr: `http://127.0.0.1:${port}/x`, repo_name: "led" })
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining("another address")])
      await new Promise((resolve) => leading.close(resolve))
    })
  })

  describe("a pull mirror", () => {
    test("is read-only, and becomes equal to its remote", async () => {
      const { at, made } = await mirror("followed")
      expect(made).toMatchObject({ mirror: true, mirror_interval: "8h0m0s", has_pull_requests: false, empty: false })
      expect(made.mirror_updated).not.toBe("0001-01-01T00:00:00Z")
      await forges.commit("followed", "trunk", "a.txt")
      await must(forges.zoe, "POST", "/repos/zoe/followed/branches", { new_branch_name: "side" })
      await must(forges.zoe, "POST", "/repos/zoe/followed/tags", { tag_name: "v1" })
      expect(await synced(at, made.id)).toMatchObject({ last_error: "", failures: 0, remote_head: "refs/heads/trunk" })
      expect(await branches(at)).toEqual(["side", "trunk"])
      const [there, here] = [
        await must(forges.zoe, "GET", "/repos/zoe/followed/branches/trunk"),
        await must(forges.ann, "GET", `${at}/branches/trunk`),
      ]
      expect(here.commit.id).toBe(there.commit.id)
      expect((await feed(at)).toSorted()).toEqual(
        [
          "mirror_sync_create refs/heads/side",
          "mirror_sync_create refs/tags/v1",
          "mirror_sync_push refs/heads/side",
          "mirror_sync_push refs/heads/trunk",
          "mirror_sync_push refs/tags/v1",
        ].toSorted(),
      )
      expect((await forges.ann.call("POST", `${at}/contents/b.txt`, { content: "", branch: "trunk" })).status).toBe(423)
    })

    test("prunes what the remote deletes, unless pruning is switched off", async () => {
      const { at, made } = await mirror("pruned")
      await must(forges.zoe, "POST", "/repos/zoe/pruned/branches", { new_branch_name: "a" })
      await synced(at, made.id)
      await must(forges.ann, "PATCH", at, { enable_prune: false })
      await must(forges.zoe, "DELETE", "/repos/zoe/pruned/branches/a")
      await synced(at, made.id)
      expect(await branches(at)).toEqual(["a", "trunk"])
      await must(forges.ann, "PATCH", at, { enable_prune: true })
      // The old branch's name is now a directory of branches.
      await must(forges.zoe, "POST", "/repos/zoe/pruned/branches", { new_branch_name: "a/b" })
      expect(await synced(at, made.id)).toMatchObject({ last_error: "" })
      expect(await branches(at)).toEqual(["a/b", "trunk"])
      expect(await feed(at)).toContain("mirror_sync_delete refs/heads/a")
    })

    test("follows a changed HEAD, and rewritten history", async () => {
      const { at, made } = await mirror("turned")
      await must(forges.zoe, "POST", "/repos/zoe/turned/branches", { new_branch_name: "next" })
      await synced(at, made.id)
      await must(forges.ann, "PATCH", at, { default_branch: "next" })
      await synced(at, made.id)
      expect((await must(forges.ann, "GET", at)).default_branch).toBe("next")
      await must(forges.ann, "PATCH", at, { default_branch: "trunk" })
      await must(forges.zoe, "PATCH", "/repos/zoe/turned", { default_branch: "next" })
      await synced(at, made.id)
      expect((await must(forges.ann, "GET", at)).default_branch).toBe("next")
      await must(forges.zoe, "DELETE", "/repos/zoe/turned/branches/trunk")
      await forges.commit("turned", "next", "only.txt")
      await must(forges.zoe, "POST", "/repos/zoe/turned/branches", { new_branch_name: "trunk", old_ref_name: "next" })
      await synced(at, made.id)
      const commits = await Promise.all(
        ["next", "trunk"].map(async (name) => (await must(forges.ann, "GET", `${at}/branches/${name}`)).commit.id),
      )
      expect(commits[0]).toBe(commits[1])
    })

    test("records its failure, backs off, and recovers", async () => {
      const { at, made } = await mirror("failing")
      await must(forges.zoe, "PATCH", "/repos/zoe/failing", { name: "away", private: true })
      const first = await synced(at, made.id)
      expect(first).toMatchObject({ failures: 1, last_error: expect.stringMatching(/credentials|no such repository|another address/) })
      const second = await synced(at, made.id)
      expect(second.failures).toBe(2)
      expect(second.next_sync_at - first.next_sync_at).toBeGreaterThan(20_000)
      expect(second.last_sync_at).toBe(first.last_sync_at)
      await must(forges.zoe, "PATCH", "/repos/zoe/away", { name: "failing", private: false })
      expect(await synced(at, made.id)).toMatchObject({ failures: 0, last_error: "" })
    })

    test("keeps its branches when the remote is empty", async () => {
      const { at, made } = await mirror("emptied")
      await must(forges.zoe, "DELETE", "/repos/zoe/emptied")
      await must(forges.zoe, "POST", "/user/repos", { name: "emptied" })
      expect(await synced(at, made.id)).toMatchObject({ last_error: expect.stringContaining("empty") })
      expect(await branches(at)).toEqual(["trunk"])
    })

    test("is synchronised by the schedule when it is due", async () => {
      const { at, made } = await mirror("clocked", { mirror_interval: "10m" })
      const { database, jobs, now } = forges.here.hearth.services
      await forges.commit("clocked", "trunk", "later.txt")
      const run = async () => {
        expect(await jobs.tasks.run("update_mirrors")).toBe("ok")
        await settle()
        return (await forges.ann.call("GET", `${at}/contents/later.txt`)).status
      }
      expect(await run()).toBe(404)
      const due = async (values: object) =>
        database.write((tx) => tx.updateTable("mirrors").set(values).where("repository_id", "=", made.id).execute())
      await due({ next_sync_at: now() - 1 })
      expect(await run()).toBe(200)
      const after = await row(made.id)
      expect(after.next_sync_at).toBeGreaterThan(now() + 500)
      await must(forges.ann, "PATCH", at, { mirror_interval: "0" })
      await synced(at, made.id)
      expect((await row(made.id)).next_sync_at).toBe(0)
    })

    test("resumes after an interruption", async () => {
      const { at, made } = await mirror("broken-off")
      await forges.commit("broken-off", "trunk", "late.txt")
      const { services } = forges.here.hearth
      await expect(synchronize(services, made.id, AbortSignal.abort())).rejects.toThrow()
      expect(await row(made.id)).toMatchObject({ failures: 0, last_error: "" })
      await synchronize(services, made.id, new AbortController().signal)
      expect((await forges.ann.call("GET", `${at}/contents/late.txt`)).status).toBe(200)
    })

    test("is synchronised only by those who may write, and only if it is a mirror", async () => {
      const { at } = await mirror("asked")
      expect((await forges.bob.call("POST", `${at}/mirror-sync`)).status).toBe(403)
      expect((await forges.here.anonymous.call("POST", `${at}/mirror-sync`)).status).toBe(401)
      await must(forges.ann, "POST", "/user/repos", { name: "plain" })
      expect((await forges.ann.call("POST", "/repos/ann/plain/mirror-sync")).status).toBe(400)
    })
  })

  describe("a push mirror", () => {
    const target = async (name: string) => {
      await must(forges.zoe, "POST", "/user/repos", { name })
      return { remote_address: `${forges.there.hearth.url}/zoe/${name}.git`, remote_username: "zoe", remote_password: forges.token }
    }
    const source = async (name: string) => {
      await must(forges.ann, "POST", "/user/repos", { name, auto_init: true })
      return `/repos/ann/${name}`
    }
    const there = async (name: string): Promise<readonly string[]> =>
      (await must(forges.zoe, "GET", `/repos/zoe/${name}/branches`)).map((each: { name: string }) => each.name).sort()

    test("is created, shown, listed and deleted without disclosing its secret", async () => {
      const at = await source("shown")
      const remote = await target("shown-there")
      const made = await forges.ann.call("POST", `${at}/push_mirrors`, { ...remote, interval: "1h" })
      expect([made.status, made.body]).toEqual([
        200,
        {
          repo_name: "shown",
          remote_name: expect.stringMatching(/^remote_mirror_/),
          remote_address: remote.remote_address,
          created: expect.stringMatching(/^2/),
          last_update: null,
          last_error: "",
          interval: "1h0m0s",
          sync_on_commit: false,
        },
      ])
      const one = `${at}/push_mirrors/${made.body.remote_name}`
      expect((await forges.ann.call("GET", one)).body).toEqual(made.body)
      expect((await forges.ann.call("GET", `${at}/push_mirrors`)).body).toEqual([made.body])
      const rows = await forges.here.hearth.services.database.read.selectFrom("push_mirrors").selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain(forges.token)
      expect((await forges.bob.call("GET", one)).status).toBe(403)
      expect((await forges.bob.call("GET", `${at}/push_mirrors`)).status).toBe(403)
      expect((await forges.bob.call("POST", `${at}/push_mirrors-sync`)).status).toBe(403)
      expect((await forges.bob.call("DELETE", one)).status).toBe(403)
      expect((await forges.ann.call("DELETE", one)).status).toBe(204)
      expect((await forges.ann.call("DELETE", one)).status).toBe(404)
      expect((await forges.ann.call("GET", one)).status).toBe(404)
    })

    test("is pushed to on request, and becomes equal", async () => {
      const at = await source("sent")
      const remote = await target("sent-there")
      await must(forges.ann, "POST", `${at}/push_mirrors`, { ...remote, interval: "0" })
      await must(forges.ann, "POST", `${at}/branches`, { new_branch_name: "side" })
      expect((await forges.ann.call("POST", `${at}/push_mirrors-sync`)).status).toBe(200)
      expect(await there("sent-there")).toEqual(["main", "side"])
      await must(forges.ann, "DELETE", `${at}/branches/side`)
      await must(forges.ann, "POST", `${at}/push_mirrors-sync`)
      expect(await there("sent-there")).toEqual(["main"])
      const [shown] = await must(forges.ann, "GET", `${at}/push_mirrors`)
      expect(shown).toMatchObject({ last_error: "", last_update: expect.stringMatching(/^2/), interval: "0s" })
    })

    test("is pushed to by a job after a commit", async () => {
      const at = await source("prompt")
      await must(forges.ann, "POST", `${at}/push_mirrors`, { ...(await target("prompt-there")), interval: "8h", sync_on_commit: true })
      await must(forges.ann, "POST", `${at}/contents/new.txt`, { content: btoa("new"), message: "new" })
      const arrived = async () => (await forges.zoe.call("GET", "/repos/zoe/prompt-there/contents/new.txt")).status
      expect(await arrived()).toBe(404)
      // It waits a moment for further pushes.
      const { database } = forges.here.hearth.services
      await database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("state", "=", "waiting").execute())
      await settle()
      expect(await arrived()).toBe(200)
    })

    test("is pushed to by the schedule", async () => {
      const at = await source("timed")
      const { remote_name } = await must(forges.ann, "POST", `${at}/push_mirrors`, { ...(await target("timed-there")), interval: "10m" })
      const { database, jobs, now } = forges.here.hearth.services
      await database.write((tx) =>
        tx
          .updateTable("push_mirrors")
          .set({ next_sync_at: now() - 1 })
          .where("remote_name", "=", remote_name)
          .execute(),
      )
      await jobs.tasks.run("update_mirrors")
      await settle()
      expect(await there("timed-there")).toEqual(["main"])
    })

    test("reports its failure", async () => {
      const at = await source("wrong")
      const remote = await target("wrong-there")
      await must(forges.ann, "POST", `${at}/push_mirrors`, { ...remote, remote_password: "not-it", interval: "8h" })
      const answer = await forges.ann.call("POST", `${at}/push_mirrors-sync`)
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining("credentials")])
      const [shown] = await must(forges.ann, "GET", `${at}/push_mirrors`)
      expect(shown.last_error).toContain("credentials")
      expect(JSON.stringify([answer.body, shown])).not.toContain("not-it")
    })

    test.each([
      ["no interval", { interval: undefined }, 400],
      ["an interval that is none", { interval: "soon" }, 400],
      ["an interval that is too short", { interval: "5m" }, 400],
      ["an address that is none", { remote_address: "nowhere" }, 400],
      ["another protocol", { remote_address: "ssh://127.0.0.1/x" }, 400],
      ["a private address", { remote_address: "http://192.168.0.1/x.git" }, 401],
    ])("refuses %s", async (_, changes, status) => {
      await forges.ann.call("POST", "/user/repos", { name: "refusing" })
      const remote_address = `${forges.there.hearth.url}/zoe/x.git`
      const answer = await forges.ann.call("POST", "/repos/ann/refusing/push_mirrors", { remote_address, interval: "8h", ...changes })
      expect(answer.status).toBe(status)
      expect(await must(forges.ann, "GET", "/repos/ann/refusing/push_mirrors")).toEqual([])
    })
  })

  describe("the wiki of a mirror", () => {
    test("follows that of its remote, tells of its pages, and is written to by no one else", async () => {
      const clone_addr = await forges.origin("guide")
      await must(forges.zoe, "POST", "/repos/zoe/guide/wiki/new", { title: "Home", content_base64: btoa("one") })
      const { body } = await forges.migrate({ clone_addr, repo_name: "guide", mirror: true, wiki: true })
      const at = "/repos/ann/guide"
      const page = () => forges.ann.call("GET", `${at}/wiki/page/Home`)
      expect((await page()).body.content_base64).toBe(btoa("one"))
      await must(forges.zoe, "PATCH", "/repos/zoe/guide/wiki/page/Home", { content_base64: btoa("two"), message: "Second" })
      await must(forges.zoe, "POST", "/repos/zoe/guide/wiki/new", { title: "More" })
      expect(await synced(at, body.id)).toMatchObject({ last_error: "", wiki: 1 })
      expect((await page()).body.content_base64).toBe(btoa("two"))
      const events = await forges.here.hearth.services.database.read
        .selectFrom("events")
        .select(["kind", "actor_id"])
        .where("repository_id", "=", body.id)
        .where("kind", "like", "wiki.%")
        .orderBy("id")
        .execute()
      expect(events).toEqual(["wiki.edited", "wiki.created"].map((kind) => ({ kind, actor_id: forges.ann.id })))
      for (const [method, path] of [
        ["POST", "new"],
        ["PATCH", "page/Home"],
      ] as const)
        expect((await forges.ann.call(method, `${at}/wiki/${path}`, { title: "Mine" })).status).toBe(423)
      expect((await forges.ann.call("DELETE", `${at}/wiki/page/Home`)).status).toBe(423)
      // What is gone there with its repository's wiki stays here.
      await must(forges.zoe, "PATCH", "/repos/zoe/guide", { has_wiki: false })
      expect(await synced(at, body.id)).toMatchObject({ last_error: "" })
      expect((await page()).status).toBe(200)
    })

    test("isn't followed where that was not wanted", async () => {
      const { at, made } = await mirror("unguided")
      await must(forges.zoe, "POST", "/repos/zoe/unguided/wiki/new", { title: "Home" })
      expect(await synced(at, made.id)).toMatchObject({ last_error: "", wiki: 0 })
      expect((await forges.ann.call("GET", `${at}/wiki/pages`)).status).toBe(404)
    })
  })
})
