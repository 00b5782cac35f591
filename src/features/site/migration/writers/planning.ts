import { flag } from "../../../../core/database/tables/index.ts"
import { cut } from "../../../code/mirrors/import-target.ts"
import { updateRepository } from "../../../code/repositories/store.ts"
import { isTopic, MOST_TOPICS, normalizeTopic, replaceTopics } from "../../../code/topics/rules.ts"
import { deleteIssueLabels, insertIssueLabels } from "../../../planning/issues/labels-store.ts"
import { insertAssignees } from "../../../planning/issues/people-store.ts"
import { findIssueById, insertOldIssue, updateIssue } from "../../../planning/issues/store.ts"
import { insertTimelineEntries, updateImportedText } from "../../../planning/issues/timeline-store.ts"
import { recountComments, recountOpen } from "../../../planning/issues/touch-store.ts"
import { normalizeColor } from "../../../planning/labels/definitions.ts"
import { insertLabel, updateLabel } from "../../../planning/labels/store.ts"
import { recountMilestones } from "../../../planning/milestones/rules.ts"
import { insertMilestone, updateMilestone } from "../../../planning/milestones/store.ts"
import type { Comment, Facts, Issue, Label, Milestone } from "../origins/model.ts"
import { hostsOf, type Landing, news, remember, takeNumberFor, writeReactions } from "./landing.ts"
import { findLabels, findMilestones } from "./store.ts"

const GREY = "ededed"

export async function writeFacts({ tx, repository, imported, services }: Landing, records: readonly Facts[]): Promise<void> {
  for (const { topics, website } of records) {
    const fitting = topics.map(normalizeTopic).filter(isTopic).slice(0, MOST_TOPICS)
    await replaceTopics(tx, { id: imported.doer_id }, repository.id, fitting, services.now())
    if (repository.website === "" && URL.canParse(website)) await updateRepository(tx, repository.id, { website: cut(website, 1024) })
  }
}

export async function writeMilestones(landing: Landing, records: readonly Milestone[]): Promise<void> {
  const { tx, repository, text } = landing
  const there = new Map((await findMilestones(tx, repository.id)).map(({ id, title }) => [title, id]))
  for (const { record, here } of await news(landing, "milestones", records)) {
    const title = cut(record.title, 255)
    const row = {
      title,
      description: text(record.description),
      is_closed: flag(record.isClosed),
      closed_at: record.isClosed ? record.closedAt : 0,
      due_at: record.dueAt,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
    }
    const known = here?.localId ?? there.get(title)
    if (known !== undefined) await updateMilestone(tx, known, row)
    const id = known ?? (await insertMilestone(tx, { repository_id: repository.id, ...row })).id
    there.set(title, id)
    await remember(landing, "milestones", record, id)
  }
}

export async function writeLabels(landing: Landing, records: readonly Label[]): Promise<void> {
  const { tx, repository, services } = landing
  const now = services.now()
  const there = new Map((await findLabels(tx, repository.id)).map(({ id, name }) => [name, id]))
  // Servers don't say when a label has changed: each run writes it as it is.
  for (const { record, here } of await news(
    landing,
    "labels",
    records.map((label) => ({ ...label, updatedAt: now })),
  )) {
    const name = cut(record.name, 255)
    const color = normalizeColor(record.color)
    const row = {
      name,
      description: cut(record.description, 1_000),
      color: /^[0-9a-f]{6}$/.test(color) ? color : GREY,
      exclusive: flag(record.isExclusive),
      is_archived: flag(record.isArchived),
      updated_at: now,
    }
    const known = here?.localId ?? there.get(name)
    if (known !== undefined) await updateLabel(tx, known, row)
    const id = known ?? (await insertLabel(tx, { repository_id: repository.id, organization_id: null, created_at: now, ...row })).id
    there.set(name, id)
    await remember(landing, "labels", record, id)
  }
}

/** Returns the ids of issues that were written, by their keys. */
export async function writeIssues(
  landing: Landing,
  records: readonly Issue[],
  /** The numbers of pull requests, by their keys; issues have none yet. */
  numbers?: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const { tx, repository, people, text } = landing
  const kind = numbers ? "pull_requests" : "issues"
  const changed = await news(landing, kind, records)
  const written = new Map<string, number>()
  if (changed.length === 0) return written
  const labels = new Map((await findLabels(tx, repository.id)).map(({ id, name }) => [name, id]))
  const milestones = new Map((await findMilestones(tx, repository.id)).map(({ id, title }) => [title, id]))
  const planned = new Set<number>()
  for (const { record, here } of changed) {
    const before = here && (await findIssueById.first(tx, { id: here.localId }))
    // It was deleted here.
    if (here !== undefined && before === undefined) continue
    const milestoneId = record.milestone === undefined ? null : (milestones.get(cut(record.milestone, 255)) ?? null)
    for (const id of [milestoneId, before?.milestone_id ?? null]) if (id !== null) planned.add(id)
    const attribution = await people.attribute(record.author)
    const row = {
      milestone_id: milestoneId,
      is_closed: flag(record.isClosed),
      closed_at: record.isClosed ? record.closedAt || record.updatedAt : 0,
      close_reason: record.isClosed ? record.closeReason : ("" as const),
      is_locked: flag(record.isLocked),
      due_at: record.dueAt,
      updated_at: record.updatedAt,
    }
    const told = { title: cut(record.title, 255), content: text(record.body) }
    // What was edited here stays.
    if (before) await updateIssue(tx, before.id, { ...row, ...(before.content_version === 0 && told) })
    const id =
      before?.id ??
      (
        await insertOldIssue(tx, {
          repository_id: repository.id,
          number: numbers?.get(record.key) ?? (await takeNumberFor(tx, repository.id, record.number)),
          is_pull: flag(numbers !== undefined),
          ...told,
          ...row,
          ...attribution,
          created_at: record.createdAt,
        })
      ).id
    written.set(record.key, id)
    if (before) await deleteIssueLabels(tx, { issueId: id, labelIds: [...labels.values()] })
    const borne = new Set(record.labels.flatMap((name) => labels.get(cut(name, 255)) ?? []))
    if (borne.size > 0)
      await insertIssueLabels(
        tx,
        [...borne].map((label_id) => ({ issue_id: id, label_id })),
      )
    const assignees = new Set<number>()
    for (const person of record.assignees) {
      const userId = await people.idOf(person)
      if (userId !== 0) assignees.add(userId)
    }
    if (!before && assignees.size > 0)
      await insertAssignees(
        tx,
        [...assignees].map((user_id) => ({ issue_id: id, user_id })),
      )
    await writeReactions(landing, { issueId: id, commentId: 0 }, record.reactions, record.createdAt)
    await remember(landing, kind, record, id)
  }
  await recountMilestones(tx, [...planned], landing.services.now())
  await recountOpen(tx, repository.id)
  return written
}

export async function writeComments(landing: Landing, records: readonly Comment[]): Promise<void> {
  const { tx, people, text } = landing
  const changed = await news(landing, "comments", records)
  const hostOf = await hostsOf(
    landing,
    changed.map(({ record }) => record),
  )
  const touched = new Set<number>()
  for (const { record, here } of changed) {
    const issueId = hostOf(record.on)
    if (issueId === undefined) continue
    touched.add(issueId)
    const content = text(record.body)
    if (here) await updateImportedText(tx, { id: here.localId, content, updatedAt: record.updatedAt })
    const [made] = here
      ? [{ id: here.localId }]
      : await insertTimelineEntries(tx, [
          {
            issue_id: issueId,
            kind: "comment",
            content,
            ...(await people.attribute(record.author)),
            created_at: record.createdAt,
            updated_at: record.updatedAt,
          },
        ])
    if (!made) throw new TypeError("an entry that is added has an id")
    await writeReactions(landing, { issueId, commentId: made.id }, record.reactions, record.createdAt)
    await remember(landing, "comments", record, made.id)
  }
  for (const id of touched) await recountComments(tx, id, 0)
}
