import type { Handle } from "../../core/database/database.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { findRepositoriesByIds, withOwners } from "../../features/code/repositories/store.ts"
import { repositoryPath } from "../../web/address.ts"
import { ADMINISTRATION_PATH } from "../../web/administration.ts"

/** Background jobs in words: what each does, what it is about, and what to do where it has failed. */

const NAMES: Readonly<Record<string, Text>> = {
  "actions.closeLog": t("Close the log of a job"),
  "actions.readSchedules": t("Read the schedules of workflows"),
  "actions.removeFiles": t("Delete files of workflow runs"),
  "actions.removeFolder": t("Delete the folder of workflow runs"),
  "actions.startForEvent": t("Start workflows for an event"),
  "actions.startForPull": t("Start workflows for a pull request"),
  "adoption.removeFolder": t("Remove the folder of an adopted repository"),
  "attachments.removeFiles": t("Delete attached files"),
  "branch.rename": t("Rename a branch"),
  "mail.backupFailed": t("Send a mail about a failed backup"),
  "mail.account": t("Send a mail about an account"),
  "mail.invitation": t("Send an invitation"),
  "mail.requiredFactor": t("Send a mail about an account"),
  "mail.requiredFactors": t("Find out who gets a mail"),
  "mail.runFailed": t("Send a mail about a failed run"),
  "mail.send": t("Send a mail"),
  "mail.spread": t("Find out who gets a mail"),
  "mail.teamInvitation": t("Send an invitation to a team"),
  "mail.tokenExpiry": t("Send a mail about an account"),
  "mirrors.import": t("Import a repository"),
  "mirrors.push": t("Push to a mirror"),
  "mirrors.sync": t("Synchronise a mirror"),
  "pulls.align": t("Update the reference of a pull request"),
  "pulls.detectManualMerges": t("Find pull requests that were merged by a push"),
  "pulls.recheckBase": t("Check pull requests for conflicts"),
  "pulls.removeRefs": t("Remove the references of a pull request"),
  "pulls.requestOwners": t("Request reviews from code owners"),
  "pulls.scheduledMerge": t("Merge a pull request once it is ready"),
  "repository.alignHead": t("Update the default branch in git"),
  "repository.compareBranches": t("Compare branches with the default branch"),
  "repository.contributions": t("Count contributions"),
  "repository.deleteOwned": t("Delete repositories of a deleted account"),
  "repository.deleteRemains": t("Delete the files of a deleted repository"),
  "repository.index": t("Index code for the search"),
  "repository.maintain": t("Pack a repository"),
  "repository.removeFiles": t("Delete files of a repository"),
  "repository.survey": t("Measure languages and size"),
  "repository.treeHistories": t("Find the last commit of each file"),
  "tags.align": t("Update tags and releases"),
  "webhooks.deliver": t("Deliver a webhook"),
  "wiki.settle": t("Finish a change of a wiki"),
}

/** What an administrator can do about a failure, by the beginning of the kind. */
const ADVICE: readonly (readonly [kinds: string, advice: Html])[] = [
  [
    "mail.",
    html`
      Check the mail settings (<a href="${ADMINISTRATION_PATH}/config?q=mail.">mail.…</a>)
      and <a href="${ADMINISTRATION_PATH}#mail">send a test mail</a>.
    `,
  ],
  ["mirrors.", html`Check the address and the credentials in the settings of the repository, and start it there again.`],
  ["webhooks.", html`The deliveries are listed at the webhook, with the answer of the receiver; each can be sent again there.`],
  ["repository.maintain", html`Check free space and permissions of the data folder. The nightly maintenance tries again.`],
  ["repository.index", html`The search lacks the newest changes of this repository. Run <code>index_code</code> below.`],
  ["repository.alignHead", html`Clones may check out another branch: choose the default branch in the repository’s settings again.`],
  ["repository.delete", html`Files of what was deleted may still be there. Check the permissions of the data folder.`],
  ["repository.removeFiles", html`Files of what was deleted may still be there. Check the permissions of the data folder.`],
  ["repository.", html`Nothing is lost: pages are slower, or lack a number, until the next push makes it again.`],
  ["attachments.", html`Run <code>sweep_attachments</code> below: it deletes files that nothing names.`],
  ["actions.remove", html`Run <code>sweep_action_files</code> below: it deletes files that nothing names.`],
  ["actions.start", html`The workflow did not run for this event: push again, or run it by hand.`],
  ["pulls.scheduledMerge", html`Run <code>retry_scheduled_merges</code> below, or merge the pull request by hand.`],
]

const OTHERWISE = html`It is not tried again by itself. The server’s log has the whole error, under the number of the job.`

export const jobName = (kind: string): Text => NAMES[kind] ?? kind

export const adviceFor = (kind: string): Html => ADVICE.find(([kinds]) => kind.startsWith(kinds))?.[1] ?? OTHERWISE

function repositoryIn(payload: string): number | undefined {
  try {
    const read: unknown = JSON.parse(payload)
    return typeof read === "object" && read !== null && "repositoryId" in read && typeof read.repositoryId === "number"
      ? read.repositoryId
      : undefined
  } catch {
    return undefined
  }
}

/** The repositories that jobs are about, as links. At most two statements. */
export async function subjectsOf(db: Handle, jobs: readonly { readonly payload: string }[]): Promise<(payload: string) => Content> {
  const ids = [...new Set(jobs.flatMap(({ payload }) => repositoryIn(payload) ?? []))]
  const homes = ids.length === 0 ? [] : await withOwners(db, await findRepositoriesByIds(db, { ids }))
  const byId = new Map(homes.map((home) => [home.repository.id, home]))
  return (payload) => {
    const id = repositoryIn(payload)
    const home = id === undefined ? undefined : byId.get(id)
    if (home) return html`<a href="${repositoryPath(home)}"><bdi>${home.owner.name}/${home.repository.name}</bdi></a>`
    return id !== undefined && html`<span class="muted">a repository that was deleted</span>`
  }
}
