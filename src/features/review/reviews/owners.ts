import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import type { Matcher } from "../../../core/text/automaton.ts"
import { compileRegex } from "../../../core/text/regex.ts"
import { branchRef, type Git, type ObjectId, type Repository } from "../../../git/index.ts"
import { findEntry } from "../../code/contents/paths.ts"

/** Who is asked to look at changes of which files, as a repository itself says it. */

/** Where that is written; the first that is there counts. */
const FILES = ["CODEOWNERS", "docs/CODEOWNERS", ".gitea/CODEOWNERS"] as const

/** Bytes of such a file; a larger one is passed over. */
const LARGEST_FILE = 256 * 1024

/** Files of a pull request that are looked at. */
const MOST_FILES = 10_000

/** Rules of one file that are read. */
const MOST_RULES = 1_000

/** Characters of a path that is looked at; a longer one belongs to nobody. */
const LONGEST_PATH = 1_000

/** Milliseconds of matching for one pull request. What they don't reach is passed over. */
const MOST_TIME = 2_000

/** Milliseconds after which others may go on. */
const TURN = 10

/** A team of an organisation, both in lower case. */
export interface OwningTeam {
  readonly organization: string
  readonly team: string
}

/** Who owns files, by their names in lower case, each once, in the order in which they are named. */
export interface CodeOwners {
  readonly people: readonly string[]
  readonly teams: readonly OwningTeam[]
}

/** The people and teams of one line, and the files that they own. */
export interface OwnersRule extends CodeOwners {
  readonly fits: Matcher
  /** The files are those that the expression does not stand for. */
  readonly negated: boolean
}

/**
 * Reads the rules. A line is a regular expression for whole paths, with `!` before it for all other paths, and `@names` of people and
 * `@organisation/team`s; `#` begins a remark; a backslash stands before a blank, a `#` or a backslash that is meant as such. Lines that are none,
 * or whose expression can't be read, are passed over: whoever opens a pull request has not written them.
 */
export function readOwners(text: string): readonly OwnersRule[] {
  const rules: OwnersRule[] = []
  for (const line of text.split(/\r?\n/)) {
    const rule = readRule(wordsOf(line))
    if (rule) rules.push(rule)
    if (rules.length === MOST_RULES) break
  }
  return rules
}

function readRule([first = "", ...names]: readonly string[]): OwnersRule | undefined {
  const negated = first.startsWith("!")
  // Paths have no slash before them; many write one.
  const fits = wholePath((negated ? first.slice(1) : first).replace(/^\//, ""))
  const owners = ownersNamed(names)
  return fits && first !== "" && owners.people.length + owners.teams.length > 0 ? { fits, negated, ...owners } : undefined
}

/** An expression that stands for whole texts. Its flags stay in front. */
function wholePath(expression: string): Matcher | undefined {
  const flags = /^\(\?[ims]+\)/.exec(expression)?.[0] ?? ""
  return compileRegex(`${flags}^(?:${expression.slice(flags.length)})$`)
}

function ownersNamed(names: readonly string[]): CodeOwners {
  const people: string[] = []
  const teams: OwningTeam[] = []
  for (const name of names) {
    const [, owner = "", team] = /^@([^/@]+)(?:\/([^/@]+))?$/.exec(name.toLowerCase()) ?? []
    if (owner === "") continue
    if (team === undefined) people.push(owner)
    else teams.push({ organization: owner, team })
  }
  return { people, teams }
}

/** The words of a line up to a remark. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  let word = ""
  let escaped = false
  for (const character of line) {
    if (escaped) {
      word += " #\\".includes(character) ? character : `\\${character}`
      escaped = false
    } else if (character === "\\") escaped = true
    else if (character === "#") break
    else if (/\s/.test(character)) {
      if (word !== "") words.push(word)
      word = ""
    } else word += character
  }
  if (escaped) word += "\\"
  return word === "" ? words : [...words, word]
}

/** Who owns one of these files. Lets others go on in between, and passes over the rest after `mostTime` milliseconds of work. */
export async function ownersOf(rules: readonly OwnersRule[], paths: readonly string[], mostTime = MOST_TIME): Promise<CodeOwners> {
  const people = new Set<string>()
  const teams = new Map<string, OwningTeam>()
  const shown = paths.filter((path) => path.length <= LONGEST_PATH)
  let worked = 0
  let since = performance.now()
  for (const rule of rules) {
    for (const path of shown) {
      const spent = performance.now() - since
      if (worked + spent > mostTime) return { people: [...people], teams: [...teams.values()] }
      if (spent > TURN) {
        worked += spent
        await new Promise(setImmediate)
        since = performance.now()
      }
      if (rule.fits(path) === rule.negated) continue
      for (const name of rule.people) people.add(name)
      for (const team of rule.teams) teams.set(`${team.organization}/${team.team}`, team)
      break
    }
  }
  return { people: [...people], teams: [...teams.values()] }
}

const NOBODY: CodeOwners = { people: [], teams: [] }

/**
 * Who owns what a head changes, by what stands on the repository's default branch; nobody in a fork, whose file speaks of those of the original.
 * Not for inside of a transaction.
 */
export async function readCodeOwners(
  { git }: Pick<Services, "git">,
  row: Pick<RepositoryRow, "storage" | "object_format" | "default_branch" | "fork_of_id">,
  { mergeBase, headId }: { readonly mergeBase: ObjectId | undefined; readonly headId: ObjectId },
): Promise<CodeOwners> {
  const repository = git.at(row.storage, row.object_format)
  const text = row.fork_of_id === null ? await ownersFile(git, repository, row.default_branch) : undefined
  const rules = text === undefined ? [] : readOwners(text)
  if (rules.length === 0) return NOBODY
  const files = await git.diffs.files(repository, mergeBase ?? null, headId, { limit: MOST_FILES })
  return ownersOf(
    rules,
    files.flatMap(({ path, previousPath }) => (previousPath === undefined ? path : [path, previousPath])),
  )
}

async function ownersFile(git: Git, repository: Repository, branch: string): Promise<string | undefined> {
  const tip = await git.references.resolve(repository, branchRef(branch))
  const root = tip && (await git.objects.readCommit(repository, tip)).tree
  for (const path of root ? FILES : []) {
    const entry = root && (await findEntry(git, repository, root, path.split("/")))
    if (entry?.mode !== "100644" && entry?.mode !== "100755") continue
    const info = await git.objects.info(repository, entry.id)
    if (info === undefined || info.size > LARGEST_FILE) return undefined
    return (await git.objects.readBlob(repository, entry.id)).toString("utf8")
  }
  return undefined
}
