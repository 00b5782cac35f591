import type { Owned } from "../../../access/permission.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { findRunsByIds, type Run } from "../../actions/runs/store.ts"
import { releaseUrl } from "../../code/releases/present.ts"
import { findReleasesByIds, type Release } from "../../code/releases/store.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import type { Repository } from "../../code/repositories/records.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { repositoryApiUrl } from "../../code/repositories/urls.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import { failureOf } from "../runs.ts"
import type { NotificationSubject, NotificationThread } from "./records.ts"
import { findSubjects, type IssueSubject } from "./store.ts"
import type { Thread } from "./threads-store.ts"

/** A thread with what is shown of it, as rows. */
export interface ThreadView {
  readonly thread: Thread
  readonly home: Owned
  /** What it is about: one of these, or else the repository. */
  readonly issue: IssueSubject | undefined
  readonly run: Run | undefined
  readonly release: Release | undefined
}

/**
 * Threads as their owner sees them, in the order given. The caller selects the threads whose subjects the owner may still see.
 * The number of queries doesn't grow with the list.
 */
export async function viewThreads(db: Handle, threads: readonly Thread[]): Promise<readonly ThreadView[]> {
  if (threads.length === 0) return []
  const ids = new Set(threads.map(({ repository_id }) => repository_id))
  const owned = await withOwners(db, await findRepositoriesByIds(db, { ids: [...ids] }))
  const homes = new Map(owned.map((home) => [home.repository.id, home]))
  const issueIds = threads.flatMap(({ issue_id }) => issue_id ?? [])
  const issues = new Map(issueIds.length === 0 ? [] : (await findSubjects(db, { ids: issueIds })).map((issue) => [issue.id, issue]))
  const runIds = threads.flatMap(({ run_id }) => run_id ?? [])
  const runs = new Map(runIds.length === 0 ? [] : (await findRunsByIds(db, { ids: runIds })).map((run) => [run.id, run]))
  const releaseIds = threads.flatMap(({ release_id }) => release_id ?? [])
  const releases = new Map(releaseIds.length === 0 ? [] : (await findReleasesByIds(db, { ids: releaseIds })).map((each) => [each.id, each]))
  return threads.flatMap((thread) => {
    const home = homes.get(thread.repository_id)
    const issue = thread.issue_id === null ? undefined : issues.get(thread.issue_id)
    const run = thread.run_id === null ? undefined : runs.get(thread.run_id)
    const release = thread.release_id === null ? undefined : releases.get(thread.release_id)
    // Deleted between two queries.
    if (!home || (thread.issue_id !== null && !issue) || (thread.run_id !== null && !run)) return []
    if (thread.release_id !== null && !release) return []
    return [{ thread, home, issue, run, release }]
  })
}

/** The same as records. */
export async function presentThreads(db: Handle, site: Site, actor: Actor, threads: readonly Thread[]): Promise<NotificationThread[]> {
  const views = await viewThreads(db, threads)
  const records = await presentRepositories(db, site, actor, [...new Set(views.map(({ home }) => home))])
  const repositories = new Map(records.map((record) => [record.id, withoutPermissions(record)]))
  return views.flatMap((view) => {
    const { thread } = view
    const repository = repositories.get(thread.repository_id)
    if (!repository) return []
    return [
      {
        id: thread.id,
        repository,
        subject: presentSubject(site, view),
        unread: thread.status === "unread",
        pinned: thread.status === "pinned",
        updated_at: rfc3339(thread.updated_at),
        url: `${site.rootUrl}/api/v1/notifications/threads/${thread.id}`,
      },
    ]
  })
}

/** Clients expect a thread's repository without the reader's permissions. */
const withoutPermissions: (repository: Repository) => Repository = onFirstUseOf(({ permissions: _, parent, ...rest }: Repository) =>
  parent ? { ...rest, parent: withoutPermissions(parent) } : rest,
)

export const titleOf = ({ home, issue, run, release }: ThreadView): string => {
  if (issue) return issue.title
  // A further attempt may go better.
  if (run) return `${run.state === "failure" ? failureOf(run) : run.workflow_name || run.workflow}: ${run.title}`
  return release ? release.title || release.tag_name : `${home.owner.name}/${home.repository.name}`
}

/** The path of the page of what the thread is about. */
const subjectPath = ({ home: { owner, repository }, issue, run, release }: ThreadView): string => {
  const at = `/${owner.name}/${repository.name}`
  return issue ? issueUrl(at, issue) : run ? `${at}/actions/runs/${run.id}` : release ? releaseUrl(at, release) : at
}

/** The same where its newest comment is. */
export const newestPath = (view: ThreadView): string =>
  view.issue?.latest_comment_id ? `${subjectPath(view)}#issuecomment-${view.issue.latest_comment_id}` : subjectPath(view)

export const stateOf = ({ is_merged, is_closed }: IssueSubject): "merged" | "closed" | "open" =>
  is_merged === 1 ? "merged" : is_closed === 1 ? "closed" : "open"

function presentSubject(site: Site, view: ThreadView): NotificationSubject {
  const { home, issue, run, release } = view
  const api = repositoryApiUrl(site, home.owner.name, home.repository.name)
  const comment = issue?.latest_comment_id ?? undefined
  return {
    title: titleOf(view),
    // Clients expect the URL of a repository without the site's root.
    url: issue
      ? `${api}/issues/${issue.number}`
      : run
        ? `${api}/actions/runs/${run.id}`
        : release
          ? `${api}/releases/${release.id}`
          : subjectPath(view),
    latest_comment_url: comment === undefined ? "" : `${api}/issues/comments/${comment}`,
    html_url: site.rootUrl + subjectPath(view),
    latest_comment_html_url: comment === undefined ? "" : site.rootUrl + newestPath(view),
    // Clients know no subject of its own for runs, and open the address of what happened to a commit; nor for releases.
    type: issue ? (issue.is_pull === 1 ? "Pull" : "Issue") : run ? "Commit" : "Repository",
    state: issue ? stateOf(issue) : "",
  }
}
