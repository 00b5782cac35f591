import type { Pull } from "../../../access/policies/pulls.ts"
import { findUserById } from "../../../access/store.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, objectId } from "../../../git/index.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { assessHead, writeHead } from "./heads.ts"
import { assess, ensureMergeability } from "./mergeability.ts"
import { mergeRef, pullRepositoriesOf, writePullRefs } from "./refs.ts"
import { findHeadPusher, findPull } from "./store.ts"

/** How often a head is read again because its branch has moved on. */
const TRIES = 5

/**
 * Makes everything about an open pull request agree with its branches: the stored head, its reference, whether it can be merged, and the merge
 * reference. Of a closed one only the head's reference is written. Does nothing where all agrees already, or the pull request is gone; gives its row.
 */
export async function align(services: Services, pullId: number): Promise<Pull | undefined> {
  const { database, git, now } = services
  for (let tries = 0; tries < TRIES; tries++) {
    const pull = await findPull.first(database.read, { id: pullId })
    const issue = pull && (await findIssueById.first(database.read, { id: pull.issue_id }))
    const repositories = pull && (await pullRepositoriesOf(services, pull))
    if (!pull || !issue || !repositories) return undefined
    const { base, head } = repositories
    const { number } = issue
    const tip = issue.is_closed === 0 && head ? await git.references.resolve(head, branchRef(pull.head_branch)) : undefined
    if (head && tip !== undefined && tip !== pull.head_id) {
      const assessed = await assessHead(services, { pull, number, base, head: { repository: head, id: tip } })
      const row = await findHeadPusher.first(database.read, { id: pull.id })
      const pusher = await findUserById.first(database.read, { id: row?.pusher_id ?? issue.author_id })
      if (!pusher) return pull
      await database.write((tx) => writeHead(tx, services, assessed, { pusher, now: now() }))
      continue
    }
    if (issue.is_closed === 1) {
      await writePullRefs(services, base, { number, headId: objectId(pull.head_id) })
      return pull
    }
    const known = await ensureMergeability(services, pull)
    const headId = objectId(known.head_id)
    const isMade = (await git.references.resolve(base, mergeRef(number))) !== undefined
    const isLost = isMade !== ["mergeable", "empty", "ancestor"].includes(known.mergeability) && known.base_id !== ""
    const assessment = isLost ? await assess(git, base, objectId(known.base_id), headId) : undefined
    await writePullRefs(services, base, { number, headId, ...(assessment && { assessment }) })
    return known
  }
  return findPull.first(database.read, { id: pullId })
}
