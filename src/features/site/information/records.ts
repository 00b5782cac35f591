import { int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const ServerVersion = record("ServerVersion", { version: Type.String({ description: "a plain semantic version" }) })
export type ServerVersion = Static<typeof ServerVersion>

// --- settings that clients adapt to ----------------------------------------------------------------------------------------------------

export const GeneralAPISettings = record("GeneralAPISettings", {
  max_response_items: int64({ description: "longest page of a list" }),
  default_paging_num: int64({ description: "page of a list where no limit is sent" }),
  default_git_trees_per_page: int64(),
  default_max_blob_size: int64({ description: "bytes" }),
  default_max_response_size: int64({ description: "bytes" }),
})
export type GeneralAPISettings = Static<typeof GeneralAPISettings>

export const GeneralAttachmentSettings = record("GeneralAttachmentSettings", {
  enabled: Type.Boolean(),
  allowed_types: Type.String({ description: "endings and media types, with commas between them" }),
  max_size: int64({ description: "MiB" }),
  max_files: int64(),
})
export type GeneralAttachmentSettings = Static<typeof GeneralAttachmentSettings>

export const GeneralRepoSettings = record("GeneralRepoSettings", {
  mirrors_disabled: Type.Boolean(),
  http_git_disabled: Type.Boolean(),
  migrations_disabled: Type.Boolean(),
  stars_disabled: Type.Boolean(),
  time_tracking_disabled: Type.Boolean(),
  lfs_disabled: Type.Boolean(),
})
export type GeneralRepoSettings = Static<typeof GeneralRepoSettings>

export const GeneralUISettings = record("GeneralUISettings", {
  default_theme: Type.String(),
  allowed_reactions: Type.Array(Type.String()),
  custom_emojis: Type.Array(Type.String()),
})
export type GeneralUISettings = Static<typeof GeneralUISettings>

// --- node information (nodeinfo.diaspora.software, schema 2.1) -------------------------------------------------------------------------

export const NodeInfo = record("NodeInfo", {
  version: Type.String({ description: "of the schema" }),
  software: record("NodeInfoSoftware", {
    name: Type.String(),
    version: Type.String(),
    repository: Type.String(),
    homepage: Type.String(),
  }),
  protocols: Type.Array(Type.String()),
  services: record("NodeInfoServices", { inbound: Type.Array(Type.String()), outbound: Type.Array(Type.String()) }),
  openRegistrations: Type.Boolean(),
  usage: record("NodeInfoUsage", {
    users: record("NodeInfoUsageUsers", {
      total: int64(),
      activeHalfyear: int64({ description: "signed in within 180 days" }),
      activeMonth: int64({ description: "signed in within 30 days" }),
    }),
    localPosts: int64(),
    localComments: int64(),
  }),
  metadata: Type.Object({}),
})
export type NodeInfo = Static<typeof NodeInfo>

// --- templates -------------------------------------------------------------------------------------------------------------------------

export const GitignoreTemplateInfo = record("GitignoreTemplateInfo", {
  name: Type.String(),
  source: Type.String({ description: "the template's text" }),
})
export type GitignoreTemplateInfo = Static<typeof GitignoreTemplateInfo>

export const LicensesTemplateListEntry = record("LicensesTemplateListEntry", {
  key: Type.String(),
  name: Type.String(),
  url: Type.String(),
})
export type LicensesTemplateListEntry = Static<typeof LicensesTemplateListEntry>

export const LicenseTemplateInfo = record("LicenseTemplateInfo", {
  key: Type.String(),
  name: Type.String(),
  url: Type.String(),
  implementation: Type.String({ description: "how to put the licence to use" }),
  body: Type.String({ description: "the licence's text" }),
})
export type LicenseTemplateInfo = Static<typeof LicenseTemplateInfo>
