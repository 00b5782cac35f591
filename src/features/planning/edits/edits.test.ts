import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { databaseKinds, type FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { openReviewWorld } from "../../review/reviews/testing.ts"
import { MOST_CHARACTERS, MOST_VERSIONS } from "./rules.ts"

// Texts from before there was a bound.
const open = (kind: FreshKind) => openReviewWorld(kind, { limits: { textBytes: 2 * MOST_CHARACTERS } })

withWorld("the history of edited texts", { on: databaseKinds, open }, ({ test, world }) => {
  const as = async (name: string): Promise<Browser> => {
    const browser = openBrowser(world.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  const kept = (issueId: number, commentId: number | null = null) =>
    world.hearth.services.database.read
      .selectFrom("text_versions")
      .select(["number", "content", "author_id"])
      .where("issue_id", "=", issueId)
      .where("comment_id", commentId === null ? "is" : "=", commentId)
      .orderBy("number")
      .execute()
  const numbers = (versions: readonly { readonly number: number }[]) => versions.map(({ number }) => number)
  /** A repository of ann's, in which ben may write; dee is a stranger. */
  const issue = async (body = "One\ntwo\n", options: object = {}) => {
    const { at, name } = await world.repository(options)
    const made = await world.must(world.ann, `POST ${at}/issues`, { title: "A title", body })
    return { id: made.id, at, api: `${at}/issues/${made.number}`, here: `/ann/${name}/issues/${made.number}` }
  }

  test("keeps what a text said before, who wrote it, and shows what has changed", async () => {
    const { id, api, here } = await issue()
    const reader = await as("dee")
    expect((await reader.get(here)).text).not.toContain("/history")
    expect((await reader.get(`${here}/history`)).text).toContain("No earlier versions")
    await world.must(world.ben, `PATCH ${api}`, { body: "One\n2 <b>\n" })
    await world.must(world.ann, `PATCH ${api}`, { body: "One\n2 <b>\n", title: "Another title" })
    await world.must(world.ann, `PATCH ${api}`, { body: "One\n2 <b>\nthree\n" })
    expect((await kept(id)).map(({ content }) => content)).toEqual(["One\ntwo\n", "One\n2 <b>\n", ""])
    expect((await reader.get(here)).text).toContain(`href="${here}/history"`)
    const newest = await reader.get(`${here}/history`)
    expect([newest.status, faultsIn(newest.text)]).toEqual([200, []])
    expect(newest.text).toContain("Changes in version 3")
    expect(newest.text).toMatch(/three/)
    expect(newest.text).not.toContain("two")
    expect(newest.text).toContain("One\n2 &lt;b&gt;\nthree\n</code>")
    const second = (await reader.get(`${here}/history?version=2`)).text
    expect(second).toMatch(/Version 2<\/a>.*?ben/s)
    expect(second).toContain("2 &lt;")
    expect(second).toMatch(/two/)
    expect((await reader.get(`${here}/history?version=1`)).text).toMatch(/two/)
    for (const missing of ["4", "0", "-1"]) expect((await reader.get(`${here}/history?version=${missing}`)).status).toBe(404)
  })

  test("of comments, reviews and comments on lines, in the conversation and on the page of files", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const said = await world.must(world.ann, `POST ${on.at}/issues/${on.number}/comments`, { body: "A comment" })
    const review = await on.must(world.ben, {
      body: "A review",
      event: "COMMENT",
      comments: [{ path: "a.txt", body: "On a line", new_position: 2 }],
    })
    const [line] = await on.comments(review.id)
    const reader = await as("dee")
    const { text: before } = await reader.get(here)
    const entry = Number(/id="issuecomment-(\d+)"[^>]*>(?:(?!<article).)*A review/s.exec(before)?.[1])
    for (const id of [said.id, line.id, entry]) {
      const link = `href="${here.replace("pulls", "issues")}/comments/${id}/history"`
      expect(before).not.toContain(link)
      await world.must(world.ann, `PATCH ${on.at}/issues/comments/${id}`, { body: "Said otherwise" })
      expect((await reader.get(here)).text).toContain(link)
      const page = await reader.get(`${here.replace("pulls", "issues")}/comments/${id}/history?version=1`)
      expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    }
    expect((await reader.get(`${here}/files`)).text).toContain(`/comments/${line.id}/history"`)
    const [first] = await kept((await world.must(world.ann, `GET ${on.at}/issues/${on.number}`)).id, said.id)
    expect(first?.content).toBe("A comment")
  })

  test("is as hidden as the text, and keeps nothing of drafts", async () => {
    const { api, here } = await issue("A", { private: true })
    await world.must(world.ann, `PATCH ${api}`, { body: "B" })
    expect((await (await as("dee")).get(`${here}/history`)).status).toBe(404)
    expect((await openBrowser(world.hearth.url).get(`${here}/history`)).status).toBe(404)
    const on = await world.reviewed()
    const pending = await on.must(world.ben, { comments: [{ path: "a.txt", body: "Draft", new_position: 2 }] })
    const [line] = await on.comments(pending.id, world.ben)
    await world.must(world.ben, `PATCH ${on.at}/issues/comments/${line.id}`, { body: "Changed draft" })
    const at = `/ann/${on.name}/issues/${on.number}/comments/${line.id}/history`
    expect((await (await as("ben")).get(at)).text).toContain("No earlier versions")
    expect((await (await as("dee")).get(at)).status).toBe(404)
  })

  test("loses a version's content by its author and by administrators, and says so", async () => {
    const { at, api, here } = await issue("The secret is 42")
    const said = await world.must(world.ben, `POST ${api}/comments`, { body: "The secret is 43" })
    await world.must(world.ann, `PATCH ${api}`, { body: "Nothing here" })
    await world.must(world.ben, `PATCH ${at}/issues/comments/${said.id}`, { body: "Nothing there" })
    const comment = `${here}/comments/${said.id}/history`
    const [ann, ben, dee] = [await as("ann"), await as("ben"), await as("dee")]
    // Those who may write may edit the text of others, and not delete what they said before.
    for (const [browser, status] of [
      [ben, 403],
      [dee, 403],
      [openBrowser(world.hearth.url), 401],
    ] as const)
      expect((await browser.post(`${here}/history/1/delete`, {})).status).toBe(status)
    expect((await dee.post(`${comment}/1/delete`, {})).status).toBe(403)
    expect((await ben.get(`${here}/history?version=1`)).text).not.toContain("/delete")
    expect((await ann.get(`${here}/history?version=1`)).forms.map(({ action }) => action)).toContain(`${here}/history/1/delete`)

    expect((await ann.post(`${here}/history/2/delete`, {})).status).toBe(422)
    for (const missing of ["0", "3", "x"]) expect((await ann.post(`${here}/history/${missing}/delete`, {})).status).toBe(404)
    const done = await ann.post(`${here}/history/1/delete`, {})
    expect([done.status, done.location]).toEqual([303, `${here}/history?version=1`])
    expect((await ben.post(`${comment}/1/delete`, {})).status).toBe(303)
    for (const path of [`${here}/history`, comment])
      for (const version of ["1", "2"]) {
        const { text } = await dee.get(`${path}?version=${version}`)
        expect(text).not.toContain("The secret")
        expect(text).toMatch(/deleted by .*?(ann|ben)/s)
      }
    const again = await ann.post(`${comment}/1/delete`, {})
    expect(again.status).toBe(303)
    expect((await dee.get(`${comment}?version=1`)).text).toMatch(/deleted by <[^>]*>(<bdi>)?ben/)
    await world.must(world.ann, `PATCH ${at}`, { archived: true })
    expect((await ann.post(`${here}/history/1/delete`, {})).status).toBe(423)
  })

  test("keeps so many versions, and so many characters: the first one longest", async () => {
    const { id, at, api } = await issue("0")
    for (let edit = 1; edit <= MOST_VERSIONS + 1; edit++) await world.must(world.ann, `PATCH ${api}`, { body: String(edit) })
    const versions = await kept(id)
    expect(versions.length).toBe(MOST_VERSIONS)
    expect(numbers(versions).slice(0, 3)).toEqual([1, 4, 5])
    const { text } = await (await as("ann")).get(`${api.replace("/repos", "")}/history?version=4`)
    expect(text).toContain("those between them are not kept")

    const large = await world.must(world.ann, `POST ${at}/issues`, { title: "Large", body: "small" })
    const half = "x".repeat(MOST_CHARACTERS / 2)
    for (const letter of ["a", "b", "c"]) await world.must(world.ann, `PATCH ${at}/issues/${large.number}`, { body: letter + half })
    expect(numbers(await kept(large.id))).toEqual([1, 3, 4])
    await world.must(world.ann, `PATCH ${at}/issues/${large.number}`, { body: half + half + half })
    await world.must(world.ann, `PATCH ${at}/issues/${large.number}`, { body: "small" })
    expect(numbers(await kept(large.id))).toEqual([1, 6])
    const huge = await world.must(world.ann, `POST ${at}/issues`, { title: "Huge", body: half + half + half })
    await world.must(world.ann, `PATCH ${at}/issues/${huge.number}`, { body: "small" })
    expect(numbers(await kept(huge.id))).toEqual([2])
  })

  test("goes with its text", async () => {
    const { id, at, api } = await issue()
    const said = await world.must(world.ann, `POST ${api}/comments`, { body: "A" })
    await world.must(world.ann, `PATCH ${at}/issues/comments/${said.id}`, { body: "B" })
    await world.must(world.ann, `PATCH ${api}`, { body: "B" })
    expect([(await kept(id)).length, (await kept(id, said.id)).length]).toEqual([2, 2])
    await world.must(world.ann, `DELETE ${at}/issues/comments/${said.id}`)
    expect([(await kept(id)).length, (await kept(id, said.id)).length]).toEqual([2, 0])
    await world.must(world.ann, `DELETE ${api}`)
    expect(await kept(id)).toEqual([])
  })
})
