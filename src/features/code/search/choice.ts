/** Which files are searched: texts that people write. */

/** The largest file, in bytes. */
export const LARGEST_FILE = 512 * 1024
/** The most files of a repository. */
export const MOST_FILES = 50_000
/** Bytes for each line on average: more have only files that programs made. */
const LONGEST_AVERAGE = 2000

const FOREIGN = /^(\.git|node_modules|bower_components|vendor|third[-_]party)$/i
const MADE = /(\.min\.(js|css)|\.pb\.go|\.(js|css)\.map|\.lock|\.svg|^package-lock\.json|^npm-shrinkwrap\.json|^pnpm-lock\.yaml|^go\.sum)$/i

/** Whether files below a directory of this name are searched. */
export const isOwnDirectory = (name: string): boolean => !FOREIGN.test(name)

/** Whether a file of this name is searched. */
export const isOwnFile = (name: string): boolean => !MADE.test(name)

/** The text of a file; undefined for one that is none, or that a program made. Bytes that are no UTF-8 become replacement characters. */
export function textOf(content: Buffer): string | undefined {
  if (content.length === 0 || content.length > LARGEST_FILE || content.includes(0)) return undefined
  const text = content.toString("utf8")
  let lines = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++
  return text.length / lines > LONGEST_AVERAGE ? undefined : text.replace(/^\uFEFF/, "")
}
