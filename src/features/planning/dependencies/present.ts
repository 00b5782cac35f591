import { permissionsOn } from "../../../access/permission.ts"
import { type Issue as IssueRow, readsKind } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { GHOST, presentUser } from "../../people/users/present.ts"
import { type IssueView, presentViews, viewIssues } from "../issues/present.ts"
import type { Issue } from "../issues/records.ts"

/** Issues with what the caller may see of them; undefined for each that they may not read. The number of queries is fixed. */
export async function viewWithHidden(db: Handle, actor: Actor, issues: readonly IssueRow[]): Promise<readonly (IssueView | undefined)[]> {
  if (issues.length === 0) return []
  const ids = new Set(issues.map((issue) => issue.repository_id))
  const owned = await withOwners(db, await findRepositoriesByIds(db, { ids: [...ids] }))
  const permissions = await permissionsOn(db, actor, owned)
  const homes = new Map(owned.map((home) => [home.repository.id, home]))
  const isShown = (issue: IssueRow): boolean => {
    const home = homes.get(issue.repository_id)
    const permission = permissions.get(issue.repository_id)
    return home !== undefined && permission !== undefined && readsKind({ ...home, permission }, issue)
  }
  const shown = new Map((await viewIssues(db, actor, issues.filter(isShown), { owned })).map((view) => [view.issue.id, view]))
  return issues.map(({ id }) => shown.get(id))
}

/** The same as records, with a placeholder for each that the caller may not read. */
export async function presentWithHidden(db: Handle, site: Site, actor: Actor, issues: readonly IssueRow[]): Promise<Issue[]> {
  const views = await viewWithHidden(db, actor, issues)
  const shown = await presentViews(
    db,
    site,
    actor,
    views.flatMap((view) => view ?? []),
  )
  const records = new Map(shown.map((record) => [record.id, record]))
  const hidden = hiddenIssue(site)
  return issues.map(({ id }) => records.get(id) ?? hidden)
}

/** The placeholder for an issue that the caller may not read: it shows only that there is one. */
const hiddenIssue = (site: Site): Issue => ({
  id: 0,
  url: site.rootUrl,
  html_url: site.rootUrl,
  number: 0,
  user: presentUser(site, GHOST),
  original_author: "",
  original_author_id: 0,
  title: "HIDDEN",
  body: "",
  ref: "",
  assets: [],
  labels: [],
  milestone: null,
  projects: [],
  assignee: null,
  assignees: [],
  state: "open",
  is_locked: false,
  comments: 0,
  created_at: rfc3339(0),
  updated_at: rfc3339(0),
  closed_at: null,
  due_date: null,
  time_estimate: 0,
  pull_request: null,
  repository: { id: 0, name: "", owner: "", full_name: "" },
  pin_order: 0,
  content_version: 0,
})
