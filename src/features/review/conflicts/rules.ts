import { refuse } from "../../../core/errors.ts"
import { sayable, t, Words } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { branchRef, type ConflictedFile, type DetailedMerge, isGitError, type MergeEntry, type ObjectId } from "../../../git/index.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { asRefusal } from "../../code/contents/commit.ts"
import { type EditableText, editableText } from "../../code/contents/editable.ts"
import { openWorkingTree, type WorkingTree } from "../../code/contents/working-tree.ts"
import { pushFromServer } from "../../code/pushes/server-push.ts"
import { signed } from "../../code/signatures/signing.ts"
import type { Merging } from "../merging/checks.ts"
import { requireSides, type Sides, updateMessage } from "../merging/update.ts"
import { markLeft } from "./markers.ts"

/** The conflicts of a pull request, and the commit that resolves them: a merge of the base into the head, as bringing the head up to date makes it. */

/** The most files whose conflicts are resolved on a page. */
export const MOST_FILES = 50
/** The most bytes of their texts together. */
export const MOST_BYTES = 1024 * 1024

/** What becomes of a file: the text that was typed, what the head or the base has, or nothing. */
const DECISIONS = ["text", "head", "base", "delete"] as const

/** A file that someone has to decide about. */
export interface Question extends Pick<ConflictedFile, "path" | "base"> {
  /** What the head has. */
  readonly ours: MergeEntry | undefined
  /** What the base has. */
  readonly theirs: MergeEntry | undefined
  /** The mode of the result. */
  readonly mode: "100644" | "100755"
  /** The result with its marks; a reason where it can't be edited on a page. */
  readonly text: EditableText | Words
}

export interface Conflicts {
  readonly sides: Sides
  readonly questions: readonly Question[]
  /** Why they can't be resolved on a page. */
  readonly obstacle: Words | undefined
}

/** Reads what is in conflict. Refuses as `requireSides` does. One process. */
export async function readConflicts(services: Services, found: Merging): Promise<Conflicts> {
  const sides = await requireSides(services, found, "merge")
  return conflictsIn(found, sides, await merge(services, sides, false))
}

async function merge({ git }: Services, { head, tip, from }: Sides, keep: boolean): Promise<DetailedMerge> {
  try {
    return await git.merging.mergeInDetail(head, tip, from, { bytes: MOST_BYTES, files: MOST_FILES, keep })
  } catch (error) {
    if (isGitError(error, "tooLarge")) throw refuse.tooLarge("too many files are in conflict")
    throw error
  }
}

function conflictsIn({ pull }: Merging, sides: Sides, merged: DetailedMerge): Conflicts {
  if (merged.kind === "clean") return { sides, questions: [], obstacle: undefined }
  if (merged.kind === "unfit") return { sides, questions: [], obstacle: t`The merge would be refused in a push: ${merged.reason}` }
  if (merged.kind === "unrelated") return { sides, questions: [], obstacle: t("The branches have no commit in common.") }
  // What both sides have renamed is gone under its old name: no one has to decide about that.
  const files = merged.files.filter(({ ours, theirs }) => ours ?? theirs)
  if (!merged.isPlain)
    return {
      sides,
      questions: [],
      obstacle: t("Some of it is not about the text of files: a file is in the way of a folder, or of another."),
    }
  if (files.length > MOST_FILES)
    return { sides, questions: [], obstacle: t`${files.length} files are in conflict; a page takes at most ${MOST_FILES}.` }
  let left = MOST_BYTES
  const questions = files.map((file): Question => {
    const size = file.content?.length ?? 0
    const isTooMuch = size > left
    left -= isTooMuch ? 0 : size
    const { path, base, ours, theirs, merged: result } = file
    const mode = result?.mode === "100755" ? "100755" : "100644"
    return { path, base, ours, theirs, mode, text: isTooMuch ? TOO_MUCH : textOf(file, sides, pull) }
  })
  return { sides, questions, obstacle: undefined }
}

const TOO_MUCH = t("It is too large to be edited on a page.")

function textOf(
  { content, merged }: ConflictedFile,
  { tip, from }: Sides,
  { head_branch, base_branch }: Merging["pull"],
): Question["text"] {
  if (merged && merged.mode !== "100644" && merged.mode !== "100755") return t("It is no ordinary file.")
  if (!content) return merged ? TOO_MUCH : t("It is no ordinary file.")
  if (content.toString("latin1", 0, 80).startsWith("version https://git-lfs.github.com/spec/")) return t("The file is stored with Git LFS.")
  const read = editableText(content)
  if (typeof read === "string") return sayable(read)
  // Git names the commits; people know the branches.
  const named = read.text
    .split("\n")
    .map((line) =>
      line.startsWith(`<<<<<<< ${tip}`)
        ? line.replace(tip, () => head_branch)
        : line.startsWith(`>>>>>>> ${from}`)
          ? line.replace(from, () => base_branch)
          : line,
    )
  return { ...read, text: named.join("\n") }
}

export interface Decision {
  readonly path: string
  readonly how: string
  readonly text: string
}

export interface Resolution {
  /** The commits that were looked at. */
  readonly tip: string
  readonly from: string
  /** Empty for the usual one. */
  readonly message: string
  readonly decisions: readonly Decision[]
}

/**
 * Makes the commit that merges the base into the head, with the files as decided, and pushes it. Refuses as `requireSides` and `pushFromServer` do; `conflict`
 * branches that have moved meanwhile, or that are not in conflict; and as invalid, by the field `file` and its number, a file without a decision, one that can't be had, and marks that were left.
 */
export async function resolveConflicts(services: Services, found: Merging, wanted: Resolution): Promise<void> {
  const { git } = services
  const { pull, me, actor } = found
  const sides = await requireSides(services, found, "merge")
  const { on, head, tip, from } = sides
  if (wanted.tip !== tip || wanted.from !== from) throw moved()
  const merged = await merge(services, sides, true)
  const { questions, obstacle } = conflictsIn(found, sides, merged)
  if (obstacle !== undefined) throw refuse.conflict(obstacle)
  if (merged.kind !== "conflict" || questions.length === 0) throw refuse.conflict("the branches are not in conflict any more")
  try {
    const tree = openWorkingTree(git, head, merged.tree)
    for (const question of questions) {
      const at = wanted.decisions.findIndex(({ path }) => path === question.path)
      const decision = wanted.decisions[at]
      if (!decision) throw moved()
      await decide(services, sides, tree, question, decision, `file${at}`)
    }
    const batch = git.objects.batch(head)
    const root = tree.write(batch)
    const person = commitPerson(services, me)
    const message = wanted.message.trim() === "" ? updateMessage(pull) : `${wanted.message.trim()}\n`
    const unsigned = { tree: root, parents: [tip, from], author: person, committer: person, message }
    const id = batch.commit(await signed(services, { purpose: "merges", user: me, repository: head }, unsigned))
    const addedBytes = await batch.store()
    await pushFromServer(services, actor, on, [{ ref: branchRef(pull.head_branch), oldId: tip, newId: id }], { addedBytes })
  } catch (error) {
    throw asRefusal(error)
  }
}

const moved = () => refuse.conflict("the branches have changed since you began; what you typed is still here: look at it again")

async function decide(
  services: Services,
  sides: Sides,
  tree: WorkingTree,
  { path, ours, theirs, mode, text }: Question,
  { how, text: typed }: Decision,
  field: string,
): Promise<void> {
  const parts = path.split("/")
  const chosen = DECISIONS.find((each) => each === how)
  if (!chosen) throw refuse.invalid(field, t`say what becomes of ${path}`)
  if (chosen === "delete") return tree.remove(parts)
  if (chosen !== "text") {
    const entry = chosen === "head" ? ours : theirs
    if (!entry || entry.mode === "40000") throw refuse.invalid(field, t`that side has no ${path}`)
    return tree.put(parts, { mode: entry.mode, content: entry.id })
  }
  if (text instanceof Words) throw refuse.invalid(field, t`${path} can't be edited here`)
  const written = unixLines(typed)
  if (/\0|\r/.test(written)) throw refuse.invalid(field, t`the text of ${path} holds a character that no text has`)
  const known = await Promise.all([ours, theirs].map((entry) => sideText(services, sides, entry)))
  const line = markLeft(written, known)
  if (line !== undefined) throw refuse.invalid(field, t`a mark of a conflict is left in line ${line} of ${path}`)
  await tree.put(parts, { mode, content: Buffer.from(text.ends === "crlf" ? written.replaceAll("\n", "\r\n") : written) })
}

/** The text of a side, with newlines alone; empty for what is no text, or too large. */
export async function sideText({ git }: Services, { head }: Sides, entry: MergeEntry | undefined): Promise<string> {
  const content = entry && (await sideContent({ git }, head, entry.mode, entry.id))
  const read = content && editableText(content)
  return read === undefined || typeof read === "string" ? "" : read.text
}

async function sideContent(
  { git }: Pick<Services, "git">,
  repository: Sides["head"],
  mode: MergeEntry["mode"],
  id: ObjectId,
): Promise<Buffer | undefined> {
  if (mode !== "100644" && mode !== "100755") return undefined
  if ((await git.objects.namedInfo(repository, id)).size > MOST_BYTES) return undefined
  return git.objects.readBlob(repository, id)
}
