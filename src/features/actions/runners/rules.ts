import { hash, randomInt } from "node:crypto"
import { type Actor, whoCalls } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { type Owning, ownerIdsOf } from "../../../core/owner-scope.ts"
import type { Services } from "../../../core/services.ts"
import { parseStrings } from "../../code/repositories/present.ts"
import { ownerColumns, sealContext } from "../scopes.ts"
import type { ActionRunner } from "./records.ts"
import {
  changeRunner,
  findRegistrationOf,
  findRunner,
  insertRegistration,
  lockRunnerRow,
  type Runner,
  replaceRegistration,
} from "./store.ts"

/** Seconds after its last request until a runner is offline, and after its last job report until it is idle. */
export const ONLINE_SECONDS = 60
const BUSY_SECONDS = 10

export function presentRunner(runner: Runner, now: number): ActionRunner {
  return {
    id: runner.id,
    name: runner.name,
    status: now - runner.online_at < ONLINE_SECONDS ? "online" : "offline",
    busy: now - runner.active_at < BUSY_SECONDS,
    disabled: runner.is_disabled === 1,
    ephemeral: runner.is_ephemeral === 1,
    labels: parseStrings(runner.labels).map((name, id) => ({ id, name, type: "custom" })),
  }
}

/** A runner of an owner scope. Refuses `notFound`, also for one of another scope. */
export async function requireRunner(db: Handle, owning: Owning, id: number): Promise<Runner> {
  const runner = await findRunner(db, owning, id)
  if (!runner) throw refuse.notFound()
  return runner
}

/** Switches a runner off or on. Refuses `notFound`, and as invalid a missing `disabled`. */
export async function editRunner(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  owning: Owning,
  actor: Actor,
  id: number,
  disabled: boolean | undefined,
): Promise<Runner> {
  const runner = await lockRunner(tx, owning, id)
  if (disabled === undefined) throw refuse.invalid("disabled", "is required")
  if (runner.is_disabled === flag(disabled)) return runner
  publish(tx, { kind: disabled ? "runner.disabled" : "runner.enabled", runner, ...ownerIdsOf(runner), actor: whoCalls(actor) })
  return (await changeRunner(tx, id, { is_disabled: flag(disabled), updated_at: now() })) ?? runner
}

/** Marks a runner as deleted; its row stays for its past jobs. Refuses `notFound`. */
export async function deleteRunner(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  owning: Owning,
  actor: Actor,
  id: number,
): Promise<void> {
  const runner = await lockRunner(tx, owning, id)
  await changeRunner(tx, id, { deleted_at: now(), updated_at: now() })
  publish(tx, { kind: "runner.deleted", runner, ...ownerIdsOf(runner), actor: whoCalls(actor) })
}

async function lockRunner(tx: Transaction, owning: Owning, id: number): Promise<Runner> {
  const runner = await lockRunnerRow(tx, owning, id)
  if (!runner) throw refuse.notFound()
  return runner
}

// --- registration ----------------------------------------------------------------------------------------------------------------

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
const TOKEN_LENGTH = 40

/** 40 letters and digits, 238 random bits. */
const newToken = (): string => Array.from({ length: TOKEN_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")

/** The digest by which the registration token of a runner is looked up. */
export const registrationDigest = (token: string): string => hash("sha256", token)

/** The context that a registration token is sealed for. */
export const sealFor = (owning: Owning): string => `runner registration:${sealContext(owning)}`

/** The token that runners of an owner scope register with; created on the first request, and then unchanged. */
export async function registrationToken(
  tx: Transaction,
  { secrets, now }: Pick<Services, "secrets" | "now">,
  owning: Owning,
): Promise<string> {
  const stored = () => findRegistrationOf(tx, owning)
  const known = await stored()
  if (known) return secrets.unseal(known.sealed_token, sealFor(owning))
  const token = newToken()
  const made = await insertRegistration(tx, { ...ownerColumns(owning), ...sealedToken({ secrets, now }, owning, token) })
  const other = made ? undefined : await stored()
  return other ? secrets.unseal(other.sealed_token, sealFor(owning)) : token
}

const sealedToken = ({ secrets, now }: Pick<Services, "secrets" | "now">, owning: Owning, token: string) => ({
  digest: registrationDigest(token),
  sealed_token: secrets.seal(token, sealFor(owning)),
  created_at: now(),
})

/** Replaces the registration token of an owner scope: the one before registers no runner any more. Those that are registered stay. */
export async function rotateRegistrationToken(
  tx: Transaction,
  services: Pick<Services, "secrets" | "now">,
  owning: Owning,
): Promise<string> {
  const token = newToken()
  const { numUpdatedRows } = await replaceRegistration(tx, owning, sealedToken(services, owning, token))
  return numUpdatedRows > 0n ? token : registrationToken(tx, services, owning)
}
