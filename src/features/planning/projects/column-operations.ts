import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { createColumn, deleteColumn, editColumn, makeDefault, orderColumns } from "./columns.ts"
import { requireColumnOf, requireProject } from "./lock.ts"
import { presentColumn, presentColumns } from "./present.ts"
import { CreateProjectColumnOption, EditProjectColumnOption, MoveProjectColumnsOption, ProjectColumn } from "./records.ts"
import { inEveryScope, readingIn, writingColumnsIn } from "./scopes.ts"
import { findColumns } from "./store.ts"

/** The columns of projects. */
export const projectColumnOperations: readonly Operation[] = inEveryScope((scope) => {
  const columns = `${scope.prefix}/projects/{id}/columns` as const
  const of = `of one of ${scope.whose} projects`
  return [
    operation({
      ...readingIn(scope),
      id: `${scope.id}ListProjectColumns`,
      route: `GET ${columns}`,
      summary: `List the columns ${of}`,
      paged: true,
      answers: { 200: Type.Array(ProjectColumn) },
      refuses: ["notFound"],
      handle: async ({ services, db, actor, home, path, page: { offset, limit } }) => {
        const project = await requireProject(db, home, path.id)
        const all = await findColumns(db, { projectId: project.id })
        return listed(await presentColumns(db, services.site, actor, all.slice(offset, offset + limit)), all.length)
      },
    }),

    operation({
      ...writingColumnsIn(scope),
      id: `${scope.id}CreateProjectColumn`,
      route: `POST ${columns}`,
      summary: `Create a column ${of}`,
      description: "Behind the others. There are at most 20.",
      body: CreateProjectColumnOption,
      answers: { 201: ProjectColumn },
      refuses: ["notFound", "forbidden", "invalid"],
      handle: async ({ services, db, actor, home, me, path, body }) => {
        const column = await services.database.write((tx) => createColumn(tx, home, path.id, me, body, services.now()))
        return created(await presentColumn(db, services.site, actor, column))
      },
    }),

    operation({
      ...writingColumnsIn(scope),
      id: `${scope.id}MoveProjectColumns`,
      route: `POST ${columns}/move`,
      summary: `Reorder the columns ${of}`,
      description: "Their sorting counts from 0 afterwards.",
      body: MoveProjectColumnsOption,
      answers: { 204: null },
      refuses: ["notFound", "forbidden", "invalid"],
      handle: async ({ services, home, me, path, body }) => {
        await services.database.write((tx) => orderColumns(tx, home, path.id, body.column_ids, me, services.now()))
        return noContent()
      },
    }),

    operation({
      ...readingIn(scope),
      id: `${scope.id}GetProjectColumn`,
      route: `GET ${columns}/{column_id}`,
      summary: `Get a column ${of}`,
      answers: { 200: ProjectColumn },
      refuses: ["notFound"],
      handle: async ({ services, db, actor, home, path }) => {
        const column = await requireColumnOf(db, home, { projectId: path.id, columnId: path.column_id })
        return ok(await presentColumn(db, services.site, actor, column))
      },
    }),

    operation({
      ...writingColumnsIn(scope),
      id: `${scope.id}EditProjectColumn`,
      route: `PATCH ${columns}/{column_id}`,
      summary: `Edit a column ${of}`,
      description: "What is left out stays as it is, and so do the other columns: of those with the same sorting the older comes first.",
      body: EditProjectColumnOption,
      answers: { 200: ProjectColumn },
      refuses: ["notFound", "forbidden", "invalid"],
      handle: async ({ services, db, actor, home, me, path, body }) => {
        const at = { projectId: path.id, columnId: path.column_id }
        const column = await services.database.write((tx) => editColumn(tx, home, at, me, body, services.now()))
        return ok(await presentColumn(db, services.site, actor, column))
      },
    }),

    operation({
      ...writingColumnsIn(scope),
      id: `${scope.id}DeleteProjectColumn`,
      route: `DELETE ${columns}/{column_id}`,
      summary: `Delete a column ${of}`,
      description: "Its issues go behind those of the default column, which can’t be deleted itself.",
      answers: { 204: null },
      refuses: ["notFound", "forbidden", "invalid"],
      handle: async ({ services, home, me, path }) => {
        await services.database.write((tx) => deleteColumn(tx, home, { projectId: path.id, columnId: path.column_id }, me))
        return noContent()
      },
    }),

    operation({
      ...writingColumnsIn(scope),
      id: `${scope.id}SetDefaultProjectColumn`,
      route: `POST ${columns}/{column_id}/default`,
      summary: `Make a column the default ${of}`,
      description: "It takes what is put into the project as a whole.",
      answers: { 204: null },
      refuses: ["notFound", "forbidden"],
      handle: async ({ services, home, me, path }) => {
        const at = { projectId: path.id, columnId: path.column_id }
        await services.database.write((tx) => makeDefault(tx, home, at, me, services.now()))
        return noContent()
      },
    }),
  ]
})
