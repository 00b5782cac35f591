import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type FeedQuery, readFeed } from "../../../features/events/feed/feed-store.ts"
import type { ActivityKind } from "../../../features/events/feed/kinds.ts"
import { type ActivityView, viewActivities } from "../../../features/events/feed/present.ts"

/** What someone did again and again in a day is one line of a feed. */

/** Entries that are one line, the newest first. */
export interface Group {
  readonly newest: ActivityView
  readonly all: readonly ActivityView[]
}

const DAY = 86_400

/** What entries of a kind have in common to be one line: also the issue, or the branch. */
const TOGETHER: Partial<Readonly<Record<ActivityKind, "issue" | "reference" | "repository" | "anywhere">>> = {
  comment_issue: "issue",
  comment_pull: "issue",
  commit_repo: "reference",
  mirror_sync_push: "reference",
  mirror_sync_create: "repository",
  mirror_sync_delete: "repository",
  create_issue: "repository",
  close_issue: "repository",
  reopen_issue: "repository",
  create_pull_request: "repository",
  close_pull_request: "repository",
  merge_pull_request: "repository",
  push_tag: "repository",
  delete_tag: "repository",
  delete_branch: "repository",
  create_repo: "anywhere",
  star_repo: "anywhere",
  watch_repo: "anywhere",
}

function keyOf({ activity, kind, home }: ActivityView): string {
  const together = TOGETHER[kind]
  if (together === undefined) return `${activity.id}`
  const own = { issue: activity.content.split("|", 1)[0] ?? "", reference: activity.ref_name, repository: "", anywhere: "" }[together]
  const place = together === "anywhere" ? "" : home.repository.id
  return [kind, activity.actor_id, Math.floor(activity.created_at / DAY), place, own].join(" ")
}

/** The first groups of entries, and of how many entries they are: the next page begins with the one after. */
export function groupsOf(views: readonly ActivityView[], most: number): { readonly groups: readonly Group[]; readonly taken: number } {
  const groups = new Map<string, ActivityView[]>()
  let taken = 0
  for (const view of views) {
    const key = keyOf(view)
    const group = groups.get(key)
    if (group) group.push(view)
    else if (groups.size === most) break
    else groups.set(key, [view])
    taken += 1
  }
  return { groups: [...groups.values()].flatMap((all) => (all[0] ? [{ newest: all[0], all }] : [])), taken }
}

/** Lines of a page, and the most entries that are read for them. */
const LINES = 20
const READ = 320

export interface FeedPage {
  readonly groups: readonly Group[]
  /** From which entry on it is. */
  readonly from: number
  /** Where the next page begins; undefined where there is none. */
  readonly next: number | undefined
}

/** A page of a feed from an entry on, in groups. A constant number of statements. */
export async function readGroups(db: Handle, actor: Actor, asked: FeedQuery, from: number): Promise<FeedPage> {
  const { rows, total } = await readFeed(db, actor, asked, { number: 1, limit: READ, offset: from })
  const views = await viewActivities(db, rows)
  const { groups, taken } = groupsOf(views, LINES)
  // What can't be shown any more is left out of the views.
  const last = taken === views.length ? rows.length : rows.findIndex(({ id }) => id === views[taken]?.activity.id)
  return { groups, from, next: from + last < total && last > 0 ? from + last : undefined }
}
