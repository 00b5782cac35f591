import type { Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { readRecords } from "../process/reading.ts"

/** Which commits are looked for. Texts are found as they are, in any case. */
export interface CommitSearch {
  readonly to: ObjectId
  /** Only commits that changed this file, or something below this directory. */
  readonly path?: string | undefined
  /** Whether the path is a file that is followed through renamings. */
  readonly follow?: boolean
  /** All of these are in the message. */
  readonly words?: readonly string[]
  /** One of these is in the author's name or address; likewise the committer's. */
  readonly authors?: readonly string[]
  readonly committers?: readonly string[]
  /** Made at this second or later, and at this one or earlier. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly skip: number
  readonly limit: number
}

/** A commit that was found, with the name that the file had in it. */
export interface FoundCommit {
  readonly id: ObjectId
  readonly path: string | undefined
}

const TIMEOUT_MS = 15_000
const LONGEST = 64 * 1024
const MARK = "\x01"

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f]+/g, " ").toWellFormed()

/** Commits that match, newest first. One process. Throws `failed`, `busy`, `timeout` for a long search, `aborted`. */
export async function searchCommits(context: Context, repository: Repository, search: CommitSearch): Promise<readonly FoundCommit[]> {
  const { to, path, words = [], authors = [], committers = [], since, until, skip, limit } = search
  const follow = search.follow === true && path !== undefined
  const flags = [
    `--format=${MARK}%H`,
    "-z",
    ...(follow ? ["--follow", "--name-status"] : []),
    `--skip=${skip}`,
    `--max-count=${limit}`,
    ...(since === undefined ? [] : [`--max-age=${since}`]),
    ...(until === undefined ? [] : [`--min-age=${until}`]),
    ...(words.length + authors.length + committers.length === 0 ? [] : ["--fixed-strings", "--regexp-ignore-case", "--all-match"]),
    ...words.map((word) => `--grep=${oneLine(word)}`),
    ...authors.map((text) => `--author=${oneLine(text)}`),
    ...committers.map((text) => `--committer=${oneLine(text)}`),
  ]
  const command = { name: "log", flags, args: [to], ...(path !== undefined && { paths: [path] }) } as const
  const found: FoundCommit[] = []
  const name = (text: string) => {
    const last = found.pop()
    if (last) found.push({ ...last, path: text })
  }
  // The name that the file has in the commits to come.
  let named = path
  let awaited: "header" | "path" | "old path" | "new path" = "header"
  for await (const records of readRecords(context, repository, command, { separator: "\0", longest: LONGEST, timeoutMs: TIMEOUT_MS })) {
    for (const record of records) {
      const text = record.toString("utf8")
      if (awaited === "header") {
        const header = text.trimStart()
        if (header.startsWith(MARK)) found.push({ id: objectId(header.slice(1).trim(), repository.format), path: named })
        else if (header !== "") awaited = /^[RC]/.test(header) ? "old path" : "path"
      } else if (awaited === "old path") {
        named = text
        awaited = "new path"
      } else {
        name(text)
        if (awaited === "path") named = text
        awaited = "header"
      }
    }
  }
  return found
}
