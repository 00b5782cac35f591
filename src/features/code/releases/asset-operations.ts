import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { fileUpload } from "../../../core/upload.ts"
import { Attachment, EditAttachmentOptions } from "../attachments/records.ts"
import { type AttachmentParent, attach, ifEnabled, locateAttachment, removeAttachment, renameAttachment } from "../attachments/rules.ts"
import { findAttachmentsOfReleases } from "../attachments/store.ts"
import { locateRelease } from "./locate.ts"
import { presentAsset } from "./present.ts"
import { lockRelease, type Release } from "./store.ts"

/** A release as the parent of attachments. */
const attachmentParent = ({ id, repository_id }: Pick<Release, "id" | "repository_id">): AttachmentParent => ({
  place: { repositoryId: repository_id, issueId: null, commentId: 0, releaseId: id },
  limits: ({ releases }) => ({ types: releases.assetTypes, maxBytes: releases.maxAssetBytes }),
  touch: (tx) => lockRelease(tx, id),
})

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
    summary: "List the assets of a release",
    answers: { 200: Type.Array(Attachment) },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const release = await locateRelease(call, path.id)
      const rows = await findAttachmentsOfReleases(call.db, { releaseIds: [release.id] })
      return ok(rows.map((row) => presentAsset(services, call, release, row)))
    },
  }),

  operation({
    ...write,
    id: "repoCreateReleaseAttachment",
    route: `POST ${ASSETS}`,
    summary: "Upload an asset to a release",
    description: "As a form, or as the body itself; the name then stands in the query.",
    query: { name: Type.Optional(Type.String({ description: "name of the attachment; that of the file unless given" })) },
    body: fileUpload("attachment", { plain: true }),
    answers: { 201: Attachment },
    refuses: ["badRequest", "notFound", "tooLarge"],
    handle: async ({ services, path, body, query, me, ...call }) => {
      const release = await locateRelease(call, path.id)
      return created(presentAsset(services, call, release, await attach(services, attachmentParent(release), me, body, query.name ?? "")))
    },
  }),

  operation({
    ...read,
    id: "repoGetReleaseAttachment",
    route: `GET ${ASSETS}/{attachment_id}`,
    summary: "Get an asset of a release",
    answers: { 200: Attachment },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const release = await locateRelease(call, path.id)
      return ok(presentAsset(services, call, release, await locateAttachment(services, attachmentParent(release), path.attachment_id)))
    },
  }),

  operation({
    ...write,
    id: "repoEditReleaseAttachment",
    route: `PATCH ${ASSETS}/{attachment_id}`,
    summary: "Edit an asset of a release",
    body: EditAttachmentOptions,
    answers: { 201: Attachment },
    refuses: ["notFound"],
    handle: async ({ services, path, body, ...call }) => {
      const release = await locateRelease(call, path.id)
      const home = attachmentParent(release)
      const attachment = await locateAttachment(services, home, path.attachment_id)
      return created(presentAsset(services, call, release, await renameAttachment(services, home, call.me, attachment, body.name ?? "")))
    },
  }),

  operation({
    ...write,
    id: "repoDeleteReleaseAttachment",
    route: `DELETE ${ASSETS}/{attachment_id}`,
    summary: "Delete an asset of a release",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const release = await locateRelease(call, path.id)
      await removeAttachment(services, attachmentParent(release), call.me, path.attachment_id)
      return noContent()
    },
  }),
]
