import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { secretSeal } from "./rules.ts"

withHearth("variables and secrets", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  test.beforeAll(async () => {
    await forge.call(ann, "POST /orgs", { username: "guild" })
    await forge.call(ann, "POST /user/repos", { name: "lamp" })
  })

  describe.each(["/user", "/orgs/guild", "/repos/ann/lamp"])("at %s", (place) => {
    const on = (route: string, body?: unknown, by: string | undefined = ann) => {
      const [method = "", path = ""] = route.split(" ")
      return forge.call(by, `${method} ${place}/actions${path}`, body)
    }

    test("a variable is created, read in any case, changed, renamed and deleted", async () => {
      expect((await on("POST /variables/Colour", { value: "red", description: "of all" })).status).toBe(201)
      const { body } = await on("GET /variables/colour")
      expect(body).toMatchObject({ name: "COLOUR", data: "red", description: "of all" })
      expect([body.owner_id > 0, body.repo_id > 0]).toEqual(place.startsWith("/repos") ? [false, true] : [true, false])
      expect((await on("POST /variables/colour", { value: "blue" })).status).toBe(409)
      expect((await on("PUT /variables/colour", { value: "blue" })).status).toBe(204)
      expect((await on("GET /variables/colour")).body).toMatchObject({ data: "blue", description: "of all" })
      expect((await on("PUT /variables/colour", { value: "blue", name: "hue", description: "" })).status).toBe(204)
      expect((await on("GET /variables/colour")).status).toBe(404)
      expect((await on("GET /variables/hue")).body).toMatchObject({ name: "HUE", description: "" })
      await on("POST /variables/tone", { value: "" })
      expect((await on("PUT /variables/tone", { value: "x", name: "hue" })).status).toBe(409)
      const list = await on("GET /variables?limit=1&page=2")
      expect([list.body.map(({ name }: { name: string }) => name), list.headers.get("x-total-count")]).toEqual([["TONE"], "2"])
      for (const name of ["hue", "tone"]) expect((await on(`DELETE /variables/${name}`)).status).toBe(204)
      expect((await on("GET /variables")).body).toEqual([])
    })

    test("refuses invalid variables", async () => {
      for (const name of ["1st", "a-b", "GITHUB_x", "gitea_x", "ci", "x".repeat(256)])
        expect((await on(`POST /variables/${name}`, { value: "x" })).status).toBe(400)
      for (const body of [{}, { value: 1 }, { value: "x".repeat(65_537) }])
        expect((await on("POST /variables/good", body)).status).toBe(422)
      expect((await on("PUT /variables/good", { value: "x" })).status).toBe(404)
      expect((await on("DELETE /variables/good")).status).toBe(404)
    })

    test("a secret is set and changed, listed without its value, and sealed where it is stored", async () => {
      expect((await on("PUT /secrets/key", { data: "sesame-open", description: "of the door" })).status).toBe(201)
      expect((await on("PUT /secrets/KEY", { data: "sesame-shut" })).status).toBe(204)
      if (place !== "/user") {
        const { body, headers } = await on("GET /secrets")
        expect(body).toEqual([{ name: "KEY", description: "of the door", created_at: expect.stringMatching(/Z$/) }])
        expect(headers.get("x-total-count")).toBe("1")
      }
      const { database, secrets } = forge.hearth.services
      const rows = await database.read.selectFrom("action_secrets").selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain("sesame")
      const [row] = rows
      const at = row?.repository_id
        ? ({ of: "repository", repositoryId: row.repository_id } as const)
        : ({ of: "owner", ownerId: row?.owner_id ?? 0 } as const)
      expect(secrets.unseal(row?.sealed_data ?? "", secretSeal(at, "KEY"))).toBe("sesame-shut")
      expect(() => secrets.unseal(row?.sealed_data ?? "", secretSeal(at, "OTHER"))).toThrow()
      expect((await on("DELETE /secrets/key")).status).toBe(204)
      expect((await on("DELETE /secrets/key")).status).toBe(404)
    })

    test("refuses invalid secrets", async () => {
      expect((await on("PUT /secrets/github_x", { data: "x" })).status).toBe(400)
      expect((await on("DELETE /secrets/a-b")).status).toBe(400)
      expect((await on("PUT /secrets/key", {})).status).toBe(422)
    })

    test("others are refused", async () => {
      for (const route of ["GET /variables", "GET /variables/x"]) {
        expect((await forge.call(undefined, route.replace(" ", ` ${place}/actions`))).status).toBe(401)
        if (place !== "/user") expect((await on(route, undefined, ben)).status).toBe(403)
      }
      if (place !== "/user") expect((await on("PUT /secrets/key", { data: "x" }, ben)).status).toBe(403)
    })
  })
})
