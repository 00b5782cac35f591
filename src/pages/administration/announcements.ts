import { siteAdministrator } from "../../access/policies/site.ts"
import { form, type Typed } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { announcementOperations } from "../../features/site/announcements/operations.ts"
import { rendered } from "../../features/site/announcements/shown.ts"
import { type AnnouncementRow, findAnnouncements } from "../../features/site/announcements/store.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, notice, state } from "../../web/components.ts"
import { type Field, formButton, formView } from "../../web/form.ts"
import { time } from "../../web/time.ts"

const ANNOUNCEMENTS = `${ADMINISTRATION_PATH}/announcements` as const

/** A time as fields of forms have it, in UTC. */
const fieldTime = (seconds: number): string => (seconds === 0 ? "" : new Date(seconds * 1000).toISOString().slice(0, 16))

/** As the API has it. What is no time is left to the operation to refuse. */
const apiTime = (text: string): string | null => (text === "" ? null : /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text)

const withTimes = (body: Readonly<Record<string, unknown>>, typed: Typed) => {
  const of = (name: string) => apiTime(typed[name]?.[0] ?? "")
  return { ...body, starts_at: of("starts_at"), ends_at: of("ends_at") }
}

const fieldsOf = (row?: AnnouncementRow): readonly Field[] => [
  { kind: "text", name: "content", label: t("Text"), rows: 3, required: true, value: row?.content ?? "" },
  {
    kind: "menu",
    name: "tone",
    label: t("Tone"),
    value: row?.tone ?? "info",
    options: [
      ["info", t("Info")],
      ["good", t("Success")],
      ["warn", t("Warning")],
      ["bad", t("Error")],
    ],
  },
  {
    kind: "choice",
    name: "audience",
    label: t("Visibility"),
    value: row?.audience ?? "everybody",
    options: [
      ["everybody", t("Everyone")],
      ["signedIn", t("People who have signed in")],
    ],
  },
  { kind: "line", name: "starts_at", label: t("From (UTC)"), type: "datetime-local", value: fieldTime(row?.starts_at ?? 0) },
  {
    kind: "line",
    name: "ends_at",
    label: t("Until (UTC)"),
    type: "datetime-local",
    value: fieldTime(row?.ends_at ?? 0),
    hint: t("Leave empty to show it until it is deleted."),
  },
]

const stateOf = ({ starts_at, ends_at }: AnnouncementRow, now: number) =>
  ends_at !== 0 && ends_at <= now
    ? state("neutral", "check", t("Ended"))
    : starts_at > now
      ? state("pending", "clock", t("Scheduled"))
      : state("success", "dot-fill", t("Shown"))

const list: Page = page({
  id: "admin.announcements",
  address: `GET ${ANNOUNCEMENTS}`,
  access: siteAdministrator,
  // Whether one is shown is a matter of the clock.
  changesWithTime: true,
  answer: async ({ services, db, draft }) => {
    const now = services.now()
    const rows = await Promise.all((await findAnnouncements(db)).map(async (row) => ({ row, text: await rendered(services, row) })))
    return administrationPage({
      part: "announcements",
      title: t("Announcements"),
      body: html`
        <h1>Announcements</h1>
        <p class="muted">
          Announcements are shown at the top of all pages. Users can dismiss them; an announcement that is changed is shown again.
        </p>
        ${
          rows.length === 0
            ? empty("megaphone", t("No announcements"))
            : html`
              <ul class="rows">
                ${rows.map(({ row, text }) => {
                  const at = { id: String(row.id) }
                  return html`
                    <li>
                      <div class="main">
                        ${notice(row.tone, text)}
                        <p class="meta">
                          ${stateOf(row, now)}
                          <span>${row.audience === "everybody" ? t("Everyone") : t("Signed-in users")}</span>
                          ${row.starts_at > 0 && html`<span>from ${time(row.starts_at, now)}</span>`}
                          ${row.ends_at > 0 && html`<span>until ${time(row.ends_at, now)}</span>`}
                        </p>
                        <details class="stack">
                          <summary>Edit<span class="hidden-text"> announcement ${row.id}</span></summary>
                          ${formView(change, { path: at, key: row.id, draft, submit: t("Save"), look: "plain", fields: fieldsOf(row) })}
                        </details>
                      </div>
                      <div class="acts">
                        ${formButton(remove, at, html`Delete<span class="hidden-text"> announcement ${row.id}</span>`)}
                      </div>
                    </li>
                  `
                })}
              </ul>
            `
        }
        <h2 id="new">New announcement</h2>
        ${formView(make, { draft, submit: t("Announce"), fields: fieldsOf() })}
      `,
    })
  },
})

const TAKES = ["content", "tone", "audience"] as const
const TIMES = ["starts_at", "ends_at"] as const

const make = form({
  id: "admin.announcements.make",
  address: `POST ${ANNOUNCEMENTS}`,
  does: named(announcementOperations, "adminCreateAnnouncement"),
  on: list,
  takes: TAKES,
  also: TIMES,
  body: withTimes,
  once: true,
  done: t("Announced."),
})

const change = form({
  id: "admin.announcements.change",
  address: `POST ${ANNOUNCEMENTS}/{id}`,
  does: named(announcementOperations, "adminEditAnnouncement"),
  on: list,
  takes: TAKES,
  also: TIMES,
  body: withTimes,
  done: t("Saved."),
})

const remove = form({
  id: "admin.announcements.delete",
  address: `POST ${ANNOUNCEMENTS}/{id}/delete`,
  does: named(announcementOperations, "adminDeleteAnnouncement"),
  on: list,
  done: t("Announcement deleted."),
})

/** Sentences of administrators on top of all pages. */
export const announcementPages: readonly Page[] = [list, make, change, remove]
