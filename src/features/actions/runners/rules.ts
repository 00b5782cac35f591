import { hash, randomInt } from "node:crypto"
import { type Selectable, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { RunnersTable } from "../../../core/database/tables/actions.ts"
import { flag } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { Page } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { texts } from "../../code/repositories/present.ts"
import { columnsOf, ownOf, type Place, wordOf } from "../scopes.ts"
import type { ActionRunner } from "./records.ts"

export type Runner = Selectable<RunnersTable>

/** Seconds after which a runner that was not heard of is offline, and after which one that told of no job is idle. */
const ONLINE_SECONDS = 60
const BUSY_SECONDS = 10

export function presentRunner(runner: Runner, now: number): ActionRunner {
  return {
    id: runner.id,
    name: runner.name,
    status: now - runner.online_at < ONLINE_SECONDS ? "online" : "offline",
    busy: now - runner.active_at < BUSY_SECONDS,
    disabled: runner.is_disabled === 1,
    ephemeral: runner.is_ephemeral === 1,
    labels: texts(runner.labels).map((name, id) => ({ id, name, type: "custom" })),
  }
}

/** The runners that a place shows: its own; the site's shows all there are. */
function runnersOf(db: Handle, place: Place) {
  const there = db.selectFrom("runners").where("deleted_at", "=", 0)
  return place.of === "site" ? there : there.where(ownOf("runners", place))
}

/** A page of a place's runners, those heard of last first, and how many there are. */
export async function findRunners(db: Handle, place: Place, disabled: boolean | undefined, { limit, offset }: Page) {
  const all = runnersOf(db, place)
  const asked = disabled === undefined ? all : all.where("is_disabled", "=", flag(disabled))
  const { total } = await asked.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await asked.selectAll().orderBy("online_at", "desc").orderBy("id").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** A runner of a place. Refuses `notFound`, also for one of another place. */
export async function requireRunner(db: Handle, place: Place, id: number): Promise<Runner> {
  const runner = await runnersOf(db, place).selectAll().where("id", "=", id).executeTakeFirst()
  if (!runner) throw refuse.notFound()
  return runner
}

/** Switches a runner off or on. Refuses `notFound`, and then as invalid where it isn't said which. */
export async function editRunner(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  place: Place,
  id: number,
  disabled: boolean | undefined,
): Promise<Runner> {
  const runner = await requireRunner(tx, place, id)
  if (disabled === undefined) throw refuse.invalid("disabled", "is required")
  if (runner.is_disabled === flag(disabled)) return runner
  return tx
    .updateTable("runners")
    .set({ is_disabled: flag(disabled), updated_at: now() })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Removes a runner: its row stays for the jobs that it had. Refuses `notFound`. */
export async function deleteRunner(tx: Transaction, { now }: Pick<Services, "now">, place: Place, id: number): Promise<void> {
  await requireRunner(tx, place, id)
  await tx.updateTable("runners").set({ deleted_at: now(), updated_at: now() }).where("id", "=", id).execute()
}

// --- registration ----------------------------------------------------------------------------------------------------------------

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
const TOKEN_LENGTH = 40

/** 40 letters and digits, 238 random bits. */
const newToken = (): string => Array.from({ length: TOKEN_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")

/** Under what a runner that registers is looked up by the token that it shows. */
export const registrationDigest = (token: string): string => hash("sha256", token)

const sealFor = (place: Place): string => `runner registration:${wordOf(place)}`

/** The token that runners of a place register with; it is made when it is first asked for, and then stays the same. */
export async function registrationToken(
  tx: Transaction,
  { secrets, now }: Pick<Services, "secrets" | "now">,
  place: Place,
): Promise<string> {
  const stored = () =>
    tx.selectFrom("runner_registrations").select("sealed_token").where(ownOf("runner_registrations", place)).executeTakeFirst()
  const known = await stored()
  if (known) return secrets.unseal(known.sealed_token, sealFor(place))
  const token = newToken()
  const made = await tx
    .insertInto("runner_registrations")
    .values({
      ...columnsOf(place),
      digest: registrationDigest(token),
      sealed_token: secrets.seal(token, sealFor(place)),
      created_at: now(),
    })
    // Somebody else may have made one meanwhile; then that is the one.
    .onConflict((conflict) => conflict.doNothing())
    .returning(sql<number>`1`.as("made"))
    .executeTakeFirst()
  const other = made ? undefined : await stored()
  return other ? secrets.unseal(other.sealed_token, sealFor(place)) : token
}
