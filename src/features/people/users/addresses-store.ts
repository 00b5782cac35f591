import type { Insertable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { contains, containsLower } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { Found, Window } from "./store.ts"

export const insertAddress = (tx: Transaction, row: Insertable<Tables["emails"]>) => tx.insertInto("emails").values(row).execute()

export const deleteAddress = (tx: Transaction, id: number) => tx.deleteFrom("emails").where("id", "=", id).execute()

export const leavePrimary = (tx: Transaction, userId: number) =>
  tx.updateTable("emails").set({ is_primary: 0 }).where("user_id", "=", userId).where("is_primary", "=", 1).execute()

export const makePrimary = (tx: Transaction, id: number) => tx.updateTable("emails").set({ is_primary: 1 }).where("id", "=", id).execute()

/** Removes the primary address, and this one, from a user. */
export const deletePrimaryAnd = (tx: Transaction, { userId, lowerEmail }: { readonly userId: number; readonly lowerEmail: string }) =>
  tx
    .deleteFrom("emails")
    .where("user_id", "=", userId)
    .where((eb) => eb.or([eb("is_primary", "=", 1), eb("lower_email", "=", lowerEmail)]))
    .execute()

/** The addresses of a user, the primary one first. */
export const findAddressesOf = query("users.findAddressesOf", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("emails").selectAll().where("user_id", "=", p.userId).orderBy("is_primary", "desc").orderBy("id"),
)

export const findAddress = query("users.findAddress", (db, p: Params<{ lowerEmail: string }>) =>
  db.selectFrom("emails").selectAll().where("lower_email", "=", p.lowerEmail),
)

export interface AddressOf {
  readonly email: string
  readonly is_activated: number
  readonly is_primary: number
  readonly user_id: number
  readonly name: string
}

/** All addresses of users, by address; with a keyword those where it is part of the address, the name or the full name. */
export async function listAddresses(db: Handle, keyword: string, { limit, offset }: Window): Promise<Found<AddressOf>> {
  const base = db
    .selectFrom("emails")
    .innerJoin("users", "users.id", "emails.user_id")
    .$if(keyword !== "", (addresses) =>
      addresses.where((eb) =>
        eb.or([
          containsLower(eb.ref("users.lower_name"), keyword.toLowerCase()),
          contains(eb.ref("users.full_name"), keyword),
          contains(eb.ref("emails.email"), keyword),
        ]),
      ),
    )
  const counted = await base.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await base
    .select(["emails.email", "emails.is_activated", "emails.is_primary", "emails.user_id", "users.name"])
    .orderBy("emails.lower_email")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total: counted.total }
}

/** Removes an address from other users, unless they confirmed it or it is their primary one. */
export const dropUnconfirmed = query("users.dropUnconfirmed", (db, p: Params<{ userId: number; lowerEmail: string }>) =>
  db
    .deleteFrom("emails")
    .where("lower_email", "=", p.lowerEmail)
    .where("is_activated", "=", 0)
    .where("is_primary", "=", 0)
    .where("user_id", "!=", p.userId),
)

/** Marks an address as confirmed. */
export const confirmAddress = query("users.letAddressCount", (db, p: Params<{ id: number }>) =>
  db.updateTable("emails").set({ is_activated: 1 }).where("id", "=", p.id),
)

/** Marks a person's primary address as confirmed. */
export const confirmPrimaryAddress = query("users.letPrimaryAddressCount", (db, p: Params<{ userId: number }>) =>
  db.updateTable("emails").set({ is_activated: 1 }).where("user_id", "=", p.userId).where("is_primary", "=", 1),
)
