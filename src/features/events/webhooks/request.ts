import { createHmac } from "node:crypto"
import { publicName } from "../../actions/external/names.ts"
import { messageFor } from "./messages/kinds.ts"
import { textsIn } from "./present.ts"
import type { DeliveryRequest } from "./records.ts"
import type { Delivery, Webhook } from "./store.ts"

type To = Pick<Webhook, "type" | "url" | "content_type" | "options">
type Content = Pick<Delivery, "uuid" | "event" | "payload">

/** The decrypted secrets that a delivery is sent with, and its target. */
export interface DeliverySecrets {
  readonly secret: string
  readonly authorization: string
  /** The owner of the webhook, in the terms of receivers. */
  readonly target: "repository" | "organization" | "user" | "system" | "default"
  /** The position of the event in the log, as a text; "" where it has none. */
  readonly position: string
}

const hmac = (algorithm: "sha1" | "sha256", secret: string, text: string): string =>
  secret === "" ? "" : createHmac(algorithm, secret).update(text).digest("hex")

/**
 * The request of an attempt. The signatures are of the JSON body, also where it is sent as a form. Undefined where receivers of this kind get
 * no message for such an event.
 */
export function requestOf(webhook: To, delivery: Content, attempt: number, opened: DeliverySecrets): DeliveryRequest | undefined {
  const text = bodyFor(webhook, delivery)
  if (text === undefined) return undefined
  const isForm = webhook.content_type === "form" && speaksPayload(webhook.type)
  return {
    method: webhook.type === "matrix" ? "PUT" : "POST",
    url: webhook.type === "matrix" ? withSegment(webhook.url, delivery.uuid) : webhook.url,
    headers: {
      "Content-Type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      ...(webhook.type === "feishu" ? {} : headersOf(delivery, attempt, text, opened)),
      ...(opened.authorization !== "" && { Authorization: opened.authorization }),
    },
    body: isForm ? new URLSearchParams({ payload: text }).toString() : text,
  }
}

/** Whether receivers of a kind get the payload itself; others get a message made from it. */
const speaksPayload = (type: string): boolean => type === "gitea" || type === "gogs"

function bodyFor(webhook: To, { event, payload }: Content): string | undefined {
  if (speaksPayload(webhook.type)) return payload
  const message = messageFor(webhook.type, { event, payload: JSON.parse(payload), options: textsIn(webhook.options) })
  return message && JSON.stringify(message, null, 2)
}

function withSegment(address: string, segment: string): string {
  const url = new URL(address)
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${segment}`
  return url.toString()
}

function headersOf(
  { uuid, event }: Content,
  attempt: number,
  text: string,
  { secret, target, position }: DeliverySecrets,
): Readonly<Record<string, string>> {
  const name = publicName(event)
  const sha256 = hmac("sha256", secret, text)
  return {
    "X-Gitea-Delivery": uuid,
    "X-Gitea-Event": name,
    "X-Gitea-Event-Type": event,
    "X-Gitea-Signature": sha256,
    "X-Gitea-Hook-Installation-Target-Type": target,
    "X-Gogs-Delivery": uuid,
    "X-Gogs-Event": name,
    "X-Gogs-Event-Type": event,
    "X-Gogs-Signature": sha256,
    "X-Hub-Signature": `sha1=${hmac("sha1", secret, text)}`,
    "X-Hub-Signature-256": `sha256=${sha256}`,
    "X-GitHub-Delivery": uuid,
    "X-GitHub-Event": name,
    "X-GitHub-Event-Type": event,
    "X-GitHub-Hook-Installation-Target-Type": target,
    "X-Hearth-Delivery-Attempt": String(attempt),
    ...(position !== "" && { "X-Hearth-Position": position }),
  }
}
