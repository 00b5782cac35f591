import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { fileUpload } from "../../../core/upload.ts"
import { ifEnabled } from "../attachments/enabled.ts"
import { presentAttachment } from "../attachments/present.ts"
import { Attachment, EditAttachmentOptions } from "../attachments/records.ts"
import { attach, deleteAttachments, locateAttachment, renameAttachment } from "../attachments/rules.ts"
import { findAttachmentsOfReleases } from "../attachments/store.ts"
import { attachmentParent } from "./attachment-parent.ts"
import { locateRelease } from "./locate.ts"

const ASSETS = "/repos/{owner}/{repo}/releases/{id}/assets"

const common = { tag: "repository", scope: ["repository"] } as const
const read = { ...common, access: ifEnabled(onRepositoryUnitRead("releases")) } as const
const write = { ...common, access: ifEnabled(onRepositoryUnit("releases", "write")) } as const

/** Operations on the files attached to releases. */
export const releaseAssetOperations: readonly Operation[] = [
  operation({
    ...read,
    id: "repoListReleaseAttachments",
    route: `GET ${ASSETS}`,
    summary: "List the files of a release",
    answers: { 200: Type.Array(Attachment) },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const { id } = await locateRelease(call, path.id)
      return ok((await findAttachmentsOfReleases(call.db, { releaseIds: [id] })).map((row) => presentAttachment(services.site, row)))
    },
  }),

  operation({
    ...write,
    id: "repoCreateReleaseAttachment",
    route: `POST ${ASSETS}`,
    summary: "Add a file to a release",
    description: "As a form, or as the body itself; the name then stands in the query.",
    query: { name: Type.Optional(Type.String({ description: "name of the attachment; that of the file unless given" })) },
    body: fileUpload("attachment", { plain: true }),
    answers: { 201: Attachment },
    refuses: ["badRequest", "notFound", "tooLarge"],
    handle: async ({ services, path, body, query, me, ...call }) => {
      const release = await locateRelease(call, path.id)
      return created(presentAttachment(services.site, await attach(services, attachmentParent(release), me, body, query.name ?? "")))
    },
  }),

  operation({
    ...read,
    id: "repoGetReleaseAttachment",
    route: `GET ${ASSETS}/{attachment_id}`,
    summary: "Get what is known of a file of a release",
    answers: { 200: Attachment },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const release = await locateRelease(call, path.id)
      return ok(presentAttachment(services.site, await locateAttachment(services, attachmentParent(release), path.attachment_id)))
    },
  }),

  operation({
    ...write,
    id: "repoEditReleaseAttachment",
    route: `PATCH ${ASSETS}/{attachment_id}`,
    summary: "Rename a file of a release",
    body: EditAttachmentOptions,
    answers: { 201: Attachment },
    refuses: ["notFound"],
    handle: async ({ services, path, body, ...call }) => {
      const home = attachmentParent(await locateRelease(call, path.id))
      const attachment = await locateAttachment(services, home, path.attachment_id)
      return created(presentAttachment(services.site, await renameAttachment(services, home, attachment, body.name ?? "")))
    },
  }),

  operation({
    ...write,
    id: "repoDeleteReleaseAttachment",
    route: `DELETE ${ASSETS}/{attachment_id}`,
    summary: "Delete a file of a release",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const release = await locateRelease(call, path.id)
      const { id } = await locateAttachment(services, attachmentParent(release), path.attachment_id)
      await services.database.write((tx) => deleteAttachments(tx, services, { id }))
      return noContent()
    },
  }),
]
