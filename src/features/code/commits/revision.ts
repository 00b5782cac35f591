import type { Owned, Repository as RepositoryRow } from "../../../access/permission.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import {
  branchRef,
  type Commit,
  type Git,
  isBranchName,
  isHiddenRef,
  isRefName,
  isTagName,
  type ObjectId,
  type Repository,
  tagRef,
} from "../../../git/index.ts"

/** A revision as the client named it, and the commit that it resolves to. */
export interface Revision {
  readonly kind: "branch" | "tag" | "commit"
  /** The branch, the tag, or the commit's whole id. */
  readonly name: string
  readonly commit: Commit
}

/** The fewest digits of a commit's id that name it. */
const SHORT_ID = 7

/**
 * The commit that a branch, a tag, a full reference or an abbreviated commit id names, tried in this order; no name means the default
 * branch, and so does HEAD. Undefined if there is no such revision, as in an empty repository.
 */
export async function resolveRevision(
  git: Git,
  row: Pick<RepositoryRow, "storage" | "object_format" | "default_branch">,
  asked: string | undefined,
): Promise<Revision | undefined> {
  const repository = git.at(row.storage, row.object_format)
  const name = asked && asked !== "HEAD" ? asked : row.default_branch
  const branch = isBranchName(name) ? await git.references.resolve(repository, branchRef(name)) : undefined
  if (branch !== undefined) return { kind: "branch", name, commit: await git.objects.readCommit(repository, branch) }
  const tag = isTagName(name) ? await git.references.resolve(repository, tagRef(name)) : undefined
  if (tag !== undefined) {
    const commit = await peel(git, repository, tag)
    return commit && { kind: "tag", name, commit }
  }
  if (name.startsWith("refs/")) {
    const referred = isRefName(name) && !isHiddenRef(name) ? await git.references.resolve(repository, name) : undefined
    const commit = referred && (await peel(git, repository, referred))
    return commit && { kind: "commit", name: commit.id, commit }
  }
  const commit = name.length < SHORT_ID ? undefined : await findById(git, repository, name)
  return commit && { kind: "commit", name: commit.id, commit }
}

async function findById(git: Git, repository: Repository, name: string): Promise<Commit | undefined> {
  const id = await git.objects.expand(repository, name.toLowerCase())
  if (id === undefined || (await git.objects.info(repository, id))?.type !== "commit") return undefined
  return git.objects.readCommit(repository, id)
}

/** The deepest chain of tags on tags that is followed. */
const DEEPEST_TAG = 10

/** The commit that an object peels to through annotated tags; undefined if it peels to something else. */
export async function peel(git: Git, repository: Repository, id: ObjectId): Promise<Commit | undefined> {
  let current = id
  for (let depth = 0; depth < DEEPEST_TAG; depth++) {
    const info = await git.objects.namedInfo(repository, current)
    if (info.type === "commit") return git.objects.readCommit(repository, current)
    if (info.type !== "tag") return undefined
    current = (await git.objects.readTag(repository, current)).object
  }
  return undefined
}

export const gitOf = ({ git }: Services, { repository }: Owned): Repository => git.at(repository.storage, repository.object_format)

/** The commit that a branch, a tag or an abbreviated commit id names. Refuses `notFound` if there is none. */
export async function commitNamed({ git }: Services, { repository }: Owned, name: string): Promise<Commit> {
  const revision = await resolveRevision(git, repository, name)
  if (!revision) throw refuse.notFound()
  return revision.commit
}

/** Whether a text has the form of a whole or an abbreviated id. */
export const isId = (text: string): boolean => /^[0-9a-f]{7,64}$/i.test(text)

/** The commit of a whole or an abbreviated id. Refuses `notFound` for all else. */
export async function commitById(services: Services, on: Owned, text: string): Promise<Commit> {
  const commit = isId(text) ? await findById(services.git, gitOf(services, on), text) : undefined
  if (!commit) throw refuse.notFound()
  return commit
}

/** Like `commitNamed`; refuses `invalid` for text that can't be a revision. */
export async function commitOfPath(services: Services, on: Owned, name: string): Promise<Commit> {
  if (!isTagName(name)) throw refuse.invalid("sha", "must be a branch, a tag or a commit's id")
  return commitNamed(services, on, name)
}
