import { anyone } from "../../../access/policies/site.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { API_VERSION, VERSION } from "../../../core/version.ts"
import { DEFAULT_THEME } from "../../people/users/records.ts"
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
    summary: "Get the attachment settings",
    answers: { 200: GeneralAttachmentSettings },
    handle: ({ services: { config } }) => {
      const { enabled, types, maxBytes } = config.attachments
      return ok({ enabled, allowed_types: types, max_size: Math.floor(maxBytes / 2 ** 20), max_files: 5 })
    },
  }),

  operation({
    ...settings,
    id: "getGeneralRepositorySettings",
    route: "GET /settings/repository",
    summary: "Get the repository settings of the site",
    answers: { 200: GeneralRepoSettings },
    handle: ({ services }) =>
      ok({
        mirrors_disabled: !services.config.mirror.enabled,
        http_git_disabled: false,
        migrations_disabled: !services.config.migrations.enabled,
        stars_disabled: false,
        time_tracking_disabled: false,
        lfs_disabled: !services.config.lfs.enabled,
      }),
  }),

  operation({
    ...settings,
    id: "getGeneralUISettings",
    route: "GET /settings/ui",
    summary: "Get the UI settings",
    answers: { 200: GeneralUISettings },
    handle: () =>
      ok({
        default_theme: DEFAULT_THEME,
        allowed_reactions: ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"],
        custom_emojis: [],
      }),
  }),

  operation({
    ...miscellaneous,
    id: "getNodeInfo",
    route: "GET /nodeinfo",
    summary: "Get the site's nodeinfo 2.1",
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
]

export const siteOperations: readonly Operation[] = [...about, ...templateOperations]
