import type { Owned } from "../../../access/permission.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { form } from "../../../core/forms/form.ts"
import { flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, type Page, page } from "../../../core/page.ts"
import { followedBy, listRepositories } from "../../../features/code/repositories/search-store.ts"
import { withOwners } from "../../../features/code/repositories/store.ts"
import { watchOperations } from "../../../features/code/watches/operations.ts"
import type { Level } from "../../../features/code/watches/rules.ts"
import { findLevelsOf, findWatchesOf } from "../../../features/code/watches/store.ts"
import { CAUSES, type Cause } from "../../../features/events/notifications/causes.ts"
import { type Choices, choicesOf } from "../../../features/events/notifications/choices.ts"
import { notificationSettingOperations } from "../../../features/events/notifications/settings-operations.ts"
import { path } from "../../../web/address.ts"
import { empty, pager, rowsOr, table } from "../../../web/components.ts"
import { formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const NOTIFICATIONS = `${SETTINGS_PATH}/notifications` as const

const ORDER = { by: "alpha", direction: "asc" } as const

const CAUSE_TEXTS: Readonly<Record<Cause, readonly [what: Text, more?: Text]>> = {
  assigned: [t("Assigned")],
  mentioned: [t("Mentioned"), t("In an issue, pull request, comment or review.")],
  review_requested: [t("Review requested"), t("From me, or from a team of mine.")],
  participating: [t("Participating"), t("Issues and pull requests that I opened, am assigned to, review, commented on or subscribed to.")],
  new_issue: [t("New issues"), t("In repositories that I watch.")],
  new_pull: [t("New pull requests"), t("In repositories that I watch.")],
  activity: [t("All other activity"), t("Comments, reviews, new commits and closed issues, in repositories that I watch.")],
  release: [t("Releases"), t("In repositories that I watch, and those with release notifications below.")],
  run: [t("Failed workflow runs"), t("Runs that I triggered.")],
  offer: [t("Repository transfers"), t("To me, or to one of my organizations.")],
  own: [t("My own activity"), t("For all of the above.")],
}

const LEVEL_TEXTS: Readonly<Record<Level, Text>> = {
  all: t("All activity"),
  participating: t("Participating and mentions"),
  releases: t("Participating, mentions and releases"),
  ignored: t("Ignore"),
}
const LEVEL_OPTIONS = (["all", "participating", "releases", "ignored"] as const).map((level) => [level, LEVEL_TEXTS[level]] as const)

const box = (name: keyof Choices, text: Text, cause: Cause, chosen: Choices): Html =>
  html`
    <td>
      <label class="check">
        <input type="checkbox" name="${name}" value="${cause}" ${flagged("checked", chosen[name].includes(cause))}>
        <span class="hidden-text">${CAUSE_TEXTS[cause][0]}: ${text}</span>
      </label>
    </td>
  `

const choicesTable = (chosen: Choices): Html =>
  table(
    t("Notification events"),
    [t("Event"), t("On the site"), t("E-mail")],
    CAUSES.map((cause) => {
      const [what, more] = CAUSE_TEXTS[cause]
      return html`
        <tr>
          <th scope="row">${what}${more !== undefined && html`<br><span class="muted small">${more}</span>`}</th>
          ${box("list", t("on the site"), cause, chosen)}${box("mail", t("by mail"), cause, chosen)}
        </tr>
      `
    }),
  )

const notifications: Page = page({
  id: "personal.notifications",
  address: `GET ${NOTIFICATIONS}`,
  access: signedIn,
  answer: async ({ services, db, actor, me, page, reader, draft }) => {
    const chosen = await choicesOf(db, me.id)
    const { rows, total } = await listRepositories(db, actor, { where: [followedBy(me.id)], order: ORDER }, page)
    const owned = await withOwners(db, rows)
    const which = { userId: me.id, repositoryIds: rows.map(({ id }) => id) }
    const modes = rows.length === 0 ? [] : await findWatchesOf(db, which)
    const levels = new Map((rows.length === 0 ? [] : await findLevelsOf(db, which)).map((each) => [each.repository_id, each.level]))
    const automatic = new Set(modes.filter(({ mode }) => mode === "automatic").map((watch) => watch.repository_id))
    return personalSettings({
      part: "notifications",
      title: t("Notification settings"),
      body: html`
        <h1>Notifications</h1>
        <h2 id="kinds">Events</h2>
        <p class="muted">
          Choose what appears among your <a href="/notifications">notifications</a> and what is sent by mail.${" "}
          <a href="/notifications/subscriptions">Subscriptions</a> to single issues and pull requests have a page of
          their own.${services.config.mail.host === "" && t(" This site does not send mail.")}
        </p>
        ${formView(choose, { draft, submit: t("Save"), fields: [{ kind: "content", content: choicesTable(chosen) }] })}
        <h2 id="watching">By repository</h2>
        <p class="muted">
          Repositories that you watch or chose a level for. For all others you are notified when you participate or are
          mentioned.
        </p>
        ${rowsOr(
          owned,
          (each) => levelRow(each, levels.get(each.repository.id) ?? "all", automatic.has(each.repository.id), draft),
          empty("eye", t("You aren’t watching any repositories"), t("Use the Watch button on a repository.")),
        )}
        ${pager(reader.url, page, total)}
      `,
    })
  },
})

function levelRow({ owner, repository }: Owned, level: Level, isAutomatic: boolean, draft: Draft | undefined): Html {
  const name = `${owner.name}/${repository.name}`
  return html`
    <li>
      ${icon(level === "ignored" ? "bell-slash" : "eye")}
      <div class="main">
        <a class="title" href="${path(owner.name, repository.name)}">
          <bdi>${owner.name}</bdi> / <bdi>${repository.name}</bdi>
        </a>
        ${isAutomatic && html`<span class="muted small">Watched automatically</span>`}
      </div>
      <div class="acts">
        ${formView(setLevel, {
          path: { owner: owner.name, repo: repository.name },
          key: repository.id,
          draft,
          name: "inline row",
          look: "small",
          submit: html`Save<span class="hidden-text"> ${name}</span>`,
          fields: [{ kind: "menu", name: "level", label: t("Notifications of {name}", { name }), value: level, options: LEVEL_OPTIONS }],
        })}
      </div>
    </li>
  `
}

const choose = form({
  id: "personal.chooseNotifications",
  address: `POST ${NOTIFICATIONS}`,
  does: named(notificationSettingOperations, "userUpdateNotificationSettings"),
  on: notifications,
  takes: ["list", "mail"],
  done: t("Saved."),
})

const setLevel = form({
  id: "personal.notificationLevel",
  address: `POST ${NOTIFICATIONS}/{owner}/{repo}`,
  does: named(watchOperations, "userCurrentSetSubscriptionLevel"),
  on: notifications,
  takes: ["level"],
  done: t("Saved."),
})

/** What a person is notified of. */
export const notificationSettingsPages: readonly Page[] = [notifications, choose, setLevel]
