import { GitError } from "../model/errors.ts"
import type { Person, Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { readRecords } from "../process/reading.ts"

/** Milliseconds: a long history is not worth waiting for. */
const timeoutMs = 5_000

/**
 * The commits that last touched lines of a file, by the lines' numbers, as of a commit that has the file with these lines. One process.
 * Throws `failed` when file or lines are missing, `timeout` for a history that takes long.
 */
export async function lineCommits(
  context: Context,
  repository: Repository,
  commit: ObjectId,
  path: string,
  lines: readonly number[],
): Promise<ReadonlyMap<number, ObjectId>> {
  if (lines.length === 0) return new Map()
  const ranges = [...new Set(lines)].map((line) => `-L${line},${line}`)
  const flags = ["--porcelain", "--no-textconv", ...ranges]
  const { stdout } = await context.processes.run({ name: "blame", flags, args: [commit], paths: [path] }, { repository, timeoutMs })
  const found = new Map<number, ObjectId>()
  // A line's entry begins with the commit, the line's number there, and its number here; its text follows a tab.
  for (const [, id = "", line] of stdout.toString("latin1").matchAll(/^([0-9a-f]{40,64}) \d+ (\d+)/gm))
    found.set(Number(line), objectId(id, repository.format))
  return found
}

/** One run of lines that a commit last touched. */
export interface BlameBlock {
  readonly commit: ObjectId
  /** The first line, from 1, and how many there are. */
  readonly line: number
  readonly lines: number
  /** The first line's number in that commit, and the file's name there. */
  readonly originalLine: number
  readonly path: string
  readonly author: Person
  readonly committer: Person
  /** The first line of the commit's message. */
  readonly summary: string
  /** Where the file was before that commit; undefined for a commit that brought it. */
  readonly previous: { readonly commit: ObjectId; readonly path: string } | undefined
}

/** Whose lines are asked for. */
export interface BlameOptions {
  readonly commit: ObjectId
  readonly path: string
  /** Commits that are passed over: lines that they changed are told of the commit before. They must be there. */
  readonly ignore?: readonly ObjectId[]
  /** The most lines of the file. */
  readonly mostLines: number
  /** By default that of the caller. */
  readonly signal?: AbortSignal | undefined
}

/** A long history of a large file takes git this long at most. */
const blameTimeoutMs = 30_000
const longestLine = 64 * 1024

type Details = Pick<BlameBlock, "author" | "committer" | "summary">

/**
 * The commits that last touched the lines of a file: blocks in the order in which git finds them, each as soon as it is found, and all lines once at the
 * end. One process, which ends with the reading. Throws `failed` when the commit has no such file, `tooLarge` over `mostLines`, `busy`, `timeout`, `aborted`.
 */
export async function* blame(
  context: Context,
  repository: Repository,
  { commit, path, ignore = [], mostLines, signal }: BlameOptions,
): AsyncGenerator<BlameBlock> {
  const command = {
    name: "blame",
    flags: ["--incremental", "--no-textconv", ...ignore.map((id) => `--ignore-rev=${id}`)],
    args: [commit],
    paths: [path],
  } as const
  const reading = { separator: "\n", longest: longestLine, timeoutMs: blameTimeoutMs, signal } as const
  // Git tells of each commit once.
  const details = new Map<string, Details>()
  let entry = ["", "", "", ""]
  let fields = new Map<string, string>()
  let total = 0
  for await (const lines of readRecords(context, repository, command, reading)) {
    for (const bytes of lines) {
      const text = bytes.toString("utf8")
      const space = text.indexOf(" ")
      const [key, value] = space === -1 ? [text, ""] : [text.slice(0, space), text.slice(space + 1)]
      if (entry[0] === "") {
        entry = text.split(" ")
        fields = new Map()
        continue
      }
      fields.set(key, value)
      // The file's name ends an entry.
      if (key !== "filename") continue
      const [id = "", original, line, count] = entry
      entry = ["", "", "", ""]
      const known = details.get(id) ?? detailsOf(fields)
      details.set(id, known)
      total += Number(count)
      if (total > mostLines) throw new GitError("tooLarge", `a file of more than ${mostLines} lines`)
      yield {
        ...known,
        commit: objectId(id, repository.format),
        line: Number(line),
        lines: Number(count),
        originalLine: Number(original),
        path: unquoted(value),
        previous: previousOf(fields.get("previous"), repository),
      }
    }
  }
}

function detailsOf(fields: ReadonlyMap<string, string>): Details {
  const person = (of: "author" | "committer"): Person => {
    const zone = Number(fields.get(`${of}-tz`)) || 0
    return {
      name: fields.get(of) ?? "",
      email: (fields.get(`${of}-mail`) ?? "").replace(/^<|>$/g, ""),
      when: Number(fields.get(`${of}-time`)) || 0,
      offset: Math.trunc(zone / 100) * 60 + (zone % 100),
    }
  }
  return { author: person("author"), committer: person("committer"), summary: fields.get("summary") ?? "" }
}

function previousOf(text: string | undefined, repository: Repository): BlameBlock["previous"] {
  if (text === undefined) return undefined
  const space = text.indexOf(" ")
  return { commit: objectId(text.slice(0, space), repository.format), path: unquoted(text.slice(space + 1)) }
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }

/** A path as git writes it in lines: with unusual characters it is quoted, and its bytes are escaped. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text
  const bytes = text
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_, escaped: string) =>
      escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : (ESCAPES[escaped] ?? escaped),
    )
  return Buffer.from(bytes, "latin1").toString("utf8")
}
