import type { Expression, Insertable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { OAuth2DeviceCodesTable } from "../../../core/database/tables/oauth2.ts"

export const insertDeviceCode = (tx: Transaction, row: Insertable<OAuth2DeviceCodesTable>) =>
  tx.insertInto("oauth2_device_codes").values(row).execute()

/** How many devices wait, in all and from one network. */
export const countDeviceCodes = query("oauth2.countDeviceCodes", (db, p: Params<{ network: string; now: number }>) =>
  db
    .selectFrom("oauth2_device_codes")
    .select((eb) => [
      eb.fn.countAll<number>().as("total"),
      eb.fn.count<number>(eb.case().when("network", "=", p.network).then(1).end()).as("here"),
    ])
    .where("expires_at", ">", p.now),
)

/** By the code that the device has, with the person who has agreed. */
export const findDeviceCode = query("oauth2.findDeviceCode", (db, p: Params<{ digest: string }>) =>
  db
    .selectFrom("oauth2_device_codes")
    .leftJoin("oauth2_grants", "oauth2_grants.id", "oauth2_device_codes.grant_id")
    .selectAll("oauth2_device_codes")
    .select("oauth2_grants.user_id")
    .where("oauth2_device_codes.device_digest", "=", p.digest),
)

/** Codes that still wait for an answer, with their applications. */
const waitingCodes = (db: Handle, now: Expression<number>) =>
  db
    .selectFrom("oauth2_device_codes")
    .innerJoin("oauth2_applications", "oauth2_applications.id", "oauth2_device_codes.application_id")
    .select(["oauth2_device_codes.id", "application_id", "scopes", "network", "oauth2_device_codes.created_at", "name", "owner_id"])
    .where("expires_at", ">", now)
    .where("grant_id", "is", null)
    .where("is_denied", "=", 0)

/** By the code that people type. */
export const findTypedCode = query("oauth2.findTypedCode", (db, p: Params<{ digest: string; now: number }>) =>
  waitingCodes(db, p.now).where("user_digest", "=", p.digest),
)

/** The same by its id. */
export const findWaitingCode = query("oauth2.findWaitingCode", (db, p: Params<{ id: number; now: number }>) =>
  waitingCodes(db, p.now).where("oauth2_device_codes.id", "=", p.id),
)

export const noteDevicePoll = query("oauth2.noteDevicePoll", (db, p: Params<{ id: number; now: number; interval: number }>) =>
  db.updateTable("oauth2_device_codes").set({ polled_at: p.now, interval_seconds: p.interval }).where("id", "=", p.id),
)

/** Changes nothing where it was answered already. */
export const allowDevice = query("oauth2.allowDevice", (db, p: Params<{ id: number; grantId: number; signedInAt: number }>) =>
  db
    .updateTable("oauth2_device_codes")
    .set({ grant_id: p.grantId, signed_in_at: p.signedInAt })
    .where("id", "=", p.id)
    .where("grant_id", "is", null)
    .where("is_denied", "=", 0),
)

/** Changes nothing where it was answered already. */
export const denyDevice = query("oauth2.denyDevice", (db, p: Params<{ id: number }>) =>
  db
    .updateTable("oauth2_device_codes")
    .set({ is_denied: 1 })
    .where("id", "=", p.id)
    .where("grant_id", "is", null)
    .where("is_denied", "=", 0),
)

export const deleteDeviceCode = query("oauth2.deleteDeviceCode", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("oauth2_device_codes").where("id", "=", p.id),
)

export const deleteOldDeviceCodes = query("oauth2.deleteOldDeviceCodes", (db, p: Params<{ now: number; limit: number }>) =>
  db
    .deleteFrom("oauth2_device_codes")
    .where("id", "in", (eb) =>
      eb.selectFrom("oauth2_device_codes as old").select("old.id").where("old.expires_at", "<=", p.now).limit(p.limit),
    ),
)
