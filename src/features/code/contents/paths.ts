import { refuse } from "../../../core/errors.ts"
import { type Git, isTreeEntryName, type ObjectId, type Repository, type TreeEntry } from "../../../git/index.ts"

/** Paths inside a repository. No part of one is ever a path on this machine's disk. */

/** Longest path, and longest path component, in bytes: the limits of common file systems. */
const LONGEST_PATH = 4096
const LONGEST_PART = 255

/**
 * The components of a path to be written. Refuses `invalid` for the field: an empty path or component, `.` and `..`, a leading slash, a
 * backslash, which some systems treat as a slash, control characters, and `.git` in every spelling that some file system treats as equal.
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

/** The components of a path to be read; empty for the root. Refuses `badRequest` for a path in `.git`, and `notFound` for an impossible path. */
export function partsToRead(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "")
  if (parts.some((part) => part.toLowerCase() === ".git")) throw refuse.badRequest("a path can't lie in .git")
  if (!parts.every(isTreeEntryName)) throw refuse.notFound()
  return parts
}

/** The entry at a path below a tree; undefined if there is none. Symbolic links are not followed. */
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
