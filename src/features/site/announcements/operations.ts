import { siteAdministrator } from "../../../access/policies/site.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { rfc3339, secondsOf } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Announcement, CreateAnnouncementOption, EditAnnouncementOption } from "./records.ts"
import { createAnnouncement, deleteAnnouncement, editAnnouncement, type Wanted } from "./rules.ts"
import { type AnnouncementRow, findAnnouncements } from "./store.ts"

const shared = { tag: "admin", scope: ["admin"], access: siteAdministrator } as const

const moment = (seconds: number): string | null => (seconds === 0 ? null : rfc3339(seconds))

export const presentAnnouncement = ({ starts_at, ends_at, created_at, updated_at, ...row }: AnnouncementRow): Announcement => ({
  ...row,
  starts_at: moment(starts_at),
  ends_at: moment(ends_at),
  created_at: rfc3339(created_at),
  updated_at: rfc3339(updated_at),
})

type Sent = Static<typeof EditAnnouncementOption>

/** What was sent, and nothing else that the body may hold. A time that is not sent stays as it is; null is none. */
function wantedOf({ content, tone, audience, starts_at, ends_at }: Sent): Wanted {
  const of = (text: string | null): number => (text === null ? 0 : (secondsOf(text) ?? 0))
  return {
    ...(content !== undefined && { content }),
    ...(tone !== undefined && { tone }),
    ...(audience !== undefined && { audience }),
    ...(starts_at !== undefined && { starts_at: of(starts_at) }),
    ...(ends_at !== undefined && { ends_at: of(ends_at) }),
  }
}

/** Sentences of administrators on top of all pages. */
export const announcementOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "adminListAnnouncements",
    since: "0.2.0",
    route: "GET /admin/announcements",
    summary: "List announcements, newest first",
    description: "Also those that are over or still to come.",
    answers: { 200: Type.Array(Announcement) },
    refuses: ["forbidden"],
    handle: async ({ db }) => ok((await findAnnouncements(db)).map(presentAnnouncement)),
  }),

  operation({
    ...shared,
    id: "adminCreateAnnouncement",
    since: "0.2.0",
    route: "POST /admin/announcements",
    summary: "Announce something on top of all pages",
    body: CreateAnnouncementOption,
    answers: { 201: Announcement },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, body }) => {
      const wanted = { ...wantedOf(body), content: body.content }
      const row = await services.database.write((tx) => createAnnouncement(services, tx, wanted))
      await services.announcements.reload()
      return created(presentAnnouncement(row))
    },
  }),

  operation({
    ...shared,
    id: "adminEditAnnouncement",
    since: "0.2.0",
    route: "PATCH /admin/announcements/{id}",
    summary: "Change an announcement",
    description: "Those who have dismissed it see it again where it says something else.",
    body: EditAnnouncementOption,
    answers: { 200: Announcement },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, path, body }) => {
      const wanted = wantedOf(body)
      const row = await services.database.write((tx) => editAnnouncement(services, tx, path.id, wanted))
      await services.announcements.reload()
      return ok(presentAnnouncement(row))
    },
  }),

  operation({
    ...shared,
    id: "adminDeleteAnnouncement",
    since: "0.2.0",
    route: "DELETE /admin/announcements/{id}",
    summary: "Delete an announcement",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, path }) => {
      await services.database.write((tx) => deleteAnnouncement(services, tx, path.id))
      await services.announcements.reload()
      return noContent()
    },
  }),
]
