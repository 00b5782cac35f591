import type { Selectable } from "kysely"
import type { AttachmentsTable } from "../../../core/database/tables/issues.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import type { Attachment } from "./records.ts"

export type AttachmentRow = Selectable<AttachmentsTable>

/** `address` is where the file is downloaded, if that is not the address of its own. */
export const presentAttachment = (
  site: Site,
  attachment: AttachmentRow,
  address = `${site.rootUrl}/attachments/${attachment.uuid}`,
): Attachment => ({
  id: attachment.id,
  name: attachment.name,
  size: attachment.size,
  download_count: attachment.download_count,
  created_at: rfc3339(attachment.created_at),
  uuid: attachment.uuid,
  browser_download_url: address,
})
