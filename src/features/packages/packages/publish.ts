import { packageRights } from "../../../access/permission.ts"
import { requireOfJob, requirePackageWriter } from "../../../access/policies/packages.ts"
import { visiblePackages } from "../../../access/visibility.ts"
import { jobOf, type SignedIn, type User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import { discardContent, type Stored } from "./blobs.ts"
import { bumpRevision, findVisible, insertFile, insertPackage, insertVersion, keepBlob, setLink } from "./changes-store.ts"
import { findAnyPackage, findFile, findVersion, type Named, type Package, type Version } from "./store.ts"
import { requireRoom } from "./usage.ts"

/** A file that is to become part of a version of a package. Package and version are made where they are missing. */
export interface Publication extends Named {
  readonly version: string
  readonly fileName: string
  readonly stored: Stored
  /** What the registry keeps about a new version, in JSON. */
  readonly metadata: string
  /** Whether a version that is there already may get a further file. */
  readonly addsToVersion: boolean
  /** Whether the package is shown only to those who belong to the owner; undefined leaves it as it is. */
  readonly isRestricted?: boolean | undefined
  /** The repository that a package without one is linked to. */
  readonly repositoryId?: number | undefined
  /** What else belongs to the version, in the same transaction. */
  readonly also?: (tx: Transaction, made: Published) => Promise<void>
}

export interface Published {
  readonly of: Package
  readonly version: Version
}

interface By {
  readonly owner: User
  readonly actor: SignedIn
}

/**
 * Publishes a file whose content is stored already, and removes that where it is refused or known. Refuses `conflict` for a version or file that is
 * there, `tooLarge` over the owner's limits, `forbidden` where the caller may not write any more, or may not see the package.
 */
export async function publishFile(services: Services, by: By, publication: Publication): Promise<Published> {
  const { stored } = publication
  const discard = () => discardContent(services, stored.file)
  const write = () => services.database.write((tx) => addFile(tx, services, by, publication))
  const made = await writeRow(write, discard)
  // The same content was there.
  if (made.file !== stored.file) await discard()
  return made
}

async function addFile(
  tx: Transaction,
  services: Services,
  { owner: { id: ownerId }, actor }: By,
  publication: Publication,
): Promise<Published & { readonly file: string }> {
  const { stored, version: wanted, fileName, metadata, addsToVersion } = publication
  const at = services.now()
  const owner = await lockOwner(tx, ownerId)
  // The upload may have taken long.
  const rights = await packageRights(tx, actor, owner)
  requirePackageWriter({ owner, rights })
  const of = await findOrMake(tx, { owner, actor, rights }, publication, at)
  const known = await findVersion(tx, of, wanted)
  if (known && !addsToVersion) throw refuse.conflict(`${of.name} ${known.version} is published already`)
  if (known && (await findFile(tx, known, fileName))) throw refuse.conflict(`${of.name} ${known.version} has a file ${fileName} already`)
  await requireRoom(tx, services, actor, ownerId, { bytes: stored.size, versions: known ? 0 : 1 })
  const version =
    known ??
    (await insertVersion.first(tx, {
      packageId: of.id,
      // A job acts as a user without a row.
      creatorId: jobOf(actor) ? null : actor.user.id,
      version: wanted,
      lowerVersion: wanted.toLowerCase(),
      metadata,
      at,
    }))
  const { file, ...digests } = stored
  const blob = await keepBlob.first(tx, { file, ...digests, at })
  if (!version || !blob) throw new TypeError("an insert gives its row")
  await insertFile.changes(tx, { versionId: version.id, blobId: blob.id, name: fileName, lowerName: fileName.toLowerCase(), at })
  await publication.also?.(tx, { of, version })
  await bumpRevision.changes(tx, { id: of.id })
  const about = { at, repositoryId: of.repository_id, ownerId, owner, actor: actor.user, package: of, version }
  publish(tx, known ? { kind: "package.fileAdded", ...about } : { kind: "package.published", ...about })
  return { of, version, file: blob.file }
}

/** The owner's row, locked: what is written about the packages of one owner is written one after another. Refuses `notFound` if it is gone. */
export async function lockOwner(tx: Transaction, id: number): Promise<User> {
  const owner = await lockRow(tx, "users", id)
  if (!owner) throw refuse.notFound()
  return owner
}

type Asking = Parameters<typeof requirePackageWriter>[0] & { readonly actor: SignedIn }

async function findOrMake(
  tx: Transaction,
  { owner, actor, rights }: Asking,
  { type, name, isRestricted, repositoryId: wanted }: Publication,
  at: number,
): Promise<Package> {
  // What a job makes belongs to its repository.
  const repositoryId = jobOf(actor)?.repositoryId ?? wanted
  const known = await findAnyPackage.first(tx, { ownerId: owner.id, type, lowerName: name.toLowerCase() })
  if (!known) {
    const made = await insertPackage.first(tx, {
      ownerId: owner.id,
      repositoryId: repositoryId ?? null,
      type,
      name,
      lowerName: name.toLowerCase(),
      isRestricted: flag(isRestricted ?? false),
      at,
    })
    if (!made) throw new TypeError("an insert gives its row")
    if (repositoryId !== undefined) publish(tx, linkedEvent(made, repositoryId, actor.user))
    return made
  }
  const seen = await findVisible(tx, known.id, visiblePackages(actor, rights))
  if (!seen) throw refuse.forbidden(`the package ${known.name} is not open to you`)
  requireOfJob(actor, known.repository_id)
  const links = known.repository_id === null && repositoryId !== undefined
  if (!links && (isRestricted === undefined || flag(isRestricted) === known.is_restricted)) return known
  const changed = {
    ...known,
    repository_id: known.repository_id ?? repositoryId ?? null,
    is_restricted: isRestricted === undefined ? known.is_restricted : flag(isRestricted),
  }
  await setLink(tx, { id: known.id, repositoryId: changed.repository_id, isRestricted: changed.is_restricted })
  if (links) publish(tx, linkedEvent(changed, repositoryId, actor.user))
  return changed
}

const linkedEvent = (of: Package, repositoryId: number, actor: User) =>
  ({ kind: "package.linked", repositoryId, ownerId: of.owner_id, package: of, actor }) as const
