import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import { Refusal } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, objectId } from "../../../git/index.ts"
import { pushFromServer } from "../../code/pushes/server-push.ts"
import type { Merging } from "./checks.ts"
import { countOthersWithHead } from "./store.ts"

/**
 * Deletes the head branch of a pull request that was just merged. The branch is kept, without a message, where other open pull requests come from it,
 * where it has new commits, where it is the default branch or protected, and where the merger may not write to it.
 */
export async function deleteMergedBranch(services: Services, { pull, issue, me, actor }: Merging): Promise<void> {
  const { database, log, now } = services
  const { head_repository_id: headRepositoryId, head_branch: headBranch } = pull
  if (headRepositoryId === null || (headRepositoryId === pull.repository_id && headBranch === pull.base_branch)) return
  const others = await countOthersWithHead.first(database.read, { id: pull.id, headRepositoryId, headBranch })
  if (others && others.total > 0) return
  try {
    const on = await locateRepositoryById(database.read, actor, headRepositoryId)
    await pushFromServer(services, actor, on, [{ ref: branchRef(headBranch), oldId: objectId(pull.head_id), newId: null }], {
      addedBytes: 0,
    })
    await database.write(async (tx) => publish(tx, { kind: "pull.headBranchDeleted", issue, actor: me, branch: headBranch, at: now() }))
  } catch (error) {
    // The merge is done, whether or not the branch could be deleted.
    if (!(error instanceof Refusal)) log.error({ err: error, pull: pull.id }, "the branch of a merged pull request could not be deleted")
  }
}
