import { isDeepStrictEqual } from "node:util"
import type { Insertable } from "kysely"
import { type Actor, whoCalls } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Flag, flag } from "../../../core/database/tables/index.ts"
import type { WebhooksTable } from "../../../core/database/tables/webhooks.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { ownerIdsOf } from "../../../core/owner-scope.ts"
import type { Secrets } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { compileGlob } from "../../../core/text/globs.ts"
import { textsIn } from "./present.ts"
import type { CreateHookOption, EditHookOption } from "./records.ts"
import {
  changeWebhook,
  type Delivery,
  deliverJob,
  endWaiting,
  type HookOwner,
  insertWebhook,
  lockWebhook,
  removeWebhook,
  restartDelivery,
  type Webhook,
  writeHealth,
} from "./store.ts"
import { switchesNamed } from "./switches.ts"

type Needed = Pick<Services, "secrets" | "now">
type Config = Readonly<Record<string, string>>

/** The context that a webhook's secrets are encrypted for: in another row they can't be decrypted. */
export const sealOf = (webhookId: number, what: "secret" | "authorization"): string => `webhook:${webhookId}:${what}`

/**
 * Creates a webhook. One of the site's is a default webhook unless it is marked as a system webhook.
 * Refuses as invalid a configuration without an address or content type or with invalid ones, and an invalid glob as filter;
 * `badRequest` an invalid channel.
 */
export async function createWebhook(
  tx: Transaction,
  services: Needed,
  owner: HookOwner,
  actor: Actor,
  options: CreateHookOption,
): Promise<Webhook> {
  const { type, config } = options
  const now = services.now()
  const url = addressOf(required(config, "url"))
  const contentType = contentTypeOf(required(config, "content_type"))
  const isSystem = owner.of === "site" ? truthOf(config["is_system_webhook"] ?? String(options.is_system_webhook ?? false)) : 0
  const webhook = await insertSealed(
    tx,
    services.secrets,
    {
      repository_id: owner.of === "repository" ? owner.repositoryId : null,
      owner_id: owner.of === "owner" ? owner.ownerId : null,
      is_system: isSystem,
      type,
      name: (options.name ?? "").trim(),
      url,
      content_type: contentType,
      options: JSON.stringify(type === "slack" ? slackOf(config) : {}),
      events: JSON.stringify(switchesNamed(options.events ?? [], owner.of === "owner")),
      branch_filter: filterOf(options.branch_filter ?? ""),
      is_active: flag(options.active ?? false),
      created_at: now,
      updated_at: now,
    },
    { secret: config["secret"] ?? "", authorization: headerOf(options.authorization_header ?? "") },
  )
  publish(tx, { kind: "webhook.created", webhook, ...ownerIdsOf(webhook), actor: whoCalls(actor), at: now })
  return webhook
}

/**
 * Changes the members that are given. Waiting deliveries of a webhook that is switched off are not sent, unless they are requested again; a
 * webhook whose address moves to another server loses its authorization header, unless a new one is sent as well. Refuses as
 * `createWebhook` does, and `notFound` where it was deleted.
 */
export async function editWebhook(
  tx: Transaction,
  { secrets, now }: Needed,
  owner: HookOwner,
  actor: Actor,
  id: number,
  options: EditHookOption,
): Promise<Webhook> {
  const before = await lockWebhook(tx, owner, id)
  if (!before) throw refuse.notFound()
  const { config = {}, events, branch_filter, authorization_header, active, name } = options
  if (active === false) await endWaiting(tx, { webhookId: id, error: "the webhook was switched off", now: now() })
  // A user who may change a webhook may not know its credentials: they are not sent to another server unless given anew.
  const moves = config["url"] !== undefined && new URL(addressOf(config["url"])).origin !== new URL(before.url).origin
  const authorization = authorization_header ?? (moves ? "" : undefined)
  const slack = before.type === "slack" ? slackOf({ ...textsIn(before.options), ...config }) : {}
  const webhook = await changeWebhook(tx, id, {
    ...(config["url"] !== undefined && { url: addressOf(config["url"]), failures: 0, rests_until: 0 }),
    ...(config["content_type"] !== undefined && { content_type: contentTypeOf(config["content_type"]) }),
    ...(config["secret"] !== undefined && { sealed_secret: sealed(secrets, config["secret"], sealOf(id, "secret")) }),
    options: JSON.stringify(slack),
    ...(events !== undefined && { events: JSON.stringify(switchesNamed(events, before.owner_id !== null)) }),
    ...(branch_filter !== undefined && { branch_filter: filterOf(branch_filter) }),
    ...(authorization !== undefined && { sealed_authorization: sealed(secrets, headerOf(authorization), sealOf(id, "authorization")) }),
    ...(active !== undefined && { is_active: flag(active) }),
    ...(name !== undefined && { name: name.trim() }),
    updated_at: now(),
  })
  if (!isDeepStrictEqual({ ...before, updated_at: 0 }, { ...webhook, updated_at: 0 }))
    publish(tx, { kind: "webhook.edited", webhook, ...ownerIdsOf(webhook), actor: whoCalls(actor) })
  return webhook
}

/** Deletes a webhook with its deliveries; waiting ones are not sent. Refuses `notFound` where it was deleted already. */
export async function deleteWebhook(tx: Transaction, owner: HookOwner, actor: Actor, id: number): Promise<void> {
  const webhook = await lockWebhook(tx, owner, id)
  if (!webhook) throw refuse.notFound()
  await removeWebhook(tx, id)
  publish(tx, { kind: "webhook.deleted", webhook, ...ownerIdsOf(webhook), actor: whoCalls(actor) })
}

/** Copies webhooks, with their secrets, into a repository. */
export async function copyWebhooks(
  tx: Transaction,
  { secrets, now }: Needed,
  repositoryId: number,
  originals: readonly Webhook[],
): Promise<void> {
  for (const original of originals) {
    const { id, sealed_secret, sealed_authorization, failures: _failures, rests_until: _rest, ...row } = original
    const open = (text: string, what: "secret" | "authorization") => (text === "" ? "" : secrets.unseal(text, sealOf(id, what)))
    await insertSealed(
      tx,
      secrets,
      { ...row, repository_id: repositoryId, owner_id: null, is_system: 0, created_at: now(), updated_at: now() },
      { secret: open(sealed_secret, "secret"), authorization: open(sealed_authorization, "authorization") },
    )
  }
}

/** Schedules a delivery again, now and with retries for a day, whatever its outcome so far. */
export async function redeliver(tx: Transaction, { jobs, now }: Pick<Services, "jobs" | "now">, { id }: Delivery): Promise<Delivery> {
  const delivery = await restartDelivery.first(tx, { id, now: now() })
  if (!delivery) throw refuse.notFound()
  await writeHealth(tx, { id: delivery.webhook_id, failures: 0, restsUntil: 0 })
  await jobs.enqueue(tx, deliverJob, { deliveryId: id, attempt: delivery.attempts + 1 })
  return delivery
}

type Row = Omit<Insertable<WebhooksTable>, "id" | "sealed_secret" | "sealed_authorization">

/** The secrets are encrypted for the row's id, so they are written after the row. */
async function insertSealed(
  tx: Transaction,
  secrets: Secrets,
  row: Row,
  { secret, authorization }: { readonly secret: string; readonly authorization: string },
): Promise<Webhook> {
  const made = await insertWebhook(tx, { ...row, sealed_secret: "", sealed_authorization: "" })
  if (secret === "" && authorization === "") return made
  return changeWebhook(tx, made.id, {
    sealed_secret: sealed(secrets, secret, sealOf(made.id, "secret")),
    sealed_authorization: sealed(secrets, authorization, sealOf(made.id, "authorization")),
  })
}

const sealed = (secrets: Secrets, text: string, context: string): string => (text === "" ? "" : secrets.seal(text, context))

/** What is wrong with a member of the configuration: API clients know it as that of the whole, forms show it beside the field. */
const inConfig = (name: string, message: string): Refusal => new Refusal("invalid", t`[config]: ${message}`, `config.${name}`)

function required(config: Config, name: string): string {
  const value = config[name]
  if (value === undefined || value === "") throw inConfig(name, `Missing config option: ${name}`)
  return value
}

function addressOf(text: string): string {
  const url = URL.parse(text.trim())
  // The URL parser would ignore line breaks inside.
  if (!url || !/^https?:\/\//i.test(text.trim()) || url.hostname === "" || /\p{Cc}/u.test(text.trim()))
    throw inConfig("url", "Invalid url: it must be an http or https address")
  if (url.username !== "" || url.password !== "") throw inConfig("url", "Invalid url: put what signs in into authorization_header instead")
  return text.trim()
}

/** A valid header value. */
function headerOf(text: string): string {
  if (!/^[\t\x20-\x7e]*$/.test(text)) throw refuse.invalid("authorization_header", "must be one line of ASCII")
  return text.trim()
}

function contentTypeOf(word: string): "json" | "form" {
  if (word === "json" || word === "form") return word
  throw refuse.invalid("config", "Invalid content type: it must be json or form")
}

function truthOf(word: string): Flag {
  if (/^(1|t|T|TRUE|true|True)$/.test(word)) return 1
  if (/^(0|f|F|FALSE|false|False|)$/.test(word)) return 0
  throw refuse.invalid("config", "Invalid is_system_webhook value: it must be true or false")
}

function filterOf(glob: string): string {
  const filter = glob.trim()
  if (filter !== "" && !compileGlob(filter)) throw new Refusal("invalid", "[BranchFilter]: must be a glob", "branch_filter")
  return filter
}

/** The options of a slack receiver besides its address. */
function slackOf(config: Config): Config {
  const channel = (config["channel"] ?? "").trim()
  if (channel === "") throw inConfig("channel", "Missing config option: channel")
  if (!/^#?[\p{L}\p{N}_-]{1,80}$/u.test(channel)) throw refuse.badRequest("Invalid slack channel name")
  const { username = "", icon_url = "", color = "" } = config
  return { channel, username, icon_url, color }
}
