import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Where a person wants to be told of something in another way than usual; what is as usual has no row. */
export interface NotificationChoicesTable {
  user_id: number
  /** One of the causes in `events/notifications/causes.ts`. */
  cause: string
  in_list: Flag
  by_mail: Flag
}

/** What a person who does not watch a repository wants to be told of besides what they take part in. */
export interface NotificationLevelsTable {
  user_id: number
  repository_id: number
  /** "ignored": of nothing, not even of mentions. */
  level: "releases" | "ignored"
}

/** Sentences of administrators to everyone, on top of all pages. */
export interface AnnouncementsTable {
  id: Generated<number>
  /** Markdown. */
  content: string
  tone: "info" | "warn" | "bad" | "good"
  audience: "everybody" | "signedIn"
  /** 0: since ever. */
  starts_at: Seconds
  /** 0: until it is removed. */
  ends_at: Seconds
  created_at: Seconds
  updated_at: Seconds
}

/** Addresses whose owner may join a team. The code of the mail is signed and not stored; using it removes the row. */
export interface TeamInvitationsTable {
  id: Generated<number>
  team_id: number
  lower_email: string
  invited_by: number
  created_at: Seconds
  sent_at: Seconds
  expires_at: Seconds
}

export interface AttentionTables {
  notification_choices: NotificationChoicesTable
  notification_levels: NotificationLevelsTable
  announcements: AnnouncementsTable
  team_invitations: TeamInvitationsTable
}
