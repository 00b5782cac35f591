import type { ProjectHome } from "../../../access/policies/projects.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { usersById } from "../../code/repositories/store.ts"
import { presentUser } from "../../people/users/present.ts"
import { countCards, findProjectsOfIssues } from "./card-store.ts"
import type { ProjectColumn as ColumnRecord, Project as ProjectRecord } from "./records.ts"
import { type Column, type Project, readableAmong } from "./store.ts"

/** The owner and repository that a project's URL and type follow from. */
export interface ProjectOwner {
  readonly owner: Pick<User, "name" | "kind">
  readonly repository: { readonly name: string } | null
}

export interface OwnedProject {
  readonly project: Project
  readonly at: ProjectOwner
}

/** A project with the number of its cards that the caller may read. */
export interface ProjectView extends OwnedProject {
  readonly open: number
  readonly closed: number
}

/** Projects with the number of their cards that the caller may read, in the order given. At most one query. */
export async function viewProjects(db: Handle, actor: Actor, ownedProjects: readonly OwnedProject[]): Promise<readonly ProjectView[]> {
  if (ownedProjects.length === 0) return []
  const ids = ownedProjects.map(({ project }) => project.id)
  const counts = Map.groupBy(await countCards(db, actor, ids), (row) => row.project_id)
  return ownedProjects.map((owned) => {
    const count = (isClosed: 0 | 1) => counts.get(owned.project.id)?.find((row) => row.is_closed === isClosed)?.total ?? 0
    return { ...owned, open: count(0), closed: count(1) }
  })
}

/** Projects as the caller sees them, in the order given. At most two queries. */
export async function presentProjects(
  db: Handle,
  site: Site,
  actor: Actor,
  ownedProjects: readonly OwnedProject[],
): Promise<ProjectRecord[]> {
  return presentProjectViews(db, site, actor, await viewProjects(db, actor, ownedProjects))
}

/** The same of what was viewed already. At most one query. */
export async function presentProjectViews(db: Handle, site: Site, actor: Actor, views: readonly ProjectView[]): Promise<ProjectRecord[]> {
  if (views.length === 0) return []
  const creators = await creatorsOf(
    db,
    actor,
    views.map(({ project }) => project),
  )
  return views.map((view) => record(site, actor, view, creators.get(view.project.creator_id)))
}

/** The home's projects as the caller sees them, in the order given. */
export const presentProjectsOf = (
  db: Handle,
  site: Site,
  actor: Actor,
  at: ProjectHome,
  rows: readonly Project[],
): Promise<ProjectRecord[]> =>
  presentProjects(
    db,
    site,
    actor,
    rows.map((project) => ({ project, at })),
  )

/** One project of an owner or repository as the caller sees it. */
export async function presentProjectOf(db: Handle, site: Site, actor: Actor, at: ProjectHome, project: Project): Promise<ProjectRecord> {
  const [presented] = await presentProjectsOf(db, site, actor, at, [project])
  if (!presented) throw new TypeError("a project gives its record")
  return presented
}

/** A project that the caller has just created, still empty. */
export const presentNewProject = (site: Site, actor: Actor, at: ProjectHome, project: Project, creator: User): ProjectRecord =>
  record(site, actor, { project, at, open: 0, closed: 0 }, creator)

function record(site: Site, actor: Actor, { project, at, open, closed }: ProjectView, creator: User | undefined): ProjectRecord {
  const { owner, repository } = at
  const isClosed = project.is_closed === 1
  const home = `${site.rootUrl}/${owner.name}/${repository ? repository.name : "-"}`
  return {
    id: project.id,
    title: project.title,
    description: project.description,
    owner_id: project.owner_id ?? 0,
    repo_id: project.repository_id ?? 0,
    ...(creator && { creator: presentUser(site, creator, actor) }),
    creator_id: project.creator_id,
    state: isClosed ? "closed" : "open",
    is_closed: isClosed,
    template_type: project.template_type,
    card_type: project.card_type,
    type: repository ? "repository" : owner.kind === "organization" ? "organization" : "individual",
    num_open_issues: open,
    num_closed_issues: closed,
    num_issues: open + closed,
    html_url: `${home}/projects/${project.id}`,
    created_at: rfc3339(project.created_at),
    updated_at: rfc3339(project.updated_at),
    ...(isClosed && { closed_at: rfc3339(project.closed_at) }),
  }
}

/**
 * The projects of these issues that the caller may read, by the issue's id: one query where there are none, otherwise a fixed number.
 * Issues without projects are left out.
 */
export async function viewIssueProjects(
  db: Handle,
  actor: Actor,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ProjectView[]>> {
  const cards = await findProjectsOfIssues(db, { issueIds })
  if (cards.length === 0) return NO_PROJECTS
  const readable = await readableAmong(db, actor, cards)
  const ownedProjects = new Map(
    cards
      .filter(({ id }) => readable.has(id))
      .map(({ issue_id: _, owner_name, owner_kind, repository_name, ...project }) => {
        const repository = repository_name === null ? null : { name: repository_name }
        return [project.id, { project, at: { owner: { name: owner_name, kind: owner_kind }, repository } }]
      }),
  )
  const views = new Map((await viewProjects(db, actor, [...ownedProjects.values()])).map((view) => [view.project.id, view]))
  const shown = cards.flatMap(({ id, issue_id }) => {
    const view = views.get(id)
    return view ? [{ issue_id, view }] : []
  })
  return new Map([...Map.groupBy(shown, ({ issue_id }) => issue_id)].map(([id, of]) => [id, of.map(({ view }) => view)]))
}

const NO_PROJECTS: ReadonlyMap<number, readonly ProjectView[]> = new Map()

/** Columns as the caller sees them, in the order given. At most one query. */
export async function presentColumns(db: Handle, site: Site, actor: Actor, columns: readonly Column[]): Promise<ColumnRecord[]> {
  const creators = await creatorsOf(db, actor, columns)
  return columns.map((column) => {
    const creator = creators.get(column.creator_id)
    return {
      id: column.id,
      title: column.title,
      default: column.is_default === 1,
      sorting: column.sorting,
      ...(column.color !== "" && { color: column.color }),
      project_id: column.project_id,
      ...(creator && { creator: presentUser(site, creator, actor) }),
      created_at: rfc3339(column.created_at),
      updated_at: rfc3339(column.updated_at),
    }
  })
}

/** One column as the caller sees it. */
export async function presentColumn(db: Handle, site: Site, actor: Actor, column: Column): Promise<ColumnRecord> {
  const [presented] = await presentColumns(db, site, actor, [column])
  if (!presented) throw new TypeError("a column gives its record")
  return presented
}

/** The creators of these, by their ids, without deleted accounts. The caller is not queried again. */
async function creatorsOf(db: Handle, actor: Actor, made: readonly { readonly creator_id: number }[]): Promise<ReadonlyMap<number, User>> {
  const ids = new Set(made.map((row) => row.creator_id))
  const own = actor.kind === "user" ? actor.user : undefined
  if (!own || !ids.delete(own.id)) return usersById(db, [...ids])
  return new Map([...(await usersById(db, [...ids])), [own.id, own]])
}
