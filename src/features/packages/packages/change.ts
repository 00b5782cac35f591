import { packageRights } from "../../../access/permission.ts"
import { requireOfJob, requirePackageWriter } from "../../../access/policies/packages.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { DeletionRule } from "../../people/organizations/rules.ts"
import { bumpRevision, deleteFileRow, deletePackageRow, deleteVersionRows, setRestricted } from "./changes-store.ts"
import { lockOwner } from "./publish.ts"
import {
  type Asking,
  findAllVersions,
  findFile,
  findFiles,
  findPackage,
  findPackageOf,
  findVersion,
  type Named,
  type Package,
  type Version,
} from "./store.ts"

/** Changes of packages that are there. All lock the owner's row first, and refuse `notFound` for what is gone. */

/** Who changes the packages of which owner. */
export interface Changing {
  readonly owner: User
  readonly actor: SignedIn
}

/** Like {@link Asking}, with the owner's row locked and the caller's rights as they are now. Refuses `forbidden` callers who may not write. */
export async function beginChange(tx: Transaction, { owner: { id }, actor }: Changing): Promise<Asking & { readonly actor: SignedIn }> {
  const owner = await lockOwner(tx, id)
  const rights = await packageRights(tx, actor, owner)
  requirePackageWriter({ owner, rights })
  return { owner, rights, actor }
}

/** The package of this name. Refuses `notFound` one that is missing, or hidden from the caller. */
export async function requirePackage(tx: Transaction, asking: Asking, named: Named): Promise<Package> {
  const found = await findPackage(tx, asking, named)
  if (!found) throw refuse.notFound(t`there is no package ${named.name}`)
  requireOfJob(asking.actor, found.repository_id)
  return found
}

export async function requireVersion(tx: Transaction, of: Package, version: string): Promise<Version> {
  const found = await findVersion(tx, of, version)
  if (!found) throw refuse.notFound(t`there is no version ${version} of ${of.name}`)
  return found
}

/** Deletes a package with all its versions. */
export async function deletePackage(tx: Transaction, services: Services, changing: Changing, named: Named): Promise<void> {
  const asking = await beginChange(tx, changing)
  await removePackage(tx, services, asking, await requirePackage(tx, asking, named))
}

/** Deletes a package whose owner's row is locked. */
export async function removePackage(tx: Transaction, services: Services, { owner, actor }: Changing, of: Package): Promise<void> {
  const versions = await findAllVersions(tx, { packageId: of.id })
  const removed = await deletePackageRow.changes(tx, { id: of.id })
  if (removed > 0) tellDeleted(tx, services, { owner, actor: actor.user }, of, versions)
}

/** Deletes a version with its files. The package stays without versions until the nightly clean-up. */
export async function deleteVersion(
  tx: Transaction,
  services: Services,
  changing: Changing,
  named: Named & { readonly version: string },
): Promise<void> {
  const asking = await beginChange(tx, changing)
  const of = await requirePackage(tx, asking, named)
  const version = await requireVersion(tx, of, named.version)
  await removeVersions(tx, services, { owner: asking.owner, actor: changing.actor.user }, of, [version])
}

/** Deletes versions of a package whose owner's row is locked, and publishes that of each. */
export async function removeVersions(
  tx: Transaction,
  services: Pick<Services, "now">,
  by: { readonly owner: User; readonly actor: User },
  of: Package,
  versions: readonly Version[],
): Promise<void> {
  if (versions.length === 0) return
  await deleteVersionRows.changes(tx, { ids: versions.map(({ id }) => id) })
  await bumpRevision.changes(tx, { id: of.id })
  tellDeleted(tx, services, by, of, versions)
}

function tellDeleted(
  tx: Transaction,
  services: Pick<Services, "now">,
  { owner, actor }: { readonly owner: User; readonly actor: User },
  of: Package,
  versions: readonly Version[],
): void {
  const about = { at: services.now(), repositoryId: of.repository_id, ownerId: owner.id, owner, actor, package: of }
  publish(tx, ...versions.map((version) => ({ kind: "package.deleted", ...about, version }) as const))
}

/** Deletes a file; the last file of a version takes the version along. */
export async function deleteFile(
  tx: Transaction,
  services: Services,
  changing: Changing,
  named: Named & { readonly version: string; readonly fileName: string },
): Promise<void> {
  const asking = await beginChange(tx, changing)
  const of = await requirePackage(tx, asking, named)
  const version = await requireVersion(tx, of, named.version)
  const file = await findFile(tx, version, named.fileName)
  if (!file) throw refuse.notFound(t`${of.name} ${version.version} has no file ${named.fileName}`)
  if ((await findFiles(tx, { versionId: version.id })).length === 1) {
    await removeVersions(tx, services, { owner: asking.owner, actor: changing.actor.user }, of, [version])
    return
  }
  await deleteFileRow.changes(tx, { id: file.id })
  await bumpRevision.changes(tx, { id: of.id })
  const about = { repositoryId: of.repository_id, ownerId: asking.owner.id, package: of, version, actor: changing.actor.user }
  publish(tx, { kind: "package.fileDeleted", ...about })
}

/** Notes that something of the package has changed that is shown with it: `changed` names what. */
export async function noteEdited(tx: Transaction, { actor }: Changing, of: Package, changed: readonly string[]): Promise<void> {
  if (changed.length === 0) return
  await bumpRevision.changes(tx, { id: of.id })
  publish(tx, { kind: "package.edited", repositoryId: of.repository_id, ownerId: of.owner_id, package: of, changed, actor: actor.user })
}

/** Shows a package to all who may see its owner and what it is linked to, or to those only who belong to the owner. */
export async function setAccess(tx: Transaction, changing: Changing, named: Named, access: "public" | "restricted"): Promise<void> {
  const asking = await beginChange(tx, changing)
  const of = await requirePackage(tx, asking, named)
  const isRestricted = flag(access === "restricted")
  if (of.is_restricted === isRestricted) return
  await setRestricted.changes(tx, { id: of.id, isRestricted })
  await noteEdited(tx, changing, of, ["is_restricted"])
}

/** Packages of an organisation are deleted before it, unless it is purged with them. */
export const packagesGone: DeletionRule = async (tx, organization, { purge }) => {
  if (!purge && (await findPackageOf(tx, organization.id))) throw refuse.invalid("org", "still owns packages; delete them first")
}
