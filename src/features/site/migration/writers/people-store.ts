import type { Transaction } from "../../../../core/database/database.ts"
import { type Params, query } from "../../../../core/database/query.ts"

interface ImportedPerson {
  readonly host: string
  readonly key: string
  readonly login: string
  readonly name: string
  readonly mail: string
}

/** Remembers someone of another server, or what has changed of them; gives who they are here, 0 where that is not known. */
export async function putPerson(tx: Transaction, { host, key, login, name, mail }: ImportedPerson): Promise<number> {
  const row = await tx
    .insertInto("imported_people")
    .values({ host, source_key: key, login, name, mail, user_id: 0 })
    .onConflict((conflict) => conflict.columns(["host", "source_key"]).doUpdateSet({ login, name, mail }))
    .returning("user_id")
    .executeTakeFirstOrThrow()
  return row.user_id
}

/** Whose verified address this is. */
export const findOwnerOfMail = query("imports.findOwnerOfMail", (db, p: Params<{ mail: string }>) =>
  db.selectFrom("emails").select("user_id").where("lower_email", "=", p.mail).where("is_activated", "=", 1).limit(1),
)
