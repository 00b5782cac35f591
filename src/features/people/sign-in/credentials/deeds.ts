import { workWithToken } from "../../../../core/caller.ts"
import { memberOf } from "../../../../core/check.ts"
import { Refusal, refuse } from "../../../../core/errors.ts"
import type { Services } from "../../../../core/services.ts"
import { type ByTask, type Deed, type Done, NO_WRITES_LEFT } from "../../../../core/task-token.ts"
import { endDeed, giveWriteBack, insertDeed, markCommit, takeWrite } from "./deeds-store.ts"
import { findTokenById } from "./store.ts"

/** Operations whose answer has the commit that they made. */
const COMMITTING: ReadonlySet<string> = new Set([
  "repoChangeFiles",
  "repoCreateFile",
  "repoUpdateFile",
  "repoDeleteFile",
  "repoApplyDiffPatch",
])

/**
 * Makes a change with a token for one task. It is counted and listed in one transaction before anything happens, so that none goes uncounted or unlisted whatever
 * dies, and two at once never take the same one; the outcome is noted afterwards. One that is refused is listed and given back.
 */
export async function keepDeed<Answer extends Done>(
  services: Services,
  { userId, credential, task }: ByTask,
  { operation, path, repositoryId, ownerId }: Deed,
  run: () => Promise<Answer> | Answer,
): Promise<Answer> {
  const { database, log, now } = services
  const { tokenId } = credential
  const begun = await database.write(async (tx) => {
    if ((await takeWrite.changes(tx, { id: tokenId, now: now() })) === 0)
      throw (await findTokenById.first(tx, { id: tokenId }))?.writes_left === 0 ? refuse.forbidden(NO_WRITES_LEFT) : refuse.badCredentials()
    const subject = { repositoryId: repositoryId ?? 0, ownerId: ownerId ?? 0 }
    return insertDeed.first(tx, { tokenId, tokenName: task.name, userId, ...subject, operation, path, now: now() })
  })
  const end = async (status: number, answer?: Answer): Promise<void> => {
    const commitId = COMMITTING.has(operation) ? memberOf(memberOf(memberOf(answer, "body"), "commit"), "sha") : undefined
    try {
      await database.write(async (tx) => {
        await endDeed.changes(tx, { id: begun?.id ?? 0, status, path: answer?.path ?? path })
        if (status >= 400 && status < 500) await giveWriteBack.changes(tx, { id: tokenId })
        if (typeof commitId === "string" && repositoryId !== undefined)
          await markCommit.changes(tx, { repositoryId, commitId, name: task.name })
      })
    } catch (error) {
      log.error({ err: error, deed: begun?.id }, "the outcome of what a token did can't be recorded")
    }
  }
  try {
    const answer = await workWithToken(task.name, async () => run())
    await end(answer.status, answer)
    return answer
  } catch (error) {
    await end(error instanceof Refusal ? error.status : 500)
    throw error
  }
}
