import { Mode } from "../../../access/modes.ts"
import { unitModeOrAdmin } from "../../../access/permission.ts"
import { admitIssue } from "../../../access/policies/issues.ts"
import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import { mayRead } from "../../../access/scopes.ts"
import { findIssueById } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import type { Access } from "../../../core/operation.ts"
import type { AttachmentRow } from "../../code/attachments/present.ts"
import { findAttachmentByUuid } from "../../code/attachments/store.ts"
import { requireUploader } from "../../code/attachments/unbound.ts"
import { admitRelease } from "../../code/releases/locate.ts"
import { findReleaseById } from "../../code/releases/store.ts"

/**
 * The attached file of the path's {uuid}, which alone says which it is: for those who may read its issue or release, also by their token. One that no text
 * has named yet is its uploader's alone.
 */
export const onAttachment: Access<{ readonly attachment: AttachmentRow }> = {
  rule: { subject: "repository", needs: "attachment:read", signIn: "optional" },
  open: async ({ services, db, actor, path }) => {
    const attachment = await findAttachmentByUuid.first(db, { uuid: path["uuid"] ?? "" })
    if (!attachment || !mayRead(services, actor, attachment.release_id === null ? "issue" : "repository")) throw refuse.notFound()
    const found = await locateRepositoryById(db, actor, attachment.repository_id)
    if (attachment.issue_id !== null) admitIssue(found, await findIssueById.first(db, { id: attachment.issue_id }))
    else if (attachment.release_id !== null) {
      if (unitModeOrAdmin(found.permission, found.repository, "repo.releases") < Mode.read) throw refuse.notFound()
      admitRelease(actor, found, await findReleaseById.first(db, { id: attachment.release_id }))
    } else requireUploader(attachment, actor)
    return { attachment }
  },
}
