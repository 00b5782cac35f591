import type { CloseReason } from "../../../core/database/tables/issues.ts"
import type { Content, Html } from "../../../core/html.ts"
import type { Attachment } from "../../../features/code/attachments/records.ts"
import type { Role } from "../../../features/planning/comments/roles-store.ts"
import type { ProjectName } from "../../../features/planning/issues/beside-store.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import type { IconName } from "../../../web/icon-names.ts"

/** What the timeline of an issue or pull request is drawn with. */

/** A text that someone wrote, as the page shows it. */
export interface ShownText {
  readonly html: Html
  readonly isEdited: boolean
  /** The path of its earlier versions, where some are kept. */
  readonly history?: string | undefined
  readonly reactions: readonly ReactionCount[]
  readonly files: readonly Pick<Attachment, "uuid" | "name" | "size">[]
}

export interface ReactionCount {
  readonly content: string
  readonly total: number
}

/** What features above draw of an entry: the header's words, and what follows the text. */
export interface DrawnReview {
  /** It approves or asks for changes: it is told of without a text as well. */
  readonly isVerdict: boolean
  readonly icon: IconName
  readonly tone: string
  readonly words: Content
  readonly after: Content
}

/** The entry of a text; 0 is the opening text, which is none. */
export interface TextEntry {
  readonly id: number
  readonly kind: string
  readonly authorId: number
}

/** Where reactions to a text are sent to, and those that the reader gave. */
interface Reacting {
  readonly add: string
  readonly remove: string
  readonly own: readonly string[]
  /** The page below the conversation that they lead back to. */
  readonly from: string
}

/** What the reader can do with a text. */
export interface TextActions {
  readonly menu: (text: TextEntry) => Content
  /** By the id of the entry; undefined where they may not react. */
  readonly react: ((entryId: number) => Reacting) | undefined
}

export interface Around {
  /** The path of the repository. */
  readonly at: string
  /** The id of the issue's author. */
  readonly authorId: number
  /** What those who wrote are to the repository, by their ids. */
  readonly roles: ReadonlyMap<number, Role>
  readonly now: number
  /** The texts of comments and reviews, by the ids of their entries. */
  readonly texts: ReadonlyMap<number, ShownText>
  /** The projects that the reader may see, by their ids. */
  readonly projects: ReadonlyMap<number, ProjectName>
  /** Reviews by their ids. */
  readonly reviews: ReadonlyMap<number, DrawnReview>
  /** Why the issue was closed, and where it was before, by the ids of the entries that say so. */
  readonly closings: ReadonlyMap<number, Closing>
  readonly origins: ReadonlyMap<number, Origin>
  readonly actions?: TextActions | undefined
}

export interface Closing {
  readonly reason: CloseReason
  /** The issue that it repeats, where the reader may see it. */
  readonly duplicateOf: IssueView | undefined
}

/** Where an issue was before it was transferred, where the reader may see that. */
export interface Origin {
  readonly repository: string
  readonly number: number
}
