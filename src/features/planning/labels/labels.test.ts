import { describe, expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"

withHearth("labels", { on: databaseKinds, people: ["ann", "ben", "cal"] }, ({ test, forge, call, status, ann, ben, cal }) => {
  test.beforeAll(async () => {
    await forge.call(ann, "POST /orgs", { username: "guild" })
  })

  const create = async (at: string, name: string, more: object = {}): Promise<number> => {
    const { status: made, body } = await call(ann, `POST ${at}/labels`, { name, color: "0af", ...more })
    if (made !== 201) throw new Error(`${made} ${JSON.stringify(body)}`)
    return body.id
  }
  const repository = async (name: string, owner = "ann") => {
    await call(ann, owner === "ann" ? "POST /user/repos" : `POST /orgs/${owner}/repos`, { name })
    await call(ann, `PUT /repos/${owner}/${name}/collaborators/ben`, { permission: "write" })
    return `/repos/${owner}/${name}`
  }
  const names = async (at: string, query = "") => {
    const { body, headers } = await call(ann, `GET ${at}/labels${query}`)
    return [body.map(({ name }: { name: string }) => name), headers.get("x-total-count")]
  }
  const issue = async (at: string, options: object = {}) => {
    const { body } = await call(cal, `POST ${at}/issues`, { title: "x", ...options })
    return `${at}/issues/${body.number}`
  }
  const borne = async (at: string): Promise<string[]> =>
    (await call(ann, `GET ${at}/labels`)).body.map(({ name }: { name: string }) => name)
  const entries = async (at: string) => {
    const { body } = await call(ann, `GET ${at}/timeline`)
    return body
      .filter(({ type }: { type: string }) => type === "label")
      .map(
        (entry: { body: string; label: { name: string }; user: { login: string } }) =>
          `${entry.user.login} ${entry.body === "1" ? "+" : "-"}${entry.label.name}`,
      )
  }

  describe("of a repository", () => {
    test("are made with a colour of three or six digits", async () => {
      const box = await repository("making")
      const made = await call(ben, `POST ${box}/labels`, { name: "bug", color: "#EE0701", description: "broken", is_archived: true })
      expect(made.status).toBe(201)
      expect(made.body).toEqual({
        id: expect.any(Number),
        name: "bug",
        exclusive: false,
        is_archived: true,
        color: "ee0701",
        description: "broken",
        url: expect.stringMatching(new RegExp(`/api/v1${box}/labels/${made.body.id}$`)),
      })
      expect((await call(ben, `POST ${box}/labels`, { name: "area/x", color: "0Af", exclusive: true })).body).toMatchObject({
        color: "00aaff",
        exclusive: true,
      })
      for (const body of [{ color: "000" }, { name: "", color: "000" }, { name: "x" }, { name: "x".repeat(256), color: "000" }])
        expect(await status(ann, `POST ${box}/labels`, body)).toBe(422)
      for (const color of ["reddish", "#12", "#1234567", "##123", " fff", "12345"]) {
        const refused = await call(ann, `POST ${box}/labels`, { name: "x", color })
        expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("[color]")])
      }
    })

    test("are listed by name, or by how many issues have them, in pages", async () => {
      const box = await repository("listing")
      const [, busy] = [await create(box, "b"), await create(box, "c")]
      await create(box, "a")
      const at = await issue(box)
      await call(ann, `POST ${at}/labels`, { labels: [busy] })
      expect(await names(box)).toEqual([["a", "b", "c"], "3"])
      expect(await names(box, "?sort=reversealphabetically&limit=2")).toEqual([["c", "b"], "3"])
      expect(await names(box, "?sort=mostissues")).toEqual([["c", "a", "b"], "3"])
      expect(await names(box, "?sort=leastissues&page=2&limit=2")).toEqual([["c"], "3"])
      expect((await call(ann, `GET ${box}/labels?limit=2`)).headers.get("link")).toContain('rel="next"')
      expect(await names(box, "?sort=size")).toEqual(await names(box, ""))
    })

    test("are found by id or by name", async () => {
      const box = await repository("finding")
      const id = await create(box, "area/the api")
      expect((await call(undefined, `GET ${box}/labels/${id}`)).body.name).toBe("area/the api")
      expect((await call(undefined, `GET ${box}/labels/area%2Fthe%20api`)).body.id).toBe(id)
      for (const unknown of ["999999999", "area", "Area%2Fthe%20api", "0"])
        expect(await status(ann, `GET ${box}/labels/${unknown}`)).toBe(404)
      const other = await repository("finding-other")
      expect(await status(ann, `GET ${other}/labels/${id}`)).toBe(404)
      expect(await status(ann, `PATCH ${other}/labels/${id}`, { name: "x" })).toBe(404)
      expect(await status(ann, `DELETE ${other}/labels/${id}`)).toBe(204)
      expect(await names(box)).toEqual([["area/the api"], "1"])
    })

    test("are edited partially", async () => {
      const box = await repository("editing")
      const id = await create(box, "bug", { description: "broken", is_archived: true, exclusive: true })
      const edited = await call(ben, `PATCH ${box}/labels/${id}`, { name: "defect" })
      expect([edited.status, edited.body]).toMatchObject([
        200,
        { name: "defect", color: "00aaff", description: "broken", is_archived: true, exclusive: true },
      ])
      expect(
        (await call(ben, `PATCH ${box}/labels/${id}`, { color: "#FFF", is_archived: false, exclusive: false, description: "" })).body,
      ).toMatchObject({
        name: "defect",
        color: "ffffff",
        description: "",
        is_archived: false,
        exclusive: false,
      })
      expect(await status(ann, `PATCH ${box}/labels/${id}`, { name: "" })).toBe(422)
      expect(await status(ann, `PATCH ${box}/labels/${id}`, { color: "red" })).toBe(422)
      expect(await status(ann, `PATCH ${box}/labels/999999999`, { name: "x" })).toBe(404)
    })

    test("are removed from issues and timelines when they are deleted", async () => {
      const box = await repository("deleting")
      const [kept, gone] = [await create(box, "kept"), await create(box, "gone")]
      const at = await issue(box)
      await call(ann, `PUT ${at}/labels`, { labels: [kept, gone] })
      expect(await status(ben, `DELETE ${box}/labels/${gone}`)).toBe(204)
      expect(await status(ben, `DELETE ${box}/labels/${gone}`)).toBe(204)
      expect(await borne(at)).toEqual(["kept"])
      expect(await entries(at)).toEqual(["ann +kept"])
    })

    test("are for users who may write to issues or pull requests, and read-only once it is archived", async () => {
      const box = await repository("writing")
      const id = await create(box, "bug")
      const writes = [
        ["POST", ""],
        ["PATCH", `/${id}`],
        ["DELETE", `/${id}`],
      ] as const
      for (const [method, path] of writes) {
        expect(await status(cal, `${method} ${box}/labels${path}`, { name: "x", color: "000" })).toBe(403)
        expect(await status(undefined, `${method} ${box}/labels${path}`, { name: "x", color: "000" })).toBe(401)
      }
      const at = await issue(box)
      await call(ann, `PATCH ${box}`, { archived: true })
      for (const [method, path] of writes) expect(await status(ann, `${method} ${box}/labels${path}`, "no JSON")).toBe(423)
      for (const [method, path] of [
        ["POST", ""],
        ["PUT", ""],
        ["DELETE", ""],
        ["DELETE", `/${id}`],
      ])
        expect(await status(ann, `${method} ${at}/labels${path}`, "no JSON")).toBe(423)
      expect(await status(cal, `GET ${at}/labels`)).toBe(200)
      await call(ann, `PATCH ${box}`, { archived: false, private: true })
      expect(await status(cal, `GET ${box}/labels`)).toBe(404)
      expect(await status(cal, `GET ${at}/labels`)).toBe(404)
    })
  })

  describe("of an organisation", () => {
    test("are made, edited and deleted by its owners", async () => {
      const made = await call(ann, "POST /orgs/guild/labels", { name: "urgent", color: "#f80", is_archived: true })
      expect([made.status, made.body]).toMatchObject([
        201,
        { color: "ff8800", is_archived: true, url: expect.stringMatching(/\/api\/v1\/orgs\/guild\/labels\/\d+$/) },
      ])
      const at = `/orgs/guild/labels/${made.body.id}`
      expect((await call(ann, `PATCH ${at}`, { description: "today" })).body).toMatchObject({
        name: "urgent",
        description: "today",
        is_archived: true,
      })
      expect((await call(cal, `GET ${at}`)).body.name).toBe("urgent")
      expect(await status(undefined, `GET ${at}`)).toBe(401)
      expect(await status(undefined, "GET /orgs/guild/labels")).toBe(200)
      for (const [method, path] of [
        ["POST", "/orgs/guild/labels"],
        ["PATCH", at],
        ["DELETE", at],
      ]) {
        expect(await status(cal, `${method} ${path}`, { name: "x", color: "000" })).toBe(403)
        expect(await status(undefined, `${method} ${path}`, { name: "x", color: "000" })).toBe(401)
      }
      expect(await status(ann, "POST /orgs/guild/labels", { name: "x" })).toBe(422)
      expect(await status(ann, "PATCH /orgs/guild/labels/999999999", { name: "x" })).toBe(404)
      expect(await status(ann, "GET /orgs/ann/labels")).toBe(404)
      await create("/orgs/guild", "later")
      expect(await names("/orgs/guild", "?limit=1")).toEqual([["later"], "2"])
      expect(await status(ann, `DELETE ${at}`)).toBe(204)
      expect(await status(ann, `GET ${at}`)).toBe(404)
    })

    test("are available only in its repositories, and are removed when one is transferred", async () => {
      const shared = await create("/orgs/guild", "shared")
      const box = await repository("served", "guild")
      const own = await create(box, "own")
      const at = await issue(box)
      const { body } = await call(ben, `POST ${at}/labels`, { labels: ["shared", "own"] })
      expect(body.map(({ url }: { url: string }) => new URL(url).pathname)).toEqual([
        `/api/v1${box}/labels/${own}`,
        `/api/v1/orgs/guild/labels/${shared}`,
      ])
      expect(await names(box)).toEqual([["own"], "1"])
      expect(await status(ann, `GET ${box}/labels/${shared}`)).toBe(404)
      const foreign = await issue(await repository("unserved"))
      expect(await status(ben, `POST ${foreign}/labels`, { labels: [shared] })).toBe(422)
      expect(await status(ann, "POST /repos/guild/served/transfer", { new_owner: "ann" })).toBe(202)
      const moved = at.replace("guild", "ann")
      expect(await borne(moved)).toEqual(["own"])
      expect(await entries(moved)).toEqual(["ben +own"])
    })
  })

  describe("of an issue", () => {
    test("are added and replaced by id or name, each change with its entry", async () => {
      const box = await repository("labelling")
      const [a, b] = [await create(box, "a"), await create(box, "b")]
      const at = await issue(box)
      const added = await call(ben, `POST ${at}/labels`, { labels: ["b", "b", "a"] })
      expect([added.status, added.body.map(({ id }: { id: number }) => id)]).toEqual([200, [a, b]])
      const { updated_at } = (await call(ann, `GET ${at}`)).body
      expect((await call(ben, `POST ${at}/labels`, { labels: [a] })).body).toHaveLength(2)
      expect((await call(ann, `GET ${at}`)).body.updated_at).toBe(updated_at)
      expect((await call(ann, `PUT ${at}/labels`, { labels: [a] })).body).toHaveLength(1)
      expect(await entries(at)).toEqual(["ben +a", "ben +b", "ann -b"])
      expect((await call(ann, `PUT ${at}/labels`, { labels: [] })).body).toEqual([])
      expect(await borne(at)).toEqual([])
    })

    test("of one exclusive scope are never two", async () => {
      const box = await repository("excluding")
      for (const name of ["size/big", "size/small", "size/of/box", "kind/bug"]) await create(box, name, { exclusive: true })
      for (const name of ["size/free", "/big", "big/"]) await create(box, name, { exclusive: name !== "size/free" })
      const at = await issue(box)
      const add = async (...labels: string[]) => {
        await call(ben, `POST ${at}/labels`, { labels })
        return borne(at)
      }
      expect(await add("size/big", "kind/bug", "size/free")).toEqual(["kind/bug", "size/big", "size/free"])
      expect(await add("size/small")).toEqual(["kind/bug", "size/free", "size/small"])
      expect(await add("size/of/box", "/big", "big/")).toEqual(["/big", "big/", "kind/bug", "size/free", "size/of/box", "size/small"])
      await call(ben, `PUT ${at}/labels`, { labels: ["size/small", "size/big", "kind/bug"] })
      expect(await borne(at)).toEqual(["kind/bug", "size/small"])
      expect((await entries(at)).slice(3, 5)).toEqual(["ben -size/big", "ben +size/small"])
    })

    test("of one exclusive scope are never two when many are added at once", async () => {
      const box = await repository("racing")
      const sizes = ["size/1", "size/2", "size/3", "size/4", "size/5", "size/6"]
      for (const name of sizes) await create(box, name, { exclusive: true })
      const at = await issue(box)
      const answers = await Promise.all(sizes.map((name) => status(ben, `POST ${at}/labels`, { labels: [name] })))
      expect(new Set(answers)).toEqual(new Set([200]))
      expect(await borne(at)).toHaveLength(1)
    })

    test("are taken off one by one or all at once", async () => {
      const box = await repository("unlabelling")
      const [a, b, c] = [await create(box, "a"), await create(box, "b"), await create(box, "c")]
      const at = await issue(box)
      await call(ann, `PUT ${at}/labels`, { labels: [a, b, c] })
      for (const _ of [1, 2]) expect(await status(ben, `DELETE ${at}/labels/${b}`)).toBe(204)
      expect(await borne(at)).toEqual(["a", "c"])
      expect(await status(ben, `DELETE ${at}/labels/999999999`)).toBe(404)
      expect(await status(ben, `DELETE ${at}/labels`)).toBe(204)
      expect(await borne(at)).toEqual([])
      expect(await entries(at)).toEqual(["ann +a", "ann +b", "ann +c", "ben -b", "ben -a", "ben -c"])
    })

    test("are refused whole when one is unknown, or is neither id nor name", async () => {
      const box = await repository("refusing")
      const known = await create(box, "known")
      const foreign = await create(await repository("refusing-other"), "foreign")
      const at = await issue(box)
      for (const method of ["POST", "PUT"]) {
        for (const labels of [[known, foreign], [known, 999999999], ["known", "Known"], [0]]) {
          const refused = await call(ben, `${method} ${at}/labels`, { labels })
          expect([refused.status, refused.body.message]).toEqual([422, expect.stringMatching(/^\[labels\]: there is no label /)])
        }
        for (const labels of [[known, "known"], [true], [null], [1.5], [[known]], [{ id: known }]])
          expect([labels, await status(ben, `${method} ${at}/labels`, { labels })]).toEqual([labels, 400])
        for (const body of [{}, { labels: "known" }, { labels: null }]) expect(await status(ben, `${method} ${at}/labels`, body)).toBe(422)
      }
      expect(await borne(at)).toEqual([])
    })

    test("are for users who may write to issues, and not found without the issue", async () => {
      const box = await repository("permitting")
      const id = await create(box, "bug")
      const at = await issue(box)
      for (const [method, path] of [
        ["POST", ""],
        ["PUT", ""],
        ["DELETE", ""],
        ["DELETE", `/${id}`],
      ]) {
        const body = method === "DELETE" ? undefined : { labels: [id] }
        // The issue is cal's own; that is not enough.
        expect(await status(cal, `${method} ${at}/labels${path}`, body)).toBe(403)
        expect(await status(undefined, `${method} ${at}/labels${path}`, body)).toBe(401)
        expect(await status(ben, `${method} ${box}/issues/99/labels${path}`, body)).toBe(404)
      }
      expect(await status(undefined, `GET ${at}/labels`)).toBe(200)
      expect(await status(ben, `GET ${box}/issues/99/labels`)).toBe(404)
    })
  })
})
