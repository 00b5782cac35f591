import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { anyCharacter, character, type Pattern, repeat, sequence, wholeMatcher } from "../../../core/text/automaton.ts"
import type { EntryMode, Git, Repository as GitRepository, ObjectId } from "../../../git/index.ts"
import { partsToWrite } from "../contents/paths.ts"
import { openWorkingTree } from "../contents/working-tree.ts"

/** Expands the variables in the files of a template that its list names. */

/** The list, one pattern per line; it is not copied itself. */
export const LIST_FOLDER = ".gitea"
export const LIST_NAME = "template"
const LIST_PATH = `${LIST_FOLDER}/${LIST_NAME}`

/** The request field for the files of a template. */
const FIELD = "git_content"

/** Names and URLs of the generated repository or its template. */
export interface RepositoryNames {
  readonly name: string
  readonly owner: string
  readonly description: string
  readonly htmlUrl: string
  readonly sshUrl: string
}

/** Larger files are copied without expanding variables. */
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

/** The values of all variables: those of the new repository start with REPO, those of the template with TEMPLATE. */
export function variablesOf(generated: RepositoryNames, template: RepositoryNames, now: Date): ReadonlyMap<string, string> {
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

/** Replaces $NAME and ${NAME} by their values; unknown names stay as they are. */
export const expandText = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(
    /\$(?:\{([A-Z_]+)\}|([A-Z_]+))/g,
    (whole, braced: string | undefined, bare: string | undefined) => values.get(braced ?? bare ?? "") ?? whole,
  )

/** Matches the paths in the list: `*` and `?` don't match slashes, `**` does. Empty lines and those with # are ignored. */
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

/** The tree's list; undefined if it has none and is copied unchanged. */
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

/**
 * Writes a copy of the tree with the listed files expanded, content and path, and without the list. Returns undefined if nothing is left.
 * Refuses `invalid` for an expanded path that can't be written, and for two files with the same expanded path.
 */
export async function expandTree(
  git: Git,
  repository: GitRepository,
  tree: ObjectId,
  { matches, values }: Expansion,
): Promise<ObjectId | undefined> {
  const working = openWorkingTree(git, repository, tree)
  const listed = (await filesOf(git, repository, tree)).filter(({ path }) => path !== LIST_PATH && matches(path))
  await working.remove(LIST_PATH.split("/"))
  // Moved files are removed before others take their paths.
  const moves = listed.map((file) => ({ ...file, to: expandPath(file.path, values) }))
  for (const { path, to } of moves) if (to !== path) await working.remove(path.split("/"))
  for (const { path, to, mode, id } of moves) {
    const parts = to === path ? path.split("/") : partsToWrite(to, FIELD)
    if (to !== path && (await working.get(parts)) !== undefined) throw refuse.invalid(FIELD, t`two files of the template come to ${to}`)
    await working.put(parts, { mode, content: await expandContent(git, repository, id, values) })
  }
  const batch = git.objects.batch(repository)
  const root = working.write(batch)
  await batch.store()
  return (await git.objects.readTree(repository, root)).length === 0 ? undefined : root
}

interface TemplateFile {
  readonly path: string
  readonly mode: Exclude<EntryMode, "40000">
  readonly id: ObjectId
}

/** All regular files of a tree. */
async function filesOf(git: Git, repository: GitRepository, tree: ObjectId, folder = ""): Promise<readonly TemplateFile[]> {
  const found: TemplateFile[] = []
  for (const { name, mode, id } of await git.objects.readTree(repository, tree)) {
    const path = `${folder}${name}`
    if (mode === "40000") found.push(...(await filesOf(git, repository, id, `${path}/`)))
    else if (mode.startsWith("100")) found.push({ path, mode, id })
  }
  return found
}

/** A path with its variables expanded. Characters invalid in file names become underscores, and empty values leave no empty components. */
export function expandPath(path: string, values: ReadonlyMap<string, string>): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  const safe = new Map([...values].map(([name, value]) => [name, value.replaceAll(/[/\\<>:"|?*\x00-\x1f\x7f]/g, "_")]))
  const parts = path.split("/").map((part) => expandText(part, safe).trim())
  return parts.at(-1) === "" ? path : parts.filter((part) => part !== "").join("/")
}

async function expandContent(git: Git, repository: GitRepository, id: ObjectId, values: ReadonlyMap<string, string>): Promise<ObjectId> {
  const info = await git.objects.info(repository, id)
  if (!info || info.size > MAX_BYTES) return id
  const content = await git.objects.readBlob(repository, id)
  if (content.includes(0)) return id
  // One character per byte, so that text in other encodings is preserved.
  const bytes = new Map([...values].map(([name, value]) => [name, Buffer.from(value).toString("latin1")]))
  return git.objects.writeBlob(repository, Buffer.from(expandText(content.toString("latin1"), bytes), "latin1"))
}
