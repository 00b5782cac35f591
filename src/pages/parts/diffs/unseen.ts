import { compileGlob } from "../../../core/text/globs.ts"
import type { Git, ObjectId, Repository } from "../../../git/index.ts"

/** Files that no one writes by hand: their changes are folded. The names are known, or `.gitattributes` says so. */

export type Unseen = "generated" | "vendored"

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|cargo\.lock|composer\.lock|gemfile\.lock|poetry\.lock|uv\.lock|pipfile\.lock|go\.sum|flake\.lock|mix\.lock|pubspec\.lock|package\.resolved|packages\.lock\.json|gradle\.lockfile)$|\.min\.(?:m?js|css)$|\.(?:m?js|css)\.map$|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$|\.g\.dart$|\.designer\.(?:cs|vb)$/i
const VENDORED = /(?:^|\/)(?:vendor|node_modules|bower_components|third[-_]party)\//i

/** What is read of `.gitattributes` files: bytes of one, rules of one, and directories that may have one. Beyond, only names count. */
const MOST_BYTES = 64 * 1024
const MOST_RULES = 100
const MOST_FOLDERS = 50
/** How often a rule is tried, over all files. */
const MOST_TRIES = 100_000

interface Rule {
  readonly matches: (path: string) => boolean
  readonly says: ReadonlyMap<Unseen, boolean>
}

/** A function that says of the files of a tree, by their paths, whether no one wrote them. Starts no process. */
export async function unseenIn(
  git: Git,
  repository: Repository,
  tree: ObjectId,
  paths: readonly string[],
): Promise<(path: string) => Unseen | undefined> {
  const rules = new Map<string, readonly Rule[]>()
  for (const folder of foldersOf(paths)) {
    const found = await rulesIn(git, repository, tree, folder)
    if (found.length > 0) rules.set(folder, found)
  }
  let tries = MOST_TRIES
  return (path) => {
    const says = new Map<Unseen, boolean>()
    // Of several rules the last one counts, and those of deeper directories come later.
    for (const [folder, own] of rules) {
      if (folder !== "" && !path.startsWith(`${folder}/`)) continue
      tries -= own.length
      if (tries < 0) break
      for (const { matches, says: said } of own)
        if (matches(folder === "" ? path : path.slice(folder.length + 1))) for (const [what, is] of said) says.set(what, is)
    }
    if (says.get("generated") ?? GENERATED.test(path)) return "generated"
    return (says.get("vendored") ?? VENDORED.test(path)) ? "vendored" : undefined
  }
}

/** The directories above the files, shorter ones first. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set([""])
  for (const path of paths) {
    for (let end = path.indexOf("/"); end >= 0 && folders.size < MOST_FOLDERS; end = path.indexOf("/", end + 1))
      folders.add(path.slice(0, end))
    if (folders.size >= MOST_FOLDERS) break
  }
  return [...folders].sort((a, b) => a.length - b.length)
}

async function rulesIn(git: Git, repository: Repository, tree: ObjectId, folder: string): Promise<readonly Rule[]> {
  let at = tree
  for (const part of folder === "" ? [] : folder.split("/")) {
    const below = (await git.objects.readTree(repository, at)).find(({ name, mode }) => name === part && mode === "40000")
    if (!below) return []
    at = below.id
  }
  const file = (await git.objects.readTree(repository, at)).find(({ name, mode }) => name === ".gitattributes" && mode.startsWith("100"))
  const size = file && (await git.objects.info(repository, file.id))?.size
  if (!file || size === undefined || size > MOST_BYTES) return []
  return readRules((await git.objects.readBlob(repository, file.id)).toString("utf8"))
}

/** The rules of a `.gitattributes` that say something of it. */
export function readRules(text: string): readonly Rule[] {
  const rules: Rule[] = []
  for (const line of text.split("\n")) {
    if (!line.includes("linguist-") || line.startsWith("#")) continue
    const [pattern = "", ...attributes] = line.trim().split(/\s+/)
    const says = new Map<Unseen, boolean>()
    for (const attribute of attributes) {
      const [, minus, what, value] = /^(-?)linguist-(generated|vendored)(?:=(\w+))?$/.exec(attribute) ?? []
      if (what === "generated" || what === "vendored") says.set(what, minus === "" && value !== "false")
    }
    const matches = says.size === 0 ? undefined : matcherOf(pattern)
    if (matches) rules.push({ matches, says })
    if (rules.length === MOST_RULES) break
  }
  return rules
}

/** A pattern without a slash is of names in every directory; others begin at the directory of the file. */
function matcherOf(pattern: string): ((path: string) => boolean) | undefined {
  const literal = pattern.replace(/[{}]/g, "\\$&")
  if (!pattern.includes("/")) {
    const matches = compileGlob(literal, { separator: "/" })
    return matches && ((path) => matches(path.slice(path.lastIndexOf("/") + 1)))
  }
  return compileGlob(literal.replace(/^\//, "").replace(/(^|\/)\*\*\//g, "$1{,**/}"), { separator: "/" })
}
