import { memberOf } from "../../core/check.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { HeldRequest } from "../../features/planning/newcomers/records.ts"
import type { Field } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"

/** Issues and pull requests of newcomers that wait for approval, as pages show them. */

/** Where their author sees them. */
export const HELD_PATH = "/-/held"

export const HELD_WORDS = t("Thank you. Somebody has to approve it first; nobody else sees it until then.")

/** Whether an issue or pull request was not opened, but waits. */
export const isHeldRecord = (record: unknown): boolean => memberOf(record, "state") === "waiting"

export const openedOrHeld = (record: unknown): Text => (isHeldRecord(record) ? HELD_WORDS : t("Opened."))

/** What is in it, as plain text: what it links to is shown to nobody before it is approved. */
export const heldText = ({ kind, title, body, base, head }: HeldRequest): Html =>
  html`
    <span class="title">${icon(kind === "pull" ? "git-pull-request" : "issue-opened")} <bdi class="strong break">${title}</bdi></span>
    ${base !== undefined && html`<p class="muted small break"><bdi>${head}</bdi> → <bdi>${base}</bdi></p>`}
    ${body !== "" && html`<details><summary>Text</summary><pre class="break wrap" dir="auto">${body}</pre></details>`}
  `

/** The fields of what is asked of newcomers; empty ones are what is said farther away. */
export const ruleFields: readonly Field[] = [
  {
    kind: "choice",
    name: "mode",
    label: t("First issues and pull requests"),
    options: [
      ["", t("As the owner or the site says")],
      ["free", t("Are opened at once")],
      ["limited", t("Are limited")],
      [
        "held",
        t("Wait for approval"),
        t("Somebody who may write to issues or pull requests approves them. Until then only their author sees them."),
      ],
    ],
  },
  {
    kind: "line",
    name: "days",
    label: t("Days"),
    hint: t("Younger accounts are newcomers, and those without a verified address. 0: all accounts. Empty: as the owner or the site says."),
    maxlength: 4,
  },
  {
    kind: "line",
    name: "per_day",
    label: t("A day"),
    hint: t("How many issues and pull requests one newcomer may open. 0: any number. Empty: as the owner or the site says."),
    maxlength: 5,
  },
]

const number = (text: unknown): unknown => (text === "" || text === undefined ? null : text)

/** Empty fields are null. */
export const ruleBody = (typed: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, unknown>> => ({
  mode: typed["mode"]?.[0] || null,
  days: number(wholeIn(typed["days"]?.[0])),
  per_day: number(wholeIn(typed["per_day"]?.[0])),
})

/** A number as it is typed; anything else is refused by the operation. */
const wholeIn = (text = ""): unknown => (/^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : text.trim())

/** What the form shows of it. */
export const ruleRecord = ({
  mode,
  days,
  per_day,
}: {
  readonly mode: string | null
  readonly days: number | null
  readonly per_day: number | null
}) => ({
  mode: mode ?? "",
  days: days === null ? "" : String(days),
  per_day: per_day === null ? "" : String(per_day),
})
