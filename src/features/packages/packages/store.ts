import { type Selectable, sql } from "kysely"
import type { OnPackages } from "../../../access/policies/packages.ts"
import { visiblePackages } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { containsLower } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type {
  PackageBlobsTable,
  PackageFilesTable,
  PackagesTable,
  PackageTagsTable,
  PackageVersionsTable,
} from "../../../core/database/tables/packages.ts"
import type { Page } from "../../../core/operation.ts"

export type Package = Selectable<PackagesTable>
export type Version = Selectable<PackageVersionsTable>
export type Blob = Selectable<PackageBlobsTable>
export type Tag = Selectable<PackageTagsTable>
export type File = Selectable<PackageFilesTable>

/** A file with its content's row. */
export type FileWithBlob = Pick<File, "id" | "name" | "version_id" | "created_at"> &
  Pick<Blob, "size" | "file" | "md5" | "sha1" | "sha256" | "sha512">

/** Who asks for which owner's packages. */
export interface Asking extends OnPackages {
  readonly actor: Actor
}

/** A package by its registry and name. */
export interface Named {
  readonly type: string
  readonly name: string
}

const visible = (db: Handle, { owner, actor, rights }: Asking) =>
  db.selectFrom("packages").where("packages.owner_id", "=", owner.id).where(visiblePackages(actor, rights))

/** The package of this name, in any letter case, if the caller may see it. */
export async function findPackage(db: Handle, asking: Asking, { type, name }: Named): Promise<Package | undefined> {
  return visible(db, asking)
    .selectAll("packages")
    .where("packages.type", "=", type)
    .where("packages.lower_name", "=", name.toLowerCase())
    .executeTakeFirst()
}

/** The package of this name, without asking who may see it. */
export const findAnyPackage = query("packages.find", (db, p: Params<{ ownerId: number; type: string; lowerName: string }>) =>
  db.selectFrom("packages").selectAll().where("owner_id", "=", p.ownerId).where("type", "=", p.type).where("lower_name", "=", p.lowerName),
)

const findVersionByName = query("packages.findVersion", (db, p: Params<{ packageId: number; lowerVersion: string }>) =>
  db.selectFrom("package_versions").selectAll().where("package_id", "=", p.packageId).where("lower_version", "=", p.lowerVersion),
)

export const findVersion = async (db: Handle, { id }: Pick<Package, "id">, version: string): Promise<Version | undefined> =>
  findVersionByName.first(db, { packageId: id, lowerVersion: version.toLowerCase() })

/** The version that was published last. */
export const findNewest = query("packages.findNewest", (db, p: Params<{ packageId: number }>) =>
  db.selectFrom("package_versions").selectAll().where("package_id", "=", p.packageId).orderBy("id", "desc").limit(1),
)

/** All versions of a package, oldest first. */
export const findAllVersions = query("packages.findAllVersions", (db, p: Params<{ packageId: number }>) =>
  db.selectFrom("package_versions").selectAll().where("package_id", "=", p.packageId).orderBy("id"),
)

const withBlobs = (db: Handle) =>
  db
    .selectFrom("package_files")
    .innerJoin("package_blobs", "package_blobs.id", "package_files.blob_id")
    .select([
      "package_files.id",
      "package_files.name",
      "package_files.version_id",
      "package_files.created_at",
      "package_blobs.size",
      "package_blobs.file",
      "package_blobs.md5",
      "package_blobs.sha1",
      "package_blobs.sha256",
      "package_blobs.sha512",
    ])

/** The files of a version, by name. */
export const findFiles = query("packages.findFiles", (db, p: Params<{ versionId: number }>) =>
  withBlobs(db).where("package_files.version_id", "=", p.versionId).orderBy("package_files.lower_name"),
)

/** The files of all versions of a package. */
export const findFilesOfPackage = query("packages.findFilesOfPackage", (db, p: Params<{ packageId: number }>) =>
  withBlobs(db)
    .innerJoin("package_versions", "package_versions.id", "package_files.version_id")
    .where("package_versions.package_id", "=", p.packageId)
    .orderBy("package_files.id"),
)

const findFileByName = query("packages.findFile", (db, p: Params<{ versionId: number; lowerName: string }>) =>
  withBlobs(db).where("package_files.version_id", "=", p.versionId).where("package_files.lower_name", "=", p.lowerName),
)

export const findFile = async (db: Handle, { id }: Pick<Version, "id">, name: string): Promise<FileWithBlob | undefined> =>
  findFileByName.first(db, { versionId: id, lowerName: name.toLowerCase() })

/** The tags of a package with the versions that they name, by name. */
export const findTags = query("packages.findTags", (db, p: Params<{ packageId: number }>) =>
  db
    .selectFrom("package_tags")
    .innerJoin("package_versions", "package_versions.id", "package_tags.version_id")
    .select(["package_tags.name", "package_tags.version_id", "package_versions.version"])
    .where("package_tags.package_id", "=", p.packageId)
    .orderBy("package_tags.name"),
)

/** A version with its package. */
export interface Listed {
  readonly version: Version
  readonly of: Package
}

/** Narrows a list of versions. */
export interface Filter {
  readonly type?: string | undefined
  /** A part of the name, in any letter case. */
  readonly q?: string | undefined
  readonly packageId?: number
}

/** A package by the version of it that was published last, and how many it has. */
export interface ListedPackage extends Listed {
  readonly versions: number
}

/** A page of the packages that the caller may see, those with the newest versions first, and how many there are. Packages without versions are left out. */
export async function findPackages(
  db: Handle,
  asking: Asking,
  { type, q, repositoryId }: Pick<Filter, "type" | "q"> & { readonly repositoryId?: number },
  page: Page,
): Promise<{ readonly listed: readonly ListedPackage[]; readonly total: number }> {
  const newest = sql<number>`(select max(package_versions.id) from package_versions where package_versions.package_id = packages.id)`
  const versions = sql<number>`(select count(*) from package_versions where package_versions.package_id = packages.id)`
  const found = visible(db, asking)
    .where(newest, "is not", null)
    .$if(repositoryId !== undefined, (rows) => rows.where("packages.repository_id", "=", repositoryId ?? 0))
    .$if(Boolean(type), (rows) => rows.where("packages.type", "=", type ?? ""))
    .$if(Boolean(q), (rows) => rows.where((eb) => containsLower(eb.ref("packages.lower_name"), (q ?? "").toLowerCase())))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found
    .selectAll("packages")
    .select([newest.as("newest_id"), versions.as("versions_count")])
    .orderBy(newest, "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const named = new Map((await findVersionsByIds(db, { ids: rows.map((row) => row.newest_id) })).map((row) => [row.id, row]))
  const listed = rows.flatMap(({ newest_id, versions_count, ...of }) => {
    const version = named.get(newest_id)
    return version ? [{ of, version, versions: Number(versions_count) }] : []
  })
  return { listed, total }
}

export const findVersionsByIds = query("packages.findVersionsByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("package_versions").selectAll().where("id", "in", p.ids),
)

/** A page of the versions that the caller may see, newest first, and how many there are. */
export async function findVersions(
  db: Handle,
  asking: Asking,
  { type, q, packageId }: Filter,
  page: Page,
): Promise<{ readonly listed: readonly Listed[]; readonly total: number }> {
  const found = visible(db, asking)
    .innerJoin("package_versions", "package_versions.package_id", "packages.id")
    .$if(packageId !== undefined, (rows) => rows.where("packages.id", "=", packageId ?? 0))
    .$if(Boolean(type), (rows) => rows.where("packages.type", "=", type ?? ""))
    .$if(Boolean(q), (rows) => rows.where((eb) => containsLower(eb.ref("packages.lower_name"), (q ?? "").toLowerCase())))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const versions = await found
    .selectAll("package_versions")
    .orderBy("package_versions.id", "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const packages = new Map((await findPackagesByIds(db, { ids: versions.map((row) => row.package_id) })).map((row) => [row.id, row]))
  const listed = versions.flatMap((version) => {
    const of = packages.get(version.package_id)
    return of ? [{ version, of }] : []
  })
  return { listed, total }
}

export const findPackagesByIds = query("packages.findByIds", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("packages").selectAll().where("id", "in", p.ids),
)

export const countVersions = query("packages.countVersions", (db, p: Params<{ ownerId: number }>) =>
  db
    .selectFrom("package_versions")
    .innerJoin("packages", "packages.id", "package_versions.package_id")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("packages.owner_id", "=", p.ownerId),
)

export const sumSizes = query("packages.sumSizes", (db, p: Params<{ ownerId: number }>) =>
  db
    .selectFrom("package_files")
    .innerJoin("package_blobs", "package_blobs.id", "package_files.blob_id")
    .innerJoin("package_versions", "package_versions.id", "package_files.version_id")
    .innerJoin("packages", "packages.id", "package_versions.package_id")
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>("package_blobs.size"), eb.lit(0)).as("total"))
    .where("packages.owner_id", "=", p.ownerId),
)

export const findPackageOf = (db: Handle, ownerId: number) =>
  db.selectFrom("packages").select("id").where("owner_id", "=", ownerId).limit(1).executeTakeFirst()
