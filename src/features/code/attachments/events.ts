import type { Id, InTimeline, OfRepository, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/attachments": AttachmentEvent
  }
}

/** A file attached to an issue, to one of its comments, or to a release. Not published where these are deleted with their files. */
type AttachmentEvent = Undated<"attachment.added" | "attachment.renamed" | "attachment.deleted"> & {
  readonly attachment: Id<Row<"attachments">>
} & ((InTimeline & { readonly commentId: number | null }) | (OfRepository & { readonly releaseId: number }))
