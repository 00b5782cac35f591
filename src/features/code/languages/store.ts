import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ObjectId } from "../../../git/index.ts"
import { putComposed } from "../repositories/store.ts"

/** The bytes of each language, largest first. */
export type LanguageBytes = Readonly<Record<string, number>>

/** The last count, and what is needed to update it. */
export const findComposition = query("composition.find", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("repositories")
    .leftJoin("repository_languages", "repository_languages.repository_id", "repositories.id")
    .select([
      "repositories.storage",
      "repositories.object_format",
      "repositories.default_branch",
      "repositories.language",
      "repositories.licenses",
      "repository_languages.tree_id",
      "repository_languages.bytes",
    ])
    .where("repositories.id", "=", p.repositoryId),
)

export const findLanguages = query("composition.findLanguages", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("repository_languages").select("bytes").where("repository_id", "=", p.repositoryId),
)

const putLanguages = query(
  "composition.putLanguages",
  (db, p: Params<{ repositoryId: number; before: string; treeId: string; bytes: string }>) =>
    db
      .insertInto("repository_languages")
      .values({ repository_id: p.repositoryId, tree_id: p.treeId, bytes: p.bytes })
      .onConflict((conflict) =>
        conflict
          .column("repository_id")
          .doUpdateSet((eb) => ({ tree_id: eb.ref("excluded.tree_id"), bytes: eb.ref("excluded.bytes") }))
          .where("repository_languages.tree_id", "=", p.before),
      ),
)

/** Languages and licences of a repository's default branch. */
export interface Composition {
  /** The tree that was counted; null for none. */
  readonly tree: ObjectId | null
  readonly bytes: LanguageBytes
  readonly licenses: readonly string[]
}

/** The composition stored for a repository. */
export interface Known extends Composition {
  /** The main language that the repository's row names. */
  readonly language: string
}

/** Stores the composition, with the language of the most bytes as the main one, unless the stored one is no longer `before`. Returns whether it did. */
export async function putComposition(tx: Transaction, repositoryId: number, before: Known, after: Composition): Promise<boolean> {
  const bytes = JSON.stringify(after.bytes)
  const stored = await putLanguages.changes(tx, { repositoryId, before: before.tree ?? "", treeId: after.tree ?? "", bytes })
  if (stored === 0) return false
  const [language = ""] = Object.keys(after.bytes)
  const licenses = JSON.stringify(after.licenses)
  // Most pushes don't change these two.
  if (before.language !== language || JSON.stringify(before.licenses) !== licenses)
    await putComposed(tx, { repositoryId, language, licenses })
  return true
}

export const copyLanguages = query("composition.copyLanguages", (db, p: Params<{ from: number; to: number }>) =>
  db
    .insertInto("repository_languages")
    .columns(["repository_id", "tree_id", "bytes"])
    .expression((eb) =>
      eb
        .selectFrom("repository_languages")
        .innerJoin("repositories", (join) => join.on("repositories.id", "=", p.to))
        .select(["repositories.id as repository_id", "repository_languages.tree_id", "repository_languages.bytes"])
        .where("repository_languages.repository_id", "=", p.from),
    ),
)

/** Parses a stored count; empty if none is stored. */
export function readBytes(text: string | null | undefined): LanguageBytes {
  const read: unknown = JSON.parse(text ?? "{}")
  if (typeof read !== "object" || read === null) return {}
  return Object.fromEntries(Object.entries(read).map(([language, bytes]) => [language, Number(bytes)]))
}

/** A language's share of the code, in bytes and per mille. */
export interface LanguageShare {
  readonly language: string
  readonly bytes: number
  readonly perMille: number
}

/** The shares of a stored count, the largest first; what is beyond `most` is left out. */
export function languageShares(bytes: LanguageBytes, most = 8): readonly LanguageShare[] {
  const total = Object.values(bytes).reduce((sum, each) => sum + each, 0)
  return Object.entries(bytes)
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([language, each]) => ({ language, bytes: each, perMille: total === 0 ? 0 : Math.round((each * 1000) / total) }))
}

export const findLicensed = query("licenses.findRepositories", (db, p: Params<{ after: number; limit: number }>) =>
  db
    .selectFrom("repositories")
    .select(["id", "storage", "object_format", "default_branch", "licenses"])
    .where("id", ">", p.after)
    .where("is_empty", "=", 0)
    .orderBy("id")
    .limit(p.limit),
)

/** Forgets the count of a repository. */
export async function dropLanguages(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.deleteFrom("repository_languages").where("repository_id", "=", repositoryId).execute()
}
