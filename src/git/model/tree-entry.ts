/** Characters that HFS+ ignores when it compares file names, so that they can hide a `.git`. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** The name as some file systems treat it: without what HFS+ ignores, and without NTFS's streams, trailing dots and spaces. */
function folded(name: string): string {
  const visible = name.replace(ignoredByHfs, "").toLowerCase()
  const file = visible.split(":", 1)[0] ?? ""
  return file.replace(/[. ]+$/, "")
}

/** Whether some file system would take the name for git's own directory. */
function isDotGit(name: string): boolean {
  const seen = folded(name)
  return seen === ".git" || seen === "git~1"
}

/** Names that no file system confuses with another: most names, which skip the slower checks. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/

/** `.gitmodules` and `.gitattributes`, and every short name of NTFS that git takes for one of them. */
const INSPECTED = /(^|\\)(\.git(modules|attributes)|[a-z0-9]{0,6}~[1-9])/

/**
 * Whether git may look into what a tree has under this name before it accepts the tree: `.gitmodules` and `.gitattributes` in every spelling that some
 * file system takes for them. Some names too many are told, and none too few.
 */
export function isInspectedName(name: string): boolean {
  return !PLAIN.test(name) && INSPECTED.test(name.replace(ignoredByHfs, "").toLowerCase())
}

/**
 * Whether a name may stand in a tree: not empty, `.` or `..`, without a slash or NUL, well-formed Unicode, and `.git` in no spelling that
 * macOS or Windows take for it, also behind a backslash, which Windows takes for a slash.
 */
export function isTreeEntryName(name: string): boolean {
  if (PLAIN.test(name)) return true
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name) || !name.isWellFormed()) return false
  return name.split("\\").every((part) => part !== ".." && !isDotGit(part))
}
