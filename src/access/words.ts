import { type Text, t } from "../core/language/message.ts"
import type { Need } from "../core/need.ts"
import type { Compared, Judged, RelationName } from "./condition.ts"
import type { ModeName, Unit } from "./modes.ts"

/**
 * The rules in words, for those who ask why. The compiler asks for words of each column, relation and need that rules know: see `explain/steps.ts`, which puts
 * them together.
 */

export const PART_WORDS: Readonly<Record<Unit, Text>> = {
  "repo.code": t("Code"),
  "repo.issues": t("Issues"),
  "repo.pulls": t("Pull requests"),
  "repo.releases": t("Releases"),
  "repo.wiki": t("Wiki"),
  "repo.ext_wiki": t("Wiki"),
  "repo.ext_issues": t("Issues"),
  "repo.projects": t("Projects"),
  "repo.packages": t("Packages"),
  "repo.actions": t("Actions"),
}

export const MODE_WORDS: Readonly<Record<ModeName, Text>> = {
  none: t("no access"),
  read: t("may read"),
  write: t("may read and write"),
  admin: t("may administer"),
  owner: t("may do everything"),
}

// --- columns and relations -------------------------------------------------------------------------------------------------------

const either = (yes: Text, no: Text) => (value: unknown) => (value === 1 ? yes : no)
const switched = (part: Text) => either(t("{part}: switched on", { part }), t("{part}: switched off", { part }))
const external = (part: Text) => (value: unknown) =>
  value === "" ? t("{part}: kept here", { part }) : t("{part}: kept elsewhere", { part })

/** What a row says in the column. `who` is who asks, or is asked about. Of those that say nothing to people there are no words. */
export const COLUMN_WORDS: Readonly<Record<Judged, (value: unknown, who: Text) => Text>> = {
  "repository.is_private": either(t("the repository is private"), t("the repository is not private")),
  "repository.openness": () => "",
  "repository.owner_id": () => "",
  "repository.shares_workflows": either(
    t("the repository shares its workflows with others of its owner"),
    t("the repository does not share its workflows"),
  ),
  "repository.projects_mode": (value) =>
    value === "owner" ? t("only projects of the owner are used") : t("the repository has projects of its own"),
  "repository.external_tracker_url": external(PART_WORDS["repo.issues"]),
  "repository.external_wiki_url": external(PART_WORDS["repo.wiki"]),
  "repository.has_code": switched(PART_WORDS["repo.code"]),
  "repository.has_issues": switched(PART_WORDS["repo.issues"]),
  "repository.has_pull_requests": switched(PART_WORDS["repo.pulls"]),
  "repository.has_releases": switched(PART_WORDS["repo.releases"]),
  "repository.has_wiki": switched(PART_WORDS["repo.wiki"]),
  "repository.has_projects": switched(PART_WORDS["repo.projects"]),
  "repository.has_packages": switched(PART_WORDS["repo.packages"]),
  "repository.has_actions": switched(PART_WORDS["repo.actions"]),
  "owner.visibility": (value) =>
    value === "public"
      ? t("the owner is public")
      : value === "limited"
        ? t("the owner is shown only to those who have signed in")
        : t("the owner is private"),
  "owner.kind": (value) => (value === "person" ? t("the owner is a person") : t("the owner is an organization")),
  "owner.requires_second_factor": either(t("the organization requires two-factor authentication"), ""),
  "caller.is_admin": (value, who) =>
    value === 1 ? t("{who} administers this site", { who }) : t("{who} does not administer this site", { who }),
  "caller.is_restricted": (value, who) =>
    value === 1 ? t("the account {who} is restricted", { who }) : t("the account {who} is not restricted", { who }),
  "caller.lacks_required_factor": (value, who) => (value === 1 ? t("{who} has no second factor", { who }) : ""),
  "team.visibility": (value) =>
    value === "public"
      ? t("the team is public")
      : value === "limited"
        ? t("the team is shown to its organization")
        : t("the team is shown to its members"),
  "project.repository_id": () => "",
  "package.is_restricted": either(t("the package is restricted"), t("the package is not restricted")),
  "package.repository_id": () => "",
  "asked.unit": () => "",
}

/** What only the person, and administrators of the site, are told. */
export const TOLD_TO_FEW: ReadonlySet<Judged> = new Set<Judged>(["caller.is_admin", "caller.is_restricted"])

type Saying = readonly [holds: (who: Text) => Text, fails: (who: Text) => Text]

export const COMPARED_WORDS: Readonly<Record<Compared, Saying>> = {
  "repository.owner_id = caller.id": [
    (who) => t("{who} owns the repository", { who }),
    (who) => t("{who} does not own the repository", { who }),
  ],
  "owner.id = caller.id": [(who) => t("this is the account of {who}", { who }), (who) => t("this is not the account of {who}", { who })],
  "repository.id = key.repository_id": [() => t("the key is of this repository"), () => t("the key is of another repository")],
  "repository.owner_id = key.owner_id": [() => t("the key is of the same owner"), () => t("the key is of another owner")],
  "team.organization_id = repository.owner_id": [() => t("the team is of the owner"), () => t("the team is of another organization")],
  "repository.id in key.repository_ids": [
    () => t("the token was given this repository"),
    () => t("the token was not given this repository"),
  ],
  "repository.owner_id in key.owner_ids": [() => t("the token was given this owner"), () => t("the token was not given this owner")],
  "owner.id in key.owner_ids": [() => t("the token was given this owner"), () => t("the token was not given this owner")],
}

export const RELATION_WORDS: Readonly<Record<RelationName, Saying>> = {
  membership: [(who) => t("{who} belongs to the organization", { who }), (who) => t("{who} does not belong to the organization", { who })],
  collaboration: [(who) => t("{who} is a collaborator", { who }), (who) => t("{who} is no collaborator", { who })],
  team: [(who) => t("{who} is in a team with access", { who }), (who) => t("{who} is in no team with access", { who })],
  teamOfOwner: [(who) => t("{who} is in a team with access", { who }), (who) => t("{who} is in no team with access", { who })],
  offer: [(who) => t("the repository is offered to {who}", { who }), (who) => t("the repository is not offered to {who}", { who })],
  ownership: [(who) => t("{who} owns the organization", { who }), (who) => t("{who} does not own the organization", { who })],
  inTeam: [(who) => t("{who} is in the team", { who }), (who) => t("{who} is not in the team", { who })],
  hasRepository: [() => t("the team has the repository"), () => t("the team does not have the repository")],
  followsCaller: [(who) => t("this account follows {who}", { who }), (who) => t("this account does not follow {who}", { who })],
  sharesTeam: [(who) => t("{who} is in the same team", { who }), (who) => t("{who} is not in the same team", { who })],
}

// --- needs -----------------------------------------------------------------------------------------------------------------------

/** What a need is in words, and the units of a repository that it is about. */
interface NeedWords {
  readonly words: Text
  readonly units: readonly Unit[]
}

const plain = (words: Text, ...units: readonly Unit[]): NeedWords => ({ words, units })
const listed = (units: readonly Unit[]): Text => (units.length === 1 ? PART_WORDS[units[0] ?? "repo.code"] : t("Issues or pull requests"))
const reading = (...units: readonly Unit[]): NeedWords => ({ words: t("reading: {part}", { part: listed(units) }), units })
const writing = (...units: readonly Unit[]): NeedWords => ({ words: t("writing: {part}", { part: listed(units) }), units })
const authored = (...units: readonly Unit[]): NeedWords => ({
  words: t("having written it, or writing: {part}", { part: listed(units) }),
  units,
})

const BOTH = ["repo.issues", "repo.pulls"] as const
const PULLS = ["repo.pulls"] as const
const ADMINISTERS = plain(t("administering the repository"))
const IS_PERSON = plain(t("being that person"))

export const NEED_WORDS: Readonly<Record<Need, NeedWords>> = {
  nothing: plain(t("nothing")),
  signIn: plain(t("having signed in")),
  siteAdministrator: plain(t("administering this site")),
  known: plain(t("knowing of the account")),
  visible: plain(t("seeing the account")),
  self: IS_PERSON,
  selfOrMember: plain(t("being that person, or belonging to the organization")),
  member: plain(t("belonging to the organization")),
  createRepositories: plain(t("creating repositories in the organization")),
  "columns:write": writing("repo.projects"),
  read: plain(t("seeing the team")),
  privileged: plain(t("being in the team, or owning the organization")),
  reach: plain(t("seeing the repository")),
  administrator: ADMINISTERS,
  owner: plain(t("owning it")),
  selfOrAdministrator: plain(t("being that person, or administering the repository")),
  "code:read": reading("repo.code"),
  "code:write": writing("repo.code"),
  "issues:read": reading("repo.issues"),
  "issues:write": writing("repo.issues"),
  "pulls:read": reading("repo.pulls"),
  "pulls:write": writing("repo.pulls"),
  "releases:read": reading("repo.releases"),
  "releases:write": writing("repo.releases"),
  "wiki:read": reading("repo.wiki"),
  "wiki:write": writing("repo.wiki"),
  "projects:read": reading("repo.projects"),
  "projects:write": writing("repo.projects"),
  "packages:read": reading("repo.packages"),
  "packages:write": writing("repo.packages"),
  "actions:read": reading("repo.actions"),
  "actions:write": writing("repo.actions"),
  "issuesOrPulls:read": reading(...BOTH),
  "issuesOrPulls:write": writing(...BOTH),
  "issue:read": reading(...BOTH),
  "issue:write": writing(...BOTH),
  "issue:author": authored(...BOTH),
  "issue:authorOrAdministrator": plain(t("having written it, or administering the repository"), ...BOTH),
  "issue:administrator": ADMINISTERS,
  "issue:contributor": plain(t("having written it, being assigned to it, or belonging to the repository"), ...BOTH),
  "issue:self": IS_PERSON,
  "issue:writeOrMissing": writing(...BOTH),
  "comment:read": reading(...BOTH),
  "comment:author": authored(...BOTH),
  "comment:writingAuthor": writing(...BOTH),
  "comment:authorOrAdministrator": plain(t("having written it, or administering the repository"), ...BOTH),
  "issues:selfOrAdministrator": plain(t("being that person, or administering the repository"), "repo.issues"),
  "attachment:read": reading(...BOTH),
  "pullRequests:read": { ...reading(...PULLS), units: ["repo.pulls", "repo.code"] },
  "pullRequest:read": { ...reading(...PULLS), units: ["repo.pulls", "repo.code"] },
  "pullRequest:author": authored(...PULLS),
  "review:read": reading(...PULLS),
  "review:author": plain(t("having written it"), ...PULLS),
  "review:administrator": ADMINISTERS,
  "reviewers:choose": plain(t("having written it, or belonging to the repository"), ...PULLS),
}

// --- admission -------------------------------------------------------------------------------------------------------------------

/** What is asked of a caller before anything is looked up, where they meet it. */
export const ADMISSION_WORDS = {
  "token.job": t("the token of the job may change this repository"),
  "token.scope": t("the token has the scopes for this"),
  "token.publicOnly": t("this is for tokens that are limited to what is public"),
  "token.chosen": t("this can be chosen for the token"),
  "site.signIn": t("this site asks everybody to sign in"),
  "signIn.basic": t("signed in with a password"),
} as const satisfies Readonly<Record<string, Text>>

export type AdmissionRule = keyof typeof ADMISSION_WORDS
