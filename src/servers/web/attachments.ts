import type { FileHandle } from "node:fs/promises"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Mode } from "../../access/modes.ts"
import { unitMode } from "../../access/permission.ts"
import { admitIssue } from "../../access/policies/issues.ts"
import { locateRepositoryById, type OnRepository } from "../../access/policies/repositories.ts"
import { findIssueById } from "../../access/store.ts"
import type { Actor } from "../../core/actor.ts"
import { fileHeadersOf } from "../../core/disposition.ts"
import { Refusal, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { openFile } from "../../features/code/attachments/files.ts"
import type { AttachmentRow } from "../../features/code/attachments/present.ts"
import { countDownload, findAttachmentByUuid } from "../../features/code/attachments/store.ts"
import { requireUploader } from "../../features/code/attachments/unbound.ts"
import { admitRelease } from "../../features/code/releases/locate.ts"
import { findReleaseById } from "../../features/code/releases/store.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { callerOf, mayReadCategory } from "../routing/callers.ts"
import { sendRanged } from "./ranged.ts"

/** An attached file is no page: nothing in it may run, load or act as this site. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/**
 * Serves attached files. Whether the caller may read the issue or release of a file, also by their token, is checked at every download; for all
 * others the file is missing. One that no text has named yet is its uploader's alone.
 */
export function registerAttachments(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  // In texts, `/attachments/…` is an address in the repository of the text: the uuid alone says which file it is.
  for (const url of ["/attachments/:uuid", "/:owner/:repo/attachments/:uuid"])
    app.route<{ Params: { uuid: string } }>({
      method: ["GET", "HEAD"],
      url,
      handler: async (request, reply) =>
        sendAttachment(services, request, reply, await findReadable(await callerOf(services, authenticator, request), request.params.uuid)),
    })

  async function findReadable(actor: Actor, uuid: string): Promise<AttachmentRow> {
    const db = services.database.read
    const attachment = uuid.includes("\0") ? undefined : await findAttachmentByUuid.first(db, { uuid })
    if (!attachment || !mayReadCategory(services, actor, attachment.release_id === null ? "issue" : "repository")) throw refuse.notFound()
    const found = await locateRepositoryById(db, actor, attachment.repository_id)
    if (attachment.issue_id !== null) admitIssue(found, await findIssueById.first(db, { id: attachment.issue_id }))
    else if (attachment.release_id !== null) await requireRelease(found, actor, attachment.release_id)
    else requireUploader(attachment, actor)
    return attachment
  }

  /** Refuses `notFound` unless the caller may read the release. */
  async function requireRelease(found: OnRepository, actor: Actor, id: number): Promise<void> {
    if (found.permission.mode < Mode.admin && unitMode(found.permission, found.repository, "repo.releases") < Mode.read)
      throw refuse.notFound()
    admitRelease(actor, found, await findReleaseById.first(services.database.read, { id }))
  }
}

/** Sends an attached file to a caller who may read it. */
export async function sendAttachment(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  attachment: AttachmentRow,
): Promise<FastifyReply> {
  const { uuid, name, size } = attachment
  const { type, disposition } = fileHeadersOf(name)
  reply
    // Cached only by the caller's client, which must revalidate: permissions can change.
    .header("cache-control", "private, no-cache")
    .header("content-security-policy", POLICY)
    .header("content-disposition", disposition)
  return sendRanged(request, reply, { tag: `"${uuid}"`, size, type, open: (start) => openCounted(services, attachment, start) })
}

async function openCounted(services: Services, { id, uuid }: AttachmentRow, start: number): Promise<FileHandle> {
  const file = await openFile(services, uuid)
  if (!file) throw new Refusal("internal", `the file of attachment ${uuid} is gone`)
  try {
    // A resumed download was counted when it began.
    if (start === 0) await services.database.write((tx) => countDownload(tx, { id }))
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}
