import { expect } from "vitest"
import { openBrowser } from "../../../../tests/support/browser.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"
import { openReviewWorld } from "../../../features/review/reviews/testing.ts"

/** What can be done with the texts of reviews: as with comments of issues. */

withWorld("texts of reviews", { open: openReviewWorld }, ({ test, world }) => {
  const as = async (name: string) => {
    const browser = openBrowser(world.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  /** The id of the text that says so. */
  const idIn = (page: string, words: string): string =>
    [...page.slice(0, page.indexOf(words)).matchAll(/<article class="card comment" id="issuecomment-(\d+)"/g)].at(-1)?.[1] ?? ""

  test("summaries and comments on lines are quoted, reacted to, edited with a history, and deleted", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const line = { path: "a.txt", new_position: 2, body: "Why two?\n\nReally." }
    await on.must(world.ben, { event: "COMMENT", body: "In short", comments: [line] })
    const [ben, ann, dee] = [await as("ben"), await as("ann"), await as("dee")]
    const talk = await ben.get(here)
    const [summary, comment] = [idIn(talk.text, "In short"), idIn(talk.text, "Really.")]
    expect([summary, comment].map(Number).every((id) => id > 0)).toBe(true)
    for (const id of [summary, comment]) {
      expect(talk.text).toContain(`data-copy-link="${here}#issuecomment-${id}"`)
      expect(talk.text).toContain(`href="${here}/comments/${id}/edit"`)
    }

    // The summary is answered at the end, a comment on a line in its thread.
    expect((await ann.get(`${here}?quote=${summary}`)).text).toContain("&gt; In short")
    const quoted = await ann.get(`${here}/comments/${comment}/reply?from=files`)
    expect([quoted.status, faultsIn(quoted.text)]).toEqual([200, []])
    const answer = quoted.forms.find(({ action }) => action.endsWith("/replies"))
    expect(answer?.fields["body"]?.trim()).toBe("> Why two?\n>\n> Really.")
    const answered = await ann.post(answer?.action ?? "", { ...answer?.fields, body: "> Why two?\n\nWhy not." })
    expect(answered.location).toBe(`${here}/files#issuecomment-${comment}`)
    expect((await ann.get(`${here}/comments/${summary}/reply`)).status).toBe(404)

    const files = await ann.get(`${here}/files`)
    const react = files.forms.find(({ action }) => action === `${here}/comments/${comment}/reactions`)
    expect(react?.fields).toEqual({ from: "files" })
    const reacted = await ann.post(react?.action ?? "", { ...react?.fields, content: "heart" })
    expect([reacted.status, reacted.location]).toEqual([303, `${here}/files#issuecomment-${comment}`])
    await ann.post(`${here}/comments/${summary}/reactions`, { content: "rocket" })
    expect((await ben.get(here)).text).toMatch(/value="rocket"[\s\S]*value="heart"/)

    for (const [id, words] of [
      [summary, "At length"],
      [comment, "Why three?"],
    ] as const) {
      const editor = await ben.get(`${here}/comments/${id}/edit?from=files`)
      expect([editor.status, faultsIn(editor.text)]).toEqual([200, []])
      const form = editor.forms.find(({ action }) => action === `${here}/comments/${id}/edit`)
      const saved = await ben.post(form?.action ?? "", { ...form?.fields, body: words })
      expect([saved.status, saved.location]).toEqual([303, `${here}/files#issuecomment-${id}`])
      // Someone who began with the text before would replace what they have not read.
      const stale = await ann.post(form?.action ?? "", { ...form?.fields, body: "Mine" })
      expect([stale.status, stale.text.includes(words)]).toEqual([409, true])
      const shown = await dee.get(here)
      expect(shown.text).toContain(words)
      expect(shown.text).toContain(`/comments/${id}/history`)
      expect(shown.text).not.toContain(`/comments/${id}/edit`)
      expect((await dee.post(form?.action ?? "", { ...form?.fields, body: "Not mine" })).status).toBe(403)
    }

    // Only the reviewer deletes a review; those who may write delete comments.
    expect((await ann.get(`${here}/comments/${comment}/edit`)).text).toContain("Delete comment")
    const editor = await ben.get(`${here}/comments/${summary}/edit`)
    const remove = editor.forms.find(({ action }) => action.endsWith("/delete"))
    expect((await dee.post(remove?.action ?? "", {})).status).toBe(403)
    expect((await ben.post(`${here}/comments/${comment}/delete`, { from: "files" })).location).toBe(`${here}/files`)
    expect((await ben.get(here)).text).not.toContain("Why three?")
    expect((await ben.get(here)).text).toContain("Why not.")
    expect((await ben.post(remove?.action ?? "", {})).location).toBe(here)
    const left = await ben.get(here)
    expect([left.text.includes("At length"), left.text.includes("Why not.")]).toEqual([false, false])
  })

  test("one pending comment is edited and deleted alone, and seen by its author only", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    const [ben, ann] = [await as("ben"), await as("ann")]
    for (const [first, text] of [
      ["2", "Two"],
      ["4", "Four"],
    ] as const)
      await ben.post(`${here}/reviews/lines`, { path: "a.txt", side: "R", first, text, action: "review" })
    const files = await ben.get(`${here}/files`)
    expect([faultsIn(files.text), files.text.includes("2 pending comments")]).toEqual([[], true])
    const [two, four] = [idIn(files.text, "Two"), idIn(files.text, "Four")]
    expect(files.forms.some(({ action }) => action.endsWith(`/comments/${two}/reactions`))).toBe(false)
    expect((await ann.get(`${here}/comments/${two}/edit`)).status).toBe(404)
    const editor = await ben.get(`${here}/comments/${two}/edit?from=files`)
    const form = editor.forms.find(({ action }) => action.endsWith("/edit"))
    expect((await ben.post(form?.action ?? "", { ...form?.fields, body: "Twice" })).location).toBe(`${here}/files#issuecomment-${two}`)
    expect((await ben.post(`${here}/comments/${four}/delete`, { from: "files" })).location).toBe(`${here}/files`)
    const after = await ben.get(`${here}/files`)
    expect(["Twice", "Four", "1 pending comment"].map((words) => after.text.includes(words))).toEqual([true, false, true])

    // The lines have a page of their own, for who has no scripts.
    const page = await ben.get(`${here}/lines?comment=a.txt:R:2-3&suggest=true`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const box = page.forms.find(({ action }) => action === `${here}/reviews/lines`)
    expect(box?.fields).toMatchObject({ path: "a.txt", side: "R", first: "2", last: "3", action: "review" })
    expect(box?.fields["text"]).toContain("```suggestion\n2\nthree\n```")
    expect((await ben.get(`${here}/lines?comment=a.txt:R:2-2`)).text).toContain("Twice")
    expect((await ann.get(`${here}/lines?comment=a.txt:R:2-2`)).text).not.toContain("Twice")
    for (const lines of ["a.txt", "a.txt:R:0", "../x:R:1-1000000", ".git/config:R:1"])
      expect([200, 404]).toContain((await ben.get(`${here}/lines?comment=${encodeURIComponent(lines)}`)).status)
    expect((await openBrowser(world.hearth.url).get(`${here}/lines?comment=a.txt:R:2`)).forms).toEqual([])
  })

  test("texts of an archived repository, and of a locked pull request, are read only", async () => {
    const on = await world.reviewed()
    const here = `/ann/${on.name}/pulls/${on.number}`
    await on.must(world.dee, { event: "COMMENT", body: "", comments: [{ path: "a.txt", new_position: 2, body: "Said" }] })
    const dee = await as("dee")
    await world.must(world.ann, `PUT /repos/ann/${on.name}/issues/${on.number}/lock`, { lock_reason: "spam" })
    const locked = await dee.get(`${here}/files`)
    const id = idIn(locked.text, "Said")
    expect(locked.text).not.toContain("data-quote")
    expect(locked.forms.some(({ action }) => /reactions|replies/.test(action))).toBe(false)
    expect((await dee.post(`${here}/comments/${id}/reactions`, { content: "heart" })).status).toBe(403)
    await world.must(world.ann, `PATCH /repos/ann/${on.name}`, { archived: true })
    const archived = await dee.get(`${here}/files`)
    expect([archived.text.includes("data-edit"), archived.text.includes("data-delete"), archived.text.includes("line-box")]).toEqual([
      false,
      false,
      false,
    ])
    expect((await dee.post(`${here}/comments/${id}/delete`, {})).status).toBe(423)
  })
})
