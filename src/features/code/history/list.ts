import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import { mapInBatches } from "../../../core/batches.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { type Commit, isGitError, isObjectId, type ObjectId } from "../../../git/index.ts"
import { findPeople } from "../commits/people.ts"
import { commitNamed, gitOf } from "../commits/revision.ts"
import { partsToRead } from "../contents/paths.ts"
import type { Verification } from "../signatures/records.ts"
import { UNSIGNED, verifications } from "../signatures/verification.ts"
import { type CombinedStatus, findCombinedStatuses } from "../statuses/store.ts"
import { readSearchWords } from "./search-words.ts"

/** A commit as a list shows it. */
export interface ListedCommit {
  readonly commit: Commit
  /** The accounts that the addresses belong to. */
  readonly author: User | undefined
  readonly committer: User | undefined
  readonly verification: Verification
  /** Undefined without any status. */
  readonly status: CombinedStatus | undefined
}

export interface HistoryCommit extends ListedCommit {
  /** The name that the file had in this commit; undefined in the history of everything. */
  readonly path: string | undefined
}

/** A page of a history. */
export interface HistoryPage {
  readonly commits: readonly HistoryCommit[]
  /** The pages before and after it, as `after` of another call; they show the same for ever, whatever is pushed meanwhile. */
  readonly next: string | undefined
  readonly previous: string | undefined
}

export interface HistoryQuery {
  /** A branch, a tag or a commit; "" for the default branch. Not looked at on further pages. */
  readonly revision: string
  readonly path?: string | undefined
  /** Whether a file is followed through its renamings. */
  readonly follow?: boolean
  /** What is searched for: see `readSearchWords`. */
  readonly search?: string | undefined
  /** Where the page begins: what another page had as `next`. */
  readonly after?: string | undefined
}

/** The commits of a page. */
const PAGE = 50
/** The deepest page, in commits. */
const DEEPEST = 1_000_000

/**
 * A page of the commits before a revision that changed a path and match a search, newest first. At most eight queries, whatever the page, and one git process; none
 * where it was read before. Refuses `notFound` for an unknown revision or an impossible path, `invalid` for `after` that no page had, `unprocessable` for a search that takes
 * too long.
 */
export async function historyPage(services: Services, db: Handle, on: Owned, query: HistoryQuery, limit = PAGE): Promise<HistoryPage> {
  const { git } = services
  const repository = gitOf(services, on)
  const place = readPlace(query.after)
  if (place && (await git.objects.info(repository, place.head))?.type !== "commit") throw refuse.notFound()
  const head = place?.head ?? (await commitNamed(services, on, query.revision)).id
  const skip = place?.skip ?? 0
  const path = partsToRead(query.path ?? "").join("/")
  const { words, authors, committers, since, until } = readSearchWords(query.search ?? "")
  const isPlain = words.length + authors.length + committers.length === 0 && !(query.follow === true && path !== "")
  const pathWish = path === "" ? undefined : path
  const found = isPlain
    ? (await git.history.logPage(repository, { to: [head], path: pathWish, since, until, skip, limit: limit + 1 })).map((commit) => ({
        commit,
        path: pathWish,
      }))
    : await searched()
  async function searched() {
    try {
      const hits = await git.history.search(repository, {
        ...{ to: head, path: pathWish, follow: query.follow === true, words, authors, committers, since, until },
        ...{ skip, limit: limit + 1 },
      })
      return await mapInBatches(hits, async (hit) => ({ commit: await git.objects.readCommit(repository, hit.id), path: hit.path }))
    } catch (error) {
      if (isGitError(error, "timeout")) throw refuse.invalid("q", "takes too long to be searched for: give a path or days")
      throw error
    }
  }
  const shown = found.slice(0, limit)
  const listed = await listCommitsForPages(
    services,
    db,
    on,
    shown.map(({ commit }) => commit),
  )
  return {
    commits: listed.map((each, index) => ({ ...each, path: shown[index]?.path })),
    next: found.length > limit ? `${head}.${skip + limit}` : undefined,
    previous: skip > 0 ? `${head}.${Math.max(0, skip - limit)}` : undefined,
  }
}

/** Commits with their people, signatures and statuses, in their order: at most seven queries, however many there are. */
export async function listCommitsForPages(
  services: Services,
  db: Handle,
  on: Owned,
  commits: readonly Commit[],
): Promise<readonly ListedCommit[]> {
  if (commits.length === 0) return []
  const person = await findPeople(
    db,
    services.site,
    commits.flatMap(({ author, committer }) => [author, committer]),
  )
  const signed = commits.filter(({ signature }) => signature !== undefined)
  const verified = signed.length === 0 ? new Map<ObjectId, Verification>() : await verifications(db, services, signed)
  const statuses = await findCombinedStatuses(
    db,
    on.repository.id,
    commits.map(({ id }) => id),
  )
  return commits.map((commit) => ({
    commit,
    author: person(commit.author),
    committer: person(commit.committer),
    verification: verified.get(commit.id) ?? UNSIGNED,
    status: statuses.get(commit.id),
  }))
}

/** The commit that a history was first looked at from, and how many are before the page. */
function readPlace(text: string | undefined): { readonly head: ObjectId; readonly skip: number } | undefined {
  if (text === undefined || text === "") return undefined
  const [head = "", skip = ""] = text.split(".", 2)
  const number = Number(skip)
  if (!isObjectId(head) || !/^\d{1,7}$/.test(skip) || number > DEEPEST)
    throw refuse.invalid("after", "must be what a page names as its next")
  return { head, skip: number }
}
