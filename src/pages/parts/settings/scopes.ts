import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { signedIn, siteAdministrator } from "../../../access/policies/site.ts"
import type { Content } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Access, Request } from "../../../core/operation.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import type { Page, Shown } from "../../../core/page.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../../web/administration.ts"
import { organizationSettings } from "../../organization/settings-frame.ts"
import { settingsPage } from "../../repository/settings/frame.ts"
import { personalSettings } from "../../user/settings/frame.ts"

/**
 * What a repository, an organisation, a person and the site have alike, such as webhooks and runners, has the same pages in four scopes. They are
 * declared once, as functions of the scope, which has the address, who may manage it, and the frame around its pages.
 */

/** The parts of settings that every scope has, but for the secrets and variables of the site. */
export type ScopePart = "webhooks" | "runners" | "secrets" | "variables"

interface Framed extends Omit<Shown, "kind" | "body"> {
  readonly part: ScopePart
  readonly body: Content
}

export interface InScope {
  readonly owning: Owning
  /** Puts the frame of the scope around a page; `body` begins with its `h1`. */
  readonly framed: (shown: Framed) => Promise<Shown> | Shown
}

export interface SettingsScope {
  /** As the operations' ids begin: `repoCreateHook`, `updateRepoSecret`. */
  readonly id: "repo" | "org" | "user" | "admin"
  readonly name: "Repo" | "Org" | "User" | "Admin"
  /** The address of the settings. */
  readonly at: `/${string}`
  readonly access: Access<InScope>
  /** Whose they are, in a sentence: "of this repository". */
  readonly whose: Text
}

const within = <Found>(access: Access<Found>, inScope: (found: Found, request: Request) => InScope): Access<InScope> => ({
  rule: access.rule,
  open: async (request) => inScope(await access.open(request), request),
})

const ofRepository = (access: Access<OnRepository>): SettingsScope => ({
  id: "repo",
  name: "Repo",
  at: "/{owner}/{repo}/settings",
  whose: t("of this repository"),
  access: within(access, (found, { db, actor }) => ({
    owning: { of: "repository", repositoryId: found.repository.id },
    framed: (shown) => settingsPage({ ...found, db, actor }, shown),
  })),
})

const ofOrganization: SettingsScope = {
  id: "org",
  name: "Org",
  at: "/org/{org}/settings",
  whose: t("of this organization"),
  access: within(onOrganizationAsOwner, ({ organization }) => ({
    owning: { of: "owner", ownerId: organization.id },
    framed: (shown) => organizationSettings(organization, shown),
  })),
}

const mine: SettingsScope = {
  id: "user",
  name: "User",
  at: "/user/settings",
  whose: t("of yours"),
  access: within(signedIn, ({ me }) => ({
    owning: { of: "owner", ownerId: me.id },
    framed: (shown) => personalSettings(shown),
  })),
}

const ofSite: SettingsScope = {
  id: "admin",
  name: "Admin",
  at: ADMINISTRATION_PATH,
  whose: t("of this site"),
  access: within(siteAdministrator, () => ({
    owning: { of: "site" },
    framed: ({ part, ...shown }) => administrationPage({ ...shown, part: part === "webhooks" ? "webhooks" : "runners" }),
  })),
}

/** The pages that `declare` returns for one scope, for all scopes. `access` decides in a repository. */
export const inEveryScope = (access: Access<OnRepository>, declare: (scope: SettingsScope) => readonly Page[]): readonly Page[] =>
  [ofRepository(access), ofOrganization, mine, ofSite].flatMap(declare)

/** The same without the site, which has no secrets and variables. */
export const inScopesBelowSite = (access: Access<OnRepository>, declare: (scope: SettingsScope) => readonly Page[]): readonly Page[] =>
  [ofRepository(access), ofOrganization, mine].flatMap(declare)
