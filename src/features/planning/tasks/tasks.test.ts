import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openCommentFixture } from "../comments/testing.ts"

withWorld("task boxes", { on: databaseKinds, open: openCommentFixture }, ({ test, world: talk }) => {
  const at = "/repos/ann/open/issues"
  const must = async (caller: string, route: string, body?: unknown) => {
    const answer = await talk.call(caller, route, body)
    expect(answer.status, route).toBeLessThan(300)
    return answer.body
  }
  const LIST = Array.from({ length: 8 }, (_, at) => `- [ ] part ${at}\n- [ ] again`).join("\n")
  const issue = async (body: string, by = talk.ann): Promise<string> =>
    `${at}/${(await must(by, `POST ${at}`, { title: "T", body })).number}`

  test("are ticked in issues and comments, by several at once", async () => {
    const one = await issue(LIST, talk.cal)
    const comment = `${at}/comments/${await talk.comment(talk.cal, one.slice("/repos/ann/".length), LIST)}`
    for (const place of [one, comment]) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          talk.call(at % 2 === 0 ? talk.ben : talk.cal, `PUT ${place}/tasks`, { task: String(2 * at + 2), done: true }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      const { body } = await must(talk.ann, `GET ${place}`)
      expect(body).toBe(LIST.replaceAll("[ ] again", "[x] again"))
      expect((await must(talk.cal, `PUT ${place}/tasks`, { task: "2", done: false })).body).toBe(body.replace("[x]", "[ ]"))
    }
  })

  test("change nothing where they are so already", async () => {
    const one = await issue("- [x] done")
    const { content_version, updated_at } = await must(talk.ann, `GET ${one}`)
    expect(await must(talk.ben, `PUT ${one}/tasks`, { task: "1", done: true })).toMatchObject({ content_version, updated_at })
    expect((await must(talk.ben, `PUT ${one}/tasks`, { task: "1", done: false })).content_version).toBe(content_version + 1)
  })

  test("are those that the text has, of texts that may be edited", async () => {
    const one = await issue("- [ ] to do\n\n```\n- [ ] code\n```")
    const id = await talk.comment(talk.cal, one.slice("/repos/ann/".length), "- [ ] mine")
    const status = (caller: string | undefined, place: string, body: unknown = { task: "1", done: true }) =>
      talk.status(caller, `PUT ${place}/tasks`, body)
    for (const task of ["4", "2", "", "1.abcdefgh.abcdefgh", "x"]) expect(await status(talk.ann, one, { task, done: true })).toBe(409)
    for (const body of [{}, { task: "1" }, { task: 1, done: true }]) expect(await status(talk.ann, one, body)).toBe(422)
    expect(await status(talk.cal, one)).toBe(403)
    expect(await status(talk.dot, `${at}/comments/${id}`)).toBe(403)
    expect(await status(undefined, one)).toBe(401)
    expect(await status(talk.cal, "/repos/ann/hush/issues/1")).toBe(404)
    await must(talk.ben, `PATCH ${one}`, { title: "Other" })
    const [renamed] = (await must(talk.ann, `GET ${one}/timeline`)).filter(({ type }: { type: string }) => type === "change_title")
    expect(await status(talk.ann, `${at}/comments/${renamed.id}`)).toBe(404)

    await must(talk.ann, "PUT /user/blocks/cal")
    expect(await status(talk.cal, `${at}/comments/${id}`)).toBe(403)
    await must(talk.ann, "DELETE /user/blocks/cal")
    await must(talk.ann, "PATCH /repos/ann/open", { archived: true })
    expect(await status(talk.ann, one)).toBe(423)
    await must(talk.ann, "PATCH /repos/ann/open", { archived: false })
  })
})
