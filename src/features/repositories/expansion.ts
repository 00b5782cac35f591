import { anyCharacter, character, type Pattern, repeat, sequence, wholeMatcher } from "../../core/text/automaton.ts"
import type { Git, Repository as GitRepository, ObjectId, TreeEntry } from "../../git/index.ts"

/** Filling in what a template leaves open: the files that its list names have variables in them. */

/** The list, one pattern to a line; it does not come along. */
export const LIST_FOLDER = ".gitea"
export const LIST_NAME = "template"

/** What the generated repository and its template are called, seen from the outside. */
export interface Side {
  readonly name: string
  readonly owner: string
  readonly description: string
  readonly htmlUrl: string
  readonly sshUrl: string
}

/** Larger files are left as they are; nobody writes variables into them. */
const MAX_BYTES = 4 * 2 ** 20

const words = (text: string): readonly string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  SNAKE: (text) => words(text).join("_").toLowerCase(),
  KEBAB: (text) => words(text).join("-").toLowerCase(),
  CAMEL: (text) =>
    words(text)
      .map((word, index) => (index === 0 ? word.toLowerCase() : capital(word)))
      .join(""),
  PASCAL: (text) => words(text).map(capital).join(""),
  LOWER: (text) => text.toLowerCase(),
  UPPER: (text) => text.toUpperCase(),
  TITLE: (text) => text.replaceAll(/[A-Za-z0-9]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
}

/** The values of all variables: those of the new repository begin with REPO, those of the template with TEMPLATE. */
export function variablesOf(generated: Side, template: Side, now: Date): ReadonlyMap<string, string> {
  const values = new Map<string, string>([
    ["YEAR", String(now.getUTCFullYear())],
    ["MONTH", String(now.getUTCMonth() + 1).padStart(2, "0")],
    ["DAY", String(now.getUTCDate()).padStart(2, "0")],
  ])
  for (const [prefix, side] of [
    ["REPO", generated],
    ["TEMPLATE", template],
  ] as const) {
    values.set(`${prefix}_DESCRIPTION`, side.description)
    values.set(`${prefix}_LINK`, side.htmlUrl)
    values.set(`${prefix}_HTTPS_URL`, `${side.htmlUrl}.git`)
    values.set(`${prefix}_SSH_URL`, side.sshUrl)
    for (const [key, value] of [
      ["NAME", side.name],
      ["OWNER", side.owner],
    ] as const) {
      values.set(`${prefix}_${key}`, value)
      for (const [form, write] of Object.entries(FORMS)) values.set(`${prefix}_${key}_${form}`, write(value))
    }
  }
  return values
}

/** Puts values in the place of $NAME and ${NAME}; what is no variable stays as it is. */
export const expandText = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(
    /\$(?:\{([A-Z_]+)\}|([A-Z_]+))/g,
    (whole, braced: string | undefined, bare: string | undefined) => values.get(braced ?? bare ?? "") ?? whole,
  )

/** Which paths the list names: `*` and `?` stay within a folder, `**` does not. Empty lines and those with # count for nothing. */
export function pathMatcher(list: string): (path: string) => boolean {
  const patterns = list
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((glob) => wholeMatcher(globPattern(glob)) ?? [])
  return (path) => patterns.some((fits) => fits(path))
}

const SLASH = 47
const within: Pattern = { kind: "one", of: (codePoint) => codePoint !== SLASH }

function globPattern(glob: string): Pattern {
  const parts = glob.match(/\*\*\/|\*\*|\*|\?|[^*?]/gsu) ?? []
  return sequence(
    ...parts.map((part) => {
      switch (part) {
        case "**/":
          return repeat(sequence(repeat(anyCharacter), character(SLASH)), 0, 1)
        case "**":
          return repeat(anyCharacter)
        case "*":
          return repeat(within)
        case "?":
          return within
        default:
          return character(part.codePointAt(0) ?? -1)
      }
    }),
  )
}

/** The list of the tree, or undefined where it has none and is to be taken as it is. */
export async function readList(git: Git, repository: GitRepository, tree: ObjectId): Promise<string | undefined> {
  const folder = (await git.objects.readTree(repository, tree)).find(({ name, mode }) => name === LIST_FOLDER && mode === "40000")
  const file =
    folder && (await git.objects.readTree(repository, folder.id)).find(({ name, mode }) => name === LIST_NAME && mode.startsWith("100"))
  return file && (await git.objects.readBlob(repository, file.id)).toString("utf8")
}

export interface Expansion {
  readonly matches: (path: string) => boolean
  readonly values: ReadonlyMap<string, string>
}

/** Writes the tree anew with its listed files filled in and without the list. Gives undefined where nothing is left of it. */
export async function expandTree(
  git: Git,
  repository: GitRepository,
  tree: ObjectId,
  expansion: Expansion,
  folder = "",
): Promise<ObjectId | undefined> {
  const entries: TreeEntry[] = []
  for (const entry of await git.objects.readTree(repository, tree)) {
    const path = `${folder}${entry.name}`
    if (path === `${LIST_FOLDER}/${LIST_NAME}`) continue
    const id = await expandEntry(git, repository, entry, path, expansion)
    if (id !== undefined) entries.push({ ...entry, id })
  }
  return entries.length === 0 ? undefined : git.objects.writeTree(repository, entries)
}

async function expandEntry(
  git: Git,
  repository: GitRepository,
  { mode, id }: TreeEntry,
  path: string,
  expansion: Expansion,
): Promise<ObjectId | undefined> {
  if (mode === "40000") return expandTree(git, repository, id, expansion, `${path}/`)
  // Neither links nor submodules are texts.
  if (!mode.startsWith("100") || !expansion.matches(path)) return id
  const info = await git.objects.info(repository, id)
  if (!info || info.size > MAX_BYTES) return id
  const content = await git.objects.readBlob(repository, id)
  if (content.includes(0)) return id
  // Byte by byte, so that a text in another encoding keeps what it had.
  const values = new Map([...expansion.values].map(([name, value]) => [name, Buffer.from(value).toString("latin1")]))
  return git.objects.writeBlob(repository, Buffer.from(expandText(content.toString("latin1"), values), "latin1"))
}
