import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { texts } from "../repositories/present.ts"

export const licenseOperations: readonly Operation[] = [
  operation({
    id: "repoGetLicenses",
    route: "GET /repos/{owner}/{repo}/licenses",
    summary: "List the licences of the default branch by their SPDX names",
    description: "Told by the texts of the files at its root.",
    tag: "repository",
    scope: ["repository"],
    access: onRepositoryUnitRead("code"),
    answers: { 200: Type.Array(Type.String()) },
    handle: ({ repository }) => ok([...texts(repository.licenses)]),
  }),
]
