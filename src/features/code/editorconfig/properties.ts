import type { Git, ObjectId, Repository } from "../../../git/index.ts"
import { findEntry } from "../contents/paths.ts"
import { globMatches } from "./glob.ts"

/** What the .editorconfig files of a tree say of its files. */

/** The largest .editorconfig that is read, in bytes, and the longest pattern in it, in characters. */
const LARGEST = 32 * 1024
const LONGEST_PATTERN = 1024

interface Section {
  readonly pattern: string
  readonly said: readonly (readonly [string, string])[]
}

interface Config {
  readonly isRoot: boolean
  readonly sections: readonly Section[]
}

/** The properties of a file, by its path, in lower case; nearer files win. Undefined where there is no .editorconfig above it. */
export type PropertiesOf = (parts: readonly string[]) => Promise<ReadonlyMap<string, string> | undefined>

/** Reads each .editorconfig once, however many files are asked about. At most `mostSteps` are made for all files together; beyond, nothing is said. */
export function openProperties(git: Git, repository: Repository, tree: ObjectId, mostSteps = Number.POSITIVE_INFINITY): PropertiesOf {
  const configs = new Map<string, Promise<Config | undefined>>()
  const configIn = (folder: readonly string[]): Promise<Config | undefined> => {
    const key = folder.join("/")
    const known = configs.get(key) ?? readConfig(git, repository, tree, folder)
    configs.set(key, known)
    return known
  }
  let steps = mostSteps
  return async (parts) => {
    const said: (readonly [string, string])[] = []
    let isThere = false
    for (let depth = 0; depth < parts.length; depth++) {
      const config = await configIn(parts.slice(0, depth))
      if (!config) continue
      isThere = true
      if (config.isRoot) said.length = 0
      const path = parts.slice(depth).join("/")
      for (const section of config.sections) {
        // Matching takes time in proportion to both lengths.
        steps -= section.pattern.length * path.length
        if (steps < 0) return undefined
        if (globMatches(section.pattern, path)) said.push(...section.said)
      }
    }
    return isThere ? new Map(said) : undefined
  }
}

async function readConfig(git: Git, repository: Repository, tree: ObjectId, folder: readonly string[]): Promise<Config | undefined> {
  const entry = await findEntry(git, repository, tree, [...folder, ".editorconfig"])
  if (entry?.mode !== "100644" && entry?.mode !== "100755") return undefined
  const size = (await git.objects.info(repository, entry.id))?.size ?? Number.POSITIVE_INFINITY
  return size > LARGEST ? undefined : parse(await git.objects.readBlob(repository, entry.id))
}

/** The sections in their order; names and values are in lower case. */
async function parse(text: Buffer): Promise<Config> {
  const { parseBuffer } = await import("editorconfig")
  let isRoot = false
  const sections: Section[] = []
  // The parser accepts only well-formed text.
  for (const [pattern, body] of parseBuffer(Buffer.from(text.toString("utf8")))) {
    const said = Object.entries(body).map(([name, value]) => [name.toLowerCase(), String(value).trim().toLowerCase()] as const)
    if (pattern === null) isRoot ||= said.some(([name, value]) => name === "root" && value === "true")
    else if (pattern.length <= LONGEST_PATTERN) sections.push({ pattern, said })
  }
  return { isRoot, sections }
}
