import { type Owned, type Permission, permissionsOn, reaches } from "../../../access/permission.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339, type Shape } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import { findRepositoriesByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import type { PackageFile, Package as PackageRecord } from "./records.ts"
import type { FileWithBlob, Listed } from "./store.ts"

/** A version of a package with what is shown of it, as rows. */
export interface VersionView extends Listed {
  readonly owner: User
  readonly creator: User
  /** The repository that the package is linked to, where the caller may see it. */
  readonly linked: (Owned & { readonly permission: Permission }) | undefined
}

/** Versions of an owner's packages as the caller sees them, in their order: without the repositories that the caller may not see. */
export async function viewVersions<Row extends Listed>(
  db: Handle,
  actor: Actor,
  owner: User,
  listed: readonly Row[],
): Promise<readonly (Row & VersionView)[]> {
  const creators = await usersById(
    db,
    listed.flatMap(({ version }) => version.creator_id ?? []),
  )
  const repositories = await visibleAmong(
    db,
    actor,
    listed.flatMap(({ of }) => of.repository_id ?? []),
  )
  return listed.map((row) => ({
    ...row,
    owner,
    creator: creators.get(row.version.creator_id ?? 0) ?? standIn(0),
    linked: repositories.get(row.of.repository_id ?? 0),
  }))
}

/** The same as records. */
export async function presentVersions(
  db: Handle,
  site: Site,
  actor: Actor,
  owner: User,
  listed: readonly Listed[],
): Promise<Shape<typeof PackageRecord>[]> {
  const views = await viewVersions(db, actor, owner, listed)
  const linked = [...new Set(views.flatMap((view) => view.linked ?? []))]
  const permissions = new Map(linked.map(({ repository, permission }) => [repository.id, permission]))
  const records = linked.length === 0 ? [] : await presentRepositories(db, site, actor, linked, { permissions })
  const repositories = new Map(records.map((made) => [made.id, made]))
  return views.map(({ version, of, creator }) => ({
    id: version.id,
    owner: presentUser(site, owner, actor),
    repository: repositories.get(of.repository_id ?? 0) ?? null,
    creator: presentUser(site, creator, actor),
    type: of.type,
    name: of.name,
    version: version.version,
    html_url: `${site.rootUrl}/${owner.name}/-/packages/${of.type}/${encodeURIComponent(of.name)}/${encodeURIComponent(version.version)}`,
    created_at: rfc3339(version.created_at),
  }))
}

/** Those of the repositories that the caller may see, by their ids. */
async function visibleAmong(db: Handle, actor: Actor, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, never>()
  const linked = await withOwners(db, await findRepositoriesByIds(db, { ids: [...new Set(ids)] }))
  const permissions = await permissionsOn(db, actor, linked)
  return new Map(
    linked.flatMap((owned) => {
      const permission = permissions.get(owned.repository.id)
      return permission !== undefined && reaches(permission) ? [[owned.repository.id, { ...owned, permission }] as const] : []
    }),
  )
}

export const presentFile = ({ id, size, name, md5, sha1, sha256, sha512 }: FileWithBlob): Shape<typeof PackageFile> => ({
  id,
  size,
  name,
  md5,
  sha1,
  sha256,
  sha512,
})
