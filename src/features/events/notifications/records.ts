import { dateTime, int64, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Repository } from "../../code/repositories/records.ts"
import { CAUSES } from "./causes.ts"

export const NotificationSubject = record("NotificationSubject", {
  title: Type.String(),
  url: Type.String({ description: "address in this API" }),
  latest_comment_url: Type.String({ description: "newest comment in this API, empty where there is none" }),
  html_url: Type.String({ format: "uri" }),
  latest_comment_html_url: Type.String({ description: "page of the newest comment, empty where there is none" }),
  type: oneOf(["Issue", "Pull", "Commit", "Repository"], { description: "Commit for a failed run, whose addresses are those of the run" }),
  state: oneOf(["open", "closed", "merged", ""], { description: "empty where the subject has none" }),
})
export type NotificationSubject = Static<typeof NotificationSubject>

export const NotificationThread = record("NotificationThread", {
  id: int64(),
  repository: Repository,
  subject: NotificationSubject,
  unread: Type.Boolean({ description: "neither read nor pinned" }),
  pinned: Type.Boolean(),
  updated_at: dateTime(),
  url: Type.String({ format: "uri" }),
})
export type NotificationThread = Static<typeof NotificationThread>

export const NotificationCount = record("NotificationCount", { new: int64({ description: "unread threads" }) })

const causes = (description: string) => Type.Array(oneOf(CAUSES), { description })
const LIST = "what comes into the list of notifications"
const MAIL = "what is told by mail, where the site sends mail"

export const NotificationSettings = record("NotificationSettings", { list: causes(LIST), mail: causes(MAIL) })

export const NotificationSettingsOption = record("NotificationSettingsOption", {
  list: Type.Optional(causes(LIST)),
  mail: Type.Optional(causes(MAIL)),
})
