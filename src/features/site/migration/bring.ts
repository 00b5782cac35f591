import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { lockRow } from "../../../core/database/lock.ts"
import Type, { Check } from "../../../core/schema.ts"
import { whole } from "../../code/mirrors/import-target.ts"
import type { Import } from "../../code/mirrors/store.ts"
import type { Bringing } from "./bringing.ts"
import { importReleaseFiles } from "./files.ts"
import { advanceImport, putHost } from "./imports-store.ts"
import { rewriteTexts } from "./links.ts"
import { TEXT_KINDS } from "./links-store.ts"
import type { Kind, Records } from "./origins/model.ts"
import type { Batch } from "./origins/origin.ts"
import { kindsOf, type Progress } from "./progress.ts"
import { writeBoards } from "./writers/boards.ts"
import { writeBranchRules } from "./writers/branch-rules.ts"
import { withHunks } from "./writers/hunks.ts"
import { putFaults } from "./writers/items-store.ts"
import type { Landing } from "./writers/landing.ts"
import { peopleOf, readMapping } from "./writers/people.ts"
import { writeComments, writeFacts, writeIssues, writeLabels, writeMilestones } from "./writers/planning.ts"
import { writeReleases } from "./writers/releases.ts"
import { type PullHeads, readPullHeads, takePullNumbers, writePulls, writeReviews } from "./writers/review.ts"

/** How far an import is: the next kind, and the position in it in the origin's form. */
const Cursor = Type.Object({ kind: Type.Integer(), position: Type.String() })

/** The import was stopped, or goes on in another process. */
export class Elsewhere extends Error {
  override readonly name = "Elsewhere"
}

/**
 * Brings the records of an origin, batch by batch. Each is written in one transaction with the import's position: an interrupted import continues with the
 * next one. It causes no notifications, hooks and workflows: it happened long ago and elsewhere. Throws {@link Elsewhere}, and what the origin throws.
 */
export async function bringRecords(bringing: Bringing, initial: Progress, signal: AbortSignal): Promise<void> {
  const { services, imported, repository, origin } = bringing
  const { database, now } = services
  const kinds = kindsOf(imported).filter((kind) => origin.kinds.includes(kind))
  // An administrator of the site may say whose texts are whose; anyone else's import could put words in others' mouths.
  const isTrusted = (await findUserById.first(database.read, { id: imported.doer_id }))?.is_admin === 1
  const people = {
    host: origin.host,
    doerId: imported.doer_id,
    mapped: isTrusted ? readMapping(imported.people) : new Map(),
    byMail: isTrusted,
    believesMails: isTrusted || (origin.git !== undefined && new URL(origin.git.url).host === origin.host),
  }
  if (imported.host !== origin.host) await database.write((tx) => putHost(tx, imported.id, origin.host))
  let cursor = cursorOf(imported)
  let progress = initial
  let before = imported.cursor
  for (let kind = kinds[cursor.kind]; kind !== undefined; kind = kinds[cursor.kind]) {
    signal.throwIfAborted()
    const { batch, written, write } = await readBatch(bringing, kind, cursor.position, signal)
    const isOver = batch.next === undefined || batch.next === cursor.position
    const next = isOver ? { kind: cursor.kind + 1, position: "" } : { ...cursor, position: batch.next ?? "" }
    const after = JSON.stringify(next)
    const sum = {
      done: (progress[kind]?.done ?? 0) + written.done,
      missing: (progress[kind]?.missing ?? 0) + written.missing + batch.faults.length,
    }
    progress = { ...progress, [kind]: { ...sum, total: isOver ? sum.done + sum.missing : batch.total } }
    const serialized = JSON.stringify(progress)
    await database.write(async (tx) => {
      await lockRow(tx, "repositories", repository.id)
      const fresh = (await findRepositoryById.first(tx, { id: repository.id })) ?? repository
      if ((await advanceImport.changes(tx, { id: imported.id, before, cursor: after, progress: serialized, now: now() })) === 0)
        throw new Elsewhere("the import was stopped, or goes on elsewhere")
      await putFaults(tx, imported.id, kind, batch.faults)
      const text = (body: string) => whole(body, services)
      await write({ tx, services, repository: fresh, imported, people: peopleOf(tx, people), text })
    })
    before = after
    cursor = next
  }
  await rewriteAll()

  /** The last step: what texts say of the other server. */
  async function rewriteAll(): Promise<void> {
    let at = cursor.kind === kinds.length ? (cursor.position === "" ? `${TEXT_KINDS[0]} ` : cursor.position) : ""
    while (at !== "") {
      signal.throwIfAborted()
      const [word = "", ...key] = at.split(" ")
      const place = TEXT_KINDS.findIndex((kind) => kind === word)
      const kind = TEXT_KINDS[place]
      if (kind === undefined) return
      const { next, faults, write } = await rewriteTexts(bringing, kind, key.join(" "), signal)
      const following = TEXT_KINDS[place + 1]
      at = next !== undefined ? `${kind} ${next}` : following === undefined ? "" : `${following} `
      const after = JSON.stringify({ kind: at === "" ? kinds.length + 1 : kinds.length, position: at })
      await database.write(async (tx) => {
        const advance = { id: imported.id, before, cursor: after, progress: JSON.stringify(progress), now: now() }
        if ((await advanceImport.changes(tx, advance)) === 0) throw new Elsewhere("the import was stopped, or goes on elsewhere")
        await putFaults(tx, imported.id, "files", faults)
        await write(tx)
      })
      before = after
    }
  }
}

function cursorOf({ cursor }: Import) {
  const stored: unknown = JSON.parse(cursor)
  return Check(Cursor, stored) ? stored : { kind: 0, position: "" }
}

/** A batch as it is written, with what had to be done outside of the transaction. */
interface Prepared {
  readonly batch: Batch<Kind>
  /** How many of its records are brought, and how many the other server doesn't have. */
  readonly written: { readonly done: number; readonly missing: number }
  readonly write: (landing: Landing) => Promise<unknown>
}

type Writers = {
  readonly [K in Exclude<Kind, "pull_requests" | "reviews" | "release_files">]: (
    landing: Landing,
    records: readonly Records[K][],
  ) => Promise<unknown>
}

const writers: Writers = {
  topics: writeFacts,
  milestones: writeMilestones,
  labels: writeLabels,
  issues: writeIssues,
  comments: writeComments,
  boards: writeBoards,
  branch_rules: writeBranchRules,
  releases: writeReleases,
}

async function readBatch(bringing: Bringing, kind: Kind, position: string, signal: AbortSignal): Promise<Prepared> {
  const { services, repository, imported, origin } = bringing
  const since = imported.since === 0 ? undefined : imported.since
  const prepared = (batch: Batch<Kind>, write: Prepared["write"], written = { done: batch.records.length, missing: 0 }): Prepared => ({
    batch,
    written,
    write,
  })
  if (kind === "pull_requests") {
    const batch = await origin.read(kind, position, since, signal)
    const numbers = await services.database.write((tx) => takePullNumbers(tx, repository.id, batch.records))
    const heads: PullHeads = await readPullHeads({ services, repository }, origin.git, batch.records, numbers, signal)
    const missing = batch.records.filter(({ key }) => !heads.has(key)).length
    const written = { done: batch.records.length - missing, missing }
    return prepared(batch, (landing) => writePulls(landing, batch.records, numbers, heads), written)
  }
  if (kind === "reviews") {
    const batch = await origin.read(kind, position, since, signal)
    const reviews = await withHunks(services, repository, batch.records, signal)
    return prepared(batch, (landing) => writeReviews(landing, reviews))
  }
  if (kind === "release_files") {
    const batch = await origin.read(kind, position, since, signal)
    return prepared(batch, async () => {}, await importReleaseFiles(bringing, batch.records, signal))
  }
  return readPlain(kind)

  async function readPlain<K extends keyof Writers>(kind: K): Promise<Prepared> {
    const batch = await origin.read(kind, position, since, signal)
    return prepared(batch, (landing) => writers[kind](landing, batch.records))
  }
}
