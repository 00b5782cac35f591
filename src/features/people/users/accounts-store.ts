import type { Insertable, Updateable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { forUpdate } from "../../../core/database/lock.ts"
import type { Tables } from "../../../core/database/tables/index.ts"

export const insertUser = (tx: Transaction, row: Insertable<Tables["users"]>) =>
  tx.insertInto("users").values(row).returningAll().executeTakeFirstOrThrow()

/** The old name can no longer be used to sign in: remembered sign-ins are void. */
export const renameUser = (
  tx: Transaction,
  { name, lowerName, now, id }: { readonly name: string; readonly lowerName: string; readonly now: number; readonly id: number },
) =>
  tx
    .updateTable("users")
    // The old name can no longer be used to sign in: remembered sign-ins are void.
    .set((eb) => ({ name, lower_name: lowerName, updated_at: now, credentials_version: eb("credentials_version", "+", 1) }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Nothing is redirected from these names any more. */
export const deleteRedirects = (tx: Transaction, lowerNames: readonly string[]) =>
  tx.deleteFrom("user_redirects").where("lower_name", "in", lowerNames).execute()

export const insertRedirect = (tx: Transaction, { lowerName, userId }: { readonly lowerName: string; readonly userId: number }) =>
  tx.insertInto("user_redirects").values({ lower_name: lowerName, user_id: userId }).execute()

/** Changes an account; `isVoid`: remembered sign-ins are void. */
export const updateUser = (
  tx: Transaction,
  {
    id,
    changes,
    now,
    isVoid = false,
  }: { readonly id: number; readonly changes: Updateable<Tables["users"]>; readonly now: number; readonly isVoid?: boolean },
) =>
  tx
    .updateTable("users")
    .set(changes)
    .set((eb) => ({ updated_at: now, credentials_version: isVoid ? eb("credentials_version", "+", 1) : eb.ref("credentials_version") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** PostgreSQL's strongest lock on the row: it waits for transactions that are adding something to the account, and blocks later ones. */
export const lockToDelete = (tx: Transaction, id: number) =>
  tx.selectFrom("users").selectAll().where("id", "=", id).modifyEnd(forUpdate).executeTakeFirst()

export const deleteUser = (tx: Transaction, id: number) => tx.deleteFrom("users").where("id", "=", id).execute()
