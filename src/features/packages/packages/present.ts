import { permissionsOn, reaches } from "../../../access/permission.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339, type Shape } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import { findRepositoriesByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import type { PackageFile, Package as PackageRecord } from "./records.ts"
import type { FileWithBlob, Listed, Named } from "./store.ts"

/** The address of the page of a version. */
export const packageHtmlUrl = (site: Site, owner: User, { type, name, version }: Named & { readonly version: string }): string =>
  `${site.rootUrl}/${owner.name}/-/packages/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`

/** Versions of an owner's packages as the caller sees them, in their order: without the repositories that the caller may not see. */
export async function presentVersions(
  db: Handle,
  site: Site,
  actor: Actor,
  owner: User,
  listed: readonly Listed[],
): Promise<Shape<typeof PackageRecord>[]> {
  const creators = await usersById(
    db,
    listed.flatMap(({ version }) => (version.creator_id === null ? [] : [version.creator_id])),
  )
  const repositories = await presentLinked(
    db,
    site,
    actor,
    listed.flatMap(({ of }) => (of.repository_id === null ? [] : [of.repository_id])),
  )
  return listed.map(({ version, of }) => ({
    id: version.id,
    owner: presentUser(site, owner, actor),
    repository: repositories.get(of.repository_id ?? 0) ?? null,
    creator: presentUser(site, creators.get(version.creator_id ?? 0) ?? standIn(0), actor),
    type: of.type,
    name: of.name,
    version: version.version,
    html_url: packageHtmlUrl(site, owner, { type: of.type, name: of.name, version: version.version }),
    created_at: rfc3339(version.created_at),
  }))
}

async function presentLinked(db: Handle, site: Site, actor: Actor, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, never>()
  const linked = await withOwners(db, await findRepositoriesByIds(db, { ids: [...new Set(ids)] }))
  const permissions = await permissionsOn(db, actor, linked)
  const seen = linked.filter(({ repository: { id } }) => {
    const permission = permissions.get(id)
    return permission !== undefined && reaches(permission)
  })
  return new Map((await presentRepositories(db, site, actor, seen, { permissions })).map((made) => [made.id, made]))
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
