import type { Insertable, Selectable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { PackageRulesTable } from "../../../core/database/tables/packages.ts"

/** What an owner wants the nightly clean-up to remove of their packages of one type. */
export type Rule = Selectable<PackageRulesTable>

/** The owner's rules, by type. */
export const findRules = query("packages.findRules", (db, p: Params<{ ownerId: number }>) =>
  db.selectFrom("package_rules").selectAll().where("owner_id", "=", p.ownerId).orderBy("type"),
)

export const deleteRule = query("packages.deleteRule", (db, p: Params<{ ownerId: number; type: string }>) =>
  db.deleteFrom("package_rules").where("owner_id", "=", p.ownerId).where("type", "=", p.type),
)

export const findNextRule = query("packages.findNextRule", (db, p: Params<{ after: number }>) =>
  db.selectFrom("package_rules").selectAll().where("is_enabled", "=", 1).where("id", ">", p.after).orderBy("id").limit(1),
)

export const findNextOfType = query("packages.findNextOfType", (db, p: Params<{ ownerId: number; type: string; after: number }>) =>
  db
    .selectFrom("packages")
    .selectAll()
    .where("owner_id", "=", p.ownerId)
    .where("type", "=", p.type)
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(1),
)

export const noteChecked = query("packages.noteChecked", (db, p: Params<{ id: number; failure: string; at: number }>) =>
  db.updateTable("package_rules").set({ failure: p.failure, checked_at: p.at }).where("id", "=", p.id),
)

/** Stores the owner's rule for a type, in the place of the one that it had. */
export const putRule = (tx: Transaction, { owner_id, type, ...values }: Insertable<Tables["package_rules"]>) =>
  tx
    .insertInto("package_rules")
    .values({ owner_id, type, ...values })
    .onConflict((oc) => oc.columns(["owner_id", "type"]).doUpdateSet(values))
    .execute()
