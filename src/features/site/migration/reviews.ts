import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import type { ReviewsTable } from "../../../core/database/tables/pulls.ts"
import { isObjectId } from "../../../git/index.ts"
import { cut, type ImportTarget, originalOf, parseTime, whole } from "../../code/mirrors/import-target.ts"
import type { RemoteAddress } from "../../code/mirrors/remote.ts"
import { GHOST } from "../../people/users/present.ts"
import { insertTimelineEntries } from "../../planning/issues/timeline-store.ts"
import { recountComments } from "../../planning/issues/touch-store.ts"
import { insertLineComment, insertOldReview } from "../../review/reviews/store.ts"
import { lineCommentsOf, PAGE, type RemoteLineComment, type RemoteReview, readPage, reviewsOf } from "./source.ts"
import { findNthImportedPull } from "./store.ts"

/** A review with its comments on lines. */
interface WholeReview {
  readonly review: RemoteReview
  readonly lines: readonly RemoteLineComment[]
}

/** The reviews of one pull request on the other server. */
export interface PullReviews {
  readonly issueId: number
  readonly number: number
  readonly reviews: readonly WholeReview[]
}

/** Pages of one list; a server that sends more than any pull request has is not trusted. */
const MOST_PAGES = 100

/** The reviews of the nth imported pull request; undefined past the last. Throws like `readPage`. */
export async function readReviews(
  { services, repository }: ImportTarget,
  target: RemoteAddress,
  nth: number,
  signal: AbortSignal,
): Promise<PullReviews | undefined> {
  const pull = await findNthImportedPull(services.database.read, repository.id, nth)
  if (!pull) return undefined
  const read = (page: number) => readPage(services, target, reviewsOf(pull.number), page, signal)
  const reviews: WholeReview[] = []
  for (const review of await readAll(read)) {
    if (stateOf(review) === undefined) continue
    const source = lineCommentsOf(pull.number, review.id)
    const lines = review.comments_count === 0 ? [] : await readAll((page) => readPage(services, target, source, page, signal))
    reviews.push({ review, lines })
  }
  return { issueId: pull.id, number: pull.number, reviews }
}

/** All pages. Some servers return everything at once, whatever page is requested. */
async function readAll<T extends { readonly id: number }>(
  read: (page: number) => Promise<{ readonly records: readonly T[] }>,
): Promise<readonly T[]> {
  const all = new Map<number, T>()
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { records } = await read(page)
    const before = all.size
    for (const record of records) all.set(record.id, record)
    if (records.length < PAGE || all.size === before) break
  }
  return [...all.values()]
}

/** Review requests are not imported, and neither are pending reviews. */
function stateOf({ state }: RemoteReview): Exclude<ReviewsTable["state"], "PENDING" | "REQUEST_REVIEW"> | undefined {
  return state === "APPROVED" || state === "COMMENT" || state === "REQUEST_CHANGES" ? state : undefined
}

/**
 * Writes reviews as timeline entries without a reviewer: review records have no column for an author elsewhere, and the user who requested the
 * import has approved nothing. None counts for a protected branch.
 */
export async function writeReviews(
  tx: Transaction,
  { services, repository }: ImportTarget,
  { issueId, reviews }: PullReviews,
): Promise<void> {
  const commit = (id: string | null | undefined) => (id && isObjectId(id, repository.object_format) ? id : "")
  const entry = async (record: RemoteReview | RemoteLineComment, kind: "review" | "code", reviewId: number, created: number) => {
    const [made] = await insertTimelineEntries(tx, [
      {
        issue_id: issueId,
        kind,
        author_id: GHOST.id,
        content: whole(record.body, services),
        review_id: reviewId,
        ...originalOf(record),
        created_at: created,
        updated_at: parseTime(record.updated_at, created),
      },
    ])
    if (!made) throw new TypeError("an entry that is added has an id")
    return made.id
  }
  for (const { review, lines } of reviews) {
    const state = stateOf(review)
    if (state === undefined) continue
    const created = parseTime(review.submitted_at, services.now())
    const { id } = await insertOldReview(tx, {
      issue_id: issueId,
      reviewer_id: GHOST.id,
      reviewer_team_id: null,
      state,
      commit_id: commit(review.commit_id),
      patch_id: "",
      is_official: 0,
      is_stale: flag(review.stale ?? false),
      is_dismissed: flag(review.dismissed ?? false),
      created_at: created,
      updated_at: parseTime(review.updated_at, created),
    })
    await entry(review, "review", id, created)
    for (const line of lines) {
      const commentId = await entry(line, "code", id, parseTime(line.created_at, created))
      await insertLineComment(tx, {
        comment_id: commentId,
        review_id: id,
        path: cut(line.path, 4096),
        line: line.position || -(line.original_position ?? 0),
        lines: 1,
        hunk: whole(line.diff_hunk, services),
        commit_id: commit(line.commit_id),
        // The original position is shown; it is not looked up in the branch's current state.
        is_outdated: 1,
      })
    }
  }
  if (reviews.length > 0) await recountComments(tx, issueId, 0)
}
