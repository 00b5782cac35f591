import type { OrganizationRole } from "../../../access/policies/organization-role.ts"
import type { OnOrganization } from "../../../access/policies/organizations.ts"
import { actorId, isSiteAdministrator, type SignedIn, type User } from "../../../core/actor.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type Page as ListPage, pathNumber, type Request } from "../../../core/operation.ts"
import type { Reader } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { listRepositories, ownedBy } from "../../../features/code/repositories/search-store.ts"
import { withOwners } from "../../../features/code/repositories/store.ts"
import type { FeedQuery } from "../../../features/events/feed/feed-store.ts"
import { contributionsOf } from "../../../features/events/feed/heatmap-store.ts"
import { path, withQuery } from "../../../web/address.ts"
import { empty } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { readGroups } from "../feed/groups.ts"
import { feedLines } from "../feed/view.ts"
import { repositoryFilters } from "../repositories/list.ts"
import { repositoryRows } from "../repositories/list-view.ts"
import { dayOfAddress, heatmap } from "./heatmap.ts"

/** Parts of the pages of people and of organisations. */

export const profileQuery = {
  tab: Type.Optional(Type.String()),
  date: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  ...repositoryFilters,
}

export interface ProfileCall extends Request {
  readonly page: ListPage
  readonly reader: Reader
}

/** Someone who has signed in, and an organisation. */
export interface InOrganization extends Request, OnOrganization {
  readonly actor: SignedIn
}

const RECENT = 6

interface ForNobody extends Pick<Request, "services" | "actor"> {
  /** Of the reader, in an organisation. */
  readonly role?: OrganizationRole
}

/** The repositories that changed last, and the way to all of them. */
export async function recentRepositories(call: Request & ForNobody, owner: User): Promise<Html> {
  const { db, actor } = call
  const order = { by: "updated", direction: "desc" } as const
  const { rows, total } = await listRepositories(db, actor, { where: [ownedBy(owner.id)], order }, { limit: RECENT, offset: 0 })
  if (total === 0) return noRepositories(call, owner)
  return html`
    <section class="stack" aria-label="Repositories">
      ${repositoryRows(await withOwners(db, rows))}
      ${total > RECENT && html`<p><a href="${path(owner.name)}?tab=repositories">${icon("repo")} All ${total} repositories</a></p>`}
    </section>
  `
}

/** For those who may create repositories there. */
export const newRepository = (owner: User): Html =>
  html`
    <p class="bar">
      <a class="button small primary end" href="${withQuery("/repo/create", { owner: owner.name })}">
        ${icon("plus")}New repository
      </a>
    </p>
  `

export function noRepositories({ services, actor, role }: ForNobody, owner: User): Html {
  const isOwn = actorId(actor) === owner.id
  if (!isOwn && role?.mayCreateRepositories !== true) return empty("repo", t("No repositories"))
  const mayPush = isOwn ? services.config.git.pushToCreate.user : services.config.git.pushToCreate.organization
  return empty(
    "repo",
    isOwn ? t("You have no repositories yet") : t("No repositories yet"),
    mayPush && html`Push one to <code>${services.site.rootUrl}${path(owner.name, "name.git")}</code>, or begin here.`,
    html`
      <p class="bar">
        <a class="button primary" href="${withQuery("/repo/create", { owner: owner.name })}">
          ${icon("plus")}New repository
        </a>
        <a class="button" href="${withQuery("/repo/migrate", { owner: owner.name })}">${icon("repo-push")}Import one</a>
        <a class="button" href="/explore/repos">${icon("telescope")}Explore</a>
      </p>
    `,
  )
}

/** Of a feed: a day, and from which entry on. */
interface FeedPart {
  readonly date?: string
  readonly from?: string
}

/** The feed of an account, that of one day where the address names it, under the account's heatmap. */
export async function activityOf(call: ProfileCall, account: User, { date, from }: FeedPart, withPrivate: boolean): Promise<Html> {
  const { services, db, actor, reader } = call
  const now = services.now()
  const own = actorId(actor) === account.id
  const day = dayOfAddress(date)
  const asked: FeedQuery = {
    feed: { of: "account", receiverId: account.id, performedOnly: account.kind === "person" },
    withPrivate: own || withPrivate || isSiteAdministrator(actor),
    ofAnybody: own,
    day,
  }
  const found = await readGroups(db, actor, asked, pathNumber(from))
  return html`
    ${await heatmapOf(call, account, date)}
    ${day && html`<p class="bar"><strong>${date}</strong> <a href="${path(account.name)}?tab=activity">Show all days</a></p>`}
    ${
      found.groups.length > 0
        ? await feedLines(db, found, { now, url: reader.url })
        : empty("pulse", day ? t("No activity on this day") : t("No activity yet"), t("Pushes, issues and reviews are listed here."))
    }
  `
}

export async function heatmapOf({ services, db, actor }: Request, account: User, selected?: string): Promise<Html> {
  const now = services.now()
  const contributions = await contributionsOf(db, actor, account, now)
  return heatmap({ contributions, now, selected, href: (date) => `${path(account.name)}?tab=activity&date=${date}` })
}
