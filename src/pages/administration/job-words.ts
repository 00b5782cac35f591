import type { Handle } from "../../core/database/database.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { findRepositoriesByIds, withOwners } from "../../features/code/repositories/store.ts"
import { repositoryPath } from "../../web/address.ts"
import { ADMINISTRATION_PATH } from "../../web/administration.ts"

/** Background jobs in words: what each does, what it is about, and what to do where it has failed. */

const NAMES: Readonly<Record<string, string>> = {
  "actions.closeLog": "Close the log of a job",
  "actions.readSchedules": "Read the schedules of workflows",
  "actions.removeFiles": "Delete files of workflow runs",
  "actions.removeFolder": "Delete the folder of workflow runs",
  "actions.startForEvent": "Start workflows for an event",
  "actions.startForPull": "Start workflows for a pull request",
  "adoption.removeFolder": "Remove the folder of an adopted repository",
  "attachments.removeFiles": "Delete attached files",
  "branch.rename": "Rename a branch",
  "mail.account": "Send a mail about an account",
  "mail.invitation": "Send an invitation",
  "mail.runFailed": "Send a mail about a failed run",
  "mail.send": "Send a mail",
  "mail.spread": "Find out who gets a mail",
  "mail.teamInvitation": "Send an invitation to a team",
  "mirrors.import": "Import a repository",
  "mirrors.push": "Push to a mirror",
  "mirrors.sync": "Synchronise a mirror",
  "pulls.align": "Update the reference of a pull request",
  "pulls.detectManualMerges": "Find pull requests that were merged by a push",
  "pulls.recheckBase": "Check pull requests for conflicts",
  "pulls.removeRefs": "Remove the references of a pull request",
  "pulls.requestOwners": "Request reviews from code owners",
  "pulls.scheduledMerge": "Merge a pull request once it is ready",
  "repository.alignHead": "Update the default branch in git",
  "repository.compareBranches": "Compare branches with the default branch",
  "repository.contributions": "Count contributions",
  "repository.deleteOwned": "Delete repositories of a deleted account",
  "repository.deleteRemains": "Delete the files of a deleted repository",
  "repository.index": "Index code for the search",
  "repository.maintain": "Pack a repository",
  "repository.removeFiles": "Delete files of a repository",
  "repository.survey": "Measure languages and size",
  "repository.treeHistories": "Find the last commit of each file",
  "tags.align": "Update tags and releases",
  "webhooks.deliver": "Deliver a webhook",
  "wiki.settle": "Finish a change of a wiki",
}

/** What an administrator can do about a failure, by the beginning of the kind. */
const ADVICE: readonly (readonly [kinds: string, advice: Html])[] = [
  [
    "mail.",
    html`
      Check the mail settings (<a href="${ADMINISTRATION_PATH}/config?q=mail.">mail.…</a>) and
      <a href="${ADMINISTRATION_PATH}#mail">send a test mail</a>.
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

export const jobName = (kind: string): string => NAMES[kind] ?? kind

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
