import { onUserProjects } from "../../../access/policies/projects.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { knownWord, STATE_SYNONYMS } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { requireProject } from "./lock.ts"
import { presentNewProject, presentProjectOf, presentProjectsOf } from "./present.ts"
import { CreateProjectOption, EditProjectOption, Project } from "./records.ts"
import { createProject, deleteProject, editProject } from "./rules.ts"
import { inEveryScope, readingIn, writingIn } from "./scopes.ts"
import { findProjects } from "./store.ts"

const list = {
  paged: true,
  query: { state: Type.Optional(knownWord(["open", "closed", "all"], { default: "open", synonyms: STATE_SYNONYMS })) },
  answers: { 200: Type.Array(Project) },
} as const

const scoped = inEveryScope((scope) => [
  operation({
    ...readingIn(scope),
    ...list,
    id: `${scope.id}ListProjects`,
    route: `GET ${scope.prefix}/projects`,
    summary: `List ${scope.whose} projects`,
    description: "Newest first.",
    handle: async ({ services, db, actor, home, query, page }) => {
      const { rows, total } = await findProjects(db, home, query.state ?? "open", page)
      return listed(await presentProjectsOf(db, services.site, actor, home, rows), total)
    },
  }),

  operation({
    ...writingIn(scope),
    id: `${scope.id}CreateProject`,
    route: `POST ${scope.prefix}/projects`,
    summary: `Create one of ${scope.whose} projects`,
    description: "With the columns of a template, the first of them the default, or with none.",
    body: CreateProjectOption,
    answers: { 201: Project },
    handle: async ({ services, home, me, actor, body }) => {
      const project = await services.database.write((tx) => createProject(tx, home, me, body, services.now()))
      return created(presentNewProject(services.site, actor, home, project, me))
    },
  }),

  operation({
    ...readingIn(scope),
    id: `${scope.id}GetProject`,
    route: `GET ${scope.prefix}/projects/{id}`,
    summary: `Get one of ${scope.whose} projects`,
    answers: { 200: Project },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, home, path }) => {
      const project = await requireProject(db, home, path.id)
      return ok(await presentProjectOf(db, services.site, actor, home, project))
    },
  }),

  operation({
    ...writingIn(scope),
    id: `${scope.id}EditProject`,
    route: `PATCH ${scope.prefix}/projects/{id}`,
    summary: `Edit, close or reopen one of ${scope.whose} projects`,
    description: "What is left out stays as it is. While a project is closed, nothing in it can be changed.",
    body: EditProjectOption,
    answers: { 200: Project },
    refuses: ["notFound", "invalid"],
    handle: async ({ services, db, actor, home, me, path, body }) => {
      const project = await services.database.write((tx) => editProject(tx, home, path.id, me, body, services.now()))
      return ok(await presentProjectOf(db, services.site, actor, home, project))
    },
  }),

  operation({
    ...writingIn(scope),
    id: `${scope.id}DeleteProject`,
    route: `DELETE ${scope.prefix}/projects/{id}`,
    summary: `Delete one of ${scope.whose} projects`,
    description: "With its columns; the issues in them stay.",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, home, me, path }) => {
      await services.database.write((tx) => deleteProject(tx, home, path.id, me))
      return noContent()
    },
  }),
])

/** The operations on projects. */
export const projectOperations: readonly Operation[] = [
  ...scoped,
  operation({
    ...list,
    id: "userListProjects",
    route: "GET /users/{username}/projects",
    summary: "List a user’s projects",
    description: "Newest first, of a person or an organisation.",
    tag: "user",
    scope: ["issue", "user"],
    access: onUserProjects,
    handle: async ({ services, db, actor, home, query, page }) => {
      const { rows, total } = await findProjects(db, home, query.state ?? "open", page)
      return listed(await presentProjectsOf(db, services.site, actor, home, rows), total)
    },
  }),
]
