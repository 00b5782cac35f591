import { findUserById } from "../../../access/store.ts"
import { logName, positionText } from "../../../core/events/position.ts"
import { NotYet } from "../../../core/jobs/jobs.ts"
import type { OutgoingAnswer } from "../../../core/outgoing/request.ts"
import { redact } from "../../../core/redact.ts"
import type { Services } from "../../../core/services.ts"
import type { DeliveryRequest, DeliveryResponse } from "./records.ts"
import { type DeliverySecrets, requestOf } from "./request.ts"
import { sealOf } from "./rules.ts"
import {
  type Delivery,
  deliverJob,
  findDelivery,
  findWebhookById,
  postponeDelivery,
  recordAttempt,
  type Webhook,
  writeHealth,
} from "./store.ts"

/** Milliseconds that a receiver has to answer. */
const TIMEOUT = 5_000
/** Bytes of an answer that are stored. */
const MAX_ANSWER_BYTES = 65_536
/** Seconds between two attempts, at least and at most; in between, twice the time passed so far: about eleven attempts in a day. */
const PAUSES = { shortest: 10, longest: 21_600 } as const
/** The longest pause for a failing receiver, in seconds. */
const LONGEST_REST = 1_800
const DAY = 86_400

/** A delay with a jitter of up to a fifth, so that simultaneous failures are retried at different times. */
const spread = (seconds: number): number => Math.max(1, Math.round(seconds * (0.8 + Math.random() * 0.4)))

interface Attempt {
  readonly deliveryId: number
  /** 1 for the first. */
  readonly attempt: number
}

/** The outcome of an attempt. */
interface Outcome {
  readonly request: DeliveryRequest | undefined
  readonly response: DeliveryResponse | undefined
  /** "" where it succeeded. */
  readonly error: string
}

/**
 * Makes one attempt at a delivery, records its outcome, and schedules a retry if it failed. A failing receiver is paused, longer with
 * each failure: its other deliveries wait without an attempt, so that a receiver that is down doesn't occupy all workers.
 */
export async function deliver(services: Services, { deliveryId, attempt }: Attempt, signal: AbortSignal): Promise<void> {
  const { database, now } = services
  const delivery = await findDelivery.first(database.read, { id: deliveryId })
  const webhook = delivery && (await findWebhookById.first(database.read, { id: delivery.webhook_id }))
  if (!webhook || delivery.state !== "waiting" || delivery.attempts !== attempt - 1) return
  const rests = webhook.rests_until > now() && now() - delivery.started_at < DAY
  if (rests) throw await postpone(services, delivery, webhook)
  await recordOutcome(services, delivery, webhook, attempt, await attemptOnce(services, delivery, webhook, attempt, signal))
}

/** Records in the delivery its earliest next attempt, and returns the value that postpones its job until then. */
async function postpone({ database }: Services, { id }: Delivery, { rests_until }: Webhook): Promise<NotYet> {
  const until = rests_until + Math.floor(Math.random() * 5)
  await database.write((tx) => postponeDelivery(tx, { id, until }))
  return new NotYet("its receiver is left alone for a while", until)
}

async function attemptOnce(
  services: Services,
  delivery: Delivery,
  webhook: Webhook,
  attempt: number,
  signal: AbortSignal,
): Promise<Outcome> {
  let request: DeliveryRequest | undefined
  try {
    request = requestOf(webhook, delivery, attempt, await open(services, delivery, webhook))
    if (!request) return { request, response: undefined, error: "" }
    const answer = await services.outgoing.send({ ...request, timeoutMs: TIMEOUT, maxBytes: MAX_ANSWER_BYTES, signal })
    const isFine = answer.status >= 200 && answer.status < 300
    return { request, response: storedAnswer(answer), error: isFine ? "" : `the receiver answered ${answer.status}` }
  } catch (error) {
    // Interrupted because the service stops: not a failure, and the job will run again.
    if (signal.aborted) throw error
    return { request, response: undefined, error: redact(error instanceof Error ? error.message : String(error)).slice(0, 1_000) }
  }
}

/** Decrypts the secrets. Throws where one can't be decrypted any more. */
async function open(
  services: Services,
  { event_transaction: transaction, event_id: id }: Delivery,
  webhook: Webhook,
): Promise<DeliverySecrets> {
  const { secrets, database } = services
  const unseal = (text: string, what: "secret" | "authorization") => (text === "" ? "" : secrets.unseal(text, sealOf(webhook.id, what)))
  const owner = webhook.owner_id === null ? undefined : await findUserById.first(database.read, { id: webhook.owner_id })
  return {
    secret: unseal(webhook.sealed_secret, "secret"),
    authorization: unseal(webhook.sealed_authorization, "authorization"),
    position: id === 0 ? "" : positionText(await logName(services)(), { transaction, id }),
    target: webhook.repository_id !== null ? "repository" : owner ? (owner.kind === "organization" ? "organization" : "user") : "system",
  }
}

// Neither database stores this character in a text column.
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD")

const storedAnswer = ({ status, headers, body }: OutgoingAnswer): DeliveryResponse => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, storable(value)])),
  body: storable(body.toString("utf8")),
})

/** A request as it is stored: without credentials, and without a body that the delivery stores already. */
const storedRequest = (request: DeliveryRequest, { payload }: Delivery): DeliveryRequest => ({
  ...request,
  body: request.body === payload ? "" : request.body,
  headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, name === "Authorization" ? "…" : value])),
})

async function recordOutcome(
  services: Services,
  delivery: Delivery,
  webhook: Webhook,
  attempt: number,
  { request, response, error }: Outcome,
): Promise<void> {
  const { database, jobs, now } = services
  const failed = error !== ""
  await database.write(async (tx) => {
    const at = now()
    const pause = failed ? pauseAfter(delivery, at) : undefined
    const recorded = await recordAttempt.changes(tx, {
      id: delivery.id,
      before: attempt - 1,
      state: !failed ? "delivered" : pause === undefined ? "failed" : "waiting",
      attemptedAt: at,
      nextAttemptAt: at + (pause ?? 0),
      request: request ? JSON.stringify(storedRequest(request, delivery)) : "",
      response: response ? JSON.stringify(response) : "",
      error,
    })
    if (recorded === 0) return
    if (pause !== undefined) await jobs.enqueue(tx, deliverJob, { deliveryId: delivery.id, attempt: attempt + 1 }, { runAt: at + pause })
    if (failed) {
      const failures = webhook.failures + 1
      await writeHealth(tx, { id: webhook.id, failures, restsUntil: at + Math.min(10 * 2 ** Math.min(failures - 1, 10), LONGEST_REST) })
    } else if (webhook.failures > 0) await writeHealth(tx, { id: webhook.id, failures: 0, restsUntil: 0 })
  })
}

/** Seconds until the next attempt; undefined where that would be after more than a day. */
function pauseAfter({ started_at }: Delivery, now: number): number | undefined {
  const elapsed = now - started_at
  const pause = spread(Math.min(Math.max(2 * elapsed, PAUSES.shortest), PAUSES.longest))
  return elapsed + pause > DAY ? undefined : pause
}
