import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { type Caller, openWorld } from "../../code/repositories/testing.ts"

withWorld("administration", { open: openWorld, on: databaseKinds }, ({ test: it, world }) => {
  let ada: Caller
  it.beforeAll(async () => {
    ada = await world.person("ada")
  })

  describe("scheduled tasks", () => {
    /** There are more than a page has. */
    const listed = async () => {
      const [first, second] = [
        await world.root.call("GET", "/admin/cron?limit=50"),
        await world.root.call("GET", "/admin/cron?limit=50&page=2"),
      ]
      return { ...first, body: [...first.body, ...second.body] }
    }

    it("are listed with their times, for administrators", async () => {
      const { status, body, headers } = await listed()
      expect(status).toBe(200)
      expect(headers.get("x-total-count")).toBe(String(body.length))
      const names = body.map(({ name }: { readonly name: string }) => name)
      expect(names).toEqual(expect.arrayContaining(["git_gc_repos", "repo_health_check", "check_repo_stats", "delete_old_system_notices"]))
      const byHand = body.find(({ name }: { readonly name: string }) => name === "delete_old_system_notices")
      expect(byHand).toMatchObject({ schedule: "-", next: "0001-01-01T00:00:00Z" })
      expect((await ada.call("GET", "/admin/cron")).status).toBe(403)
    })

    it("run on demand, and are counted", async () => {
      expect((await world.root.call("POST", "/admin/cron/check_repo_stats")).status).toBe(204)
      const task = async () => {
        const { body } = await listed()
        return body.find(({ name }: { readonly name: string }) => name === "check_repo_stats")
      }
      expect(Date.parse((await task()).prev)).toBeGreaterThan(Date.now() - 60_000)
      expect((await task()).exec_times).toBe(1)
      expect((await world.root.call("POST", "/admin/cron/no_such_task")).status).toBe(404)
      expect((await world.root.call("POST", "/admin/cron/Check_Repo_Stats")).status).toBe(404)
    })

    it("have the names that clients know", async () => {
      const { body } = await listed()
      const names = new Set(body.map(({ name }: { readonly name: string }) => name))
      const known = ["archive_cleanup", "deleted_branches_cleanup", "delete_old_actions", "delete_repo_archives", "cleanup_hook_task_table"]
      for (const name of [...known, "resync_all_sshkeys", "resync_all_hooks", "rebuild_issue_indexer", "update_checker"]) {
        expect(names).toContain(name)
        expect((await world.root.call("POST", `/admin/cron/${name}`)).status).toBe(204)
      }
      const { tasks } = world.hearth.services.jobs
      const message = (await tasks.list()).find(({ name }) => name === "resync_all_hooks")?.lastMessage
      expect(message).toBe("nothing to do: repositories have no hook files")
    })

    it("delete accounts that were never activated, once the mail's link has ended", async () => {
      const { config, database, jobs, now } = world.hearth.services
      const old = now() - config.users.confirmationSeconds - 60
      const people = [
        { name: "waiting", is_active: 0, confirmed: 0, created: old },
        { name: "keeper", is_active: 0, confirmed: 0, created: old },
        { name: "recent", is_active: 0, confirmed: 0, created: now() },
        { name: "suspended", is_active: 0, confirmed: 1, created: old },
        { name: "active", is_active: 1, confirmed: 0, created: old },
      ] as const
      for (const { name, is_active, confirmed, created } of people) {
        const { id } = await world.person(name)
        if (name === "keeper") await world.root.call("POST", "/admin/users/keeper/repos", { name: "kept" })
        await database.write(async (tx) => {
          await tx.updateTable("users").set({ is_active, created_at: created }).where("id", "=", id).execute()
          await tx.updateTable("emails").set({ is_activated: confirmed }).where("user_id", "=", id).execute()
        })
      }
      expect(await jobs.tasks.run("delete_inactive_accounts")).toBe("ok")
      const task = (await jobs.tasks.list()).find(({ name }) => name === "delete_inactive_accounts")
      expect(task?.lastMessage).toBe("1 deleted, 1 that own something kept")
      const there = async (name: string) => (await world.root.call("GET", `/users/${name}`)).status
      expect(await Promise.all(people.map(({ name }) => there(name)))).toEqual([404, 200, 200, 200, 200])
    })

    it("remove activities older than a year from the feeds, when asked to", async () => {
      const { database, jobs } = world.hearth.services
      for (const name of ["older", "newer"]) await ada.call("POST", "/user/repos", { name })
      const old = Math.floor(Date.now() / 1000) - 366 * 86_400
      await database.write((tx) =>
        tx
          .updateTable("activities")
          .set({ created_at: old })
          .where("repository_id", "in", (eb) => eb.selectFrom("repositories").select("id").where("lower_name", "=", "older"))
          .execute(),
      )
      expect(await jobs.tasks.run("delete_old_actions")).toBe("ok")
      const feed = await ada.call("GET", "/users/ada/activities/feeds")
      const shown = feed.body.map(({ repo }: { readonly repo: { readonly name: string } }) => repo.name)
      expect(shown).toContain("newer")
      expect(shown).not.toContain("older")
      expect(feed.headers.get("x-total-count")).toBe(String(shown.length))
    })

    it("correct wrong counters", async () => {
      const { database } = world.hearth.services
      await ada.call("POST", "/user/repos", { name: "counted" })
      await ada.call("PUT", "/user/starred/ada/counted")
      await ada.call("POST", "/repos/ada/counted/issues", { title: "One" })
      await database.write((tx) =>
        tx.updateTable("repositories").set({ stars_count: 7, open_issues_count: 9 }).where("lower_name", "=", "counted").execute(),
      )
      await world.hearth.services.jobs.tasks.run("check_repo_stats")
      const { body } = await ada.call("GET", "/repos/ada/counted")
      expect(body).toMatchObject({ stars_count: 1, open_issues_count: 1 })
      const { tasks } = world.hearth.services.jobs
      const task = (await tasks.list()).find(({ name }) => name === "check_repo_stats")
      expect(task?.lastMessage).toBe("2 counters put right")
    })
  })

  describe("the audit log", () => {
    const audit = async (query = "") => (await world.root.call("GET", `/admin/audit?limit=50${query}`)).body

    it("has changes, without the request body", async () => {
      await world.root.call("PATCH", "/admin/users/ada", { login_name: "ada", full_name: "Ada L.", password: "a-new-secret-1" })
      const [newest] = await audit()
      expect(newest).toMatchObject({ administrator: world.root.name, acting_as: "", operation: "adminEditUser", status: 200 })
      expect(newest.path).toBe("/api/v1/admin/users/ada")
      expect(JSON.stringify(await audit())).not.toContain("a-new-secret-1")
    })

    it("has both names for changes made as another user", async () => {
      await world.root.call("POST", "/user/repos?sudo=ada", { name: "by-sudo" })
      expect((await audit())[0]).toMatchObject({ administrator: world.root.name, acting_as: "ada", operation: "createCurrentUserRepo" })
    })

    it("has refused changes, but neither denied calls nor reads", async () => {
      await world.root.call("PATCH", "/admin/users/ada", { login_name: "ada", email: "not an address" })
      expect((await audit())[0]).toMatchObject({ operation: "adminEditUser", status: 400 })
      const before = await audit()
      expect((await world.root.call("PATCH", "/admin/users/nobody", { login_name: "nobody" })).status).toBe(404)
      expect((await ada.call("POST", "/admin/cron/check_repo_stats")).status).toBe(403)
      await world.root.call("GET", "/admin/users")
      expect(await audit()).toEqual(before)
    })

    it("is filtered by administrator, operation and time, and shown to administrators only", async () => {
      expect((await audit("&operation=adminCronRun")).map(({ operation }: { readonly operation: string }) => operation)).toContain(
        "adminCronRun",
      )
      expect(await audit("&administrator=ada")).toEqual([])
      expect(await audit("&before=2001-01-01T00:00:00Z")).toEqual([])
      expect((await world.root.call("GET", "/admin/audit?since=yesterday")).status).toBe(422)
      expect((await ada.call("GET", "/admin/audit")).status).toBe(403)
      expect((await world.anonymous.call("GET", "/admin/audit")).status).toBe(401)
    })
  })
})
