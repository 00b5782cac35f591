import { readsKind } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId } from "../../../git/index.ts"
import { commitNamed } from "../../code/commits/revision.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { presentPull } from "./present.ts"
import { PullRequest } from "./records.ts"
import { findMergedBy } from "./store.ts"

/** The pull request whose merge made the commit. Refuses `notFound` where there is none, or none that the caller may see. */
async function pullOfCommit(db: Handle, services: Services, actor: Actor, on: OnRepository, commitId: ObjectId): Promise<PullRequest> {
  if (!readsKind(on, { is_pull: 1 })) throw refuse.notFound()
  const pull = await findMergedBy.first(db, { repositoryId: on.repository.id, commitId })
  const issue = pull && (await findIssueById.first(db, { id: pull.issue_id }))
  if (!pull || !issue) throw refuse.notFound()
  return presentPull(db, services, actor, { pull, issue }, on)
}

const common = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("code") } as const

/** Pull requests by the commits that merged them. */
export const commitPullOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoGetCommitPullRequest",
    route: "GET /repos/{owner}/{repo}/commits/{sha}/pull",
    summary: "Get the pull request whose merge made a commit",
    answers: { 200: PullRequest },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, path, ...on }) =>
      ok(await pullOfCommit(db, services, actor, on, (await commitNamed(services, on, path.sha)).id)),
  }),
]
