import { randomBytes } from "node:crypto"
import type { User } from "../../../../core/actor.ts"
import { identifyCaller } from "../../../../core/caller.ts"
import { flag } from "../../../../core/database/tables/index.ts"
import type { SessionsTable } from "../../../../core/database/tables/sign-in.ts"
import { refuse } from "../../../../core/errors.ts"
import type { Task } from "../../../../core/jobs/jobs.ts"
import { networkOf } from "../../../../core/networks.ts"
import type { Services } from "../../../../core/services.ts"
import { noteSignIn } from "../../users/store.ts"
import { noteSignInAddress } from "../guesses/password-guesses.ts"
import { agentFamily } from "./agents.ts"
import {
  deleteOldSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessionById,
  findSession,
  findSessionsOf,
  rotateSession,
  saveSession,
  touchSession,
} from "./store.ts"

/** Sessions of browsers: a random text in a cookie, of which the database holds a keyed digest. They open pages only; the API knows no cookies. */

export interface Session {
  readonly id: number
  readonly user: User
  /** When the person signed in. */
  readonly signedInAt: number
  /** When they last showed what they sign in with. */
  readonly confirmedAt: number
  readonly isRemembered: boolean
  /** Whether it lasts longer since just now, so that the browser has to keep the text for longer too. */
  readonly isRenewed: boolean
}

/** Precision of a session's last use, in seconds. */
const LAST_USED_EXACTNESS = 600
/** How long a confirmation counts, in seconds. */
const CONFIRMED_SECONDS = 900

const digestOf = ({ secrets }: Pick<Services, "secrets">, text: string): string => secrets.mac("session", text)

/** How long a session lasts from its start or from when it was renewed, in seconds. */
export const sessionSeconds = ({ config }: Pick<Services, "config">, isRemembered: boolean): number =>
  isRemembered ? config.security.sessionSeconds : config.security.idleSessionSeconds

/**
 * The session that a cookie's text belongs to, unless it is over or its user may not sign in. One statement, and seldom a second. A session that is
 * used in the second half of its time lasts for the whole of it again.
 */
export async function findSessionOf(services: Services, text: string): Promise<Session | undefined> {
  const { database, log, now } = services
  const moment = now()
  const row = await findSession.first(database.read, { digest: digestOf(services, text), now: moment })
  if (!row || row.prohibit_login === 1 || row.is_active === 0 || row.must_change_password === 1) return undefined
  const {
    session_id: id,
    session_is_remembered: remembered,
    session_created_at: signedInAt,
    session_confirmed_at: confirmedAt,
    session_last_used_at: lastUsedAt,
    session_expires_at: until,
    ...user
  } = row
  const isRemembered = remembered === 1
  const seconds = sessionSeconds(services, isRemembered)
  const isRenewed = until - moment <= seconds / 2
  if (isRenewed || moment - lastUsedAt >= LAST_USED_EXACTNESS)
    database
      .write((tx) => touchSession.changes(tx, { id, now: moment, expiresAt: isRenewed ? moment + seconds : until }))
      .catch((error: unknown) => log.warn({ err: error }, "the last use of a session could not be noted"))
  identifyCaller(user.id)
  return { id, user, signedInAt, confirmedAt, isRemembered, isRenewed }
}

export interface NewSession {
  readonly user: User
  readonly method: SessionsTable["method"]
  /** Whether it outlives the browser's window. */
  readonly isRemembered: boolean
  /** The client's, from which the account counts as used from now on. */
  readonly address: string
  /** The User-Agent header. */
  readonly agent: string | undefined
  /** The text of the browser's earlier session, which ends. */
  readonly earlier: string | undefined
}

/**
 * Begins a session of a person whose sign-in is complete. The text for the cookie is returned only here and stored nowhere.
 * Refuses `badCredentials` where the person's credentials have changed since they were shown.
 */
export async function beginSession(services: Services, begun: NewSession): Promise<string> {
  const { database, now } = services
  const { user, method, isRemembered, address, agent, earlier } = begun
  const text = randomBytes(32).toString("base64url")
  const moment = now()
  const network = networkOf(address)
  await database.write(async (tx) => {
    const { numUpdatedRows } = await noteSignIn(tx, { now: moment, userId: user.id, version: user.credentials_version })
    if (numUpdatedRows === 0n) throw refuse.badCredentials()
    if (earlier !== undefined) await deleteSession.changes(tx, { digest: digestOf(services, earlier) })
    await saveSession.changes(tx, {
      user_id: user.id,
      digest: digestOf(services, text),
      method,
      network,
      agent: agentFamily(agent),
      is_remembered: flag(isRemembered),
      created_at: moment,
      confirmed_at: moment,
      last_used_at: moment,
      expires_at: moment + sessionSeconds(services, isRemembered),
    })
    await noteSignInAddress(services, tx, user.id, network)
  })
  return text
}

/** Whether the person has shown in the last fifteen minutes what they sign in with; asked for before changes that an open browser must not suffice for. */
export const isConfirmed = ({ now }: Pick<Services, "now">, { confirmedAt }: Session): boolean => now() - confirmedAt < CONFIRMED_SECONDS

/**
 * Notes that the person has shown again what they sign in with. Gives the text that the cookie holds from now on; the one until now is void.
 * Refuses `badCredentials` where session or credentials have changed meanwhile.
 */
export async function confirmSession(services: Services, { id, user }: Session, earlier: string): Promise<string> {
  const { database, now } = services
  const text = randomBytes(32).toString("base64url")
  const rotated = await database.write((tx) =>
    rotateSession.changes(tx, {
      id,
      digest: digestOf(services, text),
      now: now(),
      earlier: digestOf(services, earlier),
      version: user.credentials_version,
    }),
  )
  if (rotated === 0) throw refuse.badCredentials()
  return text
}

/** Ends a session; nothing happens where it is over. */
export const endSession = async (services: Services, text: string): Promise<void> => {
  await services.database.write((tx) => deleteSession.changes(tx, { digest: digestOf(services, text) }))
}

/** More are not shown; all of them end together. */
const MOST_LISTED = 200

/** The browsers in which a person is signed in, the one used last first. */
export const listSessions = ({ database, now }: Services, user: Pick<User, "id">) =>
  findSessionsOf(database.read, { userId: user.id, now: now(), limit: MOST_LISTED })

/** Ends a session of the person by its id; nothing happens where it is over, or another's. */
export const endSessionById = async ({ database }: Services, user: Pick<User, "id">, id: number): Promise<void> => {
  await database.write((tx) => deleteSessionById.changes(tx, { userId: user.id, id }))
}

/** Ends all sessions of the person but this one. Gives how many there were. */
export const endOtherSessions = ({ database }: Services, { id, user }: Session): Promise<number> =>
  database.write((tx) => deleteOtherSessions.changes(tx, { userId: user.id, kept: id }))

const BATCH = 500

/** Removes sessions that are over. */
export const forgetSessions: Task = {
  name: "forget_sessions",
  cron: "45 * * * *",
  run: async ({ database, now }) => {
    while ((await database.write((tx) => deleteOldSessions.changes(tx, { now: now(), limit: BATCH }))) === BATCH);
    return undefined
  },
}
