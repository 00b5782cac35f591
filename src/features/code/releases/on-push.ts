import { flag } from "../../../core/database/tables/index.ts"
import type { PushStep } from "../pushes/step.ts"
import { recountReleases } from "../repositories/counters-store.ts"
import { findReleaseOfTag } from "../tags/releases-store.ts"
import { publishRelease } from "./rules.ts"
import { findRelease, insertRelease, updateRelease } from "./store.ts"

/** Publishes the release of a pushed tag, in the transaction that stores the push's other effects. */
export const publishTaggedRelease: PushStep = async ({ services, release }) => {
  return async (tx, { repository, owner, pusher, now }) => {
    if (!release) return
    const { id, tagName, publisherId } = release
    const before = id === null ? undefined : await findRelease.first(tx, { repositoryId: repository.id, id })
    const other = await findReleaseOfTag.first(tx, { repositoryId: repository.id, tagName })
    // If the draft was deleted meanwhile, or another release has the tag, nothing is changed: the caller gets a conflict.
    if ((id !== null && !before) || (other && other.id !== id)) return
    const values = {
      tag_name: tagName,
      target_commitish: release.target,
      title: release.title,
      note: release.note,
      is_draft: flag(false),
      is_prerelease: flag(release.isPrerelease),
    }
    const isNew = before === undefined || before.is_draft === 1
    const published = before
      ? await updateRelease(tx, before.id, { ...values, ...(isNew && { created_at: now }) })
      : await insertRelease(tx, { ...values, repository_id: repository.id, publisher_id: publisherId, created_at: now })
    if (isNew) await publishRelease(tx, services, { repository, owner, actor: pusher }, published)
    else await recountReleases(tx, repository.id)
  }
}
