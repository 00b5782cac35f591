import { locateRepositoryById, type OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { Log, ObjectId, Repository } from "../../../git/index.ts"
import { headNamed } from "./heads.ts"
import { commitNamed, gitOf } from "./revision.ts"

/** Two states of the files beside each other. */
export interface Comparison {
  /** Where the head lies; the commits are told of as its. */
  readonly on: OnRepository
  /** What sees both, though they may lie in two repositories. */
  readonly repository: Repository
  readonly base: ObjectId
  readonly head: ObjectId
  /** Between `..` the files are compared as they are, between `...` with what they were when the two parted. */
  readonly direct: boolean
}

/** Commits of one comparison that are told of; their number is told whole. */
const MOST_COMMITS = 250

/**
 * Reads `base...head`, `base..head` or only a head, which is compared with the default branch. Both are branches, tags or commits; a head may lie in a
 * fork, as `owner:branch` or `owner/repository:branch`. Refuses `notFound` what is not there, or not for the caller.
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

/** The commits that the head has and the base has not, newest first. */
export const comparedCommits = ({ git }: Services, { repository, base, head }: Comparison): Promise<Log> =>
  git.history.log(repository, { to: [head], not: [base], skip: 0, limit: MOST_COMMITS })

/** What the files are compared with: null where the two have nothing in common. */
export async function comparedFrom({ git }: Services, { repository, base, head, direct }: Comparison): Promise<ObjectId | null> {
  return direct ? base : ((await git.history.mergeBase(repository, base, head)) ?? null)
}
