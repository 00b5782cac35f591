import type { OnPull } from "../../../access/policies/pulls.ts"
import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef } from "../../../git/index.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { commitEdit, type Made } from "../../code/contents/commit.ts"
import type { WorkingTree } from "../../code/contents/working-tree.ts"
import { usersById } from "../../code/repositories/store.ts"
import { withTrailer } from "../merging/message.ts"
import { signatureOf } from "../merging/template.ts"
import { setResolved } from "../reviews/replies.ts"
import { findLineComment } from "../reviews/store.ts"
import { newLinesOf, partSuggestion } from "../reviews/suggestion-text.ts"

/** The most suggestions that one commit applies. */
const MOST_SUGGESTIONS = 100

interface Replacement {
  readonly commentId: number
  readonly path: string
  /** From one on, the last included. */
  readonly first: number
  readonly last: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * Commits what comments suggest to the head branch, as one commit by the caller with the others as co-authors, and resolves the comments.
 * Refuses as invalid none, too many, what is no suggestion or is outdated, and suggestions about the same lines; `conflict` where the head or the
 * lines have changed meanwhile; `notFound` a head that is gone or that the caller may not see; and like `commitEdit`.
 */
export async function applySuggestions(services: Services, found: OnPull & Me, ids: readonly number[], message: string): Promise<Made> {
  const { database, git } = services
  const { pull, issue, me, actor } = found
  const wanted = [...new Set(ids)]
  if (wanted.length === 0 || wanted.length > MOST_SUGGESTIONS)
    throw refuse.invalid("comment", t`choose 1 to ${MOST_SUGGESTIONS} suggestions`)
  if (issue.is_closed === 1) throw refuse.invalid("comment", "the pull request is closed")
  const authors = new Set<number>()
  const replacements: Replacement[] = []
  for (const id of wanted) {
    const comment = await findLineComment.first(database.read, { id })
    if (!comment || comment.issue_id !== issue.id || comment.kind !== "code") throw refuse.notFound()
    const { suggestion } = partSuggestion(comment.content)
    if (suggestion === undefined || comment.line < 1) throw refuse.invalid("comment", "this comment suggests nothing")
    if (comment.is_outdated === 1) throw refuse.invalid("comment", "the lines of this suggestion have changed since")
    const { path, line, lines, hunk } = comment
    authors.add(comment.author_id)
    replacements.push({ commentId: id, path, first: line - lines + 1, last: line, before: newLinesOf(hunk, lines), after: suggestion })
  }
  if (pull.head_repository_id === null) throw refuse.notFound()
  const on = await locateRepositoryById(database.read, actor, pull.head_repository_id)
  const repository = git.at(on.repository.storage, on.repository.object_format)
  if ((await git.references.resolve(repository, branchRef(pull.head_branch))) !== pull.head_id)
    throw refuse.conflict("the head of the pull request has just changed; look at it again")

  authors.delete(me.id)
  const people = await usersById(database.read, [...authors])
  const title =
    message.trim() || (wanted.length === 1 ? "Apply a suggestion from review" : `Apply ${wanted.length} suggestions from review`)
  const whole = [...people.values()].reduce(
    (text, user) => withTrailer(text, "Co-authored-by", signatureOf(commitPerson(services, user))),
    title,
  )
  const apply = async (tree: WorkingTree) => {
    for (const [path, inFile] of Map.groupBy(replacements, (each) => each.path)) await replaceIn(tree, path, inFile)
  }
  const made = await commitEdit(services, { actor, on }, { branch: pull.head_branch, message: whole }, { apply, defaultMessage: title })
  await resolveAll(services, found, wanted)
  return made
}

async function replaceIn(tree: WorkingTree, path: string, replacements: readonly Replacement[]): Promise<void> {
  const parts = path.split("/")
  const leaf = await tree.get(parts)
  if (leaf === undefined || leaf === "directory" || leaf.mode === "120000" || leaf.mode === "160000")
    throw refuse.conflict(t`${path} is no file any more`)
  const bytes = await tree.read(leaf)
  // Latin-1 keeps bytes that are no UTF-8 as they are.
  const lines = bytes.toString("latin1").split("\n")
  const raw = (text: string): string => Buffer.from(text, "utf8").toString("latin1")
  let before = Number.MAX_SAFE_INTEGER
  // From the end, so that the numbers of the lines above stay.
  for (const { first, last, before: expected, after } of replacements.toSorted((one, other) => other.last - one.last)) {
    if (last >= before) throw refuse.invalid("comment", "two suggestions are about the same lines: commit one after the other")
    before = first
    const present = lines.slice(first - 1, last)
    const plain = present.map((line) => line.replace(/\r$/, ""))
    const isAsSeen = expected.length < present.length || expected.every((line, at) => raw(line.replace(/\r$/, "")) === plain[at])
    if (present.length !== last - first + 1 || !isAsSeen)
      throw refuse.conflict(t`the lines of a suggestion for ${path} have changed meanwhile`)
    const end = present[0]?.endsWith("\r") ? "\r" : ""
    lines.splice(first - 1, present.length, ...after.map((line) => raw(line) + end))
  }
  await tree.put(parts, { mode: leaf.mode, content: Buffer.from(lines.join("\n"), "latin1") })
}

/** A user who may push to the head may not be allowed to resolve conversations. */
async function resolveAll({ database }: Services, found: OnPull & Me, ids: readonly number[]): Promise<void> {
  try {
    await database.write(async (tx) => {
      for (const id of ids) await setResolved(tx, found, id, true)
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
