import type { AttachmentParent } from "../attachments/rules.ts"
import type { Release } from "./store.ts"
import { lockRelease } from "./store.ts"

/** A release as the parent of attachments. */
export const attachmentParent = ({ id, repository_id }: Pick<Release, "id" | "repository_id">): AttachmentParent => ({
  place: { repositoryId: repository_id, issueId: null, commentId: 0, releaseId: id },
  limits: ({ releases }) => ({ types: releases.assetTypes, maxBytes: releases.maxAssetBytes }),
  touch: (tx) => lockRelease(tx, id),
})
