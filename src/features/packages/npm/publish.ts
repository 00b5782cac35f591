import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { storeContent } from "../packages/blobs.ts"
import { beginChange, noteEdited, requirePackage, requireVersion } from "../packages/change.ts"
import { setMetadata, sumMetadata } from "../packages/changes-store.ts"
import { publishFile } from "../packages/publish.ts"
import type { Call } from "../packages/registry.ts"
import { findAllVersions, findPackage, findVersion, type Package } from "../packages/store.ts"
import { requireRoom } from "../packages/usage.ts"
import { type Fields, fieldsIn, isFields, type NewVersion, textOf } from "./document.ts"
import { linkNamed } from "./links.ts"
import { deprecate, revisionOf, writeMetadata } from "./metadata.ts"
import { requireName, requireTag, requireVersionName, tarballName } from "./names.ts"
import { dropTag, findTag, setTag } from "./store.ts"
import { inspectTarball } from "./tarball.ts"

export const TYPE = "npm"

/** Publishes a version: stores its tarball, and names it by its tags. Refuses `badRequest` a tarball that is of another version. */
export async function publishVersion(call: Call, name: string, wanted: NewVersion, readme: unknown): Promise<void> {
  const { services, owner } = call
  const actor = call.signedIn()
  const { version, manifest, tarball, tags, isRestricted } = wanted
  requireName(name)
  requireVersionName(version)
  for (const tag of tags) requireTag(tag)
  const of = await findPackage(services.database.read, call, { type: TYPE, name })
  if (of && (await findVersion(services.database.read, of, version))) throw refuse.conflict(`${name} ${version} is published already`)
  await requireRoom(services.database.read, services, actor, owner.id, { bytes: tarball.length, versions: 1 })
  const { packages: limits } = services.config
  const { packageVersionBytes, packageRecordBytes } = services.config.limits
  const contents = await inspectTarball(tarball, limits.maxUnpackedBytes)
  for (const inner of contents.manifests)
    if (!isFields(inner) || inner["name"] !== name || inner["version"] !== version)
      throw refuse.badRequest("the package.json in the tarball has another name or version than is published")
  const metadata = writeMetadata(manifest, readme, contents, packageVersionBytes)
  const repositoryId = await linkNamed(services, actor, owner, manifest)
  const stored = await storeContent(services, [tarball], limits.maxBytes)
  await publishFile(
    services,
    { owner, actor },
    {
      type: TYPE,
      name,
      version,
      fileName: tarballName(name, version),
      stored,
      metadata,
      addsToVersion: false,
      isRestricted,
      repositoryId,
      also: async (tx, made) => {
        for (const tag of tags) await setTag.changes(tx, { packageId: made.of.id, name: tag, versionId: made.version.id })
        const { total = 0 } = (await sumMetadata.first(tx, { packageId: made.of.id })) ?? {}
        if (Number(total) > packageRecordBytes) throw refuse.tooLarge(`${name} has too many versions; remove some first`)
      },
    },
  )
}

/** Refuses `conflict` where the package is not in that state any more. */
export function requireRevision(of: Package, revision: string | undefined): void {
  if (revision !== undefined && revision !== revisionOf(of)) throw refuse.conflict(`${of.name} was changed meanwhile; try again`)
}

/**
 * Edits a package by its record: which versions are deprecated, and what tags name them. Versions that the record leaves out stay; they are deleted with
 * their tarballs.
 */
export async function editPackage(call: Call, name: string, document: Fields, revision: string | undefined): Promise<void> {
  const { services, owner } = call
  const actor = call.signedIn()
  const versions = fieldsIn(document, "versions")
  const tags = Object.entries(fieldsIn(document, "dist-tags"))
  await services.database.write(async (tx) => {
    const asking = await beginChange(tx, { owner, actor })
    const of = await requirePackage(tx, asking, { type: TYPE, name })
    requireRevision(of, revision ?? textOf(document["_rev"]))
    const changed = new Set<string>()
    for (const row of await findAllVersions(tx, { packageId: of.id })) {
      const given = Object.hasOwn(versions, row.version) ? versions[row.version] : undefined
      if (!isFields(given)) continue
      const message = given["deprecated"] ?? ""
      if (typeof message !== "string" || message.length > 4096)
        throw refuse.badRequest("a deprecation is a text of at most 4096 characters")
      const metadata = deprecate(row, message)
      if (metadata === undefined) continue
      await setMetadata.changes(tx, { id: row.id, metadata })
      changed.add("deprecated")
    }
    for (const [tag, version] of tags) if (await pointTag(tx, of, tag, version)) changed.add("tags")
    await noteEdited(tx, { owner, actor }, of, [...changed])
  })
}

/** Lets a tag name a version, and returns whether it named another before. A version that the package doesn't have is passed over. */
async function pointTag(tx: Transaction, of: Package, tag: string, wanted: unknown): Promise<boolean> {
  const version = typeof wanted === "string" ? await findVersion(tx, of, wanted) : undefined
  if (!version) return false
  const known = await findTag.first(tx, { packageId: of.id, name: tag })
  if (known?.version_id === version.id) return false
  requireTag(tag)
  await setTag.changes(tx, { packageId: of.id, name: tag, versionId: version.id })
  return true
}

/** Lets a tag name a version. Refuses `badRequest` what is no tag or version, `notFound` a version that is not there. */
export async function tagVersion(call: Call, name: string, tag: string, version: unknown): Promise<void> {
  const { services, owner } = call
  const actor = call.signedIn()
  requireTag(tag)
  if (typeof version !== "string") throw refuse.badRequest("the body must be a version, as a JSON text")
  await services.database.write(async (tx) => {
    const asking = await beginChange(tx, { owner, actor })
    const of = await requirePackage(tx, asking, { type: TYPE, name })
    await requireVersion(tx, of, version)
    if (await pointTag(tx, of, tag, version)) await noteEdited(tx, { owner, actor }, of, ["tags"])
  })
}

/** Takes a tag away. Refuses `badRequest` for `latest`, without which tools find nothing. */
export async function removeTag(call: Call, name: string, tag: string): Promise<void> {
  const { services, owner } = call
  const actor = call.signedIn()
  if (tag === "latest") throw refuse.badRequest("the tag latest can be given to another version, and not be removed")
  await services.database.write(async (tx) => {
    const asking = await beginChange(tx, { owner, actor })
    const of = await requirePackage(tx, asking, { type: TYPE, name })
    if ((await dropTag.changes(tx, { packageId: of.id, name: tag })) === 0) throw refuse.notFound(`${name} has no tag ${tag}`)
    await noteEdited(tx, { owner, actor }, of, ["tags"])
  })
}
