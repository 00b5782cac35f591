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

/** Whether some file system would take the name for `.gitmodules`, which must never be a symbolic link. */
export function isDotGitmodules(name: string): boolean {
  const seen = folded(name)
  return seen === ".gitmodules" || /^gitmod~[1-4]$/.test(seen) || /^gi7eb[0-9a-f]*~[0-9]+$/.test(seen)
}

/** Names that no file system confuses with another: most names, which skip the slower checks. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/

/**
 * Whether a name may stand in a tree: not empty, `.` or `..`, without a slash or NUL, well-formed Unicode, and `.git` in no spelling that
 * macOS or Windows take for it, also behind a backslash, which Windows takes for a slash.
 */
export function isTreeEntryName(name: string): boolean {
  if (PLAIN.test(name)) return true
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name) || !name.isWellFormed()) return false
  return name.split("\\").every((part) => part !== ".." && !isDotGit(part))
}
