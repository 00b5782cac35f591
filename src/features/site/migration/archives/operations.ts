import { requireAccount, signedIn } from "../../../../access/policies/site.ts"
import { refuse } from "../../../../core/errors.ts"
import { created, type Operation, operation } from "../../../../core/operation.ts"
import Type from "../../../../core/schema.ts"
import { fileUpload } from "../../../../core/upload.ts"
import { RepositoryImport } from "../../../code/mirrors/records.ts"
import { findImport } from "../imports-store.ts"
import { presentImport } from "../progress.ts"

/** Importing what archives of other servers have. */
export const sentArchiveOperations: readonly Operation[] = [
  operation({
    id: "userImportArchive",
    tag: "user",
    scope: ["user", "repository"],
    access: signedIn,
    publicOnly: "refused",
    since: "0.2.0",
    route: "POST /user/imports/archive",
    summary: "Import the repository of an archive",
    description:
      "A migration archive of GitHub, or a project export of GitLab 13 and newer: a .tar.gz of at most `migrations.maxArchiveBytes`, by default 2 GiB. One of a person at a time. GET /user/imports tells how far it is.",
    query: {
      name: Type.String({ minLength: 1, maxLength: 100, description: "what the repository is to be called" }),
      repo_owner: Type.Optional(Type.String({ description: "the caller unless given" })),
    },
    body: fileUpload("archive"),
    answers: { 201: RepositoryImport },
    refuses: ["badRequest", "forbidden", "conflict", "invalid", "tooLarge", "tooMany"],
    handle: async (call) => {
      requireAccount(call)
      const { services, actor, body, query } = call
      const { receiveArchive } = await import("./sent.ts")
      const id = await receiveArchive(services, actor, body, { name: query.name, repo_owner: query.repo_owner ?? "" })
      const row = await findImport.first(services.database.read, { id })
      if (!row) throw refuse.notFound()
      return created(presentImport(row, null))
    },
  }),
]
