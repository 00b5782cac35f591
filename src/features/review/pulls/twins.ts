import type { Pull } from "../../../access/policies/pulls.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { findOpenBetween, findOpenOffer } from "./store.ts"

export interface PullEnds extends Pick<Pull, "repository_id" | "base_branch" | "head_repository_id" | "head_branch" | "is_offered"> {
  /** The author of the pull request: topics of several people may have the same name. */
  readonly author_id: number
}

/** Why there can't be an open pull request with these ends: another one has them. Undefined where none has. */
export async function whyNotOpen(db: Handle, ends: PullEnds): Promise<Refusal | undefined> {
  const { repository_id: repositoryId, base_branch: baseBranch, head_repository_id: headRepositoryId, head_branch: headBranch } = ends
  if (ends.is_offered === 1 && headBranch !== "") {
    const topic = { repositoryId, baseBranch, topic: headBranch, authorId: ends.author_id }
    return isOpenAlready(await findOpenOffer.first(db, topic))
  }
  if (headRepositoryId === null) return undefined
  return isOpenAlready(await findOpenBetween.first(db, { repositoryId, baseBranch, headRepositoryId, headBranch }))
}

const isOpenAlready = (other: { readonly number: number } | undefined): Refusal | undefined =>
  other && refuse.conflict(t`there is an open pull request for these branches already: #${other.number}`)
