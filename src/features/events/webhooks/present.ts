import { rfc3339 } from "../../../core/record.ts"
import { publicName } from "../../actions/external/names.ts"
import type { DeliveryRequest, DeliveryResponse, Hook, HookDelivery, HookDeliveryDetails } from "./records.ts"
import type { Delivery, DeliverySummary, Webhook } from "./store.ts"

/** A webhook without its secrets. */
export const presentHook = (row: Webhook): Hook => ({
  id: row.id,
  name: row.name,
  type: row.type,
  branch_filter: row.branch_filter,
  config: { content_type: row.content_type, url: row.url, ...textsIn(row.options) },
  events: eventsOf(row).slice(),
  authorization_header: "",
  active: row.is_active === 1,
  updated_at: rfc3339(row.updated_at),
  created_at: rfc3339(row.created_at),
})

/** The switches that are on. */
export function eventsOf({ events }: Pick<Webhook, "events">): readonly string[] {
  const read: unknown = JSON.parse(events)
  return Array.isArray(read) ? read.map(String) : []
}

/** The members of a JSON object of texts. */
export function textsIn(json: string): Readonly<Record<string, string>> {
  const read: unknown = JSON.parse(json)
  return typeof read === "object" && read !== null
    ? Object.fromEntries(Object.entries(read).map(([name, value]) => [name, String(value)]))
    : {}
}

/** A delivery, without the request and the answer. */
export const presentDelivery = (row: DeliverySummary): HookDelivery => ({
  id: row.id,
  uuid: row.uuid,
  event: publicName(row.event),
  event_type: row.event,
  state: row.state,
  attempts: row.attempts,
  error: row.error,
  created_at: rfc3339(row.created_at),
  attempted_at: row.attempted_at === 0 ? null : rfc3339(row.attempted_at),
  next_attempt_at: row.state === "waiting" ? rfc3339(row.next_attempt_at) : null,
})

/** A delivery with the last request and the last answer. */
export const presentDeliveryDetails = (row: Delivery): HookDeliveryDetails => ({
  ...presentDelivery(row),
  payload: row.payload,
  request: requestOf(row),
  response: responseOf(row),
})

// Both were written by this service as these records.
export function requestOf({ request, payload }: Delivery): DeliveryRequest | null {
  if (request === "") return null
  const read: DeliveryRequest = JSON.parse(request)
  return read.body === "" ? { ...read, body: payload } : read
}
export const responseOf = ({ response }: Delivery): DeliveryResponse | null => (response === "" ? null : JSON.parse(response))
