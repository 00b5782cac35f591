import type { Expression, SqlBool } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { containsLower } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Page } from "../../../core/operation.ts"
import { findVersionsByIds } from "../packages/store.ts"

export const setTag = query("npm.setTag", (db, p: Params<{ packageId: number; name: string; versionId: number }>) =>
  db
    .insertInto("package_tags")
    .values({ package_id: p.packageId, name: p.name, version_id: p.versionId })
    .onConflict((oc) => oc.columns(["package_id", "name"]).doUpdateSet((eb) => ({ version_id: eb.ref("excluded.version_id") }))),
)

export const findTag = query("npm.findTag", (db, p: Params<{ packageId: number; name: string }>) =>
  db.selectFrom("package_tags").selectAll().where("package_id", "=", p.packageId).where("name", "=", p.name),
)

export const dropTag = query("npm.dropTag", (db, p: Params<{ packageId: number; name: string }>) =>
  db.deleteFrom("package_tags").where("package_id", "=", p.packageId).where("name", "=", p.name),
)

export const findCreators = query("npm.findCreators", (db, p: Params<{ packageId: number }>) =>
  db
    .selectFrom("package_versions")
    .innerJoin("users", "users.id", "package_versions.creator_id")
    .select(["users.id", "users.name"])
    .where("package_versions.package_id", "=", p.packageId)
    .distinct()
    .orderBy("users.id"),
)

interface Asked {
  readonly ownerId: number
  readonly words: readonly string[]
  /** Which packages the caller may see. */
  readonly visible: Expression<SqlBool>
}

/** A page of an owner's packages whose names hold all the words, by name, with their versions of the tag `latest`, or else the newest. */
export async function findByWords(db: Handle, { ownerId, words, visible }: Asked, { limit, offset }: Pick<Page, "limit" | "offset">) {
  const found = db
    .selectFrom("packages")
    .where("packages.owner_id", "=", ownerId)
    .where("packages.type", "=", "npm")
    .where(visible)
    .where((eb) => eb.and(words.map((word) => containsLower(eb.ref("packages.lower_name"), word))))
    .where((eb) =>
      eb.exists(
        eb.selectFrom("package_versions").select("package_versions.id").whereRef("package_versions.package_id", "=", "packages.id"),
      ),
    )
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found
    .select((eb) => [
      "packages.id",
      "packages.name",
      eb.fn
        .coalesce(
          eb
            .selectFrom("package_tags")
            .select("package_tags.version_id")
            .whereRef("package_tags.package_id", "=", "packages.id")
            .where("package_tags.name", "=", "latest"),
          eb
            .selectFrom("package_versions")
            .select((each) => each.fn.max("package_versions.id").as("newest"))
            .whereRef("package_versions.package_id", "=", "packages.id"),
        )
        .as("version_id"),
    ])
    .orderBy("packages.lower_name")
    .limit(limit)
    .offset(offset)
    .execute()
  const ids = rows.flatMap(({ version_id }) => (version_id === null ? [] : [version_id]))
  const versions = ids.length === 0 ? [] : await findVersionsByIds(db, { ids })
  return { rows, versions, total }
}
