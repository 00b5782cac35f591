import type { Insertable, Selectable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { JobIdentityKeysTable } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"

export type IdentityKey = Selectable<JobIdentityKeysTable>

export const findIdentityKey = query("actions.findIdentityKey", (db, p: Params<{ after: Seconds }>) =>
  db
    .selectFrom("job_identity_keys")
    .selectAll()
    .where("created_at", ">", p.after)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1),
)

export const findIdentityKeys = query("actions.findIdentityKeys", (db, p: Params<{ after: Seconds }>) =>
  db
    .selectFrom("job_identity_keys")
    .select("public_key")
    .where("created_at", ">", p.after)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc"),
)

export const forgetIdentityKeys = query("actions.forgetIdentityKeys", (db, p: Params<{ before: Seconds }>) =>
  db.deleteFrom("job_identity_keys").where("created_at", "<=", p.before),
)

export const insertIdentityKey = (tx: Transaction, row: Insertable<JobIdentityKeysTable>) =>
  tx.insertInto("job_identity_keys").values(row).returningAll().executeTakeFirstOrThrow()
