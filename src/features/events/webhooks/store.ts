import { type Selectable, type SqlBool, sql } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { WebhookDeliveriesTable, WebhooksTable } from "../../../core/database/tables/webhooks.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { jobKind } from "../../../core/jobs/jobs.ts"
import type { Page } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

export type Webhook = Selectable<WebhooksTable>
export type Delivery = Selectable<WebhookDeliveriesTable>

/** Whose webhooks: a repository's, a person's or an organisation's, or the site's of one sort or of both. */
export type Place = Exclude<Owning, { readonly of: "site" }> | { readonly of: "site"; readonly sort: "all" | "default" | "system" }

const inPlace = (db: Handle, place: Place) => {
  const all = db.selectFrom("webhooks")
  switch (place.of) {
    case "repository":
      return all.where("repository_id", "=", place.repositoryId)
    case "owner":
      return all.where("owner_id", "=", place.ownerId)
    case "site": {
      const ofSite = all.where("repository_id", "is", null).where("owner_id", "is", null)
      return place.sort === "all" ? ofSite : ofSite.where("is_system", "=", place.sort === "system" ? 1 : 0)
    }
  }
}

/** A page of a place's webhooks, oldest first, and how many there are. */
export async function findWebhooks(db: Handle, place: Place, { limit, offset }: Page) {
  const { total } = await inPlace(db, place)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow()
  const rows = await inPlace(db, place).selectAll().orderBy("id").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** A webhook of a place, or undefined. */
export const findWebhook = (db: Handle, place: Place, id: number): Promise<Webhook | undefined> =>
  inPlace(db, place).selectAll().where("id", "=", id).executeTakeFirst()

export const findWebhookById = query("webhooks.findById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("webhooks").selectAll().where("id", "=", p.id),
)

/** Whoever is told of what happens in a repository: its own webhooks that are switched on, its owner's, and the system's. */
export const findListeners = query("webhooks.findListeners", (db, p: Params<{ repositoryId: number }>) => {
  const active = db.selectFrom("webhooks").selectAll().where("is_active", "=", 1)
  return active
    .where("repository_id", "=", p.repositoryId)
    .unionAll(
      active.where("owner_id", "=", (eb) =>
        eb.selectFrom("repositories").select("repositories.owner_id").where("repositories.id", "=", p.repositoryId),
      ),
    )
    .unionAll(active.where("repository_id", "is", null).where("owner_id", "is", null).where("is_system", "=", 1))
})

/** All webhooks of a repository. */
export const findOfRepository = query("webhooks.findOfRepository", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("webhooks").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id"),
)

/** What is copied into each new repository. */
export const findDefaults = query("webhooks.findDefaults", (db) =>
  db
    .selectFrom("webhooks")
    .selectAll()
    .where("repository_id", "is", null)
    .where("owner_id", "is", null)
    .where("is_system", "=", 0)
    .orderBy("id"),
)

interface NewDelivery {
  readonly webhookId: number
  readonly uuid: string
  readonly event: string
  readonly payload: string
  readonly now: Seconds
}

/** Tries to deliver what a webhook is told. */
export const deliverJob = jobKind({
  kind: "webhooks.deliver",
  payload: Type.Object({
    deliveryId: int64(),
    /** Which attempt it is to be, from 1; what was meant for an attempt that has been made does nothing. */
    attempt: Type.Integer(),
  }),
})

/** Writes down what a webhook is to be told. No row is given where it has been deleted meanwhile, which is no failure of whoever tells. */
export const insertDelivery = query("webhooks.insertDelivery", (db, p: Params<NewDelivery>) => {
  const now = sql<Seconds>`cast(${p.now} as bigint)`
  return db
    .insertInto("webhook_deliveries")
    .columns(["webhook_id", "uuid", "event", "payload", "state", "created_at", "started_at", "next_attempt_at"])
    .expression((eb) =>
      eb
        .selectFrom("webhooks")
        .select([
          "webhooks.id",
          sql<string>`cast(${p.uuid} as text)`.as("uuid"),
          sql<string>`cast(${p.event} as text)`.as("event"),
          sql<string>`cast(${p.payload} as text)`.as("payload"),
          sql.lit<"waiting">("waiting").as("state"),
          now.as("created_at"),
          now.as("started_at"),
          now.as("next_attempt_at"),
        ])
        .where("webhooks.id", "=", p.webhookId)
        .modifyEnd(portable({ sqlite: sql``, postgres: sql`for key share` })),
    )
    .returning("id")
})

export const findDelivery = query("webhooks.findDelivery", (db, p: Params<{ id: number }>) =>
  db.selectFrom("webhook_deliveries").selectAll().where("id", "=", p.id),
)

const DELIVERY_COLUMNS = ["id", "uuid", "event", "state", "attempts", "created_at", "attempted_at", "next_attempt_at", "error"] as const
/** A delivery without its texts, which may be long. */
export type DeliverySummary = Pick<Delivery, (typeof DELIVERY_COLUMNS)[number]>

/** A page of a webhook's deliveries, newest first, and how many there are. */
export async function findDeliveries(db: Handle, webhookId: number, { limit, offset }: Page) {
  const all = db.selectFrom("webhook_deliveries").where("webhook_id", "=", webhookId)
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await all.select(DELIVERY_COLUMNS).orderBy("id", "desc").limit(limit).offset(offset).execute()
  return { rows, total }
}

interface Attempt {
  readonly id: number
  /** How often it was tried before. */
  readonly before: number
  readonly state: Delivery["state"]
  readonly attemptedAt: Seconds
  readonly nextAttemptAt: Seconds
  readonly request: string
  readonly response: string
  readonly error: string
}

/** Writes down how an attempt went, unless another has come first. */
export const recordAttempt = query("webhooks.recordAttempt", (db, p: Params<Attempt>) =>
  db
    .updateTable("webhook_deliveries")
    .set((eb) => ({
      state: p.state,
      attempts: eb("attempts", "+", 1),
      attempted_at: p.attemptedAt,
      next_attempt_at: p.nextAttemptAt,
      request: p.request,
      response: p.response,
      error: p.error,
    }))
    .where("id", "=", p.id)
    .where("attempts", "=", p.before),
)

export const postponeDelivery = query("webhooks.postponeDelivery", (db, p: Params<{ id: number; until: Seconds }>) =>
  db.updateTable("webhook_deliveries").set({ next_attempt_at: p.until }).where("id", "=", p.id).where("state", "=", "waiting"),
)

/** Has a delivery tried again for a day from now on. */
export const restartDelivery = query("webhooks.restartDelivery", (db, p: Params<{ id: number; now: Seconds }>) =>
  db
    .updateTable("webhook_deliveries")
    .set({ state: "waiting", started_at: p.now, next_attempt_at: p.now })
    .where("id", "=", p.id)
    .returningAll(),
)

/** Ends what waits for a webhook without sending it. */
export const endWaiting = query("webhooks.endWaiting", (db, p: Params<{ webhookId: number; error: string; now: Seconds }>) =>
  db
    .updateTable("webhook_deliveries")
    .set({ state: "failed", error: p.error, attempted_at: p.now })
    .where("webhook_id", "=", p.webhookId)
    .where("state", "=", "waiting"),
)

export const writeHealth = query("webhooks.writeHealth", (db, p: Params<{ id: number; failures: number; restsUntil: Seconds }>) =>
  db.updateTable("webhooks").set({ failures: p.failures, rests_until: p.restsUntil }).where("id", "=", p.id),
)

// Written out, as the index covers a part of the table and is only used for the very words that it was made with.
const ended = sql<SqlBool>`state <> 'waiting'`

/** Removes up to `limit` deliveries that ended before that time. */
export const removeEndedDeliveries = query("webhooks.removeEnded", (db, p: Params<{ before: Seconds; limit: number }>) =>
  db
    .deleteFrom("webhook_deliveries")
    .where("id", "in", (eb) =>
      eb.selectFrom("webhook_deliveries").select("id").where(ended).where("attempted_at", "<", p.before).limit(p.limit),
    ),
)
