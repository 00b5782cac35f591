import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import type { Matcher } from "../../../core/text/automaton.ts"
import { compileRegex } from "../../../core/text/regex.ts"
import { nextTurn } from "../../../core/work.ts"
import { branchRef, type Git, type ObjectId, type Repository } from "../../../git/index.ts"
import { findEntry } from "../../code/contents/paths.ts"

/** Code owners: the reviewers that a repository itself names for changes of its files. */

/** The paths of the file; the first that exists counts. */
const FILES = ["CODEOWNERS", "docs/CODEOWNERS", ".gitea/CODEOWNERS"] as const

/** Bytes of the file; a larger one is ignored. */
const LARGEST_FILE = 256 * 1024

/** Files of a pull request that are matched. */
const MOST_FILES = 10_000

/** Rules of the file that are read. */
const MOST_RULES = 1_000

/** Characters of a path that is matched; a longer one has no owners. */
const LONGEST_PATH = 1_000

/** Milliseconds of matching for one pull request. The rest is skipped. */
const MOST_TIME = 2_000

/** Milliseconds after which other requests get their turn. */
const TURN = 10

/** A team of an organisation, both in lower case. */
export interface OwningTeam {
  readonly organization: string
  readonly team: string
}

/** The owners of files, by their names in lower case, each once, in the order in which they are named. */
export interface CodeOwners {
  readonly people: readonly string[]
  readonly teams: readonly OwningTeam[]
}

/** The people and teams of one line, and the paths that they own. */
export interface OwnersRule extends CodeOwners {
  readonly fits: Matcher
  /** The expression is negated: the rule applies to all other paths. */
  readonly negated: boolean
}

/**
 * Reads the rules. A line is a regular expression for whole paths, with `!` before it for all other paths, and `@names` of people and
 * `@organisation/team`s; `#` begins a comment; a backslash escapes a blank, a `#` or a backslash. Malformed lines, and those with an invalid
 * expression, are skipped: the author of the pull request has not written them.
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
  // Paths have no slash before them, but many rules have.
  const fits = wholePath((negated ? first.slice(1) : first).replace(/^\//, ""))
  const owners = ownersNamed(names)
  return fits && first !== "" && owners.people.length + owners.teams.length > 0 ? { fits, negated, ...owners } : undefined
}

/** An expression that matches whole texts. Its flags stay in front. */
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

/** The words of a line up to a comment. */
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

/** The owners of these files. Yields to other requests in between, and skips the rest after `mostTime` milliseconds of work. */
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
        await nextTurn()
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

const NO_OWNERS: CodeOwners = { people: [], teams: [] }

/**
 * The owners of what a head changes, by the file on the repository's default branch. None in a fork, whose file names those of the original. Not for
 * inside of a transaction.
 */
export async function readCodeOwners(
  { git }: Pick<Services, "git">,
  row: Pick<RepositoryRow, "storage" | "object_format" | "default_branch" | "fork_of_id">,
  { mergeBase, headId }: { readonly mergeBase: ObjectId | undefined; readonly headId: ObjectId },
): Promise<CodeOwners> {
  const repository = git.at(row.storage, row.object_format)
  const text = row.fork_of_id === null ? await ownersFile(git, repository, row.default_branch) : undefined
  const rules = text === undefined ? [] : readOwners(text)
  if (rules.length === 0) return NO_OWNERS
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
