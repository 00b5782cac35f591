import { expect } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { addTimelineEntry, type TimelineKind } from "../issues/timeline.ts"
import { openCommentFixture } from "./testing.ts"

withWorld("the timeline", { on: databaseKinds, open: openCommentFixture }, ({ test, world: talk }) => {
  const at = "/repos/ann/open/issues"
  const timeline = async (caller: Caller, number: number, query = "") => {
    const { body, headers } = await talk.call(caller, `GET ${at}/${number}/timeline${query}`)
    return { entries: body, total: headers.get("x-total-count") }
  }
  const types = async (caller: Caller, number: number) =>
    (await timeline(caller, number)).entries.map((entry: { type: string }) => entry.type)
  const issue = async (title: string, body = "", repository = "open") =>
    (await talk.call(talk.ann, `POST /repos/ann/${repository}/issues`, { title, body })).body

  /** Writes an entry of each kind with what it refers to, and gives their kinds in order. */
  async function everyKind(issueId: number, otherId: number, commentId: number): Promise<readonly TimelineKind[]> {
    const label = (await talk.call(talk.ann, "POST /repos/ann/open/labels", { name: `l${issueId}`, color: "00aabb" })).body
    const [old, now] = await Promise.all(
      ["m1", "m2"].map(async (title) => (await talk.call(talk.ann, "POST /repos/ann/open/milestones", { title })).body),
    )
    const { database } = talk.hearth.services
    return database.write(async (tx) => {
      const { id: ben } = await tx.selectFrom("users").select("id").where("lower_name", "=", "ben").executeTakeFirstOrThrow()
      const { repository_id } = await tx.selectFrom("issues").select("repository_id").where("id", "=", otherId).executeTakeFirstOrThrow()
      const time = await tx
        .insertInto("tracked_times")
        .values({ issue_id: issueId, user_id: ben, seconds: 60, created_at: 7, updated_at: 7 })
        .returning("id")
        .executeTakeFirstOrThrow()
      const entry = { issueId, authorId: ben, now: 5 }
      const other = { ref_repository_id: repository_id, ref_issue_id: otherId }
      const written = [
        { kind: "label", content: "1", label_id: label.id },
        { kind: "milestone", old_milestone_id: old.id, milestone_id: now.id },
        { kind: "assignees", assignee_id: ben, removed_assignee: 1 },
        { kind: "change_title", old_title: "a", new_title: "b" },
        { kind: "change_issue_ref", old_ref: "x", new_ref: "y" },
        { kind: "issue_ref", ...other },
        { kind: "comment_ref", ...other, ref_comment_id: commentId },
        { kind: "pull_ref", ...other, ref_action: "closes" },
        { kind: "commit_ref", commit_id: "c".repeat(40), content: "a commit" },
        { kind: "add_time_manual", tracked_time_id: time.id, content: "1 minute" },
        { kind: "add_dependency", dependent_issue_id: otherId },
        { kind: "review_request", assignee_id: ben, resolver_id: ben },
        { kind: "added_deadline", content: "2031-05-06" },
        { kind: "project", project_id: 4, old_project_id: 3 },
        { kind: "lock", content: "enough" },
        { kind: "pin" },
        { kind: "close" },
        { kind: "reopen" },
        { kind: "comment", content: "a word" },
      ] as const
      for (const one of written) await addTimelineEntry(tx, { ...entry, ...one })
      // Comments on lines are shown with their review.
      await addTimelineEntry(tx, { ...entry, kind: "code", content: "a remark" })
      return written.map(({ kind: word }) => word)
    })
  }

  test("shows every kind of entry with what it refers to, in a fixed number of queries", async () => {
    const [subject, other] = [await issue("Subject"), await issue("Other")]
    const commentId = await talk.comment(talk.cal, `open/issues/${other.number}`, "refers")
    const kinds = await everyKind(subject.id, other.id, commentId)
    const { entries, total } = await timeline(undefined, subject.number)
    expect(entries.map((entry: { type: string }) => entry.type)).toEqual(kinds)
    expect(total).toBe(String(kinds.length))
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about
    const of = (word: string): any => entries.find((entry: { type: string }) => entry.type === word)
    const page = `${talk.hearth.url}/ann/open/issues/${subject.number}`
    for (const entry of entries)
      expect(entry).toMatchObject({
        user: { login: "ben" },
        issue_url: page,
        pull_request_url: "",
        html_url: `${page}#issuecomment-${entry.id}`,
      })
    expect(of("label")).toMatchObject({ body: "1", label: { color: "00aabb", url: expect.stringContaining("/repos/ann/open/labels/") } })
    expect(of("milestone")).toMatchObject({ old_milestone: { title: "m1" }, milestone: { title: "m2" } })
    expect(of("assignees")).toMatchObject({ assignee: { login: "ben" }, removed_assignee: true })
    expect(of("change_title")).toMatchObject({ old_title: "a", new_title: "b" })
    expect(of("change_issue_ref")).toMatchObject({ old_ref: "x", new_ref: "y" })
    expect(of("issue_ref")).toMatchObject({ ref_issue: { title: "Other" }, ref_comment: null, ref_action: "none" })
    expect(of("comment_ref")).toMatchObject({
      ref_issue: { title: "Other" },
      ref_comment: { id: commentId, body: "refers", user: { login: "cal" } },
    })
    expect(of("pull_ref").ref_action).toBe("closes")
    expect(of("commit_ref")).toMatchObject({ ref_commit_sha: "c".repeat(40), body: "a commit" })
    expect(of("add_time_manual").tracked_time).toMatchObject({ time: 60, user_name: "ben", issue: { title: "Subject" } })
    expect(of("add_dependency").dependent_issue).toMatchObject({ title: "Other" })
    expect(of("review_request")).toMatchObject({ resolve_doer: { login: "ben" }, assignee_team: null })
    expect(of("project")).toMatchObject({ old_project_id: 3, project_id: 4 })
    expect(of("pin")).toMatchObject({ label: null, milestone: null, tracked_time: null, dependent_issue: null, review_id: 0, body: "" })

    const second = await issue("Second")
    for (const _ of [1, 2]) await everyKind(second.id, other.id, commentId)
    const asked = (number: number) => statementsOf(talk.hearth.services.database, () => timeline(talk.dot, number, "?limit=50"))
    // The first call also authenticates the caller.
    await talk.call(talk.dot, "GET /user")
    const [one, many] = [await asked(subject.number), await asked(second.number)]
    expect((await timeline(talk.dot, second.number, "?limit=50")).entries).toHaveLength(2 * kinds.length)
    expect(many.map(({ sql }) => sql)).toEqual(one.map(({ sql }) => sql))
  })

  test("comes in pages whose total is that of the whole", async () => {
    const { number } = await issue("Pages")
    for (const title of ["a", "b", "c"]) await talk.call(talk.ann, `PATCH ${at}/${number}`, { title })
    const page = await timeline(talk.dot, number, "?limit=2&page=2")
    expect([page.entries.map((entry: { new_title: string }) => entry.new_title), page.total]).toEqual([["c"], "3"])
    expect(await timeline(talk.dot, number, "?limit=2&page=9")).toEqual({ entries: [], total: "3" })
    expect((await timeline(talk.dot, number, "?before=2001-01-01T00:00:00Z")).entries).toEqual([])
    expect((await timeline(talk.dot, number, "?since=2001-01-01T00:00:00Z&before=2100-01-01T00:00:00Z")).total).toBe("3")
  })

  test("leaves out what is about issues that the caller may not read", async () => {
    const { number } = await issue("Target")
    const inside = await issue("Inside", `like ann/open#${number}`, "hush")
    expect(await types(talk.ann, number)).toEqual(["issue_ref"])
    expect(await types(talk.ben, number)).toEqual(["issue_ref"])
    for (const caller of [talk.cal, undefined]) expect(await timeline(caller, number)).toEqual({ entries: [], total: "0" })
    await talk.hearth.services.database.write(async (tx) => {
      const { id } = await tx.selectFrom("issues").select("id").where("title", "=", "Target").executeTakeFirstOrThrow()
      await addTimelineEntry(tx, { issueId: id, kind: "add_dependency", authorId: 1, now: 5, dependent_issue_id: inside.id })
    })
    expect(await types(talk.ben, number)).toEqual(["add_dependency", "issue_ref"])
    expect(await types(talk.cal, number)).toEqual([])
    // The unit is switched off, so no caller may read it.
    await talk.call(talk.ann, "PATCH /repos/ann/hush", { has_issues: false })
    expect(await types(talk.ann, number)).toEqual([])
    await talk.call(talk.ann, "PATCH /repos/ann/hush", { has_issues: true })
    expect(await talk.status(talk.cal, "GET /repos/ann/hush/issues/1/timeline")).toBe(404)
    expect(await talk.status(talk.ann, `GET ${at}/999/timeline`)).toBe(404)
  })

  test("has no gaps where something was deleted", async () => {
    const { number } = await issue("Deleted things")
    const label = (await talk.call(talk.ann, "POST /repos/ann/open/labels", { name: "gone", color: "000000" })).body
    const milestone = (await talk.call(talk.ann, "POST /repos/ann/open/milestones", { title: "gone" })).body
    await talk.call(talk.ann, `POST ${at}/${number}/labels`, { labels: [label.id] })
    await talk.call(talk.ann, `PATCH ${at}/${number}`, { milestone: milestone.id })
    const pointer = await issue("Pointer", `#${number}`)
    expect(await types(talk.dot, number)).toEqual(["label", "milestone", "issue_ref"])
    await talk.call(talk.ann, `DELETE /repos/ann/open/labels/${label.id}`)
    await talk.call(talk.ann, `DELETE /repos/ann/open/milestones/${milestone.id}`)
    await talk.call(talk.ann, `DELETE ${at}/${pointer.number}`)
    const { entries, total } = await timeline(talk.dot, number)
    expect(entries).not.toContain(null)
    expect(total).toBe(String(entries.length))
    const [first] = entries
    expect(first).toMatchObject({ type: "milestone", milestone: null })
  })
})
