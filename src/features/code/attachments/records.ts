import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const Attachment = record("Attachment", {
  id: int64(),
  name: Type.String(),
  size: int64({ description: "bytes" }),
  download_count: int64(),
  created_at: dateTime(),
  uuid: Type.String(),
  browser_download_url: Type.String({ format: "uri" }),
})
export type Attachment = Static<typeof Attachment>

export const EditAttachmentOptions = record("EditAttachmentOptions", { name: Type.Optional(Type.String()) })
export type EditAttachmentOptions = Static<typeof EditAttachmentOptions>
