import { int64, nullable, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { MigrateRepoOptions } from "../../code/mirrors/records.ts"

const { clone_addr, service, auth_username, auth_password, auth_token, repo_owner, uid } = MigrateRepoOptions.properties
const { issues, labels, milestones, pull_requests, releases, wiki, lfs, people } = MigrateRepoOptions.properties
const credentials = { auth_username, auth_password, auth_token }

export const PreviewImportOptions = record("PreviewImportOptions", { clone_addr, service, ...credentials })

export const ImportPreview = record("ImportPreview", {
  name: Type.String({ description: "of the repository there" }),
  description: Type.String(),
  private: Type.Boolean(),
  wiki: Type.Boolean({ description: "whether there is one" }),
  lfs: Type.Boolean({ description: "whether there are large files (Git LFS), as far as the server says" }),
  counts: Type.Array(
    Type.Object({
      kind: Type.String({ description: "branches, tags, or a kind of record, in the order in which they are brought" }),
      total: nullable(int64({ description: "null where the server does not say how many there are" })),
    }),
  ),
})
export type ImportPreview = Static<typeof ImportPreview>

export const StartImportOptions = record("StartImportOptions", { ...credentials, people })
export type StartImportOptions = Static<typeof StartImportOptions>

export const CreateImportsOptions = record("CreateImportsOptions", {
  addresses: Type.Array(Type.String({ maxLength: 2300 }), {
    minItems: 1,
    maxItems: 200,
    description: "an address each; behind a space what the repository is to be called here, by default its name there",
  }),
  repo_owner,
  uid,
  service,
  ...credentials,
  private: MigrateRepoOptions.properties.private,
  ...{ issues, labels, milestones, pull_requests, releases, wiki, lfs, people },
})
export type CreateImportsOptions = Static<typeof CreateImportsOptions>

export const ImportFault = record("ImportFault", {
  kind: Type.String({ description: "the kind of record" }),
  key: Type.String({ description: "what the other server calls it by" }),
  message: Type.String({ description: "why it was not brought" }),
})

export const ImportedPerson = record("ImportedPerson", {
  id: int64(),
  host: Type.String({ description: "the other server" }),
  login: Type.String({ description: "there" }),
  name: Type.String({ description: "there" }),
  user: nullable(Type.String({ description: "who took their texts over; null where nobody has" })),
  waiting: int64({ description: "how many records and reactions are theirs and can be taken over" }),
})

export const AssignImportedPersonOption = record("AssignImportedPersonOption", {
  login: Type.String({ minLength: 1, maxLength: 255, description: "who they are here" }),
})
