import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { fileDownload } from "../../../core/download.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { archiveDownload } from "./archive.ts"

export const archiveOperations: readonly Operation[] = [
  operation({
    id: "repoGetArchive",
    route: "GET /repos/{owner}/{repo}/archive/{archive}",
    summary: "Get an archive of a branch, a tag or a commit",
    description: "The name is followed by .zip, by .tar.gz, or by .bundle for the whole history as a file to clone from.",
    tag: "repository",
    scope: ["repository"],
    access: onRepositoryUnitRead("code"),
    query: { path: Type.Optional(Type.Array(Type.String(), { description: "only these files and directories" })) },
    answers: { 200: fileDownload() },
    refuses: ["badRequest", "notFound", "tooLarge", "busy"],
    handle: async ({ services, path, query, ...on }) => ok(await archiveDownload(services, on, path.archive, query.path)),
  }),
]
