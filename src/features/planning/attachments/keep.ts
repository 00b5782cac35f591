import { Mode } from "../../../access/modes.ts"
import { onIssuesSignedIn } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import type { Request } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"
import type { AttachmentRow } from "../../code/attachments/present.ts"
import { ifEnabled } from "../../code/attachments/rules.ts"
import { keepUnbound } from "../../code/attachments/unbound.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"

/** Files for a text that is being written. */

/** Those who may read issues or pull requests, and so may write to some of them. */
export const onTextFiles = ifEnabled(onIssuesSignedIn)

/** Refuses `forbidden` to those whom the owner has blocked, and `archived` where nothing can be written any more. */
export async function keepForText(services: Services, found: OnRepository & Me, upload: Upload): Promise<AttachmentRow> {
  const { repository, owner, permission, me } = found
  if (repository.is_archived === 1) throw refuse.archived()
  if (permission.mode < Mode.admin) await requireUnblocked(services.database.read, me, [owner])
  return keepUnbound(services, repository, me, upload)
}

/** What keeps files for a text in the repository of the path. Refuses those who may not write one there. */
export async function openKeeping(request: Request): Promise<(upload: Upload) => Promise<AttachmentRow>> {
  const found = await onTextFiles.open(request)
  return (upload) => keepForText(request.services, found, upload)
}

const PICTURE = /\.(gif|jpe?g|png|svg|webp)$/i

/** What stands for a file in a text. */
export const markdownFor = ({ name, uuid }: AttachmentRow): string => markdownTo(name, `/attachments/${uuid}`)

/** A file at an address, by its name, without signs that mean something in Markdown or mention someone. */
export function markdownTo(name: string, address: string): string {
  const label = name
    .replaceAll("[", "(")
    .replaceAll("]", ")")
    .replaceAll(/[\\`*<>|~$&@#!:\s]+/g, " ")
    .trim()
  return `${PICTURE.test(name) ? "!" : ""}[${label}](${address})`
}

/** Whether the composers of texts take files. */
export const takesFiles = ({ config }: Services): boolean => config.attachments.enabled
