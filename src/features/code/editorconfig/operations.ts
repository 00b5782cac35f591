import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { openRevision } from "../contents/read.ts"
import { definitionFor, EditorConfigDefinition } from "./definition.ts"

export const editorConfigOperations: readonly Operation[] = [
  operation({
    id: "repoGetEditorConfig",
    route: "GET /repos/{owner}/{repo}/editorconfig/{filepath}",
    summary: "Get the EditorConfig of a file",
    tag: "repository",
    scope: ["repository"],
    access: onRepositoryUnitRead("code"),
    query: { ref: Type.Optional(Type.String({ description: "a branch, a tag or a commit; the default branch where it is not sent" })) },
    answers: { 200: EditorConfigDefinition },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, query, path, ...on }) => ok(await definitionFor(await openRevision(services, on, query.ref), path.filepath)),
  }),
]
