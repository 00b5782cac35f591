import type { Transaction } from "../../../../core/database/database.ts"
import { lockRow } from "../../../../core/database/lock.ts"
import { flag } from "../../../../core/database/tables/index.ts"
import { isObjectId, type ObjectId, type RefName } from "../../../../git/index.ts"
import { cut } from "../../../code/mirrors/import-target.ts"
import { type RemoteAddress, reach } from "../../../code/mirrors/remote.ts"
import { GHOST } from "../../../people/users/present.ts"
import { insertTimelineEntries, updateImportedText } from "../../../planning/issues/timeline-store.ts"
import { recountComments } from "../../../planning/issues/touch-store.ts"
import { alignPull, headRef } from "../../../review/pulls/refs.ts"
import { findPullByIssue, insertPull, setMerged } from "../../../review/pulls/store.ts"
import { insertLineComment, insertOldReview, setDismissed } from "../../../review/reviews/store.ts"
import type { Pull, Review } from "../origins/model.ts"
import { findItems, putItems } from "./items-store.ts"
import { commitIn, hostsOf, type Landing, news, remember, takeNumbersFor, writeReactions } from "./landing.ts"
import { writeIssues } from "./planning.ts"

/** The imported head commits of pull requests, by their keys. */
export type PullHeads = ReadonlyMap<string, ObjectId>

/** The numbers of pull requests here, by their keys: stored before anything else of them. */
export async function takePullNumbers(
  tx: Transaction,
  repositoryId: number,
  records: readonly Pull[],
): Promise<ReadonlyMap<string, number>> {
  await lockRow(tx, "repositories", repositoryId)
  const at = { repositoryId, kind: "pull_numbers" } as const
  const known = await findItems(
    tx,
    at,
    records.map(({ key }) => key),
  )
  const fresh = records.filter(({ key }) => !known.has(key))
  const taken = await takeNumbersFor(
    tx,
    repositoryId,
    fresh.map(({ number }) => number),
  )
  const kept = new Map([...known, ...fresh.map(({ key }, index) => [key, { localId: taken[index] ?? 0, version: 0 }] as const)])
  await putItems(tx, at, kept)
  return new Map([...kept].map(([key, { localId }]) => [key, localId]))
}

/**
 * Fetches the heads of pull requests and creates references to them, so that they are not garbage collected. Heads that the server no longer has are
 * left out: a pull request without its commits is useless.
 */
export async function readPullHeads(
  { services, repository }: Pick<Landing, "services" | "repository">,
  target: RemoteAddress | undefined,
  records: readonly Pull[],
  numbers: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<PullHeads> {
  const heads = new Map<string, ObjectId>()
  if (records.length === 0) return heads
  const { git } = services
  const place = git.at(repository.storage, repository.object_format)
  const remote = target && (await reach(services, target))
  const listed = remote ? (await git.remotes.list(remote, signal)).references : []
  const there = new Map<string, ObjectId>(listed.map(({ name, id }) => [name, id]))
  for (const { key, head } of records) {
    const id = there.get(head.reference) ?? (isObjectId(head.id, repository.object_format) ? head.id : undefined)
    if (id !== undefined) heads.set(key, id)
  }
  const absent: ObjectId[] = []
  const offered = new Set(there.values())
  for (const id of heads.values()) if (offered.has(id) && !(await git.objects.info(place, id))) absent.push(id)
  if (remote) await git.remotes.fetch(place, remote, { ids: absent, signal })
  const updates: { readonly name: RefName; readonly to: ObjectId }[] = []
  for (const [key, id] of heads) {
    const number = numbers.get(key)
    if (number === undefined || (await git.objects.info(place, id))?.type !== "commit") heads.delete(key)
    else updates.push({ name: headRef(number), to: id })
  }
  await git.references.update(place, updates)
  return heads
}

/** Writes pull requests whose heads are here. Open ones are checked afterwards by a job of their own. */
export async function writePulls(
  landing: Landing,
  records: readonly Pull[],
  numbers: ReadonlyMap<string, number>,
  heads: PullHeads,
): Promise<void> {
  const { tx, services, repository, people } = landing
  const whole = records.filter(({ key }) => heads.has(key))
  const written = await writeIssues(landing, whole, numbers)
  for (const record of whole) {
    const [issueId, headId] = [written.get(record.key), heads.get(record.key)]
    if (issueId === undefined || headId === undefined) continue
    const before = await findPullByIssue.first(tx, { issueId })
    const pull =
      before ??
      (await insertPull.first(tx, {
        issue_id: issueId,
        repository_id: repository.id,
        base_branch: record.base || repository.default_branch,
        // The forks are not imported.
        head_repository_id: record.head.isOfFork ? null : repository.id,
        head_branch: record.head.branch,
        is_offered: 0,
        head_id: headId,
        base_id: "",
        merge_base: commitIn(landing, record.mergeBase),
        mergeability: "checking",
        conflicted_files: "[]",
        additions: 0,
        deletions: 0,
        changed_files: 0,
        commits_ahead: 0,
        commits_behind: 0,
        allow_maintainer_edit: flag(record.allowsMaintainers),
      }))
    if (!pull) continue
    if (record.merge)
      await setMerged(tx, pull.id, {
        is_merged: 1,
        merged_at: record.merge.at,
        merged_by_id: (await people.idOf(record.merge.by)) || landing.imported.doer_id,
        merge_commit_id: commitIn(landing, record.merge.commit),
      })
    else if (!record.isClosed) await services.jobs.enqueue(tx, alignPull, { pullId: pull.id })
  }
}

/**
 * Writes reviews. One by someone who is not known here has no reviewer, but the name in its entry of the timeline; it counts for no protected branch, and
 * neither does any other: the rules there were others.
 */
export async function writeReviews(landing: Landing, records: readonly Review[]): Promise<void> {
  const { tx, people, text } = landing
  const changed = await news(landing, "reviews", records)
  const hostOf = await hostsOf(
    landing,
    changed.map(({ record }) => record),
  )
  for (const { record, here } of changed) {
    const issueId = hostOf(record.on)
    if (issueId === undefined) continue
    if (here) await setDismissed.changes(tx, { ids: [here.localId], isDismissed: flag(record.isDismissed), now: record.updatedAt })
    const id =
      here?.localId ??
      (
        await insertOldReview(tx, {
          issue_id: issueId,
          reviewer_id: (await people.idOf(record.author)) || GHOST.id,
          reviewer_team_id: null,
          state: record.state,
          commit_id: commitIn(landing, record.commit),
          patch_id: "",
          is_official: 0,
          is_stale: flag(record.isStale),
          is_dismissed: flag(record.isDismissed),
          created_at: record.createdAt,
          updated_at: record.updatedAt,
        })
      ).id
    if (!here) await entry(landing, { issueId, reviewId: id, kind: "review" }, record)
    await writeLines(landing, { issueId, reviewId: id }, record)
    await remember(landing, "reviews", record, id)
    await recountComments(tx, issueId, 0)
  }

  async function writeLines(
    landing: Landing,
    { issueId, reviewId }: { readonly issueId: number; readonly reviewId: number },
    { lines }: Review,
  ): Promise<void> {
    for (const { record: line, here } of await news(landing, "line_comments", lines)) {
      if (here) await updateImportedText(tx, { id: here.localId, content: text(line.body), updatedAt: line.updatedAt })
      const commentId = here?.localId ?? (await entry(landing, { issueId, reviewId, kind: "code" }, line))
      if (!here)
        await insertLineComment(tx, {
          comment_id: commentId,
          review_id: reviewId,
          path: cut(line.path, 4096),
          line: line.line,
          lines: Math.max(1, line.lines),
          hunk: text(line.hunk),
          commit_id: commitIn(landing, line.commit),
          is_outdated: flag(line.isOutdated),
        })
      await writeReactions(landing, { issueId, commentId }, line.reactions, line.createdAt)
      await remember(landing, "line_comments", line, commentId)
    }
  }
}

/** An entry of the timeline for a review or a comment on lines; gives its id. */
async function entry(
  { tx, people, imported, text }: Landing,
  at: { readonly issueId: number; readonly reviewId: number; readonly kind: "review" | "code" },
  {
    author,
    body,
    createdAt,
    updatedAt,
    ...more
  }: Pick<Review, "author" | "body" | "createdAt" | "updatedAt"> & {
    readonly resolvedBy?: Parameters<typeof people.idOf>[0]
  },
): Promise<number> {
  const attribution = await people.attribute(author)
  // A thread is open unless an account has resolved it.
  const resolver = more.resolvedBy && ((await people.idOf(more.resolvedBy)) || imported.doer_id)
  const [made] = await insertTimelineEntries(tx, [
    {
      issue_id: at.issueId,
      kind: at.kind,
      content: text(body),
      review_id: at.reviewId,
      ...attribution,
      // Who asked for the import has reviewed nothing.
      ...(attribution.original_author !== "" && { author_id: GHOST.id }),
      ...(resolver !== undefined && { resolver_id: resolver }),
      created_at: createdAt,
      updated_at: updatedAt,
    },
  ])
  if (!made) throw new TypeError("an entry that is added has an id")
  return made.id
}
