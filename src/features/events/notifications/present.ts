import type { Owned } from "../../../access/permission.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import type { Repository } from "../../code/repositories/records.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import type { NotificationSubject, NotificationThread } from "./records.ts"
import { findSubjects, type IssueSubject } from "./store.ts"
import type { Thread } from "./threads.ts"

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
  return threads.flatMap((thread) => {
    const home = homes.get(thread.repository_id)
    const issue = thread.issue_id === null ? undefined : issues.get(thread.issue_id)
    // Deleted between two queries.
    if (!home?.record || (thread.issue_id !== null && !issue)) return []
    return [
      {
        id: thread.id,
        repository: home.record,
        subject: issue ? presentIssueSubject(site, home.item, issue) : presentRepositorySubject(site, home.item),
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
