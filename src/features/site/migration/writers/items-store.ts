import type { Transaction } from "../../../../core/database/database.ts"
import { inList } from "../../../../core/database/expressions.ts"
import { slicesOf } from "../../../../core/database/slices.ts"
import type { Seconds } from "../../../../core/database/tables/index.ts"
import type { Kind } from "../origins/model.ts"
import type { Fault } from "../origins/origin.ts"

/** A record that is here already. */
export interface Item {
  readonly localId: number
  /** When it had last changed on the other server. */
  readonly version: Seconds
}

/** Line comments are parts of reviews, and files of texts. A pull request has its number here before it is written: its commits are kept under it. */
export type ItemKind = Kind | "line_comments" | "pull_numbers" | "files" | "references"

interface Items {
  readonly repositoryId: number
  readonly kind: ItemKind
}

/** Those of these records that are here, by their keys on the other server. */
export async function findItems(
  tx: Transaction,
  { repositoryId, kind }: Items,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const rows = await tx
    .selectFrom("imported_items")
    .select(["source_key", "local_id", "version"])
    .where("repository_id", "=", repositoryId)
    .where("kind", "=", kind)
    .where(inList("imported_items.source_key", keys))
    .execute()
  return new Map(rows.map(({ source_key, local_id, version }) => [source_key, { localId: local_id, version }]))
}

/** Remembers that records are here, by their keys there, and who may take each over: nobody where `personId` is 0. */
export async function putItems(
  tx: Transaction,
  { repositoryId, kind }: Items,
  items: ReadonlyMap<string, Item & { readonly personId?: number }>,
): Promise<void> {
  const rows = [...items].map(([source_key, { localId, version, personId = 0 }]) => ({
    repository_id: repositoryId,
    kind,
    source_key,
    local_id: localId,
    version,
    person_id: personId,
  }))
  for (const slice of slicesOf(rows))
    await tx
      .insertInto("imported_items")
      .values(slice)
      .onConflict((conflict) =>
        conflict
          .columns(["repository_id", "kind", "source_key"])
          .doUpdateSet((eb) => ({ local_id: eb.ref("excluded.local_id"), version: eb.ref("excluded.version") })),
      )
      .execute()
}

/** The same for one. */
export const putItem = (tx: Transaction, at: Items, key: string, item: Item) => putItems(tx, at, new Map([[key, item]]))

/** Names records that could not be brought: once each, with the latest reason. */
export async function putFaults(tx: Transaction, importId: number, kind: ItemKind, faults: readonly Fault[]): Promise<void> {
  for (const { key, why } of faults)
    await tx
      .insertInto("import_faults")
      .values({ import_id: importId, kind, source_key: key, message: why })
      .onConflict((conflict) => conflict.columns(["import_id", "kind", "source_key"]).doUpdateSet({ message: why }))
      .execute()
}

/** Forgets what a former run could not bring: the next one names it again. */
export const dropFaults = (tx: Transaction, importId: number) => tx.deleteFrom("import_faults").where("import_id", "=", importId).execute()
