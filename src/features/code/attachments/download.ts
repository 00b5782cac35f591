import type { OpenBlob } from "../../../core/blobs/blobs.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import { type Download, storedDownload } from "../../../core/download.ts"
import { Refusal } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { openFile } from "./files.ts"
import type { AttachmentRow } from "./present.ts"
import { countDownload } from "./store.ts"

/** The bytes of an attached file, for callers who may read it. */
export const attachmentDownload = (services: Services, attachment: AttachmentRow): Download =>
  storedDownload({
    tag: `"${attachment.uuid}"`,
    size: attachment.size,
    ...fileHeadersOf(attachment.name),
    isDirect: true,
    open: (start) => openCounted(services, attachment, start),
  })

async function openCounted(services: Services, { id, uuid }: AttachmentRow, start: number): Promise<OpenBlob> {
  const file = await openFile(services, uuid)
  if (!file) throw new Refusal("internal", t`the file of attachment ${uuid} is gone`)
  try {
    // A resumed download was counted when it began.
    if (start === 0) await services.database.write((tx) => countDownload(tx, { id }))
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}
