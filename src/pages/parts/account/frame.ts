import { roleIn } from "../../../access/policies/organization-role.ts"
import type { OnOrganization } from "../../../access/policies/organizations.ts"
import type { User } from "../../../core/actor.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t, titled } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import type { Shown } from "../../../core/page.ts"
import { shownAddress } from "../../../features/people/users/present.ts"
import { path } from "../../../web/address.ts"
import { avatar, type Tab, tabs } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"

/** What the pages of an account have in common: the name and facts of an organisation, or the name of a person, and the tabs of its parts. */

export const ORGANIZATION_TABS = [
  "overview",
  "repositories",
  "issues",
  "pulls",
  "projects",
  "packages",
  "activity",
  "members",
  "teams",
  "settings",
] as const
export type OrganizationTab = (typeof ORGANIZATION_TABS)[number]

/** The links of an account to itself elsewhere, as facts. */
export const factsOf = (account: User, email: string | undefined): Html =>
  html`
    ${account.location !== "" && html`<li dir="auto">${icon("location")} ${account.location}</li>`}
    ${
      account.website !== "" &&
      html`
        <li class="break">
          ${icon("link")} <a href="${account.website}" rel="nofollow me noopener">
            ${account.website.replace(/^https?:\/\//i, "")}
          </a>
        </li>
      `
    }
    ${email !== undefined && html`<li class="break">${icon("mail")} <a href="mailto:${email}">${email}</a></li>`}
  `

type Asked = Pick<Request, "services" | "actor"> & Pick<OnOrganization, "role">

interface Part extends Omit<Shown, "kind" | "body"> {
  readonly tab: OrganizationTab
  readonly body: Content
}

export function organizationPage({ services, actor, role }: Asked, account: User, { tab, title, body, ...more }: Part): Shown {
  const at = path(account.name)
  const address = shownAddress(services.site, account, actor)
  const items: Readonly<Record<OrganizationTab, Omit<Tab, "current">>> = {
    overview: { href: at, text: t("Overview"), icon: "home" },
    repositories: { href: `${at}?tab=repositories`, text: t("Repositories"), icon: "repo" },
    issues: { href: path("org", account.name, "issues"), text: t("Issues"), icon: "issue-opened" },
    pulls: { href: path("org", account.name, "pulls"), text: t("Pull requests"), icon: "git-pull-request" },
    projects: { href: `${at}/-/projects`, text: t("Projects"), icon: "project" },
    packages: { href: `${at}/-/packages`, text: t("Packages"), icon: "package" },
    activity: { href: `${at}?tab=activity`, text: t("Activity"), icon: "pulse" },
    members: { href: path("org", account.name, "members"), text: t("People"), icon: "people" },
    teams: { href: path("org", account.name, "teams"), text: t("Teams"), icon: "organization" },
    settings: { href: path("org", account.name, "settings"), text: t("Settings"), icon: "gear" },
  }
  const shown = ORGANIZATION_TABS.filter((name) => (name === "settings" ? role.isOwner : name !== "teams" || role.isMember || role.isOwner))
  return {
    kind: "shown",
    ...more,
    title: titled(title, account.name),
    feed: `${at}.atom`,
    body: html`
      <header class="account-header">
        ${avatar(account, 72)}
        <div>
          <h1>
            <bdi>${account.full_name || account.name}</bdi>
            ${account.full_name !== "" && html` <span class="muted account-name"><bdi>${account.name}</bdi></span>`}
          </h1>
          ${account.description !== "" && html`<p class="break" dir="auto">${account.description}</p>`}
          <ul class="plain meta">
            ${
              account.visibility !== "public" &&
              html`<li>${icon("lock")} ${account.visibility === "private" ? t("Private") : t("Visible to signed-in users")}</li>`
            }
            ${factsOf(account, address === "" ? undefined : address)}
            <li><a href="${at}.atom">${icon("rss")} Feed</a></li>
          </ul>
        </div>
      </header>
      ${tabs(
        t("Organization"),
        shown.map((name) => ({ ...items[name], current: name === tab })),
      )}
      ${body}
    `,
  }
}

/** Pictures of people, each a link to who it is. */
export const faces = (people: readonly User[]): Html =>
  html`
    <div class="faces">
      ${people.map(
        (person) =>
          html`
            <a href="${path(person.name)}" title="${person.name}">
              ${avatar(person, 32)}<span class="hidden-text">${person.name}</span>
            </a>
          `,
      )}
    </div>
  `

/** `current` may be a part without a tab, such as followers: then none is marked. */
export function personTabs({ name, stars_count }: User, current: string): Html {
  const at = path(name)
  const items: Readonly<Record<string, Omit<Tab, "current">>> = {
    overview: { href: at, text: t("Overview"), icon: "book" },
    repositories: { href: `${at}?tab=repositories`, text: t("Repositories"), icon: "repo" },
    projects: { href: `${at}/-/projects`, text: t("Projects"), icon: "project" },
    packages: { href: `${at}/-/packages`, text: t("Packages"), icon: "package" },
    activity: { href: `${at}?tab=activity`, text: t("Activity"), icon: "pulse" },
    stars: { href: `${at}?tab=stars`, text: t("Stars"), icon: "star", count: stars_count },
    watching: { href: `${at}?tab=watching`, text: t("Watching"), icon: "eye" },
  }
  return tabs(
    t("Profile"),
    Object.entries(items).map(([tab, item]) => ({ ...item, current: tab === current })),
  )
}

interface AccountPart extends Omit<Shown, "kind" | "body"> {
  readonly tab: "projects" | "packages"
  readonly body: Content
}

/** A part of a person or an organisation that other features show. */
export async function accountPage({ services, db, actor }: Request, owner: User, part: AccountPart): Promise<Shown> {
  if (owner.kind === "organization") return organizationPage({ services, actor, role: await roleIn(db, actor, owner) }, owner, part)
  const { tab, title, body, ...more } = part
  const at = path(owner.name)
  return {
    kind: "shown",
    ...more,
    title: titled(title, owner.name),
    feed: `${at}.atom`,
    body: html`
      <header class="account-header">
        ${avatar(owner, 32)}
        <div>
          <h1><a href="${at}"><bdi>${owner.full_name || owner.name}</bdi></a></h1>
        </div>
      </header>
      ${personTabs(owner, tab)}${body}
    `,
  }
}
