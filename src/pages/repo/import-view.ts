import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { RepositoryImport } from "../../features/code/mirrors/records.ts"
import type { Import } from "../../features/code/mirrors/store.ts"
import { notice, state } from "../../web/components.ts"
import type { Field } from "../../web/form.ts"
import type { IconName } from "../../web/icon-names.ts"
import { time } from "../../web/time.ts"

/** What the pages of imports share. */

export const credentials: Field = {
  kind: "group",
  label: t("Credentials"),
  hint: t("Needed for private repositories, and to import more than git."),
  fields: [
    { kind: "line", name: "auth_username", label: t("Name"), maxlength: 255 },
    { kind: "line", name: "auth_password", label: t("Password"), type: "password", maxlength: 1024, autocomplete: "new-password" },
    {
      kind: "line",
      name: "auth_token",
      label: t("Access token (instead of a password)"),
      type: "password",
      maxlength: 1024,
      autocomplete: "new-password",
    },
  ],
}

/** For administrators of the site alone. */
export const peopleField: Field = {
  kind: "text",
  name: "people",
  label: t("Who people are here"),
  rows: 4,
  isCode: true,
  hint: t("A line each, such as “octocat = ada” or “ada@example.org, ada”: login or verified address there, login here."),
}

const CREDENTIALS = ["auth_username", "auth_password", "auth_token", "people"] as const

/** What was left empty is not sent: it stays as it is. */
export const withoutEmpty = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== "" || !CREDENTIALS.some((each) => each === name)))

export const RECORDS = [
  ["issues", t("Issues")],
  ["labels", t("Labels")],
  ["milestones", t("Milestones")],
  ["pull_requests", t("Pull requests")],
  ["releases", t("Releases")],
] as const

export const SERVICES = [
  ["git", t("Any git server")],
  ["github", t("GitHub")],
  ["gitlab", t("GitLab")],
  ["gitea", t("Hearth, Gitea or Forgejo")],
  ["gogs", t("Gogs")],
] as const

const STEPS: Readonly<Record<string, Text>> = {
  git: t("Branches and tags"),
  references: t("Branches and tags"),
  branches: t("Branches"),
  tags: t("Tags"),
  wiki: t("Wiki"),
  large_files: t("Large files"),
  topics: t("Topics"),
  comments: t("Comments"),
  reviews: t("Reviews"),
  line_comments: t("Comments"),
  files: t("Files"),
  ...Object.fromEntries(RECORDS),
  release_files: t("Files of releases"),
}

export const stepName = (name: string): Text => STEPS[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`

type Step = RepositoryImport["steps"][number]

const LOOKS = {
  waiting: ["muted", "clock", t("Waiting")],
  running: ["pending", "sync", t("Importing")],
  done: ["success", "check", t("Done")],
  failed: ["failure", "x", t("Failed")],
} as const satisfies Readonly<Record<Step["state"], readonly [string, IconName, Text]>>

const STATES = {
  queued: LOOKS.waiting,
  running: LOOKS.running,
  stopped: ["muted", "circle-slash", t("Stopped")],
  done: LOOKS.done,
  failed: LOOKS.failed,
} as const satisfies Readonly<Record<RepositoryImport["state"], readonly [string, IconName, Text]>>

/** The state of an import, in a list of them. */
export function stateOf({ state: at }: RepositoryImport): Html {
  const [tone, look, text] = STATES[at]
  return state(tone, look, text)
}

export function stepRow({ name, state: at, done, total, missing }: Step): Html {
  const [tone, look, text] = LOOKS[at]
  const many = total === null ? `${done}` : t("{done} of {total}", { done, total })
  return html`
    <tr>
      <th scope="row">${stepName(name)}</th>
      <td>${state(tone, look, text)}</td>
      <td class="number">${name !== "git" && many}${missing > 0 && html`, ${missing} missing`}</td>
    </tr>
  `
}

/** Sentences about where an import is. */
export function importState(row: Import, { state: at, error }: RepositoryImport, now: number): Html {
  if (at === "done") return notice("good", t("Import complete."))
  if (at === "failed") return notice("bad", html`It failed: ${error}`)
  if (at === "stopped") return notice("warn", t("The import was stopped. What has come stays."))
  return html`
    ${
      row.waits_until > 0 &&
      notice("warn", html`The other server grants no more requests for now. The import goes on ${time(row.waits_until, now)}.`)
    }
    ${error !== "" && notice("warn", html`A step did not succeed, and is tried again: ${error}`)}
    ${notice("info", t("The import continues if you leave this page."))}
  `
}
