import { signedIn } from "../../access/policies/site.ts"
import type { SignedIn } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { pathNumber } from "../../core/operation.ts"
import { type Moved, moved, NOTIFICATIONS, type Page, page, sentText } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type, { type Static, type TObject } from "../../core/schema.ts"
import { watchedBy } from "../../features/code/repositories/search-store.ts"
import { locateThread, markThread, markThreads, unsubscribeThread } from "../../features/events/notifications/marking.ts"
import { newestPath, viewThreads } from "../../features/events/notifications/present.ts"
import {
  countThreads,
  findReasons,
  findThreadRepositories,
  findThreads,
  REASONS,
  STATUSES,
  type Status,
  SUBJECT_STATES,
  SUBJECTS,
  type Subject,
  type SubjectState,
  type Thread,
  type ThreadFilter,
} from "../../features/events/notifications/threads-store.ts"
import { withQuery } from "../../web/address.ts"
import { buttonForm, choices, empty, menu, pager, tabs } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { repositoryFilters, repositoryList } from "../parts/repositories/list.ts"
import { followedIssues } from "./followed.ts"
import { REASON_TEXTS, threadGroups } from "./view.ts"

const ROWS = 50

const STATE_TEXTS: Readonly<Record<SubjectState, Text>> = { open: t("Open"), closed: t("Closed or merged"), merged: t("Merged") }

const SUBJECT_TEXTS: Readonly<Record<Subject, Text>> = {
  issue: t("Issues"),
  pull: t("Pull requests"),
  repository: t("Repositories"),
  run: t("Runs"),
  release: t("Releases"),
}

/** The fields of a query that select threads. */
const threadFilters = {
  reason: Type.Optional(oneOf(REASONS)),
  subject: Type.Optional(oneOf(SUBJECTS)),
  state: Type.Optional(oneOf(SUBJECT_STATES)),
  /** An id. */
  repository: Type.Optional(Type.String()),
}

function filterOf(
  { reason, subject, state, repository }: Static<TObject<typeof threadFilters>>,
  statuses: readonly Status[],
): ThreadFilter {
  const subjects = subject ? [subject] : SUBJECTS
  return { statuses, subjects, reason, state, ...(repository !== undefined && { repositoryId: pathNumber(repository) }) }
}

/** Forms lead back to one of these pages, and nowhere else. */
const backOf = (back: string | undefined): string => (back?.startsWith("/notifications") ? back : "/notifications")

const MARKED: Readonly<Record<Status, Text>> = { read: t("Marked as read."), unread: t("Marked as unread."), pinned: t("Pinned.") }

type InboxTab = Status | "subscriptions" | "watching"

const inboxTabs = (current: InboxTab, unread: number) =>
  tabs(t("Notifications"), [
    { href: "/notifications", text: t("Unread"), icon: "inbox", count: unread, current: current === "unread" },
    { href: "/notifications?type=read", text: t("Read"), icon: "check", current: current === "read" },
    { href: "/notifications?type=pinned", text: t("Pinned"), icon: "pin", current: current === "pinned" },
    { href: "/notifications/subscriptions", text: t("Subscriptions"), icon: "bell", current: current === "subscriptions" },
    { href: "/notifications/watching", text: t("Watching"), icon: "eye", current: current === "watching" },
  ])

/** What the newest unread threads are about: a thread that changes again is listed anew, though as many are unread as before. */
async function unreadIssues(db: Handle, actor: SignedIn): Promise<ReadonlySet<number>> {
  const { rows } = await findThreads(db, actor, { statuses: ["unread"], subjects: ["issue", "pull"] }, { limit: ROWS, offset: 0 })
  return new Set(rows.flatMap(({ issue_id }) => issue_id ?? []))
}

const inbox = page({
  id: "notifications",
  address: "GET /notifications",
  access: signedIn,
  rows: ROWS,
  query: {
    type: Type.Optional(oneOf(STATUSES)),
    // Its older name.
    q: Type.Optional(oneOf(STATUSES)),
    ...threadFilters,
  },
  live: async ({ db, actor }) => [NOTIFICATIONS, { issueIds: await unreadIssues(db, actor) }],
  answer: async ({ services, db, actor, query, page: rows, reader: { url } }) => {
    const { subject } = query
    const status = query.type ?? query.q ?? "unread"
    const filter = filterOf(query, [status])
    const found = await findThreads(db, actor, filter, rows)
    const threads = await viewThreads(db, found.rows)
    const reasons = await findReasons(
      db,
      actor,
      threads.map(({ thread }) => thread.id),
    )
    const unread = await countThreads(db, actor, "unread")
    const places = await findThreadRepositories(db, actor, { statuses: [status], subjects: SUBJECTS })
    const isFiltered = [query.reason, subject, query.state, filter.repositoryId].some((part) => part !== undefined)
    // Threads that change after the page was made stay unread.
    const seen = Math.max(0, ...found.rows.map((thread) => thread.updated_at))
    return {
      kind: "shown",
      title: t("Notifications"),
      unlisted: true,
      modules: ["live"],
      body: html`
        <h1>Notifications</h1>
        <div id="inbox" data-live>${inboxTabs(status, unread)}</div>
        <div class="bar">
          ${choices(t("Kinds"), [
            { href: withQuery(url, { subject: undefined }), text: t("All"), current: subject === undefined },
            ...SUBJECTS.map((each) => ({
              href: withQuery(url, { subject: each }),
              text: SUBJECT_TEXTS[each],
              current: subject === each,
            })),
          ])}
          ${filterMenus(url, filter, places)}
          ${status === "unread" && threads.length > 0 && markButtons(url, filter, seen, isFiltered)}
        </div>
        <div class="stack" id="listed" data-live="later">
          ${
            threads.length > 0
              ? threadGroups(threads, { back: url, until: seen, now: services.now(), reasons })
              : isFiltered
                ? nothingMatches(url)
                : nothing[status]()
          }
        </div>
        ${pager(url, rows, found.total)}
      `,
    }
  },
})

const filterMenu = (
  name: IconName,
  chosen: Content,
  url: string,
  key: string,
  any: Text,
  options: readonly (readonly [value: string | number, text: Content])[],
): Html =>
  menu(
    html`${icon(name)}${chosen}`,
    [
      html`<a href="${withQuery(url, { [key]: undefined })}">${any}</a>`,
      ...options.map(([value, text]) => html`<a href="${withQuery(url, { [key]: value })}">${text}</a>`),
    ],
    { starts: true },
  )

function filterMenus(
  url: string,
  { reason, state, repositoryId }: ThreadFilter,
  places: Awaited<ReturnType<typeof findThreadRepositories>>,
): readonly Html[] {
  const place = places.find(({ id }) => id === repositoryId)
  const repository = place ? `${place.owner}/${place.name}` : repositoryId ? t("One repository") : t("Any repository")
  return [
    filterMenu(
      "filter",
      reason ? REASON_TEXTS[reason] : t("Any reason"),
      url,
      "reason",
      t("Any reason"),
      REASONS.map((each) => [each, REASON_TEXTS[each]]),
    ),
    filterMenu(
      "dot-fill",
      state ? STATE_TEXTS[state] : t("Any state"),
      url,
      "state",
      t("Any state"),
      SUBJECT_STATES.map((each) => [each, STATE_TEXTS[each]]),
    ),
    filterMenu(
      "repo",
      html`<bdi>${repository}</bdi>`,
      url,
      "repository",
      t("Any repository"),
      places.map(({ id, owner, name }) => [id, html`<bdi>${owner}/${name}</bdi>`]),
    ),
  ]
}

/** What marks all that are listed, also those on other pages. */
function markButtons(url: string, { reason, subjects, state, repositoryId }: ThreadFilter, until: number, isFiltered: boolean): Html {
  const [subject] = subjects.length === 1 ? subjects : []
  const only = {
    ...(reason && { reason }),
    ...(subject && { subject }),
    ...(state && { state }),
    ...(repositoryId !== undefined && { repository: repositoryId }),
  }
  const markAll = (text: Text, fields: Readonly<Record<string, string | number>>) =>
    buttonForm("/notifications/mark", html`${icon("check")} ${text}`, { back: url, status: "read", until, ...only, ...fields })
  return html`
    <div class="bar end">
      ${state === undefined && markAll(t("Mark closed and merged read"), { state: "closed" })}
      ${markAll(isFiltered ? t("Mark all of these read") : t("Mark all read"), {})}
    </div>
  `
}

const nothingMatches = (url: string): Html => {
  const all = withQuery(url, { reason: undefined, subject: undefined, state: undefined, repository: undefined })
  return empty("filter", t("Nothing matches"), t("Nothing matches this filter."), html`<a class="button" href="${all}">Show all</a>`)
}

export const notificationPages: readonly Page[] = [
  inbox,

  page({
    id: "notifications.open",
    address: "GET /notifications/threads/{thread}",
    access: signedIn,
    answer: async ({ db, actor, path: { thread } }) => openThread(db, await locateThread(db, actor, pathNumber(thread), "read")),
  }),

  page({
    id: "notifications.read",
    address: "POST /notifications/threads/{thread}",
    access: signedIn,
    answer: async ({ services, db, actor, path: { thread } }) => {
      const found = await locateThread(db, actor, pathNumber(thread), "change")
      const marked = found.status === "unread" ? await markThread(services, actor, found.id, "read") : found
      return openThread(db, marked)
    },
  }),

  page({
    id: "notifications.unsubscribe",
    address: "POST /notifications/threads/{thread}/unsubscribe",
    access: signedIn,
    query: { back: Type.Optional(Type.String()) },
    answer: async ({ services, actor, path: { thread }, query }) => {
      const issue = await unsubscribeThread(services, actor, pathNumber(thread))
      return moved(backOf(query.back), {
        flash: t("Unsubscribed from #{number}. You are still notified when you are mentioned.", { number: issue.number }),
      })
    },
  }),

  page({
    id: "notifications.mark",
    address: "POST /notifications/mark",
    access: signedIn,
    undoneBy: ["notifications.mark"],
    query: {
      status: oneOf(STATUSES),
      back: Type.Optional(Type.String()),
      thread: Type.Optional(Type.String()),
      until: Type.Optional(Type.String()),
      ...threadFilters,
    },
    answer: async ({ services, db, actor, query }) => {
      const { status, thread } = query
      const back = backOf(query.back)
      if (thread !== undefined) {
        const before = await locateThread(db, actor, pathNumber(thread), "change")
        await markThread(services, actor, before.id, status)
        const undo = { form: "notifications.mark", path: {}, fields: { thread, status: before.status, back } }
        return moved(back, { flash: MARKED[status], undo })
      }
      const until = pathNumber(query.until)
      await markThreads(services, actor, {
        filter: { ...filterOf(query, ["unread"]), before: until === 0 ? undefined : until + 1 },
        status,
        shown: 0,
      })
      return moved(back, { flash: t("Marked.") })
    },
  }),

  page({
    id: "notifications.subscriptions",
    address: "GET /notifications/subscriptions",
    access: signedIn,
    query: { state: Type.Optional(oneOf(["open", "closed", "all"])) },
    answer: async (call) => {
      const { db, actor, query, reader } = call
      const state = query.state ?? "open"
      return {
        kind: "shown",
        title: t("Subscriptions"),
        unlisted: true,
        body: html`
          <h1>Notifications</h1>
          ${inboxTabs("subscriptions", await countThreads(db, actor, "unread"))}
          <div class="bar">
            ${choices(
              t("States"),
              (["open", "closed", "all"] as const).map((each) => ({
                href: withQuery(reader.url, { state: each === "open" ? undefined : each }),
                text: { open: t("Open"), closed: t("Closed"), all: t("All") }[each],
                current: each === state,
              })),
            )}
          </div>
          ${await followedIssues(call, state)}
        `,
      }
    },
  }),

  page({
    id: "notifications.watching",
    address: "GET /notifications/watching",
    access: signedIn,
    query: repositoryFilters,
    answer: async (call) => ({
      kind: "shown",
      title: t("Watching"),
      unlisted: true,
      body: html`
        <h1>Notifications</h1>
        ${inboxTabs("watching", await countThreads(call.db, call.actor, "unread"))}
        ${await repositoryList(call, {
          action: "/notifications/watching",
          where: [watchedBy(call.me.id)],
          empty: empty(
            "eye",
            t("You aren’t watching any repositories"),
            t("You are notified about activity in repositories that you watch."),
            html`<a class="button" href="/explore/repos">${icon("telescope")} Explore</a>`,
          ),
        })}
      `,
    }),
  }),

  page({
    id: "notifications.new",
    address: "GET /notifications/new",
    access: signedIn,
    answer: async ({ db, actor }) =>
      sentText("application/json;charset=utf-8", JSON.stringify({ new: await countThreads(db, actor, "unread") })),
  }),
]

/** To what the thread is about, where its newest comment is. */
async function openThread(db: Handle, thread: Thread): Promise<Moved> {
  const [shown] = await viewThreads(db, [thread])
  if (!shown) throw refuse.notFound()
  return moved(newestPath(shown))
}

const nothing = {
  unread: () => empty("inbox", t("All caught up"), t("New notifications are shown here.")),
  read: () => empty("check", t("No read notifications")),
  pinned: () => empty("pin", t("No pinned notifications"), t("Pin notifications to keep them here.")),
} as const
