import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** The kinds of receivers. */
export const TYPES = [
  "dingtalk",
  "discord",
  "gitea",
  "gogs",
  "msteams",
  "slack",
  "telegram",
  "feishu",
  "wechatwork",
  "packagist",
  "matrix",
] as const

export const Hook = record("Hook", {
  id: int64(),
  name: Type.String(),
  type: Type.String(),
  branch_filter: Type.String(),
  config: Type.Record(Type.String(), Type.String(), { description: "url and content_type; no secret is ever shown" }),
  events: Type.Array(Type.String()),
  authorization_header: Type.String({ description: "always empty: what was set is not shown" }),
  active: Type.Boolean(),
  updated_at: dateTime(),
  created_at: dateTime(),
})
export type Hook = Static<typeof Hook>

const changeable = {
  active: Type.Optional(Type.Boolean()),
  authorization_header: Type.Optional(Type.String({ maxLength: 4_096, description: "sent as the Authorization header of each delivery" })),
  branch_filter: Type.Optional(
    Type.String({ maxLength: 1_024, description: "a glob of branches for push, create and delete; empty for all" }),
  ),
  events: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 100,
      description:
        "pushes where there are none; issues and pull_request stand for all of their kind, issues_only and pull_request_only for themselves",
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: 255 })),
}

const configuration = (options: { readonly title?: string } = {}) =>
  Type.Record(Type.String(), Type.String({ maxLength: 4_096 }), {
    description: "url and content_type (json or form) are needed; secret; for slack channel, username, icon_url, color",
    ...options,
  })

export const CreateHookOption = record("CreateHookOption", {
  ...changeable,
  type: oneOf(TYPES),
  config: configuration({ title: "CreateHookOptionConfig" }),
  is_system_webhook: Type.Optional(
    Type.Boolean({ description: "of the site: sent for every repository, instead of copied to new ones; also taken as a text in config" }),
  ),
})
export type CreateHookOption = Static<typeof CreateHookOption>

export const EditHookOption = record("EditHookOption", { ...changeable, config: Type.Optional(configuration()) })
export type EditHookOption = Static<typeof EditHookOption>

export const GitHook = record("GitHook", { name: Type.String(), is_active: Type.Boolean(), content: Type.String() })
export const EditGitHookOption = record("EditGitHookOption", { content: Type.Optional(Type.String()) })

/** A request as it was sent; an Authorization header has its value removed. */
export const DeliveryRequest = record("HookDeliveryRequest", {
  method: Type.String(),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
})
export type DeliveryRequest = Static<typeof DeliveryRequest>

export const DeliveryResponse = record("HookDeliveryResponse", {
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String({ description: "the first 64 KiB" }),
})
export type DeliveryResponse = Static<typeof DeliveryResponse>

const deliveryFields = {
  id: int64(),
  uuid: Type.String({ description: "what the receiver knows it by, the same in every attempt" }),
  event: Type.String(),
  event_type: Type.String(),
  state: oneOf(["waiting", "delivered", "failed"]),
  attempts: Type.Integer({ description: "how often it was tried" }),
  error: Type.String({ description: "why the last attempt failed; empty where it succeeded" }),
  created_at: dateTime(),
  attempted_at: nullable(dateTime({ description: "when it was tried last" })),
  next_attempt_at: nullable(dateTime({ description: "when it is tried again at the earliest" })),
}
export const HookDelivery = record("HookDelivery", deliveryFields)
export type HookDelivery = Static<typeof HookDelivery>

export const HookDeliveryDetails = record("HookDeliveryDetails", {
  ...deliveryFields,
  payload: Type.String({ description: "what receivers of the kind gitea are sent, as it is signed" }),
  request: nullable(DeliveryRequest),
  response: nullable(DeliveryResponse),
})
export type HookDeliveryDetails = Static<typeof HookDeliveryDetails>
