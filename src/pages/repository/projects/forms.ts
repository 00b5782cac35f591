import { memberOf } from "../../../core/check.ts"
import { type Sketch, sketch } from "../../../core/forms/form.ts"
import { t } from "../../../core/language/message.ts"
import { named, type Operation } from "../../../core/operation.ts"
import { projectCardOperations } from "../../../features/planning/boards/operations.ts"
import { projectColumnOperations } from "../../../features/planning/projects/column-operations.ts"
import { projectOperations } from "../../../features/planning/projects/project-operations.ts"

/** What can be done with projects: with themselves, their columns and their cards. Each form exists for every kind of owner. */

type Names = Readonly<Record<string, string>>

interface Scope {
  /** In the ids of the forms. */
  readonly name: string
  /** The word in the operations' ids. */
  readonly operations: "repo" | "org" | "userCurrent"
  readonly address: "/{owner}/{repo}/projects" | "/{username}/-/projects" | "/{username}/-/my-projects"
  /** The values of the operation's path. */
  readonly path: (path: Names) => Names
  readonly home: (path: Names) => string
}

const homeOf = ({ username = "" }: Names): string => `/${username}/-/projects`

const SCOPES: readonly Scope[] = [
  {
    name: "project",
    operations: "repo",
    address: "/{owner}/{repo}/projects",
    path: (path) => path,
    home: ({ owner = "", repo = "" }) => `/${owner}/${repo}/projects`,
  },
  {
    name: "ownerProject",
    operations: "org",
    address: "/{username}/-/projects",
    path: ({ username = "", ...path }) => ({ ...path, org: username }),
    home: homeOf,
  },
  { name: "myProject", operations: "userCurrent", address: "/{username}/-/my-projects", path: (path) => path, home: homeOf },
]

const operations = [...projectOperations, ...projectColumnOperations, ...projectCardOperations]

/** What a form says beside its name, its address and its operation. */
type More = Omit<Parameters<typeof sketch<string>>[0], "id" | "address" | "does" | "path">

interface Declaring extends Pick<Scope, "name" | "home"> {
  readonly does: (rest: string) => Operation
  /** A form on a board, to which it leads back. Its address is below the board, and its operation is the scope’s one of this name. */
  readonly onBoard: (id: string, address: string, does: string, more: More) => Sketch
}

function formsIn({ name, operations: word, address, path, home }: Scope) {
  const does = (rest: string) => named(operations, `${word}${rest}`)
  const to = ({ path: { id = "", ...rest } }: { readonly path: Names }): string => `${home(rest)}/${id}`
  const onBoard: Declaring["onBoard"] = (id, below, operation, more) =>
    sketch({ id: `${name}.${id}`, address: `POST ${address}/{id}/${below}`, does: does(operation), path, to, ...more })
  const declaring = { name, home, does, onBoard }
  return {
    create: sketch({
      id: `${name}.create`,
      address: `POST ${address}`,
      does: does("CreateProject"),
      path,
      takes: ["title", "description", "template_type"],
      once: true,
      done: t("Project created."),
      to: (done) => `${home(done.path)}/${idOf(done.record)}`,
    }),
    ...editForms(declaring),
    ...columnForms(declaring),
    ...cardForms(declaring),
  }
}

const editForms = ({ home, does, onBoard }: Declaring) => ({
  edit: onBoard("edit", "edit", "EditProject", {
    reads: does("GetProject"),
    guards: ["title", "description"],
    takes: ["title", "description"],
    done: t("Saved."),
  }),
  setState: onBoard("state", "state", "EditProject", {
    takes: ["state"],
    done: t("Saved."),
    reads: does("GetProject"),
    undo: { fields: ({ before }) => ({ state: memberOf(before, "is_closed") === true ? "closed" : "open" }) },
  }),
  remove: onBoard("delete", "delete", "DeleteProject", {
    confirms: () => "delete",
    done: t("Project deleted. Its issues stay."),
    to: (done) => home(done.path),
  }),
})

const columnForms = ({ does, onBoard }: Declaring) => ({
  addColumn: onBoard("addColumn", "columns", "CreateProjectColumn", { takes: ["title", "color"], once: true, done: t("Column added.") }),
  orderColumns: onBoard("orderColumns", "columns/order", "MoveProjectColumns", { takes: ["column_ids"], done: t("Moved.") }),
  editColumn: onBoard("editColumn", "columns/{column_id}", "EditProjectColumn", {
    reads: does("GetProjectColumn"),
    guards: ["title"],
    takes: ["title", "color"],
    also: ["colored", "column"],
    // A field for colours always has one.
    body: (body, { colored }) => ({ ...body, color: colored?.[0] === "true" ? body["color"] : "" }),
    done: t("Saved."),
  }),
  deleteColumn: onBoard("deleteColumn", "columns/{column_id}/delete", "DeleteProjectColumn", {
    done: t("Column deleted. Its cards moved to the default column."),
  }),
  setDefault: onBoard("defaultColumn", "columns/{column_id}/default", "SetDefaultProjectColumn", { done: t("Default column changed.") }),
})

const cardForms = ({ name, onBoard }: Declaring) => ({
  moveCard: onBoard("moveCard", "cards/{issue_id}/move", "MoveProjectIssue", {
    takes: ["column_id", "sorting"],
    also: ["from", "was"],
    done: t("Moved."),
    undo: {
      fields: ({ field }) =>
        field("from") === ""
          ? undefined
          : { column_id: field("from"), ...(field("was") !== "" && { sorting: field("was") }), from: field("column_id") },
    },
  }),
  removeCard: onBoard("removeCard", "columns/{column_id}/cards/{issue_id}/remove", "RemoveIssueFromProjectColumn", {
    also: ["reference"],
    done: t("Card removed."),
    undo: {
      by: { id: name === "project" ? "project.addCard" : "ownerProject.addCard" },
      path: ({ column_id: _, issue_id: __, ...board }) => board,
      fields: ({ path: { column_id = "" }, field }) =>
        field("reference") === "" ? undefined : { column: column_id, reference: field("reference") },
    },
  }),
})

const idOf = (record: unknown): number =>
  typeof record === "object" && record !== null && "id" in record && typeof record.id === "number" ? record.id : 0

export type ProjectForms = ReturnType<typeof formsIn>

const [repository, organization, person] = SCOPES.map(formsIn)
if (!repository || !organization || !person) throw new TypeError("every scope has forms")
export const FORMS = { repository, organization, person } as const

/** Those on a list of projects, and those on a board. */
export const listSketches = ({ create }: ProjectForms): readonly Sketch[] => [create]
export const boardSketches = ({ create: _, ...others }: ProjectForms): readonly Sketch[] => Object.values(others)
