import { requireAccount, signedIn } from "../../../access/policies/site.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { choicesOf, choose } from "./choices.ts"
import { NotificationSettings, NotificationSettingsOption } from "./records.ts"

const shared = { tag: "user", scope: ["user"], access: signedIn } as const

/** What a person wants to be told of, and how. */
export const notificationSettingOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "userGetNotificationSettings",
    since: "0.2.0",
    route: "GET /user/settings/notifications",
    summary: "Get what the caller is told of, and how",
    answers: { 200: NotificationSettings },
    handle: async ({ db, me }) => ok(await choicesOf(db, me.id)),
  }),

  operation({
    ...shared,
    id: "userUpdateNotificationSettings",
    since: "0.2.0",
    route: "PATCH /user/settings/notifications",
    summary: "Choose what the caller is told of, and how",
    description: "A list that is not sent stays as it is.",
    body: NotificationSettingsOption,
    answers: { 200: NotificationSettings },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, me, actor, body }) => {
      requireAccount({ me, actor })
      return ok(await services.database.write((tx) => choose(tx, me.id, body)))
    },
  }),
]
