import type { OnPull } from "../../../access/policies/pulls.ts"
import type { OnReview } from "../../../access/policies/reviews.ts"
import type { Me } from "../../../access/policies/site.ts"
import { currentToken } from "../../../core/caller.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { type Flag, flag, type Seconds } from "../../../core/database/tables/index.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isObjectId, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import { findProtection, isOfficialReviewer } from "../../code/protections/rules.ts"
import { requireUnlocked, requireWelcome } from "../../planning/comments/rules.ts"
import { lockIssue } from "../../planning/issues/lock.ts"
import { addTimelineEntry, type TimelineEntry } from "../../planning/issues/timeline.ts"
import type { Pull } from "../pulls/store.ts"
import { patchIdOf } from "./diffs.ts"
import { type LocatedComment, locateComments, type Sides } from "./line-comments.ts"
import { publishReview } from "./publish.ts"
import type { CreatePullReviewComment, CreatePullReviewOptions, SubmitPullReviewOptions } from "./records.ts"
import {
  clearOfficial,
  findEntriesOfReview,
  findReviewsBy,
  insertLineComment,
  insertReview,
  type Review,
  setDismissed,
  updateReview,
  writeHeader,
} from "./store.ts"

type Event = Exclude<Review["state"], "REQUEST_REVIEW">

/** How often a review is written again because the head moves meanwhile. */
const TRIES = 5

/**
 * Writes a review: pending, for its author alone, or submitted with all that follows. A pending review of the caller on this pull request is
 * continued.
 * Refuses as invalid an unknown event, a missing text, commits and lines that don't exist, and a verdict on one's own pull request or on a closed
 * one; `forbidden` on a locked one, for callers who may not write to it, and for callers whom its author or the owner has blocked; `conflict` where
 * the head keeps moving.
 */
export async function createReview(services: Services, found: OnPull & Me, options: CreatePullReviewOptions): Promise<Review> {
  const event = eventOf(options.event)
  const { body = "", comments = [] } = options
  requireWords(event, body, comments)
  return write(services, found, { event, body, comments, commitId: options.commit_id ?? "" })
}

/**
 * Submits a pending review of the caller. Refuses as `createReview` does; as invalid one that is not pending, and an event that would leave it so;
 * `forbidden` another user's review.
 */
export async function submitReview(services: Services, found: OnReview & Me, options: SubmitPullReviewOptions): Promise<Review> {
  const event = eventOf(options.event)
  const { body = "" } = options
  if (found.review.state !== "PENDING") throw refuse.invalid("id", "only a pending review can be submitted")
  if (found.review.reviewer_id !== found.me.id) throw refuse.forbidden("only its author may submit a pending review")
  if (event === "PENDING") throw refuse.invalid("event", "review stay pending: send APPROVED, REQUEST_CHANGES or COMMENT to submit it")
  requireWords(event, body, [])
  return write(services, found, { event, body, comments: [], commitId: "", pendingId: found.review.id })
}

function eventOf(word: CreatePullReviewOptions["event"]): Event {
  if (word === "REQUEST_REVIEW") throw refuse.invalid("event", "reviews are requested through requested_reviewers")
  return word || "PENDING"
}

function requireWords(event: Event, body: string, comments: readonly CreatePullReviewComment[]): void {
  if (event === "REQUEST_CHANGES" && body.trim() === "") throw refuse.invalid("body", t`review event ${event} requires a body`)
  if (event === "PENDING" && body.trim() === "" && comments.length === 0) throw noWords(event)
}

const noWords = (event: Event): Refusal => refuse.invalid("body", t`review event ${event} requires a body or a comment`)

interface Wanted {
  readonly event: Event
  readonly body: string
  readonly comments: readonly CreatePullReviewComment[]
  /** "" for the head. */
  readonly commitId: string
  /** The review that must be pending. */
  readonly pendingId?: number
}

async function write(services: Services, found: OnPull & Me, wanted: Wanted): Promise<Review> {
  let pull: Pull | undefined = found.pull
  requireVerdictAllowed(found, wanted.event)
  for (let tries = 0; tries < TRIES && pull; tries++) {
    const details: ReviewDetails = await readDetails(services, found, pull, wanted)
    const written = await services.database.write((tx) => writeReview(tx, services, found, wanted, details))
    if ("review" in written) return written.review
    pull = written.pull
  }
  throw refuse.conflict("the head of the pull request keeps moving; repeat the request")
}

/** What git says about a review before it is written. */
interface ReviewDetails {
  readonly headId: string
  readonly commitId: ObjectId
  readonly patchId: string
  readonly isStale: Flag
  readonly comments: readonly LocatedComment[]
}

async function readDetails({ git, config }: Services, { repository: row }: OnPull, pull: Pull, wanted: Wanted): Promise<ReviewDetails> {
  const repository = git.at(row.storage, row.object_format)
  const head = objectId(pull.head_id)
  const commit = wanted.commitId === "" ? head : await reviewedCommit({ git }, repository, pull, wanted.commitId)
  const base = pull.is_merged === 1 ? undefined : await git.references.resolve(repository, branchRef(pull.base_branch))
  const mergeBaseOf = async (id: ObjectId): Promise<ObjectId | undefined> => {
    // A merged pull request, or one whose base is gone, keeps its last merge base.
    const isKnown = base === undefined || (id === head && pull.base_id === base)
    if (isKnown) return pull.merge_base === "" ? undefined : objectId(pull.merge_base)
    return git.history.mergeBase(repository, base, id)
  }
  const sides: Sides = { repository, mergeBase: await mergeBaseOf(commit), commit, head }
  const patchId = await patchIdOf(git, repository, sides.mergeBase, commit)
  const isStale = commit !== head && patchId !== (await patchIdOf(git, repository, await mergeBaseOf(head), head))
  return {
    headId: head,
    commitId: commit,
    patchId,
    isStale: flag(isStale),
    comments: await locateComments({ git, config }, sides, wanted.comments),
  }
}

/** One of the commits of the pull request: those that its head contains, and its base did not when they parted. */
async function reviewedCommit({ git }: Pick<Services, "git">, repository: Repository, pull: Pull, text: string): Promise<ObjectId> {
  const id = text.toLowerCase()
  if (isObjectId(id, repository.format) && (await git.objects.info(repository, id))?.type === "commit") {
    const isOfHead = id === pull.head_id || (await git.history.isAncestor(repository, id, objectId(pull.head_id)))
    const isOfBase = pull.merge_base !== "" && (await git.history.isAncestor(repository, id, objectId(pull.merge_base)))
    if (isOfHead && !isOfBase) return id
  }
  throw refuse.invalid("commit_id", "must be the whole id of a commit of the pull request")
}

/** Refuses as invalid a verdict on one's own pull request, or on a closed one. */
function requireVerdictAllowed({ issue, me }: Pick<OnPull & Me, "issue" | "me">, event: Event): void {
  if (!isVerdict(event)) return
  if (issue.author_id === me.id)
    throw refuse.invalid("event", event === "APPROVED" ? "approve your own pull is not allowed" : "reject your own pull is not allowed")
  if (issue.is_closed === 1)
    throw refuse.invalid(
      "event",
      event === "APPROVED" ? "a closed pull request can't be approved" : "a closed pull request can't be rejected",
    )
}

const isVerdict = (event: string): boolean => event === "APPROVED" || event === "REQUEST_CHANGES"

/** Writes the review; where the head has moved, gives the current pull request instead. */
async function writeReview(
  tx: Transaction,
  services: Services,
  found: OnPull & Me,
  wanted: Wanted,
  details: ReviewDetails,
): Promise<{ readonly review: Review } | { readonly pull: Pull | undefined }> {
  const { repository, owner, me } = found
  const { event, body } = wanted
  const now = services.now()
  const issue = await lockIssue(tx, found.issue)
  const pull = await lockRow(tx, "pulls", found.pull.id)
  if (pull?.head_id !== details.headId) return { pull }
  requireVerdictAllowed({ issue, me }, event)
  requireUnlocked({ ...found, issue })
  await requireWelcome(tx, { ...found, issue })

  const mine = await findReviewsBy(tx, { issueId: issue.id, reviewerId: me.id })
  const pending = mine.find(({ state }) => state === "PENDING")
  if (wanted.pendingId !== undefined && pending?.id !== wanted.pendingId)
    throw refuse.invalid("id", "only a pending review can be submitted")
  const protection = isVerdict(event) ? await findProtection(tx, repository.id, pull.base_branch) : undefined
  const official = isVerdict(event) && (await isOfficialReviewer(tx, protection, { repository, owner }, me))
  const { commitId, patchId, isStale } = details
  const columns = { state: event, commitId, patchId, isStale, isOfficial: flag(official), now }
  const review = pending
    ? await updateReview.first(tx, { ...columns, id: pending.id })
    : await insertReview.first(tx, { ...columns, issueId: issue.id, reviewerId: me.id, teamId: null })
  if (!review) throw new TypeError("a write gives its row")
  if (isVerdict(event)) await supersede(tx, review, pending ? [] : mine, now)

  const kept = pending ? await findEntriesOfReview(tx, { reviewId: review.id }) : []
  const header = await saveHeader(tx, review, kept, body, now)
  const lineEntries = await saveLineComments(tx, review, details.comments, now)
  // What was written while it was pending counts as well.
  const says = header.content.trim() !== "" || lineEntries.length > 0 || kept.some(({ kind }) => kind === "code_draft")
  if (event === "COMMENT" && !says) throw noWords(event)
  if (event !== "PENDING") {
    const lines = [...kept.filter(({ kind }) => kind === "code_draft"), ...lineEntries]
    await publishReview(tx, services, { issue, repository, owner, reviewer: me, review, mine, header, lines, now })
  }
  return { review }
}

/** A reviewer's last verdict counts. Clients expect the earlier ones as dismissed, unless this one was pending for a time. */
async function supersede(tx: Transaction, review: Review, earlier: readonly Review[], now: Seconds): Promise<void> {
  await clearOfficial(tx, { issueId: review.issue_id, reviewerId: review.reviewer_id, exceptId: review.id })
  const ids = earlier.filter(({ state, is_dismissed }) => isVerdict(state) && is_dismissed === 0).map(({ id }) => id)
  if (ids.length > 0) await setDismissed(tx, { ids, isDismissed: 1, now })
}

/** Writes the review's text into its entry; without a new text an earlier one stays. A draft that a token for one task adds to or submits is marked with it. */
async function saveHeader(
  tx: Transaction,
  review: Review,
  kept: readonly TimelineEntry[],
  body: string,
  now: Seconds,
): Promise<TimelineEntry> {
  const known = kept.find(({ kind }) => kind === "review_draft")
  if (!known) {
    const kind = review.state === "PENDING" ? "review_draft" : "review"
    return addTimelineEntry(tx, { issueId: review.issue_id, kind, authorId: review.reviewer_id, content: body, review_id: review.id, now })
  }
  const content = body.trim() === "" ? known.content : body
  const madeWith = currentToken() || known.made_with
  if (content === known.content && madeWith === known.made_with) return known
  await writeHeader(tx, { id: known.id, content, madeWith, now })
  return { ...known, content, made_with: madeWith }
}

async function saveLineComments(
  tx: Transaction,
  review: Review,
  comments: readonly LocatedComment[],
  now: Seconds,
): Promise<readonly TimelineEntry[]> {
  const kind = review.state === "PENDING" ? "code_draft" : "code"
  const entries: TimelineEntry[] = []
  for (const { text, path, line, lines, hunk, commitId, isOutdated } of comments) {
    const entry = await addTimelineEntry(tx, {
      issueId: review.issue_id,
      kind,
      authorId: review.reviewer_id,
      content: text,
      review_id: review.id,
      now,
    })
    await insertLineComment(tx, {
      comment_id: entry.id,
      review_id: review.id,
      path,
      line,
      lines,
      hunk,
      commit_id: commitId,
      is_outdated: flag(isOutdated),
    })
    entries.push(entry)
  }
  return entries
}
