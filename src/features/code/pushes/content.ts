import { localTime } from "../../../core/record.ts"
import type { Commit, CommitRange, Git, ObjectId, Repository } from "../../../git/index.ts"
import type { NewCommits } from "./new-commits.ts"

/** A push in the feed, as JSON in an activity's content. Existing clients expect the capitalised names. */
export interface PushContent {
  /** Newest first, at most five; null for tags. */
  readonly Commits: readonly PushedCommit[] | null
  readonly HeadCommit: PushedCommit | null
  /** A path relative to the root URL, or "". */
  readonly CompareURL: string
  /** The total number of commits; of a new branch, those that were read of its history. */
  readonly Len: number
  /** Of a new branch: how many of them the default branch doesn't have. For pages alone, see `withoutNew`. */
  readonly New?: number
}

export interface PushedCommit {
  readonly Sha1: string
  readonly Message: string
  readonly AuthorEmail: string
  readonly AuthorName: string
  readonly CommitterEmail: string
  readonly CommitterName: string
  readonly Timestamp: string
}

/** The longest content that the feed stores, in bytes. */
const MAX_CONTENT = 65_535

/** The content as clients of the API know it. */
export const withoutNew = (content: string): string => content.replace(/,"New":\d+\}$/, "}")

/** The most commits listed individually. */
const MAX_LISTED = 5
/** The most commits read of a new branch, whose merge base isn't known. */
const NEW_BRANCH = 10
/** The most commits of the default branch among which those of a new branch are looked for. */
const KNOWN = 64

/** The stored content: `{}` if it would be too long. */
export function pushContent(content: PushContent): string {
  const text = JSON.stringify(content)
  return Buffer.byteLength(text) > MAX_CONTENT ? "{}" : text
}

/** The repository of a push, with the name used in the content, and its default branch. */
export interface PushedRepository {
  readonly git: Git
  readonly repository: Repository
  readonly fullName: string
  readonly defaultBranch: string
}

/** The feed content for a branch's new commits. */
export async function branchContent(
  { git, repository, fullName, defaultBranch }: PushedRepository,
  branch: string,
  from: ObjectId | null,
  to: ObjectId,
  newCommits: NewCommits,
): Promise<string> {
  const { commits, total } = from === null ? await newest() : await newCommits({ oldId: from, newId: to })
  const head = commits[0]?.id === to ? commits[0] : await git.objects.readCommit(repository, to)
  const base = from ?? commits.at(-1)?.parents[0] ?? (branch === defaultBranch ? undefined : defaultBranch)
  return pushContent({
    Commits: commits.slice(0, MAX_LISTED).map(pushedCommit),
    HeadCommit: pushedCommit(head),
    CompareURL: base === undefined ? "" : compareUrl(fullName, base, to),
    Len: total,
    ...(from === null && branch !== defaultBranch && { New: await countNew(commits) }),
  })

  async function countNew(listed: readonly Commit[]): Promise<number> {
    const tip = await git.history.lastCommit(repository, defaultBranch)
    if (!tip) return listed.length
    const known = await git.history.between(repository, { to: tip.id, limit: KNOWN, countAtMost: KNOWN })
    const ids = new Set(known.commits.map(({ id }) => id))
    return listed.filter(({ id }) => !ids.has(id)).length
  }

  async function newest(): Promise<CommitRange> {
    if (branch !== defaultBranch) return git.history.between(repository, { to, limit: NEW_BRANCH, countAtMost: NEW_BRANCH })
    // Shared with other push steps, which read more of it.
    const range = await newCommits({ oldId: null, newId: to })
    return { commits: range.commits.slice(0, NEW_BRANCH), total: Math.min(range.total, NEW_BRANCH) }
  }
}

/** The feed content for a new or moved tag. */
export async function tagContent({ git, repository, fullName }: PushedRepository, to: ObjectId): Promise<string> {
  const commit = await taggedCommit(git, repository, to)
  const none = "0".repeat(to.length)
  return pushContent({
    Commits: null,
    HeadCommit: commit ? pushedCommit(commit) : null,
    CompareURL: compareUrl(fullName, none, to),
    Len: 0,
  })
}

/** The feed content for a deleted tag. */
export const deletedTagContent = pushContent({ Commits: null, HeadCommit: null, CompareURL: "", Len: 0 })

/** The commit that a tag peels to; tags may point to tags, and need not lead to a commit at all. */
async function taggedCommit(git: Git, repository: Repository, id: ObjectId): Promise<Commit | undefined> {
  let current = id
  for (let depth = 0; depth < 10; depth++) {
    const info = await git.objects.info(repository, current)
    if (info?.type === "commit") return git.objects.readCommit(repository, current)
    if (info?.type !== "tag") return undefined
    current = (await git.objects.readTag(repository, current)).object
  }
  return undefined
}

const compareUrl = (fullName: string, from: string, to: string): string => `${fullName}/compare/${from}...${to}`

function pushedCommit({ id, message, author, committer }: Commit): PushedCommit {
  return {
    Sha1: id,
    Message: message,
    AuthorEmail: author.email,
    AuthorName: author.name,
    CommitterEmail: committer.email,
    CommitterName: committer.name,
    Timestamp: localTime(author.when, author.offset),
  }
}
