import { anyone } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { API_VERSION, VERSION } from "../../../core/version.ts"
import {
  GeneralAPISettings,
  GeneralAttachmentSettings,
  GeneralRepoSettings,
  GeneralUISettings,
  NodeInfo,
  ServerVersion,
} from "./records.ts"
import { countPeople } from "./store.ts"
import { templateOperations } from "./template-operations.ts"

const DAY = 86_400

const miscellaneous = { tag: "miscellaneous", scope: [], access: anyone } as const
const settings = { tag: "settings", scope: [], access: anyone } as const

/** The public keys of the site's own signatures on commits; empty where it doesn't sign. */
const signingKey = {
  ...miscellaneous,
  answers: { 200: Type.String() },
  refuses: ["notFound"],
  handle: () => {
    throw refuse.notFound()
  },
} as const

const about: readonly Operation[] = [
  operation({
    ...miscellaneous,
    id: "getVersion",
    route: "GET /version",
    summary: "Get the version of the API",
    answers: { 200: ServerVersion },
    handle: () => ok({ version: API_VERSION }),
  }),

  operation({
    ...settings,
    id: "getGeneralAPISettings",
    route: "GET /settings/api",
    summary: "Get the limits of the API",
    answers: { 200: GeneralAPISettings },
    handle: ({ services: { config } }) =>
      ok({
        max_response_items: config.api.maxPageSize,
        default_paging_num: config.api.defaultPageSize,
        default_git_trees_per_page: 1000,
        default_max_blob_size: 10 * 2 ** 20,
        default_max_response_size: 100 * 2 ** 20,
      }),
  }),

  operation({
    ...settings,
    id: "getGeneralAttachmentSettings",
    route: "GET /settings/attachment",
    summary: "Get what may be attached",
    answers: { 200: GeneralAttachmentSettings },
    handle: () => ok({ enabled: false, allowed_types: "", max_size: 0, max_files: 0 }),
  }),

  operation({
    ...settings,
    id: "getGeneralRepositorySettings",
    route: "GET /settings/repository",
    summary: "Get what repositories can't do here",
    answers: { 200: GeneralRepoSettings },
    handle: ({ services }) =>
      ok({
        mirrors_disabled: !services.config.mirror.enabled,
        http_git_disabled: false,
        migrations_disabled: !services.config.migrations.enabled,
        stars_disabled: false,
        time_tracking_disabled: true,
        lfs_disabled: !services.config.lfs.enabled,
      }),
  }),

  operation({
    ...settings,
    id: "getGeneralUISettings",
    route: "GET /settings/ui",
    summary: "Get what the pages look like",
    answers: { 200: GeneralUISettings },
    handle: () =>
      ok({
        default_theme: "auto",
        allowed_reactions: ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"],
        custom_emojis: [],
      }),
  }),

  operation({
    ...miscellaneous,
    id: "getNodeInfo",
    route: "GET /nodeinfo",
    summary: "Get what the site is, in the form of nodeinfo 2.1",
    answers: { 200: NodeInfo },
    handle: async ({ db, services }) => {
      const now = services.now()
      const people = await countPeople.first(db, { halfYearAgo: now - 180 * DAY, monthAgo: now - 30 * DAY })
      return ok({
        version: "2.1",
        software: { name: "hearth", version: VERSION, repository: "", homepage: "" },
        protocols: [],
        services: { inbound: [], outbound: [] },
        openRegistrations: false,
        usage: {
          users: { total: people?.total ?? 0, activeHalfyear: people?.half_year ?? 0, activeMonth: people?.month ?? 0 },
          localPosts: 0,
          localComments: 0,
        },
        metadata: {},
      })
    },
  }),

  operation({ ...signingKey, id: "getSigningKey", route: "GET /signing-key.gpg", summary: "Get the GPG key that the site signs with" }),
  operation({ ...signingKey, id: "getSigningKeySSH", route: "GET /signing-key.pub", summary: "Get the SSH key that the site signs with" }),
]

export const siteOperations: readonly Operation[] = [...about, ...templateOperations]
