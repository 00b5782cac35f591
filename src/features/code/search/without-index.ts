import { compileGlob } from "../../../core/text/globs.ts"
import { nextTurn } from "../../../core/work.ts"
import { type Git, isGitError, type ObjectId, type Repository, type TreeEntry } from "../../../git/index.ts"
import type { Window } from "../../people/users/store.ts"
import { languageOf } from "../languages/languages.ts"
import type { CodeSearch, FoundIn } from "./candidates-store.ts"
import { isOwnDirectory, isOwnFile, LARGEST_FILE, textOf } from "./choice.ts"
import { excerptOf } from "./excerpt.ts"
import { fold } from "./grams.ts"
import { type Matcher, matcherOf } from "./matcher.ts"
import { type FoundCode, type FoundFile, LIMITS, type Limits, mostFirst, NOTHING, TURN_MS } from "./search.ts"
import { readQuery, type Sought } from "./words.ts"

/** Other revisions than default branches have no index: git looks through all files of one repository, for as long as the limits allow. */

export interface CodeAt {
  readonly git: Git
  readonly repository: Repository
  readonly tree: ObjectId
  readonly commit: ObjectId
  readonly foundIn: FoundIn
}

/** Without an index a search takes longer. */
const WITHOUT_INDEX: Limits = { ...LIMITS, milliseconds: 5_000 }

/** The same as `searchCode` for the files of one commit, in the order of its tree. Whether the caller may read them is asked before. One git process. */
export async function searchCommit(
  at: CodeAt,
  search: Pick<CodeSearch, "q" | "mode" | "isCaseSensitive">,
  { limit, offset }: Window,
  limits: Limits = WITHOUT_INDEX,
): Promise<FoundCode> {
  const { mode = "exact", isCaseSensitive = false } = search
  const sought = readQuery(search.q, mode)
  if (sought.terms.length === 0) return NOTHING
  const matcher = await matcherOf(sought.terms, mode, isCaseSensitive)
  const isAsked = fitsFilters(sought, at.foundIn)
  const files: FoundFile[] = []
  const counts = new Map<string, number>()
  let total = 0
  const isPartial = await read(at, matcher, limits, isAsked, (path, text) => {
    const language = languageAt(path)
    counts.set(language, (counts.get(language) ?? 0) + 1)
    if (total >= offset && total < offset + limit) files.push({ repository: at.foundIn, path, language, ...excerptOf(text, matcher) })
    total++
  })
  return { files, total, languages: mostFirst(counts), isPartial, indexing: 0 }
}

const languageAt = (path: string): string => languageOf(path.slice(path.lastIndexOf("/") + 1)) ?? ""

/** Calls `found` for each file that matches. Gives whether the limits ended it. */
async function read(
  { git, repository, tree, commit }: CodeAt,
  matcher: Matcher,
  limits: Limits,
  isAsked: (path: string) => boolean,
  found: (path: string, text: string) => void,
): Promise<boolean> {
  const start = performance.now()
  const blobAt = filesOf(git, repository, tree)
  let turn = start
  let [many, size] = [0, 0]
  try {
    for await (const paths of git.history.grep(repository, { commit, ...forGit(matcher), timeoutMs: limits.milliseconds }))
      for (const path of paths.filter(isAsked)) {
        const id = await blobAt(path)
        const info = id && (await git.objects.info(repository, id))
        if (!id || !info || info.size > LARGEST_FILE) continue
        if (many++ >= limits.files || size > limits.size || performance.now() - start > limits.milliseconds) return true
        const text = textOf(await git.objects.readBlob(repository, id))
        if (text === undefined) continue
        size += text.length
        if (matcher.matches(text)) found(path, text)
        if (performance.now() - turn < TURN_MS) continue
        await nextTurn()
        turn = performance.now()
      }
    return false
  } catch (error) {
    if (isGitError(error, "timeout")) return true
    throw error
  }
}

/** What git is asked for: it knows the cases of ASCII alone. What it finds is looked at again. */
function forGit({ holds: { texts, all } }: Matcher): { readonly texts: readonly string[]; readonly all: boolean } {
  const known = texts.map((text) => text.split(/[^\t -~]+/).reduce((longest, part) => (part.length > longest.length ? part : longest), ""))
  const usable = known.filter((text) => text !== "")
  return { texts: all || usable.length === texts.length ? usable : [], all }
}

/** Finds the blobs of files that are searched. Each directory is read once. */
function filesOf(git: Git, repository: Repository, root: ObjectId): (path: string) => Promise<ObjectId | undefined> {
  const directories = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>()
  const entriesOf = async (id: ObjectId | undefined): Promise<ReadonlyMap<string, TreeEntry>> =>
    new Map(id === undefined ? [] : (await git.objects.readTree(repository, id)).map((entry) => [entry.name, entry]))
  function directory(path: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const known = directories.get(path) ?? (path === "" ? entriesOf(root) : below(path))
    directories.set(path, known)
    return known
  }
  async function below(path: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const [parent, name] = divide(path)
    const entry = isOwnDirectory(name) ? (await directory(parent)).get(name) : undefined
    return entriesOf(entry?.mode === "40000" ? entry.id : undefined)
  }
  return async (path) => {
    const [parent, name] = divide(path)
    const entry = isOwnFile(name) ? (await directory(parent)).get(name) : undefined
    return entry?.mode === "100644" || entry?.mode === "100755" ? entry.id : undefined
  }
}

function divide(path: string): readonly [parent: string, name: string] {
  const slash = path.lastIndexOf("/")
  return [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)]
}

/** Whether a file is one that the filters ask for. */
function fitsFilters({ repositories, paths, languages }: Sought, { owner, name }: FoundIn): (path: string) => boolean {
  const anyOf = (patterns: readonly string[]) => {
    const tests = patterns.map(fits)
    return (text: string) => tests.length === 0 || tests.some((test) => test(fold(text)))
  }
  if (!anyOf(repositories)(`${owner}/${name}`)) return () => false
  const isPath = anyOf(paths)
  const wanted = new Set(languages.map(fold))
  return (path) => isPath(path) && (wanted.size === 0 || wanted.has(fold(languageAt(path))))
}

/** As the filters of `searchCode`: a part of the text, or with `*` or `?` a pattern for the whole. */
function fits(pattern: string): (folded: string) => boolean {
  const sought = fold(pattern)
  if (!/[*?]/.test(pattern)) return (folded) => folded.includes(sought)
  return compileGlob(sought.replaceAll(/[[\]{}\\]/g, "\\$&")) ?? (() => false)
}
