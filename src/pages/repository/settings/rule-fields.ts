import { type Text, t } from "../../../core/language/message.ts"
import { SWITCHES } from "../../../features/code/protections/edit.ts"
import type { BranchProtection } from "../../../features/code/protections/records.ts"
import type { Field } from "../../../web/form.ts"

/** The fields of a rule for branches: switches that depend on each other are one choice, and lists of names are texts. */

/** Members whose names are typed into one line. */
const PEOPLE = [
  "push_whitelist_usernames",
  "force_push_allowlist_usernames",
  "merge_whitelist_usernames",
  "bypass_allowlist_usernames",
  "approvals_whitelist_username",
] as const

const TEAMS = [
  "push_whitelist_teams",
  "force_push_allowlist_teams",
  "merge_whitelist_teams",
  "bypass_allowlist_teams",
  "approvals_whitelist_teams",
] as const satisfies readonly (keyof BranchProtection)[]

/** Globs, one in each line; those of files are stored with semicolons between them. */
const FILES = ["protected_file_patterns", "unprotected_file_patterns"] as const

/** Members that are sent as they are typed. */
export const PLAIN = [
  "push_whitelist_deploy_keys",
  "force_push_allowlist_deploy_keys",
  ...SWITCHES,
  "required_approvals",
  "merge_queue_batch_size",
  "merge_queue_check_minutes",
  "merge_queue_style",
  ...TEAMS,
] as const

export const OTHERS = ["push", "force_push", "status_check_contexts", ...PEOPLE, ...FILES] as const

type Typed = Readonly<Record<string, readonly string[]>>

/** Names or globs in a text, without empty ones. */
export const wordsIn = (texts: readonly string[] | undefined, between = /[\s,]+/): readonly string[] =>
  (texts ?? []).flatMap((text) => text.split(between)).flatMap((word) => word.trim() || [])

/** The body of the operation. */
export const ruleOf = (body: Readonly<Record<string, unknown>>, typed: Typed): Readonly<Record<string, unknown>> => ({
  required_approvals: 0,
  ...body,
  enable_push: typed["push"]?.[0] !== "nobody",
  enable_push_whitelist: typed["push"]?.[0] === "listed",
  enable_force_push: typed["force_push"] !== undefined && typed["force_push"][0] !== "nobody",
  enable_force_push_allowlist: typed["force_push"]?.[0] === "listed",
  status_check_contexts: wordsIn(typed["status_check_contexts"], /\n/),
  ...Object.fromEntries(PEOPLE.map((name) => [name, wordsIn(typed[name])])),
  ...Object.fromEntries(FILES.map((name) => [name, wordsIn(typed[name], /[\n;]/).join(";")])),
})

const choice = (isOn: boolean, isListed: boolean, all: string): string => (isOn ? (isListed ? "listed" : all) : "nobody")

/** The values of the fields. */
export const valuesOf = (rule: BranchProtection) => ({
  ...rule,
  push: choice(rule.enable_push, rule.enable_push_whitelist, "writers"),
  force_push: choice(rule.enable_force_push, rule.enable_force_push_allowlist, "pushers"),
  status_check_contexts: rule.status_check_contexts?.join("\n") ?? "",
  ...Object.fromEntries(PEOPLE.map((name) => [name, rule[name].join(" ")])),
  ...Object.fromEntries(FILES.map((name) => [name, rule[name].replaceAll(/\s*;\s*/g, "\n")])),
})

/** The teams that a rule names, also those that the reader could not choose. */
export const teamsIn = (rule: BranchProtection): readonly string[] => TEAMS.flatMap((name) => rule[name])

/** A line for people and boxes for teams. */
interface Listed {
  readonly kind: "listed"
  readonly who: Text
  readonly people: (typeof PEOPLE)[number]
  readonly teams: (typeof TEAMS)[number]
}

const GROUPS: readonly { readonly label: Text; readonly fields: readonly (Field | Listed)[] }[] = [
  {
    label: t("Pushing"),
    fields: [
      {
        kind: "choice",
        name: "push",
        label: t("Who can push"),
        value: "nobody",
        options: [
          ["nobody", t("No one"), t("Changes need a pull request.")],
          ["writers", t("Everyone with write access")],
          ["listed", t("Only those on the list")],
        ],
      },
      { kind: "listed", who: t("may push"), people: "push_whitelist_usernames", teams: "push_whitelist_teams" },
      { kind: "box", name: "push_whitelist_deploy_keys", label: t("Include deploy keys with write access") },
    ],
  },
  {
    label: t("Force-push"),
    fields: [
      {
        kind: "choice",
        name: "force_push",
        label: t("Who can force-push"),
        value: "nobody",
        options: [
          ["nobody", t("No one")],
          ["pushers", t("Everyone who can push")],
          ["listed", t("Only people on the list who can also push")],
        ],
      },
      { kind: "listed", who: t("may force-push"), people: "force_push_allowlist_usernames", teams: "force_push_allowlist_teams" },
      { kind: "box", name: "force_push_allowlist_deploy_keys", label: t("Include deploy keys with write access") },
    ],
  },
  {
    label: t("Merging"),
    fields: [
      { kind: "box", name: "enable_merge_whitelist", label: t("Only people on the list can merge") },
      { kind: "listed", who: t("may merge"), people: "merge_whitelist_usernames", teams: "merge_whitelist_teams" },
    ],
  },
  {
    label: t("Reviews"),
    fields: [
      { kind: "line", name: "required_approvals", label: t("Required approvals"), type: "number", value: "0" },
      { kind: "box", name: "enable_approvals_whitelist", label: t("Only count approvals by people on the list") },
      { kind: "listed", who: t("approve"), people: "approvals_whitelist_username", teams: "approvals_whitelist_teams" },
      { kind: "box", name: "block_on_rejected_reviews", label: t("Block merging while changes are requested") },
      { kind: "box", name: "block_on_official_review_requests", label: t("Block merging while official review requests are open") },
      { kind: "box", name: "dismiss_stale_approvals", label: t("Dismiss approvals on new commits") },
      { kind: "box", name: "ignore_stale_approvals", label: t("Ignore approvals of older commits") },
    ],
  },
  {
    label: t("Status checks and commits"),
    fields: [
      { kind: "box", name: "enable_status_check", label: t("Require status checks") },
      {
        kind: "text",
        name: "status_check_contexts",
        label: t("Required status checks"),
        hint: t("One name or glob per line, such as build/*. Leave empty to require all."),
        isCode: true,
      },
      { kind: "box", name: "block_on_outdated_branch", label: t("Require branches to be up to date") },
      { kind: "box", name: "require_signed_commits", label: t("Require signed commits") },
    ],
  },
  {
    label: t("Merge queue"),
    fields: [
      {
        kind: "box",
        name: "enable_merge_queue",
        label: t("Merge through a queue"),
        hint: t("Pull requests line up. The branch moves only to commits whose required checks have succeeded."),
      },
      { kind: "line", name: "merge_queue_batch_size", label: t("Pull requests tested together, at most"), type: "number", value: "5" },
      { kind: "line", name: "merge_queue_check_minutes", label: t("Minutes that the checks may take"), type: "number", value: "60" },
      {
        kind: "choice",
        name: "merge_queue_style",
        label: t("Merge style"),
        value: "merge",
        options: [
          ["merge", t("Merge commit")],
          ["rebase", t("Rebase")],
          ["rebase-merge", t("Rebase and merge commit")],
          ["squash", t("Squash")],
        ],
      },
    ],
  },
  {
    label: t("Files"),
    fields: [
      {
        kind: "text",
        name: "protected_file_patterns",
        label: t("Protected files"),
        hint: t("One glob per line, such as docs/**/*.md. No push can change them."),
        isCode: true,
      },
      {
        kind: "text",
        name: "unprotected_file_patterns",
        label: t("Unprotected files"),
        hint: t("One glob per line. Everyone with write access can push changes to them."),
        isCode: true,
      },
    ],
  },
  {
    label: t("Bypass"),
    fields: [
      { kind: "box", name: "block_admin_merge_override", label: t("Include administrators") },
      { kind: "box", name: "enable_bypass_allowlist", label: t("Allow people on the list to bypass this rule") },
      { kind: "listed", who: t("may do so"), people: "bypass_allowlist_usernames", teams: "bypass_allowlist_teams" },
    ],
  },
]

/** The fields; `teams` are those that may be listed. */
export const ruleFields = (teams: readonly string[]): readonly Field[] =>
  GROUPS.map(({ label, fields }) => ({
    kind: "group",
    label,
    fields: fields.flatMap((field) => (field.kind === "listed" ? listFields(field, teams) : [field])),
  }))

const listFields = ({ who, people, teams }: Listed, offered: readonly string[]): readonly Field[] => [
  { kind: "line", name: people, label: t("People who {who}", { who }), hint: t("User names, separated by spaces."), maxlength: 20_000 },
  ...(offered.length === 0
    ? []
    : [
        {
          kind: "boxes",
          name: teams,
          label: t("Teams that {who}", { who }),
          options: offered.map((name) => [name, name] as const),
        } as const,
      ]),
]
