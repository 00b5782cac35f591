import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { User } from "../../people/users/records.ts"
import { Attachment } from "../attachments/records.ts"

export const Release = record("Release", {
  id: int64(),
  tag_name: Type.String(),
  target_commitish: Type.String({ description: "what the tag was to be made at" }),
  name: Type.String(),
  body: Type.String(),
  url: Type.String({ format: "uri" }),
  html_url: Type.String({ format: "uri" }),
  tarball_url: Type.Optional(Type.String({ format: "uri", description: "absent where archives are switched off" })),
  zipball_url: Type.Optional(Type.String({ format: "uri", description: "absent where archives are switched off" })),
  upload_url: Type.String({ format: "uri", description: "where files are sent to" }),
  draft: Type.Boolean({ description: "not published yet; shown only to those who may write releases" }),
  prerelease: Type.Boolean(),
  created_at: dateTime(),
  published_at: dateTime({ description: "the same as created_at" }),
  author: User,
  assets: Type.Array(Attachment),
})
export type Release = Static<typeof Release>

/** Characters. */
const TITLE = 255
const TARGET = 255

export const CreateReleaseOption = record("CreateReleaseOption", {
  tag_name: Type.String({ minLength: 1 }),
  tag_message: Type.Optional(Type.String({ description: "makes the tag an annotated one, where it is not there yet" })),
  target_commitish: Type.Optional(
    Type.String({
      maxLength: TARGET,
      description: "where the tag is made if it is not there yet: a branch, a tag or a commit; by default the default branch",
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: TITLE })),
  body: Type.Optional(Type.String()),
  draft: Type.Optional(Type.Boolean({ description: "makes no tag, and shows the release only to those who may write releases" })),
  prerelease: Type.Optional(Type.Boolean()),
})
export type CreateReleaseOption = Static<typeof CreateReleaseOption>

export const EditReleaseOption = record("EditReleaseOption", {
  tag_name: Type.Optional(Type.String({ description: "empty texts change nothing" })),
  target_commitish: Type.Optional(Type.String({ maxLength: TARGET })),
  name: Type.Optional(Type.String({ maxLength: TITLE, description: "blanks alone empty it, and the body" })),
  body: Type.Optional(Type.String()),
  draft: Type.Optional(Type.Boolean({ description: "false publishes a draft, and makes its tag" })),
  prerelease: Type.Optional(Type.Boolean()),
})
export type EditReleaseOption = Static<typeof EditReleaseOption>
