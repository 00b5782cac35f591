import { locateRepositoryById, type OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { Log, ObjectId, Repository } from "../../../git/index.ts"
import { headNamed } from "./heads.ts"
import { commitNamed, gitOf } from "./revision.ts"

/** A comparison of two commits. */
export interface Comparison {
  /** The repository of the head, to which the listed commits belong. */
  readonly on: OnRepository
  /** A view of both commits, which may be in two repositories. */
  readonly repository: Repository
  readonly base: ObjectId
  readonly head: ObjectId
  /** `..` compares the files of both commits; `...` compares the head with the merge base. */
  readonly direct: boolean
}

/** The most commits listed for one comparison; the total counts all of them. */
const MOST_COMMITS = 250

/**
 * Reads `base...head`, `base..head` or only a head, which is compared with the default branch. Both are branches, tags or commits; a head may be in a
 * fork, as `owner:branch` or `owner/repository:branch`. Refuses `notFound` for what is missing or hidden from the caller.
 */
export async function readComparison(
  services: Services,
  db: Handle,
  actor: Actor,
  on: OnRepository,
  basehead: string,
): Promise<Comparison> {
  const [, base = "", dots = "...", head = basehead] = /^(.*?)(\.\.\.?)(.+)$/.exec(basehead) ?? []
  const named = await headNamed(db, actor, on, head)
  if (!named || named.branch === "") throw refuse.notFound()
  const from = (await commitNamed(services, on, base)).id
  const headOn = named.repositoryId === on.repository.id ? on : await locateRepositoryById(db, actor, named.repositoryId)
  const to = (await commitNamed(services, headOn, named.branch)).id
  const here = gitOf(services, on)
  const repository = headOn === on ? here : services.git.together(gitOf(services, headOn), here)
  return { on: headOn, repository, base: from, head: to, direct: dots === ".." }
}

/** The commits reachable from the head but not from the base, newest first. */
export const comparedCommits = ({ git }: Services, { repository, base, head }: Comparison): Promise<Log> =>
  git.history.log(repository, { to: [head], not: [base], skip: 0, limit: MOST_COMMITS })

/** The commit that the head is compared with: null if the two have no common history. */
export async function comparedFrom({ git }: Services, { repository, base, head, direct }: Comparison): Promise<ObjectId | null> {
  return direct ? base : ((await git.history.mergeBase(repository, base, head)) ?? null)
}
