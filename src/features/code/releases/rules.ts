import { isDeepStrictEqual } from "node:util"
import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { type ObjectId, tagRef } from "../../../git/index.ts"
import { deleteAttachments } from "../attachments/rules.ts"
import { isReleaseUnderWay } from "../pushes/entries.ts"
import { recountReleases } from "../repositories/counters-store.ts"
import { readTagFacts } from "../tags/facts.ts"
import { findReleaseOfTag } from "../tags/releases-store.ts"
import { createTag, requireTagName, type Tagging } from "../tags/rules.ts"
import type { CreateReleaseOption, EditReleaseOption } from "./records.ts"
import { deleteReleaseRow, findRelease, insertRelease, type Release, updateRelease } from "./store.ts"

/**
 * Creates a release; a published one creates its tag if that doesn't exist yet.
 * Refuses `invalid` for an empty repository and an invalid tag name; `conflict` for a tag that has a release; and like `createTag`.
 */
export async function createRelease(services: Services, tagging: Tagging, options: CreateReleaseOption): Promise<Release> {
  const { database, now } = services
  const { repository, actor } = tagging
  const { tag_name: tagName, tag_message: message, target_commitish: wanted = "", draft = false } = options
  if (repository.is_empty === 1) throw refuse.invalid("target_commitish", "repo is empty")
  requireTagName(tagName, "tag_name")
  await requireFree(services, repository.id, tagName)
  const tag = await tagObject(services, tagging, tagName)
  const target = wanted === "" && tag === undefined ? repository.default_branch : wanted
  const { name: title = "", body: note = "", prerelease: isPrerelease = false } = options
  if (tag === undefined && !draft) {
    const release = { id: null, tagName, target, title, note, isPrerelease, publisherId: actor.user.id }
    await createTag(services, tagging, { name: tagName, message, target, release })
    return publishedNow(services, repository.id, tagName, ({ publisher_id }) => publisher_id === actor.user.id)
  }
  // A release of an existing tag gets its commit's age, so that releases of an imported history are in its order.
  const taggedAt = tag === undefined || draft ? 0 : (await readTagFacts(services.git, gitOf(services, tagging), tag)).tagged_at
  return database.write(async (tx) => {
    await lockRow(tx, "repositories", repository.id)
    // The tag may have just been created by a concurrent call that publishes its own release with it.
    if (await isReleaseUnderWay(tx, { repositoryId: repository.id, tagName })) throw taken()
    const release = await insertRelease(tx, {
      repository_id: repository.id,
      tag_name: tagName,
      target_commitish: target,
      title,
      note,
      is_draft: flag(draft),
      is_prerelease: flag(isPrerelease),
      publisher_id: actor.user.id,
      created_at: taggedAt || now(),
    }).catch(onTaken)
    if (!draft) await publishRelease(tx, services, { ...tagging, actor: actor.user }, release)
    return release
  })
}

/**
 * Changes the members of a release that are sent; empty texts change nothing, and blanks alone empty the title or the notes. Publishing a draft creates its tag if that doesn't exist yet.
 * Refuses `notFound` if it is gone, and else like `createRelease`.
 */
export async function editRelease(services: Services, tagging: Tagging, release: Release, options: EditReleaseOption): Promise<Release> {
  const { repository, actor } = tagging
  const tagName = options.tag_name || release.tag_name
  if (tagName !== release.tag_name) {
    requireTagName(tagName, "tag_name")
    await requireFree(services, repository.id, tagName)
  }
  const target = options.target_commitish || release.target_commitish
  const draft = options.draft ?? release.is_draft === 1
  const [title, note] = [newText(options.name, release.title), newText(options.body, release.note)]
  const isPrerelease = options.prerelease ?? release.is_prerelease === 1
  const isTagged = async () => (await tagObject(services, tagging, tagName)) !== undefined
  if (!draft && !(await isTagged())) {
    const published = { id: release.id, tagName, target, title, note, isPrerelease, publisherId: release.publisher_id }
    const tag = { name: tagName, target: target || repository.default_branch, release: published }
    const isMade = await createTag(services, tagging, tag).then(
      () => true,
      async (error: unknown) => {
        // If a concurrent call made the tag, this one goes on as if it had been there before.
        if (error instanceof Refusal && error.kind === "conflict" && (await isTagged())) return false
        throw error
      },
    )
    if (isMade) return publishedNow(services, repository.id, tagName, ({ id }) => id === release.id)
  }
  return services.database.write(async (tx) => {
    await lockRow(tx, "repositories", repository.id)
    const before = await findRelease.first(tx, { repositoryId: repository.id, id: release.id })
    if (!before) throw refuse.notFound()
    const isPublished = before.is_draft === 1 && !draft
    const after = await updateRelease(tx, release.id, {
      tag_name: tagName,
      target_commitish: target,
      title,
      note,
      is_draft: flag(draft),
      is_prerelease: flag(isPrerelease),
      ...(isPublished && { created_at: services.now() }),
    }).catch(onTaken)
    if (isPublished) await publishRelease(tx, services, { ...tagging, actor: actor.user }, after)
    else {
      await recountReleases(tx, repository.id)
      if (!isDeepStrictEqual({ ...before }, { ...after }))
        publish(tx, { kind: "release.edited", release: after, actor: actor.user, at: services.now() })
    }
    return after
  })
}

const newText = (sent: string | undefined, before: string): string =>
  sent === undefined || sent === "" ? before : sent.trim() === "" ? "" : sent

/** The release that was published with its tag. Refuses `conflict` if a concurrent call took the tag or deleted either. */
async function publishedNow(
  { database }: Services,
  repositoryId: number,
  tagName: string,
  isIt: (found: Release) => boolean,
): Promise<Release> {
  const found = await findReleaseOfTag.first(database.read, { repositoryId, tagName })
  if (!found || found.is_draft === 1 || !isIt(found))
    throw refuse.conflict("the tag was made, but someone else has taken or removed its release")
  return found
}

/** Deletes a release with its files. Its tag stays. Refuses `notFound` if it is gone. */
export async function deleteRelease(
  services: Services,
  { id, repository_id: repositoryId }: Pick<Release, "id" | "repository_id">,
  actor: User,
): Promise<void> {
  await services.database.write(async (tx) => {
    await lockRow(tx, "repositories", repositoryId)
    const release = await findRelease.first(tx, { repositoryId, id })
    if (!release) throw refuse.notFound()
    publish(tx, { kind: "release.deleted", release, actor, at: services.now() })
    await services.events.deliver(tx)
    await deleteAttachments(tx, services, { release_id: id })
    await deleteReleaseRow(tx, id)
    await recountReleases(tx, repositoryId)
  })
}

const gitOf = ({ git }: Services, { repository }: Tagging) => git.at(repository.storage, repository.object_format)

const tagObject = (services: Services, tagging: Tagging, name: string): Promise<ObjectId | undefined> =>
  services.git.references.resolve(gitOf(services, tagging), tagRef(name))

const taken = () => refuse.conflict("there is a release of this tag already")

async function requireFree({ database }: Services, repositoryId: number, tagName: string): Promise<void> {
  if (await findReleaseOfTag.first(database.read, { repositoryId, tagName })) throw taken()
}

const onTaken = (error: unknown): never => {
  throw isUniqueViolation(error, ["releases.repository_id", "releases.tag_name"]) ? taken() : error
}

/** The effects of publishing a release. */
export async function publishRelease(
  tx: Transaction,
  services: Services,
  { repository, owner, actor }: Owned & { readonly actor: User },
  release: Release,
): Promise<void> {
  await recountReleases(tx, repository.id)
  publish(tx, { kind: "release.published", repository, owner, actor, release, at: services.now() })
}
