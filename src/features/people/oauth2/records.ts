import { dateTime, int64, nonBlank, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const OAuth2Application = record("OAuth2Application", {
  id: int64(),
  name: Type.String(),
  client_id: Type.String(),
  client_secret: Type.String({ description: "in the answers that make it: to creating and editing; empty ever after" }),
  confidential_client: Type.Boolean({
    description: "whether it can keep its secret, as a server can and a program that people install can't",
  }),
  skip_secondary_authorization: Type.Boolean({ description: "whether people who have agreed once are not asked again" }),
  device_flow: Type.Boolean({ description: "whether it may sign people in by a code that they type on another device" }),
  redirect_uris: Type.Array(Type.String()),
  created: dateTime(),
})
export type OAuth2Application = Static<typeof OAuth2Application>

export const CreateOAuth2ApplicationOptions = record("CreateOAuth2ApplicationOptions", {
  name: nonBlank({ maxLength: 255 }),
  redirect_uris: Type.Array(Type.String(), {
    description: "where it may receive codes: absolute addresses with http, https, or a scheme that the site allows",
  }),
  confidential_client: Type.Optional(Type.Boolean({ description: "false where it is left out" })),
  skip_secondary_authorization: Type.Optional(Type.Boolean({ description: "false where it is left out" })),
  device_flow: Type.Optional(Type.Boolean({ description: "false where it is left out; not for confidential clients" })),
})
export type CreateOAuth2ApplicationOptions = Static<typeof CreateOAuth2ApplicationOptions>
