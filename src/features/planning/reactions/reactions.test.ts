import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openCommentFixture } from "../comments/testing.ts"
import { REACTIONS } from "./records.ts"

withWorld("reactions", { on: databaseKinds, open: openCommentFixture }, ({ test, world: talk }) => {
  const at = "/repos/ann/open/issues"
  const shown = async (path: string) => {
    const { body, headers } = await talk.call(talk.dot, `GET ${path}`)
    return {
      list: body.map((one: { user: { login: string }; content: string }) => `${one.user.login} ${one.content}`),
      total: headers.get("x-total-count"),
    }
  }

  test("are added once by each user, and removed", async () => {
    const on = `${at}/1/reactions`
    expect((await shown(on)).list).toEqual([])
    const first = await talk.call(talk.cal, `POST ${on}`, { content: "+1" })
    expect(first).toMatchObject({ status: 201, body: { content: "+1", user: { login: "cal", email: "cal@example.com" } } })
    const second = await talk.call(talk.cal, `POST ${on}`, { content: "+1" })
    expect(second).toMatchObject({ status: 200, body: first.body })
    for (const content of REACTIONS) expect(await talk.status(talk.ben, `POST ${on}`, { content })).toBe(201)
    expect(await shown(`${on}?limit=2&page=1`)).toEqual({ list: ["cal +1", "ben +1"], total: "9" })
    expect(await shown(`${on}?limit=2&page=9`)).toEqual({ list: [], total: "9" })
    for (const _ of [1, 2]) expect(await talk.status(talk.cal, `DELETE ${on}`, { content: "+1" })).toBe(204)
    // A user can't remove the reaction of another.
    expect(await talk.status(talk.cal, `DELETE ${on}`, { content: "heart" })).toBe(204)
    expect((await shown(on)).total).toBe("8")
  })

  test("of one's own are all removed where none is named, as pyforgejo does it", async () => {
    const id = await talk.comment(talk.ben, "open/issues/2", "gladly")
    for (const on of [`${at}/2/reactions`, `${at}/comments/${id}/reactions`])
      for (const body of [{}, undefined, { content: null }]) {
        await talk.call(talk.cal, `POST ${on}`, { content: "eyes" })
        for (const content of ["heart", "rocket"]) expect(await talk.status(talk.ben, `POST ${on}`, { content })).toBe(201)
        expect(await talk.status(talk.ben, `DELETE ${on}`, body)).toBe(204)
        expect((await shown(on)).list).toEqual(["cal eyes"])
      }
    expect(await talk.status(talk.cal, `DELETE ${at}/2/reactions`)).toBe(204)
  })

  test("to a comment are separate from those to its issue", async () => {
    const id = await talk.comment(talk.ben, "open/issues/2", "indeed")
    const on = `${at}/comments/${id}/reactions`
    expect(await talk.status(talk.ann, `POST ${on}`, { content: "laugh" })).toBe(201)
    expect(await talk.status(talk.ann, `POST ${on}`, { content: "laugh" })).toBe(200)
    expect((await shown(on)).list).toEqual(["ann laugh"])
    expect((await shown(`${at}/2/reactions`)).list).toEqual([])
    expect(await talk.status(talk.ann, `DELETE ${on}`, { content: "laugh" })).toBe(204)
    expect((await shown(on)).list).toEqual([])
  })

  test("are refused to users without access, for unknown reactions, and without a subject", async () => {
    const id = await talk.comment(talk.ben, "open/issues/2", "indeed")
    for (const on of [`${at}/2/reactions`, `${at}/comments/${id}/reactions`]) {
      for (const body of [{ content: "facepalm" }, {}, { content: "" }]) expect(await talk.status(talk.cal, `POST ${on}`, body)).toBe(403)
      expect(await talk.status(undefined, `POST ${on}`, { content: "+1" })).toBe(401)
      expect(await talk.status(undefined, `DELETE ${on}`, { content: "+1" })).toBe(401)
    }
    for (const on of [`${at}/99/reactions`, `${at}/comments/999999/reactions`, `/repos/ann/hush/issues/comments/${id}/reactions`]) {
      expect(await talk.status(talk.ann, `POST ${on}`, { content: "+1" })).toBe(404)
      expect(await talk.status(talk.ann, `GET ${on}`)).toBe(404)
    }
    expect(await talk.status(talk.cal, "POST /repos/ann/hush/issues/1/reactions", { content: "+1" })).toBe(404)
    expect(await talk.status(undefined, "GET /repos/ann/hush/issues/1/reactions")).toBe(404)
  })

  test("on a locked issue are for those who may write to it", async () => {
    const { number } = (await talk.call(talk.ann, `POST ${at}`, { title: "Locked" })).body
    const id = await talk.comment(talk.cal, `open/issues/${number}`, "x")
    expect(await talk.status(talk.cal, `POST ${at}/${number}/reactions`, { content: "+1" })).toBe(201)
    await talk.call(talk.ann, `PUT ${at}/${number}/lock`, {})
    for (const on of [`${at}/${number}/reactions`, `${at}/comments/${id}/reactions`]) {
      expect(await talk.status(talk.cal, `POST ${on}`, { content: "eyes" })).toBe(403)
      expect(await talk.status(talk.cal, `DELETE ${on}`, { content: "+1" })).toBe(403)
      expect(await talk.status(talk.ben, `POST ${on}`, { content: "eyes" })).toBe(201)
    }
  })

  test("are refused to blocked users", async () => {
    const eve = await talk.person("eve")
    const { number } = (await talk.call(talk.ben, `POST ${at}`, { title: "By ben" })).body
    const id = await talk.comment(talk.dot, `open/issues/${number}`, "x")
    await talk.call(talk.dot, "PUT /user/blocks/eve")
    expect(await talk.status(eve, `POST ${at}/comments/${id}/reactions`, { content: "eyes" })).toBe(403)
    expect(await talk.status(eve, `POST ${at}/${number}/reactions`, { content: "eyes" })).toBe(201)
    await talk.call(talk.ben, "PUT /user/blocks/eve")
    expect(await talk.status(eve, `POST ${at}/${number}/reactions`, { content: "heart" })).toBe(403)
    expect(await talk.status(eve, `DELETE ${at}/${number}/reactions`, { content: "eyes" })).toBe(204)
  })
})
