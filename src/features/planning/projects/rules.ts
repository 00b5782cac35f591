import type { ProjectHome } from "../../../access/policies/projects.ts"
import type { User } from "../../../core/actor.ts"
import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { ownerIdsOf } from "../../../core/owner-scope.ts"
import { cutToWidth } from "../../../core/text/width.ts"
import { lockProject } from "./lock.ts"
import { CARD_TYPES, type CreateProjectOption, type EditProjectOption, PROJECT_STATES } from "./records.ts"
import type { Project } from "./store.ts"
import { deleteProjectById, insertColumns, insertProject, updateProject } from "./store.ts"

/** The maximum display width of a title, in columns. */
const TITLE_WIDTH = 255

/** The columns that a project begins with; the first is the default. */
const TEMPLATES: Readonly<Record<Project["template_type"], readonly string[]>> = {
  none: [],
  basic_kanban: ["Backlog", "To Do", "In Progress", "Done"],
  bug_triage: ["Backlog", "Needs Triage", "High Priority", "Low Priority", "Closed"],
}

/** Creates a project with the columns of its template. Several may have the same title. */
export async function createProject(
  tx: Transaction,
  { owner, repository }: ProjectHome,
  me: User,
  options: CreateProjectOption,
  now: Seconds,
): Promise<Project> {
  const template = options.template_type || "none"
  const made = { creator_id: me.id, created_at: now, updated_at: now }
  const project = await insertProject(tx, {
    ...made,
    owner_id: repository ? null : owner.id,
    repository_id: repository ? repository.id : null,
    title: cutToWidth(options.title, TITLE_WIDTH),
    description: options.description ?? "",
    template_type: template,
    card_type: options.card_type || "text_only",
  })
  const columns = TEMPLATES[template].map((title, index) => ({
    ...made,
    project_id: project.id,
    title,
    color: "",
    sorting: 0,
    is_default: flag(index === 0),
  }))
  if (columns.length > 0) await insertColumns(tx, columns)
  publish(tx, { kind: "project.created", ...ownerIdsOf(project), project, actor: me, at: now })
  return project
}

/**
 * Changes the given members of a project. A closed project keeps its cards, but they can't be changed until it is reopened.
 * Refuses `notFound`, and as `invalid` unknown card types and states.
 */
export async function editProject(
  tx: Transaction,
  home: ProjectHome,
  id: number,
  me: User,
  options: EditProjectOption,
  now: Seconds,
): Promise<Project> {
  const project = await lockProject(tx, home, id)
  const title = options.title?.trim()
  const cardType = options.card_type === undefined ? undefined : wordOf("card_type", CARD_TYPES, options.card_type || "text_only")
  const state = options.state === undefined ? undefined : wordOf("state", PROJECT_STATES, options.state)
  const { is_closed, ...others } = differencesFrom(project, {
    title: title === undefined ? undefined : cutToWidth(title, TITLE_WIDTH),
    description: options.description,
    card_type: cardType,
    is_closed: state === undefined ? undefined : flag(state === "closed"),
  })
  const changed = Object.keys(others)
  if (changed.length === 0 && is_closed === undefined) return project
  const event = { ...ownerIdsOf(project), project, actor: me, at: now }
  if (changed.length > 0) publish(tx, { kind: "project.edited", ...event, changed })
  if (is_closed !== undefined) publish(tx, { kind: is_closed === 1 ? "project.closed" : "project.reopened", ...event })
  return updateProject(tx, project.id, {
    ...others,
    ...(is_closed !== undefined && { is_closed, closed_at: is_closed === 1 ? now : 0 }),
    updated_at: now,
  })
}

/** Deletes a project, open or closed, with its columns and cards. The issues and their timelines stay. Refuses `notFound`. */
export async function deleteProject(tx: Transaction, home: ProjectHome, id: number, me: User): Promise<void> {
  const project = await lockProject(tx, home, id)
  await deleteProjectById(tx, project.id)
  publish(tx, { kind: "project.deleted", ...ownerIdsOf(project), project, actor: me })
}

function wordOf<const Word extends string>(field: string, words: readonly Word[], given: string): Word {
  const word = words.find((known) => known === given)
  if (word === undefined) throw refuse.invalid(field, t`must be ${words.map((known) => `'${known}'`).join(" or ")}`)
  return word
}
