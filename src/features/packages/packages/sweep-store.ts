import { type Params, query } from "../../../core/database/query.ts"

export const findLastPackage = query("packages.findLast", (db) =>
  db.selectFrom("packages").select((eb) => eb.fn.coalesce(eb.fn.max("id"), eb.lit(0)).as("last")),
)

export const findOwnersOfEmpty = query("packages.findOwnersOfEmpty", (db, p: Params<{ after: number; upTo: number }>) =>
  db
    .selectFrom("packages")
    .select("owner_id")
    .distinct()
    .where("id", ">", p.after)
    .where("id", "<=", p.upTo)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom("package_versions").select("package_versions.id").whereRef("package_versions.package_id", "=", "packages.id"),
        ),
      ),
    ),
)

export const deleteEmpty = query("packages.deleteEmpty", (db, p: Params<{ ownerId: number }>) =>
  db
    .deleteFrom("packages")
    .where("owner_id", "=", p.ownerId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom("package_versions").select("package_versions.id").whereRef("package_versions.package_id", "=", "packages.id"),
        ),
      ),
    ),
)

export const findLastBlob = query("packages.findLastBlob", (db) =>
  db.selectFrom("package_blobs").select((eb) => eb.fn.coalesce(eb.fn.max("id"), eb.lit(0)).as("last")),
)

/** Deletes the contents in a range of ids that no file has and that were not uploaded lately. */
export const deleteUnused = query("packages.deleteUnused", (db, p: Params<{ after: number; upTo: number; before: number }>) =>
  db
    .deleteFrom("package_blobs")
    .where("id", ">", p.after)
    .where("id", "<=", p.upTo)
    .where("used_at", "<", p.before)
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom("package_files").select("package_files.id").whereRef("package_files.blob_id", "=", "package_blobs.id")),
      ),
    ),
)

export const findKeptFiles = query("packages.findKeptFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("package_blobs").select("file").where("file", "in", p.files),
)
