import type { Insertable } from "kysely"
import { type Params, query } from "../../../../core/database/query.ts"
import type { SessionsTable } from "../../../../core/database/tables/sign-in.ts"

/** The session with this digest and its user; none that is over. */
export const findSession = query("sessions.findSession", (db, p: Params<{ digest: string; now: number }>) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .selectAll("users")
    .select([
      "sessions.id as session_id",
      "sessions.is_remembered as session_is_remembered",
      "sessions.created_at as session_created_at",
      "sessions.confirmed_at as session_confirmed_at",
      "sessions.last_used_at as session_last_used_at",
      "sessions.expires_at as session_expires_at",
    ])
    .where("sessions.digest", "=", p.digest)
    .where("sessions.expires_at", ">", p.now),
)

export type NewSessionRow = Omit<Insertable<SessionsTable>, "id">

export const saveSession = query("sessions.save", (db, p: Params<NewSessionRow>) =>
  db.insertInto("sessions").values({
    user_id: p.user_id,
    digest: p.digest,
    method: p.method,
    network: p.network,
    agent: p.agent,
    is_remembered: p.is_remembered,
    created_at: p.created_at,
    confirmed_at: p.confirmed_at,
    last_used_at: p.last_used_at,
    expires_at: p.expires_at,
  }),
)

/** Notes that a session was used, and until when it lasts. */
export const touchSession = query("sessions.touch", (db, p: Params<{ id: number; now: number; expiresAt: number }>) =>
  db
    .updateTable("sessions")
    .set({ last_used_at: p.now, expires_at: p.expiresAt })
    .where("id", "=", p.id)
    .where("last_used_at", "<=", p.now),
)

/** Gives a session another text, and notes that the person has confirmed it. */
export const rotateSession = query(
  "sessions.rotate",
  (db, p: Params<{ id: number; digest: string; now: number; earlier: string; version: number }>) =>
    db
      .updateTable("sessions")
      .set({ digest: p.digest, confirmed_at: p.now })
      .where("id", "=", p.id)
      .where("digest", "=", p.earlier)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("users")
            .select("users.id")
            .whereRef("users.id", "=", "sessions.user_id")
            .where("users.credentials_version", "=", p.version),
        ),
      ),
)

export const deleteSession = query("sessions.delete", (db, p: Params<{ digest: string }>) =>
  db.deleteFrom("sessions").where("digest", "=", p.digest),
)

/** The sessions of a person that are not over, the one used last first. */
export const findSessionsOf = query("sessions.findSessionsOf", (db, p: Params<{ userId: number; now: number; limit: number }>) =>
  db
    .selectFrom("sessions")
    .select(["id", "method", "network", "agent", "is_remembered", "created_at", "last_used_at", "expires_at"])
    .where("user_id", "=", p.userId)
    .where("expires_at", ">", p.now)
    .orderBy("last_used_at", "desc")
    .orderBy("id", "desc")
    .limit(p.limit),
)

export const deleteSessionById = query("sessions.deleteById", (db, p: Params<{ userId: number; id: number }>) =>
  db.deleteFrom("sessions").where("user_id", "=", p.userId).where("id", "=", p.id),
)

export const deleteOtherSessions = query("sessions.deleteOthers", (db, p: Params<{ userId: number; kept: number }>) =>
  db.deleteFrom("sessions").where("user_id", "=", p.userId).where("id", "!=", p.kept),
)

export const deleteOldSessions = query("sessions.deleteOld", (db, p: Params<{ now: number; limit: number }>) =>
  db
    .deleteFrom("sessions")
    .where("id", "in", (eb) => eb.selectFrom("sessions as old").select("old.id").where("old.expires_at", "<=", p.now).limit(p.limit)),
)
