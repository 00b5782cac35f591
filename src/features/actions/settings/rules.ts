import type { Selectable } from "kysely"
import { type Actor, whoCalls } from "../../../core/actor.ts"
import { differencesFrom } from "../../../core/database/changes.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import type { ActionSecretsTable } from "../../../core/database/tables/actions.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { type Owning, ownerIdsOf } from "../../../core/owner-scope.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { ownerColumns, sealContext } from "../scopes.ts"
import type { ActionVariable, CreateOrUpdateSecretOption, CreateVariableOption, Secret, UpdateVariableOption } from "./records.ts"
import {
  changeSecret,
  changeVariable,
  findBytesOfOtherSecrets,
  findVariable,
  insertSecret,
  insertVariable,
  lockVariableRow,
  removeSecret,
  removeVariable,
  type Variable,
} from "./store.ts"

/** Variables and secrets: values that the workflows of an owner scope can use by name. */

const LONGEST_NAME = 255

/** A name as it is stored, in upper case. Refuses `badRequest` an invalid name, and the prefixes reserved for the service. */
export function nameOf(text: string): string {
  const name = text.toUpperCase()
  const usable = /^[A-Z_][A-Z0-9_]*$/.test(name) && !/^(?:GITHUB_|GITEA_)/.test(name) && name !== "CI" && name.length <= LONGEST_NAME
  if (!usable)
    throw new Refusal(
      "badRequest",
      "invalid variable or secret name: letters, digits and _, not beginning with a digit, GITHUB_ or GITEA_, and not CI",
      "name",
    )
  return name
}

// --- variables -------------------------------------------------------------------------------------------------------------------

export const presentVariable = ({ repository_id, owner_id, name, data, description }: Variable): ActionVariable => ({
  owner_id: owner_id ?? 0,
  repo_id: repository_id ?? 0,
  name,
  data,
  description,
})

/** A variable of an owner scope, by its case-insensitive name. Refuses `notFound`. */
export async function requireVariable(db: Handle, owning: Owning, name: string): Promise<Variable> {
  const found = await findVariable(db, owning, name)
  if (!found) throw refuse.notFound()
  return found
}

/** An owner scope and the user who changes something of it, in events. */
const concerning = (owning: Owning, actor: Actor) => ({ ...ownerIdsOf(ownerColumns(owning)), actor: whoCalls(actor) })

const takenName = (error: unknown): never => {
  throw isUniqueViolation(error) ? new Refusal("conflict", "there is a variable of this name", "name") : error
}

/** Creates a variable. Refuses `badRequest` an invalid name, and `conflict` where it exists. */
export async function createVariable(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  owning: Owning,
  actor: Actor,
  name: string,
  { value, description = "" }: CreateVariableOption,
): Promise<void> {
  const at = now()
  const row = { ...ownerColumns(owning), name: nameOf(name), data: value, description, created_at: at, updated_at: at }
  const variable = await insertVariable(tx, row).catch(takenName)
  publish(tx, { kind: "variable.created", variable, ...concerning(owning, actor), at })
}

/** Changes a variable, and its name where one is given. Refuses `notFound`, `badRequest` as above, and `conflict` for a name that is taken. */
export async function updateVariable(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  owning: Owning,
  actor: Actor,
  oldName: string,
  { value, description, name }: UpdateVariableOption,
): Promise<void> {
  const variable = await lockVariable(tx, owning, oldName)
  const changes = differencesFrom(variable, { data: value, description, name: name ? nameOf(name) : undefined })
  const changed = Object.keys(changes)
  if (changed.length === 0) return
  const at = now()
  await changeVariable(tx, variable.id, { ...changes, updated_at: at }).catch(takenName)
  publish(tx, { kind: "variable.edited", variable, changed, ...concerning(owning, actor), at })
}

async function lockVariable(tx: Transaction, owning: Owning, name: string): Promise<Variable> {
  const found = await lockVariableRow(tx, owning, name)
  if (!found) throw refuse.notFound()
  return found
}

/** Removes a variable. Refuses `notFound`. */
export async function deleteVariable(tx: Transaction, owning: Owning, actor: Actor, name: string): Promise<void> {
  const variable = await lockVariable(tx, owning, name)
  await removeVariable(tx, variable.id)
  publish(tx, { kind: "variable.deleted", variable, ...concerning(owning, actor) })
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

/** The context that a secret is sealed for: it can't be read under another name or in another owner scope. */
export const secretSeal = (owning: Owning, name: string): string => `action secret:${sealContext(owning)}:${name}`

/**
 * Stores a sealed secret; says whether it is new. Members that are not sent stay unchanged. Refuses `badRequest` an invalid name, and `invalid` more than the secrets of
 * one place may have together: all of them are looked for in every line that a job sends.
 */
export async function putSecret(
  tx: Transaction,
  { secrets, now, config }: Pick<Services, "secrets" | "now" | "config">,
  owning: Owning,
  actor: Actor,
  text: string,
  { data, description }: CreateOrUpdateSecretOption,
): Promise<"created" | "changed"> {
  const name = nameOf(text)
  const at = now()
  const sealed = secrets.seal(data, secretSeal(owning, name))
  const others = await findBytesOfOtherSecrets(tx, owning, name)
  if (others.bytes + sealed.length > config.limits.secretsBytes)
    throw refuse.invalid(
      "data",
      t`all secrets here may have ${config.limits.secretsBytes} bytes together, as they are stored; remove or shorten some`,
    )
  const made = await insertSecret(tx, {
    ...ownerColumns(owning),
    name,
    sealed_data: sealed,
    description: description ?? "",
    created_at: at,
    updated_at: at,
  })
  const event = { ...concerning(owning, actor), at }
  if (made) {
    publish(tx, { kind: "secret.created", secret: made, ...event })
    return "created"
  }
  const changed = await changeSecret(tx, owning, name, {
    sealed_data: sealed,
    updated_at: at,
    ...(description === undefined ? {} : { description }),
  })
  for (const secret of changed) publish(tx, { kind: "secret.edited", secret, ...event })
  return "changed"
}

/** Removes a secret. Refuses `badRequest` an invalid name, and `notFound`. */
export async function deleteSecret(tx: Transaction, owning: Owning, actor: Actor, text: string): Promise<void> {
  const secret = await removeSecret(tx, owning, nameOf(text))
  if (!secret) throw refuse.notFound()
  publish(tx, { kind: "secret.deleted", secret, ...concerning(owning, actor) })
}
