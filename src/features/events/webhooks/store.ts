import { type Insertable, type Selectable, type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { WebhookDeliveriesTable, WebhooksTable } from "../../../core/database/tables/webhooks.ts"
import { jobKind } from "../../../core/jobs/jobs.ts"
import type { Page } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

export type Webhook = Selectable<WebhooksTable>
export type Delivery = Selectable<WebhookDeliveriesTable>

/** The owner of webhooks: a repository, a user or an organisation, or the site, with one sort of its webhooks or both. */
export type HookOwner = Exclude<Owning, { readonly of: "site" }> | { readonly of: "site"; readonly sort: "all" | "default" | "system" }

const webhooksOf = (db: Handle, owner: HookOwner) => {
  const all = db.selectFrom("webhooks")
  switch (owner.of) {
    case "repository":
      return all.where("repository_id", "=", owner.repositoryId)
    case "owner":
      return all.where("owner_id", "=", owner.ownerId)
    case "site": {
      const ofSite = all.where("repository_id", "is", null).where("owner_id", "is", null)
      return owner.sort === "all" ? ofSite : ofSite.where("is_system", "=", owner.sort === "system" ? 1 : 0)
    }
  }
}

/** A page of an owner's webhooks, oldest first, and how many there are. */
export async function findWebhooks(db: Handle, owner: HookOwner, { limit, offset }: Page) {
  const { total } = await webhooksOf(db, owner)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow()
  const rows = await webhooksOf(db, owner).selectAll().orderBy("id").limit(limit).offset(offset).execute()
  return { rows, total }
}

/** A webhook of an owner, or undefined. */
export const findWebhook = (db: Handle, owner: HookOwner, id: number): Promise<Webhook | undefined> =>
  webhooksOf(db, owner).selectAll().where("id", "=", id).executeTakeFirst()

/** The same, locked. */
export const lockWebhook = (tx: Transaction, owner: HookOwner, id: number): Promise<Webhook | undefined> =>
  webhooksOf(tx, owner).selectAll().where("id", "=", id).modifyEnd(forNoKeyUpdate).executeTakeFirst()

export const findWebhookById = query("webhooks.findById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("webhooks").selectAll().where("id", "=", p.id),
)

/** The webhooks that listen to a repository: its own active ones, its owner's, and the system's. */
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

/** The webhooks that listen to what belongs to an account itself: its own active ones, and the system's. */
export const findOwnersListeners = query("webhooks.findOwnersListeners", (db, p: Params<{ ownerId: number }>) => {
  const active = db.selectFrom("webhooks").selectAll().where("is_active", "=", 1)
  return active
    .where("owner_id", "=", p.ownerId)
    .unionAll(active.where("repository_id", "is", null).where("owner_id", "is", null).where("is_system", "=", 1))
})

/** All webhooks of a repository. */
export const findOfRepository = query("webhooks.findOfRepository", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("webhooks").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id"),
)

/** The webhooks that are copied into each new repository. */
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
  readonly eventTransaction: number
  readonly eventId: number
}

/** Sends a delivery. */
export const deliverJob = jobKind({
  kind: "webhooks.deliver",
  payload: Type.Object({
    deliveryId: int64(),
    /** The number of the attempt, from 1; a job for an attempt that was made already does nothing. */
    attempt: Type.Integer(),
  }),
})

/** Stores a delivery. Returns no row where the webhook was deleted meanwhile, which is no failure of the caller. */
export const insertDelivery = query("webhooks.insertDelivery", (db, p: Params<NewDelivery>) => {
  const now = sql<Seconds>`cast(${p.now} as bigint)`
  return db
    .insertInto("webhook_deliveries")
    .columns([
      "webhook_id",
      "uuid",
      "event",
      "payload",
      "state",
      "created_at",
      "started_at",
      "next_attempt_at",
      "event_transaction",
      "event_id",
    ])
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
          sql<number>`cast(${p.eventTransaction} as bigint)`.as("event_transaction"),
          sql<number>`cast(${p.eventId} as bigint)`.as("event_id"),
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
/** A delivery without its request and answer, which may be long. */
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
  /** The number of earlier attempts. */
  readonly before: number
  readonly state: Delivery["state"]
  readonly attemptedAt: Seconds
  readonly nextAttemptAt: Seconds
  readonly request: string
  readonly response: string
  readonly error: string
}

/** Records the outcome of an attempt, unless another attempt was recorded first. */
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

/** Allows a delivery to be retried for a day from now on. */
export const restartDelivery = query("webhooks.restartDelivery", (db, p: Params<{ id: number; now: Seconds }>) =>
  db
    .updateTable("webhook_deliveries")
    .set({ state: "waiting", started_at: p.now, next_attempt_at: p.now })
    .where("id", "=", p.id)
    .returningAll(),
)

/** Ends a webhook's waiting deliveries without sending them. */
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

// Written out, as a partial index is only used for the very words of its condition.
const ended = sql<SqlBool>`state <> 'waiting'`

/** Removes up to `limit` deliveries that ended before that time. */
export const removeEndedDeliveries = query("webhooks.removeEnded", (db, p: Params<{ before: Seconds; limit: number }>) =>
  db
    .deleteFrom("webhook_deliveries")
    .where("id", "in", (eb) =>
      eb.selectFrom("webhook_deliveries").select("id").where(ended).where("attempted_at", "<", p.before).limit(p.limit),
    ),
)

/** Changes a webhook. */
export const changeWebhook = (tx: Transaction, id: number, changes: Partial<Webhook>) =>
  tx.updateTable("webhooks").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow()

/** Removes a webhook with its deliveries. */
export const removeWebhook = (tx: Transaction, id: number) => tx.deleteFrom("webhooks").where("id", "=", id).execute()

export const insertWebhook = (tx: Transaction, row: Insertable<WebhooksTable>) =>
  tx.insertInto("webhooks").values(row).returningAll().executeTakeFirstOrThrow()
