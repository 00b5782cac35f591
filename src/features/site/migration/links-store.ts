import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { updateRelease } from "../../code/releases/store.ts"
import { rewriteIssue } from "../../planning/issues/store.ts"
import { rewriteComment } from "../../planning/issues/timeline-store.ts"
import type { ItemKind } from "./writers/items-store.ts"

/** The kinds of records that have a text, in the order in which their links are rewritten. */
export const TEXT_KINDS = [
  "comments",
  "issues",
  "line_comments",
  "pull_requests",
  "releases",
  "reviews",
] as const satisfies readonly ItemKind[]
export type TextKind = (typeof TEXT_KINDS)[number]

/** A text that was brought, and whose it is. */
export interface ImportedText {
  readonly key: string
  readonly id: number
  readonly issueId: number | null
  /** 0 for the body of an issue, and for a release. */
  readonly commentId: number
  readonly releaseId: number | null
  readonly content: string
}

interface After {
  readonly repositoryId: number
  readonly kind: TextKind
  readonly after: string
  readonly limit: number
}

/** The next texts of a kind, by their keys, that were not edited here. */
export async function findTexts(db: Handle, { repositoryId, kind, after, limit }: After): Promise<readonly ImportedText[]> {
  const items = await db
    .selectFrom("imported_items")
    .select(["source_key as key", "local_id"])
    .where("repository_id", "=", repositoryId)
    .where("kind", "=", kind)
    .where("source_key", ">", after)
    .orderBy("source_key")
    .limit(limit)
    .execute()
  const ids = items.map(({ local_id }) => local_id)
  const texts = await textsOf(db, kind, ids)
  const found = new Map(texts.map((text) => [text.owner, text]))
  return items.map(({ key, local_id }) => {
    const { owner: _, ...text } = found.get(local_id) ?? { owner: local_id, ...NONE }
    return { key, ...text }
  })
}

const NONE = { id: 0, issueId: null, commentId: 0, releaseId: null, content: "" } as const

async function textsOf(db: Handle, kind: TextKind, ids: readonly number[]) {
  if (kind === "issues" || kind === "pull_requests") {
    const rows = await db
      .selectFrom("issues")
      .select(["id", "content"])
      .where(inList("issues.id", ids))
      .where("content_version", "=", 0)
      .execute()
    return rows.map(({ id, content }) => ({ ...NONE, owner: id, id, issueId: id, content }))
  }
  if (kind === "releases") {
    const rows = await db.selectFrom("releases").select(["id", "note"]).where(inList("releases.id", ids)).execute()
    return rows.map(({ id, note }) => ({ ...NONE, owner: id, id, releaseId: id, content: note }))
  }
  const comments = db.selectFrom("comments").select(["id", "issue_id", "review_id", "content"]).where("content_version", "=", 0)
  const rows = await (kind === "reviews"
    ? comments.where("kind", "=", "review").where(inList("comments.review_id", ids))
    : comments.where(inList("comments.id", ids))
  ).execute()
  return rows.map(({ id, issue_id, review_id, content }) => ({
    ...NONE,
    owner: kind === "reviews" ? (review_id ?? 0) : id,
    id,
    issueId: issue_id,
    commentId: id,
    content,
  }))
}

/** Writes a text anew, unless it was edited here meanwhile. */
export async function putText(tx: Transaction, kind: TextKind, id: number, content: string): Promise<void> {
  if (kind === "issues" || kind === "pull_requests") await rewriteIssue(tx, id, content)
  else if (kind === "releases") await updateRelease(tx, id, { note: content })
  else await rewriteComment(tx, id, content)
}

/** The issues and pull requests of these keys, with their numbers here. */
export const findNumbers = (db: Handle, repositoryId: number, keys: readonly string[]) =>
  db
    .selectFrom("imported_items")
    .innerJoin("issues", "issues.id", "imported_items.local_id")
    .select(["imported_items.kind", "imported_items.source_key", "issues.number", "issues.is_pull"])
    .where("imported_items.repository_id", "=", repositoryId)
    .where("imported_items.kind", "in", ["issues", "pull_requests"])
    .where(inList("imported_items.source_key", keys))
    .execute()

/** The ids of comments of these keys here. */
export const findComments = (db: Handle, repositoryId: number, keys: readonly string[]) =>
  db
    .selectFrom("imported_items")
    .select(["source_key", "local_id"])
    .where("repository_id", "=", repositoryId)
    .where("kind", "in", ["comments", "line_comments"])
    .where(inList("imported_items.source_key", keys))
    .execute()

/** The files of these addresses that were fetched, by their names in this service. */
export const findFiles = (db: Handle, repositoryId: number, addresses: readonly string[]) =>
  db
    .selectFrom("imported_items")
    .innerJoin("attachments", "attachments.id", "imported_items.local_id")
    .select(["imported_items.source_key", "attachments.uuid"])
    .where("imported_items.repository_id", "=", repositoryId)
    .where("imported_items.kind", "=", "files")
    .where(inList("imported_items.source_key", addresses))
    .execute()
