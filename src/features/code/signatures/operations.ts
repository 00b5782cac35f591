import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"

const key = {
  tag: "repository",
  scope: ["repository"],
  access: onRepositoryUnitRead("code"),
  answers: { 200: Type.String({ description: "the armoured key" }) },
  refuses: ["notFound"],
  /** This site doesn't sign its own commits, so there is no key to publish. */
  handle: (): never => {
    throw refuse.notFound("this site signs no commits")
  },
} as const

export const signingKeyOperations: readonly Operation[] = [
  operation({
    ...key,
    id: "repoSigningKey",
    route: "GET /repos/{owner}/{repo}/signing-key.gpg",
    summary: "Get the OpenPGP key that commits made on the site for a repository are signed with",
  }),
  operation({
    ...key,
    id: "repoSigningKeySSH",
    route: "GET /repos/{owner}/{repo}/signing-key.pub",
    summary: "Get the SSH key that commits made on the site for a repository are signed with",
  }),
]
