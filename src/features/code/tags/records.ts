import { record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { CommitMeta, CommitUser } from "../commits/records.ts"
import { PayloadCommitVerification } from "../signatures/records.ts"

export const Tag = record("Tag", {
  name: Type.String(),
  message: Type.String({ description: "of the tag, or for a light tag of its commit" }),
  id: Type.String({ description: "the tag object, or for a light tag its commit" }),
  commit: CommitMeta,
  zipball_url: Type.Optional(Type.String({ format: "uri", description: "absent where archives are switched off" })),
  tarball_url: Type.Optional(Type.String({ format: "uri", description: "absent where archives are switched off" })),
})
export type Tag = Static<typeof Tag>

export const AnnotatedTagObject = record("AnnotatedTagObject", {
  type: Type.String({ description: "commit, tree, blob or tag" }),
  url: Type.String(),
  sha: Type.String(),
})

export const AnnotatedTag = record("AnnotatedTag", {
  tag: Type.String({ description: "the name that stands in the tag itself" }),
  sha: Type.String(),
  url: Type.String(),
  message: Type.String(),
  tagger: CommitUser,
  object: AnnotatedTagObject,
  verification: PayloadCommitVerification,
})
export type AnnotatedTag = Static<typeof AnnotatedTag>

export const CreateTagOption = record("CreateTagOption", {
  tag_name: Type.String({ minLength: 1 }),
  message: Type.Optional(Type.String({ description: "makes it an annotated tag" })),
  target: Type.Optional(Type.String({ description: "a branch, a tag or a commit; the default branch where it is not sent" })),
})
export type CreateTagOption = Static<typeof CreateTagOption>
