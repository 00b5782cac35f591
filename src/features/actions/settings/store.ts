import { type Insertable, type Selectable, sql, type Updateable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionSecretsTable, ActionVariablesTable } from "../../../core/database/tables/actions.ts"
import type { Page } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { ownedBy } from "../scopes.ts"

export const findVariablesFor = query("actions.findVariablesFor", (db, p: Params<{ repositoryId: number; ownerId: number }>) =>
  db
    .selectFrom("action_variables")
    .select(["repository_id", "owner_id", "name", "data"])
    .where((eb) =>
      eb.or([
        eb("repository_id", "=", p.repositoryId),
        eb("owner_id", "=", p.ownerId),
        eb.and([eb("repository_id", "is", null), eb("owner_id", "is", null)]),
      ]),
    ),
)

export const findSecretsFor = query("actions.findSecretsFor", (db, p: Params<{ repositoryId: number; ownerId: number }>) =>
  db
    .selectFrom("action_secrets")
    .select(["repository_id", "owner_id", "name", "sealed_data"])
    .where((eb) => eb.or([eb("repository_id", "=", p.repositoryId), eb("owner_id", "=", p.ownerId)])),
)

export type Variable = Selectable<ActionVariablesTable>

const variablesOf = (db: Handle, owning: Owning) => db.selectFrom("action_variables").where(ownedBy("action_variables", owning))

/** A page of an owner scope's variables by name, and their total number. */
export async function findVariables(db: Handle, owning: Owning, { limit, offset }: Page) {
  const { total } = await variablesOf(db, owning)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow()
  const rows = await variablesOf(db, owning).selectAll().orderBy("name").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** A page of an owner scope's secrets by name, without their values, and their total number. */
export async function findSecrets(db: Handle, owning: Owning, { limit, offset }: Page) {
  const all = db.selectFrom("action_secrets").where(ownedBy("action_secrets", owning))
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await all.select(["name", "description", "created_at"]).orderBy("name").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** A variable of an owner scope, by its case-insensitive name. */
export const findVariable = (db: Handle, owning: Owning, name: string): Promise<Variable | undefined> =>
  variablesOf(db, owning).selectAll().where("name", "=", name.toUpperCase()).executeTakeFirst()

/** The same, locked. */
export const lockVariableRow = (tx: Transaction, owning: Owning, name: string): Promise<Variable | undefined> =>
  variablesOf(tx, owning).selectAll().where("name", "=", name.toUpperCase()).modifyEnd(forNoKeyUpdate).executeTakeFirst()

export const insertVariable = (tx: Transaction, row: Insertable<ActionVariablesTable>) =>
  tx.insertInto("action_variables").values(row).returning(["id", "name"]).executeTakeFirstOrThrow()

export const changeVariable = (tx: Transaction, id: number, changes: Partial<Variable>) =>
  tx.updateTable("action_variables").set(changes).where("id", "=", id).execute()

export const removeVariable = (tx: Transaction, id: number) => tx.deleteFrom("action_variables").where("id", "=", id).execute()

/** The bytes of all secrets of an owner scope but one, as they are stored. */
export const findBytesOfOtherSecrets = (db: Handle, owning: Owning, name: string) =>
  db
    .selectFrom("action_secrets")
    .select(sql<number>`cast(coalesce(sum(length(sealed_data)), 0) as bigint)`.as("bytes"))
    .where(ownedBy("action_secrets", owning))
    .where("name", "<>", name)
    .executeTakeFirstOrThrow()

/** Adds a secret, unless there is one of this name. */
export const insertSecret = (tx: Transaction, row: Insertable<ActionSecretsTable>) =>
  tx
    .insertInto("action_secrets")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["id", "name"])
    .executeTakeFirst()

export const changeSecret = (tx: Transaction, owning: Owning, name: string, changes: Updateable<ActionSecretsTable>) =>
  tx
    .updateTable("action_secrets")
    .set(changes)
    .where(ownedBy("action_secrets", owning))
    .where("name", "=", name)
    .returning(["id", "name"])
    .execute()

export const removeSecret = (tx: Transaction, owning: Owning, name: string) =>
  tx
    .deleteFrom("action_secrets")
    .where(ownedBy("action_secrets", owning))
    .where("name", "=", name)
    .returning(["id", "name"])
    .executeTakeFirst()
