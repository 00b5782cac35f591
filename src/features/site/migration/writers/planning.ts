import { slicesOf } from "../../../../core/database/slices.ts"
import { flag } from "../../../../core/database/tables/index.ts"
import { cut } from "../../../code/mirrors/import-target.ts"
import { updateRepository } from "../../../code/repositories/store.ts"
import { isTopic, MOST_TOPICS, normalizeTopic, replaceTopics } from "../../../code/topics/rules.ts"
import { deleteIssueLabels, insertIssueLabels } from "../../../planning/issues/labels-store.ts"
import { insertAssignees } from "../../../planning/issues/people-store.ts"
import { findIssueById, insertOldIssues, updateIssue } from "../../../planning/issues/store.ts"
import { insertTimelineEntries, updateImportedText } from "../../../planning/issues/timeline-store.ts"
import { recountComments, recountOpen } from "../../../planning/issues/touch-store.ts"
import { normalizeColor } from "../../../planning/labels/definitions.ts"
import { insertLabel, updateLabel } from "../../../planning/labels/store.ts"
import { recountMilestones } from "../../../planning/milestones/rules.ts"
import { insertMilestone, updateMilestone } from "../../../planning/milestones/store.ts"
import type { Comment, Facts, Issue, Label, Milestone } from "../origins/model.ts"
import { hostsOf, type Landing, news, remember, rememberAll, takeNumbersFor, writeReactions } from "./landing.ts"
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
  const milestoneOf = ({ milestone }: Issue) => (milestone === undefined ? null : (milestones.get(cut(milestone, 255)) ?? null))
  const stateOf = (record: Issue) => ({
    milestone_id: milestoneOf(record),
    is_closed: flag(record.isClosed),
    closed_at: record.isClosed ? record.closedAt || record.updatedAt : 0,
    close_reason: record.isClosed ? record.closeReason : ("" as const),
    is_locked: flag(record.isLocked),
    due_at: record.dueAt,
    updated_at: record.updatedAt,
  })
  const textOf = ({ title, body }: Issue) => ({ title: cut(title, 255), content: text(body) })
  const planned = new Set<number | null>(changed.map(({ record }) => milestoneOf(record)))

  for (const { record, here } of changed) {
    const before = here && (await findIssueById.first(tx, { id: here.localId }))
    // It was deleted here.
    if (!before) continue
    planned.add(before.milestone_id)
    // What was edited here stays.
    await updateIssue(tx, before.id, { ...stateOf(record), ...(before.content_version === 0 && textOf(record)) })
    await deleteIssueLabels(tx, { issueId: before.id, labelIds: [...labels.values()] })
    written.set(record.key, before.id)
  }
  const fresh = changed.flatMap(({ record, here }) => (here === undefined ? [record] : []))
  const taken = numbers ?? (await numbersFor(landing, fresh))
  const rows: Parameters<typeof insertOldIssues>[1][number][] = []
  for (const record of fresh)
    rows.push({
      repository_id: repository.id,
      number: taken.get(record.key) ?? 0,
      is_pull: flag(numbers !== undefined),
      ...textOf(record),
      ...stateOf(record),
      ...(await people.attribute(record.author)),
      created_at: record.createdAt,
    })
  const ids = await insertOldIssues(tx, rows)
  for (const { key } of fresh) written.set(key, ids.get(taken.get(key) ?? 0) ?? 0)

  const done = changed.flatMap(({ record }) => {
    const id = written.get(record.key)
    return id === undefined ? [] : [[record, id] as const]
  })
  const borne = done.flatMap(([record, issue_id]) =>
    [...new Set(record.labels.flatMap((name) => labels.get(cut(name, 255)) ?? []))].map((label_id) => ({ issue_id, label_id })),
  )
  for (const slice of slicesOf(borne)) await insertIssueLabels(tx, slice)
  const assigned = new Map<string, { readonly issue_id: number; readonly user_id: number }>()
  for (const record of fresh)
    for (const person of record.assignees) {
      const [issue_id, user_id] = [written.get(record.key) ?? 0, await people.idOf(person)]
      if (user_id !== 0) assigned.set(`${issue_id} ${user_id}`, { issue_id, user_id })
    }
  if (assigned.size > 0) await insertAssignees(tx, [...assigned.values()])
  for (const [record, issueId] of done) await writeReactions(landing, { issueId, commentId: 0 }, record.reactions, record.createdAt)
  await rememberAll(landing, kind, done)
  const touched = [...planned].flatMap((id) => id ?? [])
  if (touched.length > 0) await recountMilestones(tx, touched, landing.services.now())
  await recountOpen(tx, repository.id)
  return written
}

async function numbersFor({ tx, repository }: Landing, records: readonly Issue[]): Promise<ReadonlyMap<string, number>> {
  const taken = await takeNumbersFor(
    tx,
    repository.id,
    records.map(({ number }) => number),
  )
  return new Map(records.map(({ key }, index) => [key, taken[index] ?? 0]))
}

export async function writeComments(landing: Landing, records: readonly Comment[]): Promise<void> {
  const { tx, people, text } = landing
  const changed = await news(landing, "comments", records)
  const hostOf = await hostsOf(
    landing,
    changed.map(({ record }) => record),
  )
  const told = changed.flatMap(({ record, here }) => {
    const issueId = hostOf(record.on)
    return issueId === undefined ? [] : [{ record, here, issueId }]
  })
  const fresh = told.filter(({ here }) => here === undefined)
  const rows: Parameters<typeof insertTimelineEntries>[1][number][] = []
  for (const { record, issueId } of fresh)
    rows.push({
      issue_id: issueId,
      kind: "comment",
      content: text(record.body),
      ...(await people.attribute(record.author)),
      created_at: record.createdAt,
      updated_at: record.updatedAt,
    })
  // Ids rise in the order of the rows.
  const made: number[] = []
  for (const slice of slicesOf(rows))
    made.push(...(await insertTimelineEntries(tx, slice)).map(({ id }) => id).toSorted((one, other) => one - other))
  const ids = new Map(fresh.map(({ record }, index) => [record.key, made[index] ?? 0]))
  for (const { record, here } of told)
    if (here) await updateImportedText(tx, { id: here.localId, content: text(record.body), updatedAt: record.updatedAt })
  const written = told.map(({ record, here, issueId }) => ({ record, issueId, commentId: here?.localId ?? ids.get(record.key) ?? 0 }))
  for (const { record, issueId, commentId } of written)
    await writeReactions(landing, { issueId, commentId }, record.reactions, record.createdAt)
  await rememberAll(
    landing,
    "comments",
    written.map(({ record, commentId }) => [record, commentId]),
  )
  for (const id of new Set(told.map(({ issueId }) => issueId))) await recountComments(tx, id, 0)
}
