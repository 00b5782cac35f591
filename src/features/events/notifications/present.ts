import type { Owned } from "../../../access/permission.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { findRunsByIds, type Run } from "../../actions/runs/store.ts"
import { releaseUrl } from "../../code/releases/present.ts"
import { findReleasesByIds, type Release } from "../../code/releases/store.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import type { Repository } from "../../code/repositories/records.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import { failureOf } from "../runs.ts"
import type { NotificationSubject, NotificationThread } from "./records.ts"
import { findSubjects, type IssueSubject } from "./store.ts"
import type { Thread } from "./threads-store.ts"

/**
 * Threads as their owner sees them, in the order given. The caller selects the threads whose subjects the owner may still see.
 * The number of queries doesn't grow with the list.
 */
export async function presentThreads(db: Handle, site: Site, actor: Actor, threads: readonly Thread[]): Promise<NotificationThread[]> {
  if (threads.length === 0) return []
  const ids = new Set(threads.map(({ repository_id }) => repository_id))
  const owned = await withOwners(db, await findRepositoriesByIds(db, { ids: [...ids] }))
  const records = await presentRepositories(db, site, actor, owned)
  const homes = new Map(owned.map((item, index) => [item.repository.id, { item, record: withoutPermissions(records[index]) }]))
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
    if (!home?.record || (thread.issue_id !== null && !issue) || (thread.run_id !== null && !run)) return []
    if (thread.release_id !== null && !release) return []
    return [
      {
        id: thread.id,
        repository: home.record,
        subject: issue
          ? presentIssueSubject(site, home.item, issue)
          : run
            ? presentRunSubject(site, home.item, run)
            : release
              ? presentReleaseSubject(site, home.item, release)
              : presentRepositorySubject(site, home.item),
        unread: thread.status === "unread",
        pinned: thread.status === "pinned",
        updated_at: rfc3339(thread.updated_at),
        url: `${site.rootUrl}/api/v1/notifications/threads/${thread.id}`,
      },
    ]
  })
}

/** Clients expect a thread's repository without the reader's permissions. */
function withoutPermissions(record: Repository | undefined): Repository | undefined {
  if (!record) return undefined
  const { permissions: _, parent, ...rest } = record
  const bare = withoutPermissions(parent)
  return bare ? { ...rest, parent: bare } : rest
}

function presentIssueSubject(site: Site, { repository, owner }: Owned, issue: IssueSubject): NotificationSubject {
  const api = repositoryApiUrl(site, owner.name, repository.name)
  const html = issueUrl(repositoryHtmlUrl(site, owner.name, repository.name), issue)
  const comment = issue.latest_comment_id
  return {
    title: issue.title,
    url: `${api}/issues/${issue.number}`,
    latest_comment_url: comment === null ? "" : `${api}/issues/comments/${comment}`,
    html_url: html,
    latest_comment_html_url: comment === null ? "" : `${html}#issuecomment-${comment}`,
    type: issue.is_pull === 1 ? "Pull" : "Issue",
    state: issue.is_merged === 1 ? "merged" : issue.is_closed === 1 ? "closed" : "open",
  }
}

/** Clients know no subject of its own for runs: they show the title and open the address of what happened to a commit. */
const presentRunSubject = (site: Site, { repository, owner }: Owned, run: Run): NotificationSubject => ({
  // A further attempt may go better.
  title: `${run.state === "failure" ? failureOf(run) : run.workflow_name || run.workflow}: ${run.title}`,
  url: `${repositoryApiUrl(site, owner.name, repository.name)}/actions/runs/${run.id}`,
  latest_comment_url: "",
  html_url: `${repositoryHtmlUrl(site, owner.name, repository.name)}/actions/runs/${run.id}`,
  latest_comment_html_url: "",
  type: "Commit",
  state: "",
})

/** Clients know no subject of its own for releases either. */
const presentReleaseSubject = (site: Site, { repository, owner }: Owned, release: Release): NotificationSubject => ({
  title: release.title || release.tag_name,
  url: `${repositoryApiUrl(site, owner.name, repository.name)}/releases/${release.id}`,
  latest_comment_url: "",
  html_url: releaseUrl(repositoryHtmlUrl(site, owner.name, repository.name), release),
  latest_comment_html_url: "",
  type: "Repository",
  state: "",
})

const presentRepositorySubject = (site: Site, { repository, owner }: Owned): NotificationSubject => ({
  title: `${owner.name}/${repository.name}`,
  // Clients expect this URL without the site's root.
  url: `/${owner.name}/${repository.name}`,
  latest_comment_url: "",
  html_url: repositoryHtmlUrl(site, owner.name, repository.name),
  latest_comment_html_url: "",
  type: "Repository",
  state: "",
})
