import type { Seconds } from "../../../../core/database/tables/index.ts"

/*
 * What an import brings, whatever server it comes from. An origin (origin.ts) reads the form of its server and gives these records; the writers store them.
 * `key` is what the other server calls a record by and never changes: with it a second run finds what the first has brought.
 */

/** Someone on the other server. */
export interface Person {
  readonly key: string
  readonly login: string
  readonly name?: string
  /** Only an address that the server says is verified. */
  readonly mail?: string
}

interface Item {
  readonly key: string
  readonly createdAt: Seconds
  readonly updatedAt: Seconds
}

interface Written extends Item {
  /** Undefined where the account is gone there. */
  readonly author: Person | undefined
  readonly body: string
}

/** A heart, a thumb, …, in the words of `ui.reactions`. */
export interface Reaction {
  readonly person: Person
  readonly content: string
}

/** What is said of the repository itself. */
export interface Facts {
  readonly key: string
  readonly description: string
  readonly website: string
  readonly topics: readonly string[]
  /** As a number: who gave them stays there. */
  readonly stars: number
  readonly isArchived: boolean
  readonly isPrivate: boolean
}

export interface Milestone extends Item {
  readonly title: string
  readonly description: string
  readonly isClosed: boolean
  readonly closedAt: Seconds
  readonly dueAt: Seconds
}

export interface Label {
  readonly key: string
  readonly name: string
  /** Six hexadecimal digits; another one is replaced by grey. */
  readonly color: string
  readonly description: string
  readonly isExclusive: boolean
  readonly isArchived: boolean
}

/** Its key is its number there. */
export interface Issue extends Written {
  /** The number that it gets here too, unless another record has it: some servers count issues and pull requests apart. */
  readonly number: number
  readonly title: string
  readonly isClosed: boolean
  readonly closedAt: Seconds
  readonly closeReason: "" | "not_planned" | "duplicate"
  readonly isLocked: boolean
  /** By name. */
  readonly labels: readonly string[]
  /** By title. */
  readonly milestone: string | undefined
  readonly assignees: readonly Person[]
  readonly dueAt: Seconds
  readonly reactions: readonly Reaction[]
}

export interface Pull extends Issue {
  readonly base: string
  readonly head: {
    readonly branch: string
    /** The branch is in another repository, which is not brought. */
    readonly isOfFork: boolean
    readonly id: string
    /** The reference under which the other server keeps its commits, such as refs/pull/5/head. */
    readonly reference: string
  }
  readonly mergeBase: string
  readonly isDraft: boolean
  readonly allowsMaintainers: boolean
  /** Undefined where it was not merged. */
  readonly merge: { readonly at: Seconds; readonly by: Person | undefined; readonly commit: string } | undefined
  /** Whose review was asked for. */
  readonly reviewers: readonly Person[]
}

/** The number of an issue or pull request on the other server. */
export interface On {
  readonly number: number
  /** Undefined where the server counts both together. */
  readonly of?: "issues" | "pull_requests"
}

export interface Comment extends Written {
  readonly on: On
  readonly reactions: readonly Reaction[]
}

/** A comment on lines; what was answered stands in the same thread. */
export interface LineComment extends Written {
  readonly path: string
  /** The last of its lines: positive on the new side, negative on the old one; 0 for the whole file. */
  readonly line: number
  readonly lines: number
  /** "" where the server doesn't send it; the code is looked up here then. */
  readonly hunk: string
  readonly commit: string
  /** The commit that the other one was compared with, where the server says it. */
  readonly base?: string
  /** The code is another one by now. */
  readonly isOutdated: boolean
  /** Who called the thread resolved; undefined where it is open. */
  readonly resolvedBy: Person | undefined
  readonly reactions: readonly Reaction[]
}

export interface Review extends Written {
  readonly on: On
  readonly state: "APPROVED" | "COMMENT" | "REQUEST_CHANGES"
  readonly commit: string
  readonly isStale: boolean
  readonly isDismissed: boolean
  readonly lines: readonly LineComment[]
}

/** A file of a release. */
export interface ReleaseFile {
  readonly key: string
  readonly name: string
  /** Undefined where the server doesn't say. */
  readonly size: number | undefined
  readonly address: string
  readonly createdAt: Seconds
}

export interface Release extends Written {
  readonly tag: string
  readonly target: string
  readonly title: string
  readonly isDraft: boolean
  readonly isPrerelease: boolean
  readonly files: readonly ReleaseFile[]
}

/** Who may do what with branches of a name, and what is asked of what is merged into them. */
export interface BranchRule {
  readonly key: string
  /** A name, or a pattern over names. */
  readonly name: string
  readonly allowsPushes: boolean
  readonly allowsForcePushes: boolean
  /** Undefined where all who may write may push, or merge. */
  readonly pushers: readonly Person[] | undefined
  readonly mergers: readonly Person[] | undefined
  readonly approvals: number
  readonly dismissesStale: boolean
  readonly blocksRejected: boolean
  readonly blocksOutdated: boolean
  /** The checks that have to succeed; undefined where none is asked for. */
  readonly checks: readonly string[] | undefined
  readonly wantsSignatures: boolean
  readonly bindsAdministrators: boolean
}

export interface BoardColumn {
  readonly key: string
  readonly title: string
  readonly color: string
  /** The open issues with this label stand in it, where the server says it so. */
  readonly label?: string
}

/** Some of the cards of a board, with the whole board: one with many cards comes in several records. */
export interface Board {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly isClosed: boolean
  readonly createdAt: Seconds
  readonly columns: readonly BoardColumn[]
  /** The keys of the columns that issues and pull requests stand in. */
  readonly cards: readonly { readonly on: On; readonly column: string }[]
}

/** The records of each kind, in the order in which kinds are brought: those that others refer to come first. */
export interface Records {
  readonly topics: Facts
  readonly milestones: Milestone
  readonly labels: Label
  readonly issues: Issue
  readonly pull_requests: Pull
  readonly comments: Comment
  readonly reviews: Review
  readonly boards: Board
  readonly branch_rules: BranchRule
  readonly releases: Release
  readonly release_files: Release
}

export type Kind = keyof Records

export const KINDS = [
  "topics",
  "milestones",
  "labels",
  "issues",
  "pull_requests",
  "comments",
  "reviews",
  "boards",
  "branch_rules",
  "releases",
  "release_files",
] as const satisfies readonly Kind[]
