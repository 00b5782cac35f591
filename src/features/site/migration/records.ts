import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import Type, { Check } from "../../../core/schema.ts"
import { clean, cut, type ImportTarget, originalOf, parseTime, whole } from "../../code/mirrors/import-target.ts"
import type { RemoteAddress } from "../../code/mirrors/remote.ts"
import type { Import } from "../../code/mirrors/store.ts"
import { insertRelease } from "../../code/releases/store.ts"
import { recountReleases } from "../../code/repositories/counters-store.ts"
import { isTopic, MOST_TOPICS, normalizeTopic, replaceTopics } from "../../code/topics/rules.ts"
import { insertIssueLabels } from "../../planning/issues/labels-store.ts"
import { insertOldIssue, raiseNumber } from "../../planning/issues/store.ts"
import { insertTimelineEntries } from "../../planning/issues/timeline-store.ts"
import { recountComments, recountOpen } from "../../planning/issues/touch-store.ts"
import { normalizeColor } from "../../planning/labels/definitions.ts"
import { insertLabel } from "../../planning/labels/store.ts"
import { recountMilestones } from "../../planning/milestones/rules.ts"
import { insertMilestone } from "../../planning/milestones/store.ts"
import { importReleaseFiles } from "./files.ts"
import { advanceImport } from "./imports-store.ts"
import { type Progress, partsOf } from "./progress.ts"
import { importPulls, type PullHeads, readPullHeads } from "./pulls.ts"
import { readReviews, writeReviews } from "./reviews.ts"
import { type Part, type RecordOf, type RemotePage, readPage, readTopics, sources } from "./source.ts"
import { findImportedIssues, findLabels, findMilestones, findReleases, findTagNames, findTakenNumbers } from "./store.ts"

/** The position of an import: the next part and page, and the id of the first record of the previous page. */
const Cursor = Type.Object({ part: Type.Integer(), page: Type.Integer(), first: Type.Integer() })

/** Pages of one part; a server that sends more than any repository has is not trusted. */
const MOST_PAGES = 20_000

/**
 * Imports issues and all other records of a server with the same API, page by page. Each page is written in one transaction with the import's position:
 * an interrupted import continues with the next page. Everything is owned by the user who requested the import, with the names of the original authors.
 * It causes no notifications: it happened long ago and elsewhere.
 */
export async function importRecords(landing: ImportTarget, target: RemoteAddress, initial: Progress, signal: AbortSignal): Promise<void> {
  const { services, imported, repository } = landing
  const parts = partsOf(imported)
  let cursor = cursorOf(imported)
  let progress = initial
  let before = imported.cursor
  for (let part = parts[cursor.part]; part !== undefined; part = parts[cursor.part]) {
    signal.throwIfAborted()
    const page = await readBatch(landing, target, part, cursor.page, signal)
    // Some servers return everything at once, whatever page is requested.
    const isRepeated = cursor.page > 1 && page.first === cursor.first
    const isOver = page.length === 0 || isRepeated || cursor.page >= MOST_PAGES
    const next = isOver ? { part: cursor.part + 1, page: 1, first: 0 } : { part: cursor.part, page: cursor.page + 1, first: page.first }
    const after = JSON.stringify(next)
    const sum = { done: progress[part]?.done ?? 0, missing: progress[part]?.missing ?? 0 }
    if (!isOver) sum.done += page.done
    if (!isOver) sum.missing += page.missing
    progress = { ...progress, [part]: { ...sum, total: isOver ? sum.done + sum.missing : page.total } }
    const serialized = JSON.stringify(progress)
    await services.database.write(async (tx) => {
      await lockRow(tx, "repositories", repository.id)
      // Another process has written this page already.
      if ((await advanceImport.changes(tx, { id: imported.id, before, cursor: after, progress: serialized, now: services.now() })) === 0)
        throw new Error("the import goes on elsewhere")
      if (!isOver) await page.write(tx)
    })
    before = after
    cursor = next
  }
}

function cursorOf({ cursor }: Import) {
  const stored: unknown = JSON.parse(cursor)
  return Check(Cursor, stored) ? stored : { part: 0, page: 1, first: 0 }
}

interface Batch {
  readonly length: number
  /** How many of its records are imported, and how many are not available. */
  readonly done: number
  readonly missing: number
  /** How many there are on all pages; null where the server doesn't say. */
  readonly total: number | null
  /** The id of the first record. */
  readonly first: number
  readonly write: (tx: Transaction) => Promise<void>
}

async function readBatch(landing: ImportTarget, target: RemoteAddress, part: Part, page: number, signal: AbortSignal): Promise<Batch> {
  const { services } = landing
  const batch = ({ records, total }: RemotePage<{ readonly id: number }>, write: Batch["write"]): Batch => ({
    length: records.length,
    done: records.length,
    missing: 0,
    total,
    first: records[0]?.id ?? 0,
    write,
  })
  switch (part) {
    case "topics": {
      const names = page === 1 ? await readTopics(services, target, signal) : []
      return { ...batch({ records: [], total: null }, (tx) => writeTopics(tx, landing, names)), length: names.length, done: names.length }
    }
    case "milestones": {
      const read = await readPage(services, target, sources[part], page, signal)
      return batch(read, (tx) => writeMilestones(tx, landing, read.records))
    }
    case "labels": {
      const read = await readPage(services, target, sources[part], page, signal)
      return batch(read, (tx) => writeLabels(tx, landing, read.records))
    }
    case "issues": {
      const read = await readPage(services, target, sources[part], page, signal)
      return batch(read, async (tx) => {
        await writeIssues(tx, landing, read.records, 0)
      })
    }
    case "pull_requests": {
      const read = await readPage(services, target, sources[part], page, signal)
      const heads: PullHeads = await readPullHeads(landing, target, read.records, signal)
      // A pull request without its commits is useless.
      const whole = read.records.filter(({ number }) => heads.has(number))
      return batch(read, async (tx) => importPulls(tx, landing, whole, heads, await writeIssues(tx, landing, whole, 1)))
    }
    case "comments": {
      const read = await readPage(services, target, sources[part], page, signal)
      return batch(read, (tx) => writeComments(tx, landing, read.records))
    }
    case "reviews": {
      const read = await readReviews(landing, target, page, signal)
      if (!read) return batch({ records: [], total: 0 }, async () => {})
      const { number, reviews } = read
      const write = (tx: Transaction) => writeReviews(tx, landing, read)
      return { length: 1, done: reviews.length, missing: 0, total: null, first: number, write }
    }
    case "release_files": {
      const read = await readPage(services, target, sources.releases, page, signal)
      const files = await importReleaseFiles(landing, target, read.records, signal)
      return { ...batch({ ...read, total: null }, async () => {}), ...files }
    }
    case "releases": {
      const read = await readPage(services, target, sources[part], page, signal)
      return batch(read, (tx) => writeReleases(tx, landing, read.records))
    }
  }
}

// --- writing ---------------------------------------------------------------------------------------------------------------------

async function writeTopics(tx: Transaction, { services, repository, imported }: ImportTarget, names: readonly string[]): Promise<void> {
  const fitting = names.map(normalizeTopic).filter(isTopic).slice(0, MOST_TOPICS)
  await replaceTopics(tx, { id: imported.doer_id }, repository.id, fitting, services.now())
}

async function writeMilestones(
  tx: Transaction,
  { services, repository }: ImportTarget,
  records: readonly RecordOf<"milestones">[],
): Promise<void> {
  const there = new Set((await findMilestones(tx, repository.id)).map(({ title }) => title))
  for (const record of records) {
    const title = cut(record.title, 255)
    if (there.has(title)) continue
    there.add(title)
    const created = parseTime(record.created_at, services.now())
    const isClosed = record.state === "closed"
    await insertMilestone(tx, {
      repository_id: repository.id,
      title,
      description: whole(record.description, services),
      is_closed: flag(isClosed),
      closed_at: isClosed ? parseTime(record.closed_at, created) : 0,
      due_at: parseTime(record.due_on, 0),
      created_at: created,
      updated_at: parseTime(record.updated_at, created),
    })
  }
}

async function writeLabels(tx: Transaction, { services, repository }: ImportTarget, records: readonly RecordOf<"labels">[]): Promise<void> {
  const there = new Set((await findLabels(tx, repository.id)).map(({ name }) => name))
  const now = services.now()
  for (const record of records) {
    const name = cut(record.name, 255)
    if (there.has(name)) continue
    there.add(name)
    const color = normalizeColor(record.color ?? "")
    await insertLabel(tx, {
      repository_id: repository.id,
      organization_id: null,
      name,
      description: cut(record.description, 1_000),
      color: /^[0-9a-f]{6}$/.test(color) ? color : "ededed",
      exclusive: flag(record.exclusive ?? false),
      is_archived: flag(record.is_archived ?? false),
      created_at: now,
      updated_at: now,
    })
  }
}

/** Returns the ids of the new issues by their numbers, which are the same as on the other server. */
async function writeIssues(
  tx: Transaction,
  { services, repository, imported }: ImportTarget,
  records: readonly RecordOf<"issues">[],
  isPull: 0 | 1,
): Promise<ReadonlyMap<number, number>> {
  if (records.length === 0) return new Map()
  const repositoryId = repository.id
  const numbers = records.map(({ number }) => number)
  const taken = await findTakenNumbers(tx, repositoryId, numbers)
  const there = new Set(taken.map(({ number }) => number))
  const labels = new Map((await findLabels(tx, repositoryId)).map(({ id, name }) => [name, id]))
  const milestones = new Map((await findMilestones(tx, repositoryId)).map(({ id, title }) => [title, id]))
  const made = new Map<number, number>()
  const planned = new Set<number>()
  for (const record of records) {
    if (there.has(record.number)) continue
    there.add(record.number)
    const created = parseTime(record.created_at, services.now())
    const isClosed = record.state === "closed"
    const milestoneId = record.milestone ? (milestones.get(cut(record.milestone.title, 255)) ?? null) : null
    if (milestoneId !== null) planned.add(milestoneId)
    const { id } = await insertOldIssue(tx, {
      repository_id: repositoryId,
      number: record.number,
      is_pull: isPull,
      author_id: imported.doer_id,
      title: cut(record.title, 255),
      content: whole(record.body, services),
      milestone_id: milestoneId,
      is_closed: flag(isClosed),
      closed_at: isClosed ? parseTime(record.closed_at, parseTime(record.updated_at, created)) : 0,
      is_locked: flag(record.is_locked ?? false),
      due_at: parseTime(record.due_date, 0),
      ...originalOf(record),
      created_at: created,
      updated_at: parseTime(record.updated_at, created),
    })
    made.set(record.number, id)
    const borne = new Set((record.labels ?? []).flatMap(({ name }) => labels.get(cut(name, 255)) ?? []))
    for (const labelId of borne) await insertIssueLabels(tx, [{ issue_id: id, label_id: labelId }])
  }
  await raiseNumber(tx, repositoryId, Math.max(...numbers))
  await recountMilestones(tx, [...planned], services.now())
  await recountOpen(tx, repositoryId)
  return made
}

async function writeComments(
  tx: Transaction,
  { services, repository, imported }: ImportTarget,
  records: readonly RecordOf<"comments">[],
): Promise<void> {
  const numbered = records.flatMap((record) => {
    const number = Number(/\/(\d+)(?:#.*)?$/.exec(record.issue_url || record.pull_request_url || "")?.[1])
    return Number.isSafeInteger(number) ? [{ record, number }] : []
  })
  if (numbered.length === 0) return
  const rows = await findImportedIssues(tx, repository.id, [...new Set(numbered.map(({ number }) => number))])
  const ids = new Map(rows.map(({ id, number }) => [number, id]))
  const touched = new Set<number>()
  for (const { record, number } of numbered) {
    const issueId = ids.get(number)
    if (issueId === undefined) continue
    touched.add(issueId)
    const created = parseTime(record.created_at, services.now())
    await insertTimelineEntries(tx, [
      {
        issue_id: issueId,
        kind: "comment",
        author_id: imported.doer_id,
        content: whole(record.body, services),
        ...originalOf(record),
        created_at: created,
        updated_at: parseTime(record.updated_at, created),
      },
    ])
  }
  for (const id of touched) await recountComments(tx, id, 0)
}

async function writeReleases(
  tx: Transaction,
  { services, repository, imported }: ImportTarget,
  records: readonly RecordOf<"releases">[],
): Promise<void> {
  const repositoryId = repository.id
  const known = await findReleases(tx, repositoryId)
  const there = new Set(known.map(({ tag_name }) => tag_name))
  const tags = new Set((await findTagNames(tx, repositoryId)).map(({ name }) => name))
  // The other server lists the newest first; here it gets the highest id.
  for (const record of records.toReversed()) {
    const tagName = clean(record.tag_name)
    if (there.has(tagName)) continue
    there.add(tagName)
    await insertRelease(tx, {
      repository_id: repositoryId,
      tag_name: tagName,
      target_commitish: clean(record.target_commitish),
      title: cut(record.name, 255),
      note: whole(record.body, services),
      // A release whose tag is missing can't be published.
      is_draft: flag((record.draft ?? false) || !tags.has(tagName)),
      is_prerelease: flag(record.prerelease ?? false),
      publisher_id: imported.doer_id,
      created_at: parseTime(record.created_at, services.now()),
    })
  }
  await recountReleases(tx, repositoryId)
}
