import { refuse } from "../../../core/errors.ts"
import { record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { ObjectId } from "../../../git/index.ts"
import { findEntry, partsToRead } from "../contents/paths.ts"
import { type RevisionView, repositoryOf } from "../contents/present.ts"
import { globMatches } from "./glob.ts"

/** The EditorConfig properties of one file. Unset properties are absent. */
export const EditorConfigDefinition = record("EditorConfigDefinition", {
  charset: Type.Optional(Type.String()),
  indent_style: Type.Optional(Type.String()),
  indent_size: Type.Optional(Type.String({ description: "a number, or tab" })),
  tab_width: Type.Optional(Type.String()),
  end_of_line: Type.Optional(Type.String()),
  trim_trailing_whitespace: Type.Optional(Type.String()),
  insert_final_newline: Type.Optional(Type.String()),
})
export type EditorConfigDefinition = Static<typeof EditorConfigDefinition>

const NAMES = [
  "charset",
  "indent_style",
  "indent_size",
  "tab_width",
  "end_of_line",
  "trim_trailing_whitespace",
  "insert_final_newline",
] as const

/** The largest .editorconfig that is read, in bytes, and the longest pattern in it, in characters. */
const LARGEST = 32 * 1024
const LONGEST_PATTERN = 1024
/** The longest path, in characters: matching time grows with the product of both. */
const LONGEST_PATH = 1024

/**
 * The properties of a file from the .editorconfig files from the root down to its directory; nearer ones win. The file itself need not exist.
 * Refuses `notFound` if there is no .editorconfig among them.
 */
export async function definitionFor(view: RevisionView, path: string): Promise<EditorConfigDefinition> {
  const parts = partsToRead(path)
  if (parts.length === 0 || path.length > LONGEST_PATH) throw refuse.notFound()
  const sayings: (readonly (readonly [string, string])[])[] = []
  let isThere = false
  for (let depth = 0; depth < parts.length; depth++) {
    const text = await readConfig(view, parts.slice(0, depth))
    if (!text) continue
    isThere = true
    const { isRoot, said } = await sayingsOf(text, parts.slice(depth).join("/"))
    if (isRoot) sayings.length = 0
    sayings.push(said)
  }
  if (!isThere) throw refuse.notFound()
  const said = new Map(sayings.flat())
  const known = NAMES.flatMap((name) => {
    const value = said.get(name)
    return value === undefined || value === "unset" ? [] : [[name, value]]
  })
  return Object.fromEntries(known)
}

async function readConfig(view: RevisionView, directory: readonly string[]): Promise<Buffer | undefined> {
  const { git } = view.services
  const repository = repositoryOf(view)
  const entry = await findEntry(git, repository, view.revision.commit.tree, [...directory, ".editorconfig"])
  if (entry?.mode !== "100644" && entry?.mode !== "100755") return undefined
  return (await sizeOf(view, entry.id)) > LARGEST ? undefined : git.objects.readBlob(repository, entry.id)
}

const sizeOf = async (view: RevisionView, id: ObjectId): Promise<number> =>
  (await view.services.git.objects.info(repositoryOf(view), id))?.size ?? Number.POSITIVE_INFINITY

/** The properties that one file sets for a path below its directory, in file order; names and known values are in lower case. */
async function sayingsOf(text: Buffer, path: string) {
  const { parseBuffer } = await import("editorconfig")
  let isRoot = false
  const said: (readonly [string, string])[] = []
  // The parser accepts only well-formed text.
  for (const [pattern, body] of parseBuffer(Buffer.from(text.toString("utf8")))) {
    const pairs = Object.entries(body).map(([name, value]) => [name.toLowerCase(), String(value).trim().toLowerCase()] as const)
    if (pattern === null) isRoot ||= pairs.some(([name, value]) => name === "root" && value === "true")
    else if (pattern.length <= LONGEST_PATTERN && globMatches(pattern, path)) said.push(...pairs)
  }
  return { isRoot, said }
}
