import { LRUCache } from "lru-cache"
import type { Owned } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, isObjectId, isTreeEntryName } from "../../../git/index.ts"
import { findEntry } from "../../code/contents/paths.ts"

/** The lines that a link to code leads to, for the card that stands in its place. */

interface Wanted {
  readonly commit: string
  readonly path: string
  readonly from: number
  readonly to: number
}

/** What can be shown of a file that is there; no text where it has no such lines, is no text, or is large. */
interface Lines {
  readonly text: string | undefined
}

const MOST_LINES = 30
/** In UTF-16 units, of a line. */
const LONGEST_LINE = 400
const LARGEST_FILE = 1024 * 1024
const PROBED_BYTES = 8000

/** What a commit has at a path stays the same, so it is read once; who may see it is asked each time. */
const cache = new LRUCache<string, Lines>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: ({ text = "" }, key) => 2 * (key.length + text.length) + 200,
})

const RENDERED = /\.(?:md|markdown|mdown|mkd|livemd|csv|tsv|ipynb|mmd|mermaid)$/i
/** Whether the page of such a file shows something else than its lines. */
export const isRendered = (path: string): boolean => RENDERED.test(path)

/** Undefined where there is no such commit or file. */
export async function readLines(
  services: Services,
  row: Owned["repository"],
  { commit, path, from, to }: Wanted,
): Promise<Lines | undefined> {
  if (row.is_empty === 1) return undefined
  const key = `${row.id} ${commit} ${from}-${to} ${path}`
  const known = cache.get(key)
  if (known) return known
  try {
    const file = await readFile(services, row, commit, path)
    if (file === undefined) return undefined
    const lines = { text: file === "unfit" ? undefined : cut(file, from, to) }
    cache.set(key, lines)
    return lines
  } catch (error) {
    // A text can be read even where the repository that it names can't.
    if (isGitError(error)) return undefined
    throw error
  }
}

async function readFile({ git }: Services, row: Owned["repository"], commit: string, path: string): Promise<string | "unfit" | undefined> {
  const parts = path.split("/")
  if (!parts.every(isTreeEntryName) || !isObjectId(commit, row.object_format)) return undefined
  const repository = git.at(row.storage, row.object_format)
  if ((await git.objects.info(repository, commit))?.type !== "commit") return undefined
  const entry = await findEntry(git, repository, (await git.objects.readCommit(repository, commit)).tree, parts)
  if (entry?.mode !== "100644" && entry?.mode !== "100755") return undefined
  if ((await git.objects.namedInfo(repository, entry.id)).size > LARGEST_FILE) return "unfit"
  const content = await git.objects.readBlob(repository, entry.id)
  return content.subarray(0, PROBED_BYTES).includes(0) ? "unfit" : content.toString("utf8")
}

function cut(text: string, from: number, to: number): string | undefined {
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .slice(from - 1, Math.min(to, from + MOST_LINES - 1))
  const shown = lines.map((line) =>
    line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).toWellFormed()}…` : line.replace(/\r$/, ""),
  )
  return shown.length === 0 ? undefined : [...shown, ...(to >= from + MOST_LINES && lines.length === MOST_LINES ? ["…"] : [])].join("\n")
}
