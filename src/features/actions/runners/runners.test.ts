import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { addRunner } from "../testing.ts"

withHearth("runners", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  test.beforeAll(async () => {
    await forge.call(ann, "POST /orgs", { username: "guild" })
    await forge.call(ann, "POST /user/repos", { name: "lamp" })
    await forge.call(ann, "POST /user/repos", { name: "vault", private: true })
  })

  describe.each([
    ["/admin", (): string | undefined => forge.root],
    ["/user", () => ann],
    ["/orgs/guild", () => ann],
    ["/repos/ann/lamp", () => ann],
  ])("at %s", (place, by) => {
    const on = (route: string, body?: unknown) => {
      const [method = "", path = ""] = route.split(" ")
      return forge.call(by(), `${method} ${place}/actions/runners${path}`, body)
    }

    test("the registration token is the same each time, and nowhere in the clear", async () => {
      const { status, body } = await on("POST /registration-token")
      expect([status, body.token]).toEqual([200, expect.stringMatching(/^[A-Za-z0-9]{40}$/)])
      expect((await on("POST /registration-token")).body).toEqual(body)
      const rows = await forge.hearth.services.database.read.selectFrom("runner_registrations").selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain(body.token)
      expect((await on("GET /registration-token")).status).toBe(404)
    })

    test("the registration token is replaced when that is asked for", async () => {
      const before = (await on("POST /registration-token")).body.token
      const { status, body } = await on("POST /registration-token/rotate")
      expect([status, body.token]).toEqual([200, expect.stringMatching(/^[A-Za-z0-9]{40}$/)])
      expect(body.token).not.toBe(before)
      expect((await on("POST /registration-token")).body).toEqual(body)
    })

    test("a runner is read, switched off and on, listed and removed", async () => {
      const id = await addRunner(forge, place, { name: "one", labels: ["linux", "arm"] })
      const shown = {
        id,
        name: "one",
        status: "offline",
        busy: false,
        disabled: false,
        ephemeral: false,
        labels: [
          { id: 0, name: "linux", type: "custom" },
          { id: 1, name: "arm", type: "custom" },
        ],
      }
      expect((await on(`GET /${id}`)).body).toEqual(shown)
      expect((await on(`PATCH /${id}`, { disabled: true, name: "other" })).body).toEqual({ ...shown, disabled: true })
      expect((await on(`PATCH /${id}`, { disabled: true })).status).toBe(200)
      expect((await on(`PATCH /${id}`, {})).status).toBe(422)
      expect((await on(`PATCH /${id}`, { disabled: null })).status).toBe(422)
      expect((await on("GET ?disabled=true")).body).toEqual({ runners: [{ ...shown, disabled: true }], total_count: 1 })
      expect((await on("GET ?disabled=false")).body).toEqual({ runners: [], total_count: 0 })
      expect((await on("GET ?disabled=")).body.total_count).toBe(1)
      expect((await on(`DELETE /${id}`)).status).toBe(204)
      for (const method of ["GET", "DELETE"]) expect((await on(`${method} /${id}`)).status).toBe(404)
      expect((await on("GET")).body).toEqual({ runners: [], total_count: 0 })
    })

    test("the order of refusals: type, existence, presence", async () => {
      for (const id of ["999999", "not-a-number", "0"]) {
        expect((await on(`GET /${id}`)).status).toBe(404)
        expect((await on(`PATCH /${id}`, {})).status).toBe(404)
        expect((await on(`PATCH /${id}`, { disabled: "yes" })).status).toBe(422)
        expect((await on(`PATCH /${id}`, '{"disabled": tru')).status).toBe(422)
      }
      expect((await on("POST", {})).status).toBe(405)
    })

    test("the most recently online come first, in pages without headers", async () => {
      const now = forge.hearth.services.now()
      const older = await addRunner(forge, place, { name: "older", online_at: now - 300 })
      const newer = await addRunner(forge, place, { name: "newer", online_at: now, active_at: now })
      const { body, headers } = await on("GET ?limit=1")
      expect(body).toMatchObject({ runners: [{ id: newer, status: "online", busy: true }], total_count: 2 })
      expect([headers.get("link"), headers.get("x-total-count")]).toEqual([null, null])
      expect((await on("GET ?limit=1&page=2")).body.runners).toMatchObject([{ id: older, status: "offline", busy: false }])
      expect((await on("GET ?limit=1&page=7")).body).toEqual({ runners: [], total_count: 2 })
      for (const id of [older, newer]) await on(`DELETE /${id}`)
    })

    test("others are refused", async () => {
      for (const route of [`GET ${place}/actions/runners`, `POST ${place}/actions/runners/registration-token`])
        expect((await forge.call(undefined, route)).status).toBe(401)
      if (place !== "/user") expect((await forge.call(ben, `POST ${place}/actions/runners/registration-token`)).status).toBe(403)
    })
  })

  test("a runner is found in its owner scope, and by site administrators", async () => {
    const id = await addRunner(forge, "/repos/ann/lamp", { name: "near" })
    const whole = await addRunner(forge, "/admin", { name: "whole" })
    expect((await forge.call(ann, `GET /user/actions/runners/${id}`)).status).toBe(404)
    expect((await forge.call(ann, `GET /repos/ann/vault/actions/runners/${id}`)).status).toBe(404)
    expect((await forge.call(ann, `DELETE /repos/ann/lamp/actions/runners/${whole}`)).status).toBe(404)
    expect((await forge.call(forge.root, `GET /orgs/guild/actions/runners/${id}`)).status).toBe(404)
    expect((await forge.call(forge.root, `GET /admin/actions/runners/${id}`)).body.name).toBe("near")
    expect((await forge.call(ben, `PATCH /admin/actions/runners/${whole}`, { disabled: true })).status).toBe(403)
    expect((await forge.call(forge.root, "GET /admin/actions/runners")).body.total_count).toBe(2)
  })

  test("tokens of two owner scopes differ, and a hidden repository has none", async () => {
    const one = await forge.call(ann, "POST /user/actions/runners/registration-token")
    const other = await forge.call(ann, "POST /repos/ann/vault/actions/runners/registration-token")
    expect(one.body.token).not.toBe(other.body.token)
    expect((await forge.call(ben, "POST /repos/ann/vault/actions/runners/registration-token")).status).toBe(404)
  })

  test("concurrent first requests for a token get the same", async () => {
    await forge.call(ann, "POST /orgs", { username: "rush" })
    const asked = await Promise.all(Array.from({ length: 8 }, () => forge.call(ann, "POST /orgs/rush/actions/runners/registration-token")))
    expect(new Set(asked.map(({ body }) => body.token)).size).toBe(1)
  })
})
