import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import { attribute, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { cutToWidth } from "../../../core/text/width.ts"
import type { Verification } from "../../../features/code/signatures/records.ts"
import type { CombinedStatus } from "../../../features/code/statuses/store.ts"
import type { Commit } from "../../../git/index.ts"
import { repositoryPath } from "../../../web/address.ts"
import { personWithAvatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { plural } from "../../../web/time.ts"

/** Parts of pages that show commits. */

/** The most columns of a first line, and the most characters of what follows it, that are shown in lists. */
const LONGEST_SUBJECT = 255
const LONGEST_REST = 10_000

/** The first line of a commit's message, cut where it is too long for one. */
export const subjectOf = ({ message }: Pick<Commit, "message">): string =>
  cutToWidth(message.split("\n", 1)[0]?.trim() ?? "", LONGEST_SUBJECT) || "(no message)"

export const commitPath = (on: Owned, id: string): string => `${repositoryPath(on)}/commit/${id}`

/** The subject of a commit, as a link to it. */
export const commitLink = (on: Owned, commit: { readonly id: string; readonly subject: string }, name?: string): Html =>
  html`<a ${attribute("class", name)} href="${commitPath(on, commit.id)}" dir="auto">${commit.subject || "(no message)"}</a>`

export const idLink = (on: Owned, id: string): Html => html`<a class="mono" href="${commitPath(on, id)}">${id.slice(0, 10)}</a>`

/** Who made a commit: the account that the address belongs to, or the name in the commit. */
export const commitPerson = (user: User | undefined, { name }: { readonly name: string }): Html =>
  user ? personWithAvatar(user) : html`<span class="strong"><bdi>${name || t("Unknown")}</bdi></span>`

const STATUSES: Readonly<Record<CombinedStatus["state"], readonly [IconName, Text]>> = {
  success: ["check", "passed"],
  failure: ["x", "failed"],
  pending: ["dot-fill", t("not finished")],
}

/** What the checks of a commit say; nothing without any. */
export function statusMark(status: CombinedStatus | undefined): Html | undefined {
  if (!status) return undefined
  const [name, text] = STATUSES[status.state]
  return html`
    <span class="state ${status.state}" title="${plural(status.contexts, "check")}: ${text}">
      ${icon(name, t("Checks {text}", { text }))}
    </span>
  `
}

/** Why a signature is not verified, in words. */
const FAULTS: Readonly<Record<string, Text>> = {
  "gpg.error.extract_sign": t("The signature can't be read."),
  "gpg.error.no_gpg_keys_found": t("The signing key is not known here."),
  "gpg.error.probable_bad_signature": t("The signature does not match the commit."),
  "gpg.error.no_committer_account": t("The committer's e-mail address does not belong to the owner of the key."),
}

/** Whether a commit is signed, and by whom; nothing where it is not. */
export function signatureMark({ verified, reason, signature, signer }: Verification): Html | undefined {
  if (verified)
    return html`
      <span
        class="chip success"
        title="Signed by ${signer?.name ?? ""} with the key ${reason.split(" / ").at(-1) ?? ""}"
      >
        ${icon("verified")}Verified
      </span>
    `
  if (signature === "") return undefined
  return html`
    <span class="chip neutral" title="${FAULTS[reason] ?? t("The signature could not be verified.")}">
      ${icon("unverified")}Unverified
    </span>
  `
}

/** A commit's message after its first line, on demand. */
export function restOfMessage({ message }: Pick<Commit, "message">): Html | undefined {
  const rest = message.slice(message.indexOf("\n") + 1).trim()
  if (!message.includes("\n") || rest === "") return undefined
  return html`
    <details class="message">
      <summary><span class="hidden-text">Full message</span>…</summary>
      <pre dir="auto">${rest.length > LONGEST_REST ? `${rest.slice(0, LONGEST_REST).toWellFormed()}…` : rest}</pre>
    </details>
  `
}
