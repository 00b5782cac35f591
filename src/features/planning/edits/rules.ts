import type { OnIssue } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { lockIssue } from "../issues/lock.ts"
import { deleteVersions, type Edited, emptyVersion, fillVersion, findSizes, findVersions, insertVersion } from "./store.ts"

/** The most versions of one text, with the one that it has now. */
export const MOST_VERSIONS = 50
/** The most characters that the earlier versions of one text may have together. */
export const MOST_CHARACTERS = 2 ** 20

export interface Edit extends Edited {
  /** The text before the edit. */
  readonly from: string
  /** Who wrote the text at first, and when. */
  readonly authorId: number
  readonly createdAt: Seconds
  readonly editorId: number
  readonly at: Seconds
}

/**
 * Keeps a text as it was before an edit. The newest version has no content, as it is the text itself; an edit gives it the content that it had, and adds a version.
 * Where there are too many of them, or too large ones, the oldest but the first go, and the first goes last: it is what others have answered.
 */
export async function keepVersion(tx: Transaction, { from, authorId, createdAt, editorId, at, ...text }: Edit): Promise<void> {
  const [newest] = await findSizes(tx, text)
  if (newest) await fillVersion(tx, { id: newest.id, content: from })
  else await insertVersion(tx, { ...text, number: 1, content: from, authorId, writtenAt: createdAt })
  await insertVersion(tx, { ...text, number: (newest?.number ?? 1) + 1, content: "", authorId: editorId, writtenAt: at })
  const [, ...earlier] = await findSizes(tx, text)
  await deleteVersions(tx, surplus(earlier))
}

interface Sized {
  readonly id: number
  readonly size: number
}

/** The earlier versions, newest first, that there is no room for beside the text of now. */
function surplus(earlier: readonly Sized[]): readonly number[] {
  const [first, ...others] = earlier.toReversed()
  let left = earlier.length + 1
  let characters = earlier.reduce((sum, { size }) => sum + size, 0)
  const gone: number[] = []
  for (const { id, size } of first ? [...others, first] : []) {
    if (left <= MOST_VERSIONS && characters <= MOST_CHARACTERS) break
    gone.push(id)
    left -= 1
    characters -= size
  }
  return gone
}

/**
 * Deletes the content of an earlier version of a text; that there was one, and who wrote it, stays. Doing it again changes nothing.
 * Refuses `notFound` a version that isn't kept, and `invalid` the newest, which is the text itself.
 */
export async function deleteVersion(
  tx: Transaction,
  services: Pick<Services, "now">,
  { issue, me }: Pick<OnIssue & Me, "issue" | "me">,
  commentId: number | null,
  number: number,
): Promise<void> {
  await lockIssue(tx, issue)
  const [newest, ...earlier] = await findVersions(tx, { issueId: issue.id, commentId })
  if (newest?.number === number) throw refuse.invalid("version", "is the text as it is now: edit it first")
  const version = earlier.find((each) => each.number === number)
  if (!version) throw refuse.notFound()
  const now = services.now()
  if ((await emptyVersion.changes(tx, { id: version.id, deletedBy: me.id, now })) === 0) return
  publish(tx, { kind: "issue.versionDeleted", issue, actor: me, commentId, number, at: now })
}
