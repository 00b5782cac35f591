import type { Selectable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { deleteFound } from "../../../core/database/deletion.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import type { ActionSecretsTable, ActionVariablesTable } from "../../../core/database/tables/actions.ts"
import { refuse } from "../../../core/errors.ts"
import type { Page } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { columnsOf, ownOf, type Place, wordOf } from "../scopes.ts"
import type { ActionVariable, CreateOrUpdateSecretOption, CreateVariableOption, Secret, UpdateVariableOption } from "./records.ts"

/** Variables and secrets: what the workflows of a place are given by name. */

const LONGEST_NAME = 255

/** A name as it is stored, in upper case. Refuses `badRequest` what can't be one, and what names of the service's own begin with. */
export function nameOf(text: string): string {
  const name = text.toUpperCase()
  const usable = /^[A-Z_][A-Z0-9_]*$/.test(name) && !/^(?:GITHUB_|GITEA_)/.test(name) && name !== "CI" && name.length <= LONGEST_NAME
  if (!usable)
    throw refuse.badRequest(
      "invalid variable or secret name: letters, digits and _, not beginning with a digit, GITHUB_ or GITEA_, and not CI",
    )
  return name
}

// --- variables -------------------------------------------------------------------------------------------------------------------

type Variable = Selectable<ActionVariablesTable>

export const presentVariable = ({ repository_id, owner_id, name, data, description }: Variable): ActionVariable => ({
  owner_id: owner_id ?? 0,
  repo_id: repository_id ?? 0,
  name,
  data,
  description,
})

const variablesOf = (db: Handle, place: Place) => db.selectFrom("action_variables").where(ownOf("action_variables", place))

/** A page of a place's variables by name, and how many there are. */
export async function findVariables(db: Handle, place: Place, { limit, offset }: Page) {
  const { total } = await variablesOf(db, place)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow()
  const rows = await variablesOf(db, place).selectAll().orderBy("name").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** A variable of a place, in any case of letters. Refuses `notFound`. */
export async function requireVariable(db: Handle, place: Place, name: string): Promise<Variable> {
  const found = await variablesOf(db, place).selectAll().where("name", "=", name.toUpperCase()).executeTakeFirst()
  if (!found) throw refuse.notFound()
  return found
}

/** Makes a variable. Refuses `badRequest` for a name that can't be one, and `conflict` where it is there. */
export async function createVariable(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  place: Place,
  name: string,
  { value, description = "" }: CreateVariableOption,
): Promise<void> {
  const at = now()
  const row = { ...columnsOf(place), name: nameOf(name), data: value, description, created_at: at, updated_at: at }
  await tx
    .insertInto("action_variables")
    .values(row)
    .execute()
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? refuse.conflict("there is a variable of this name") : error
    })
}

/** Changes a variable, and its name where one is given. Refuses `notFound`, `badRequest` as above, and `conflict` for a name that is taken. */
export async function updateVariable(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  place: Place,
  oldName: string,
  { value, description, name }: UpdateVariableOption,
): Promise<void> {
  const { id, description: before } = await requireVariable(tx, place, oldName)
  const change = { data: value, description: description ?? before, updated_at: now(), ...(name ? { name: nameOf(name) } : {}) }
  await tx
    .updateTable("action_variables")
    .set(change)
    .where("id", "=", id)
    .execute()
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? refuse.conflict("there is a variable of this name") : error
    })
}

/** Removes a variable. Refuses `notFound`. */
export async function deleteVariable(tx: Transaction, place: Place, name: string): Promise<void> {
  const { id } = await requireVariable(tx, place, name)
  await deleteFound(tx.deleteFrom("action_variables").where("id", "=", id))
}

// --- secrets ---------------------------------------------------------------------------------------------------------------------

export const presentSecret = ({
  name,
  description,
  created_at,
}: Pick<Selectable<ActionSecretsTable>, "name" | "description" | "created_at">): Secret => ({
  name,
  description,
  created_at: rfc3339(created_at),
})

/** What a secret is sealed for: under another name, or elsewhere, it is worth nothing. */
export const secretSeal = (place: Place, name: string): string => `action secret:${wordOf(place)}:${name}`

/** A page of a place's secrets by name, without their values, and how many there are. */
export async function findSecrets(db: Handle, place: Place, { limit, offset }: Page) {
  const all = db.selectFrom("action_secrets").where(ownOf("action_secrets", place))
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await all.select(["name", "description", "created_at"]).orderBy("name").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** Stores a secret, sealed; says whether it is new. What isn't sent of an older one stays. Refuses `badRequest` for a name that can't be one. */
export async function putSecret(
  tx: Transaction,
  { secrets, now }: Pick<Services, "secrets" | "now">,
  place: Place,
  text: string,
  { data, description }: CreateOrUpdateSecretOption,
): Promise<"created" | "changed"> {
  const name = nameOf(text)
  const at = now()
  const sealed = secrets.seal(data, secretSeal(place, name))
  const made = await tx
    .insertInto("action_secrets")
    .values({ ...columnsOf(place), name, sealed_data: sealed, description: description ?? "", created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst()
  if (made) return "created"
  await tx
    .updateTable("action_secrets")
    .set({ sealed_data: sealed, updated_at: at, ...(description === undefined ? {} : { description }) })
    .where(ownOf("action_secrets", place))
    .where("name", "=", name)
    .execute()
  return "changed"
}

/** Removes a secret. Refuses `badRequest` for a name that can't be one, and `notFound`. */
export async function deleteSecret(tx: Transaction, place: Place, text: string): Promise<void> {
  const removed = await tx
    .deleteFrom("action_secrets")
    .where(ownOf("action_secrets", place))
    .where("name", "=", nameOf(text))
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) throw refuse.notFound()
}
