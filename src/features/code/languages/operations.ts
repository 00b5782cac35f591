import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { parseStrings } from "../repositories/present.ts"
import { findLanguages, readBytes } from "./store.ts"

const common = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("code") } as const

export const languageOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoGetLicenses",
    route: "GET /repos/{owner}/{repo}/licenses",
    summary: "List the licenses of a repository by their SPDX names",
    description: "Told by the texts of the files at its root.",
    answers: { 200: Type.Array(Type.String()) },
    handle: ({ repository }) => ok([...parseStrings(repository.licenses)]),
  }),

  operation({
    ...common,
    id: "repoGetLanguages",
    route: "GET /repos/{owner}/{repo}/languages",
    summary: "Get the bytes of each programming language",
    description: "On the default branch, by the names of the files.",
    answers: { 200: Type.Record(Type.String(), int64()) },
    handle: async ({ db, repository }) => ok({ ...readBytes((await findLanguages.first(db, { repositoryId: repository.id }))?.bytes) }),
  }),
]
