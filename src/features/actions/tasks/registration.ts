import { hash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { ownerIdsOf } from "../../../core/owner-scope.ts"
import type { Services } from "../../../core/services.ts"
import { isFormerSecret, useFormer } from "../../people/sign-in/credentials/former-hashes.ts"
import { findFormerHash } from "../../people/sign-in/credentials/former-store.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { registrationDigest } from "../runners/rules.ts"
import { changeRunner, findRegistration, findRunnerByUuid, insertRunner, noteActive, noteSeen, type Runner } from "../runners/store.ts"

/** Runners introduce themselves: registration with a token of an owner scope, and then every request with the runner's own. */

/** Longer names are cut, in characters; so are versions and labels. */
const LONGEST_NAME = 255
const LONGEST_VERSION = 64
const MOST_LABELS = 100

/** How exactly the last call of a runner is known, in seconds; writing at every call would cost more than the call. */
const SEEN_EXACTNESS = 30

export interface RunnerFacts {
  readonly version: string
  readonly labels: readonly string[]
  /** Words for what it can do beyond the first version of the protocol. */
  readonly capabilities: readonly string[]
}

export interface NewRunner extends RunnerFacts {
  readonly name: string
  /** The registration token. */
  readonly token: string
  /** It takes one job and is removed afterwards. */
  readonly isEphemeral: boolean
}

/**
 * Adds a runner to the owner scope of its registration token, and returns it with its own token, which is not stored. Refuses `badRequest`
 * without a name or token, and `badCredentials` for a token that is not known, or no longer.
 */
export async function registerRunner(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  { name, token: registration, isEphemeral, ...facts }: NewRunner,
): Promise<{ readonly runner: Runner; readonly token: string }> {
  if (name.trim() === "" || registration === "") throw refuse.badRequest("a runner needs a name and a registration token")
  const place = await findRegistration.first(tx, { digest: registrationDigest(registration) })
  if (!place) throw refuse.badCredentials("this registration token is not known: it may have been replaced, take the latest one")
  const token = randomBytes(20).toString("hex")
  const at = now()
  const runner = await insertRunner(tx, {
    ...place,
    ...columnsOf(facts),
    uuid: randomUUID(),
    name: cut(name, LONGEST_NAME),
    digest: hash("sha256", token),
    is_ephemeral: flag(isEphemeral),
    created_at: at,
    updated_at: at,
  })
  publish(tx, { kind: "runner.registered", runner, ...ownerIdsOf(runner), actor: { id: ACTIONS_USER.id } })
  return { runner, token }
}

/** Stores the version, labels and capabilities that a runner has when it starts, and returns it with them. */
export async function declareRunner(tx: Transaction, { now }: Pick<Services, "now">, runner: Runner, facts: RunnerFacts): Promise<Runner> {
  const changes = differencesFrom(runner, columnsOf(facts))
  if (Object.keys(changes).length === 0) return runner
  const at = now()
  await changeRunner(tx, runner.id, { ...changes, updated_at: at })
  publish(tx, { kind: "runner.declared", runner, ...ownerIdsOf(runner), actor: { id: ACTIONS_USER.id } })
  return { ...runner, ...changes, updated_at: at }
}

const columnsOf = ({ version, labels, capabilities }: RunnerFacts) => ({
  version: cut(version, LONGEST_VERSION),
  labels: JSON.stringify(namesIn(labels.map(withoutPlace))),
  capabilities: JSON.stringify(namesIn(capabilities)),
})

const namesIn = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map((name) => cut(name, LONGEST_NAME)).filter((name) => name !== ""))].slice(0, MOST_LABELS)

/** What a job asks for, of a label with the place where the runner runs it: "host", or "docker://" and an image. Most runners keep that to themselves. */
const withoutPlace = (label: string): string => label.replace(/:(?:host|docker)(?::.*)?$/s, "")

const cut = (text: string, length: number): string => Array.from(text.replaceAll("\0", "")).slice(0, length).join("")

/** The runner of a uuid and its token, whose call is noted. Refuses `unauthenticated`. */
export async function authenticateRunner(services: Services, uuid: string, token: string): Promise<Runner> {
  const { database, now, log } = services
  const runner = uuid === "" ? undefined : await findRunnerByUuid.first(database.read, { uuid })
  const digest = hash("sha256", token)
  const [right, given] = [Buffer.from(runner?.digest ?? ""), Buffer.from(digest)]
  const isRight = right.length === given.length && timingSafeEqual(right, given)
  if (!runner || !(isRight || (await adoptRunner(services, runner, token, digest)))) throw refuse.unauthenticated("unregistered runner")
  const seen = now()
  if (seen - runner.online_at >= SEEN_EXACTNESS)
    database
      .write((tx) => noteSeen.changes(tx, { id: runner.id, now: seen, before: seen - SEEN_EXACTNESS }))
      .catch((error: unknown) => log.warn({ err: error }, "the last call of a runner could not be noted"))
  return runner
}

/** Whether it is the token of a runner of a server that was taken over, which gets a digest of ours then. */
async function adoptRunner({ database }: Services, { id, uuid }: Runner, token: string, digest: string): Promise<boolean> {
  const former = await findFormerHash.first(database.read, { kind: "runner", subjectId: id })
  // Another call of it may have got the digest meanwhile; both are hashes, whose comparison tells nothing of the token.
  if (!former) return (await findRunnerByUuid.first(database.read, { uuid }))?.digest === digest
  if (!(await isFormerSecret(token, former))) return false
  await database.write(async (tx) => {
    if (await useFormer(tx, "runner", id)) await changeRunner(tx, id, { digest })
  })
  return true
}

/** Seconds within which another report of a runner is not noted. */
const ACTIVE_EXACTNESS = 5

/** Notes that a runner works on a job. */
export async function noteActivity(tx: Transaction, { now }: Pick<Services, "now">, runner: Runner): Promise<void> {
  if (now() - runner.active_at >= ACTIVE_EXACTNESS) await noteActive.changes(tx, { id: runner.id, now: now() })
}
