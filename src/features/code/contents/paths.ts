import { refuse } from "../../../core/errors.ts"
import { type Git, isTreeEntryName, type ObjectId, type Repository, type TreeEntry } from "../../../git/index.ts"

/** Paths inside a repository. No part of one is ever a path on this machine's disk. */

/** Longest path, and longest part of one, in bytes: what the file systems that people check out to can hold. */
const LONGEST_PATH = 4096
const LONGEST_PART = 255

/**
 * The parts of a path that is to be written. Refuses `invalid`, naming the field: an empty path or part, `.` and `..`, a slash at the front, a
 * backslash, which some systems take for a slash, control characters, and `.git` in every spelling that some system takes for it.
 */
export function partsToWrite(path: string, field = "path"): readonly string[] {
  const parts = path.split("/")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  const usable = parts.every((part) => isTreeEntryName(part) && !/[\\\x00-\x1f\x7f]/.test(part) && Buffer.byteLength(part) <= LONGEST_PART)
  if (!usable || Buffer.byteLength(path) > LONGEST_PATH)
    throw refuse.invalid(
      field,
      "must be a path inside the repository, without empty parts, `.`, `..`, `.git`, backslashes and control characters",
    )
  return parts
}

/** The parts of a path that is to be read; none for the root. Refuses `badRequest` what lies in `.git`, and `notFound` what can't be there. */
export function partsToRead(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "")
  if (parts.some((part) => part.toLowerCase() === ".git")) throw refuse.badRequest("a path can't lie in .git")
  if (!parts.every(isTreeEntryName)) throw refuse.notFound()
  return parts
}

/** What stands at a path below a tree; undefined where there is nothing. Symbolic links are not followed. */
export async function findEntry(
  git: Git,
  repository: Repository,
  root: ObjectId,
  parts: readonly string[],
): Promise<TreeEntry | undefined> {
  let at: TreeEntry | undefined = { mode: "40000", name: "", id: root }
  for (const part of parts) {
    if (at?.mode !== "40000") return undefined
    at = (await git.objects.readTree(repository, at.id)).find(({ name }) => name === part)
  }
  return at
}
