import type { Repository } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { readRecords } from "../process/reading.ts"

/** What files must hold, without regard to the case of ASCII letters. */
export interface Grep {
  readonly commit: ObjectId
  /** Texts without line breaks; with none, every file that has a line. */
  readonly texts: readonly string[]
  /** Whether each of the texts must be in the file, and not only one. */
  readonly all: boolean
  readonly timeoutMs: number
}

const LONGEST_PATH = 16 * 1024
const THREADS = 2

/**
 * The paths of the text files of a commit that hold these texts, in the order of its tree, as they are found. One process. Only fixed texts are
 * looked for: git's own expressions may take forever. Throws `timeout`, `busy`, `aborted`, `failed`.
 */
export async function* grep(
  context: Context,
  repository: Repository,
  { commit, texts, all, timeoutMs }: Grep,
): AsyncGenerator<readonly string[]> {
  const patterns = texts.length === 0 ? ["-e^"] : ["--fixed-strings", ...(all ? ["--all-match"] : []), ...texts.map((text) => `-e${text}`)]
  const flags = ["--files-with-matches", "--null", "-I", "--ignore-case", "--full-name", `--threads=${THREADS}`, ...patterns]
  // 1 says that no file holds them.
  const reading = { separator: "\0", longest: LONGEST_PATH, timeoutMs, accept: [0, 1] } as const
  for await (const records of readRecords(context, repository, { name: "grep", flags, args: [commit] }, reading))
    yield records.map((record) => record.toString("utf8").slice(commit.length + 1))
}
