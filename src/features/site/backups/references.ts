import type { Handle } from "../../../core/database/database.ts"
import { branchRef, type Git, isRefName, type ObjectFormat, objectId } from "../../../git/index.ts"
import { wikiKey } from "../../code/repositories/wiki-place.ts"
import { findBranches, findLastEvents, findPullHeads, findReferences, findStored, findTags, listRepositories, listWikis } from "./store.ts"

/*
 * The references of a backup are those of the moment that its rows are of.
 *
 * Where references are rows, they are read with the others. In folders they move beside the rows: a push writes its entry in the journal, moves references, and settles, in one transaction
 * with all that follows. So they are read from the folder afterwards, and what rows speak of (branches, tags, heads of pull requests) gets the value that the rows have. A push that was settled is there
 * with all that followed; one that was under way is not, and its entry, when it is run after a restore, finds that nothing was moved. The objects of all of them are there: none is dropped
 * while a backup is made.
 */

/** A repository or a wiki that is to be backed up. */
export interface Wanted {
  readonly key: string
  /** OWNER/NAME. */
  readonly name: string
  readonly format: ObjectFormat
  /** The repository's id; undefined for a wiki, of which rows name no commits. */
  readonly id: number | undefined
  readonly head: string
  readonly references: readonly (readonly [name: string, id: string])[]
  /** Set where it is not where it should be. */
  readonly isGone?: boolean
}

/** All repositories and wikis, or those with these keys, with their references at the moment of the snapshot, in the order of their keys. */
export async function* listWanted(read: Handle, git: Git, place: "folder" | "store", only?: ReadonlySet<string>): AsyncGenerator<Wanted> {
  const rows = await listRepositories(read)
  const wikis = new Set((await listWikis(read)).map(({ repository_id }) => repository_id))
  const all = rows.flatMap((row) => {
    const base = { format: row.object_format, name: `${row.owner}/${row.name}` }
    const repository = { ...base, key: row.storage, id: row.id, branch: row.default_branch }
    return wikis.has(row.id)
      ? [repository, { ...base, key: wikiKey(row.storage), name: `${base.name}.wiki`, id: undefined, branch: undefined }]
      : [repository]
  })
  const moves = await lastMoves(read)
  for (const { branch, ...each } of all.filter(({ key }) => only?.has(key) ?? true).toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const state = place === "store" ? await stateInRows(read, each.key) : await stateInFolder(read, git, each, moves)
    if (!state) yield { ...each, head: "", references: [], isGone: true }
    else yield { ...each, head: branch === undefined ? state.head : branchRef(branch), references: [...state.references].toSorted() }
  }
}

interface State {
  readonly head: string
  readonly references: ReadonlyMap<string, string>
}

async function stateInRows(read: Handle, key: string): Promise<State | undefined> {
  const stored = await findStored.first(read, { key })
  if (!stored) return undefined
  return { head: stored.head, references: new Map((await findReferences(read, stored)).map(({ name, object_id }) => [name, object_id])) }
}

async function stateInFolder(
  read: Handle,
  git: Git,
  { key, format, id }: Pick<Wanted, "key" | "format" | "id">,
  moves: ReadonlyMap<number, readonly RefMove[]>,
): Promise<State | undefined> {
  const repository = git.at(key, format)
  if (!(await git.repositories.exists(repository))) return undefined
  const head = await git.references.head(repository)
  const there = new Map<string, string>((await git.references.list(repository)).map((reference) => [reference.name, reference.id]))
  if (id === undefined) return { head, references: there }
  const references = new Map(agreed(there, await namedByRows(read, id), moves.get(id) ?? []))
  for (const [name, value] of references) {
    const now = there.get(name)
    if (value === now || (await git.objects.info(repository, objectId(value)))) continue
    // The row is ahead: a job brings the commit, as of a pull request from a fork, and will do so again.
    if (now === undefined) references.delete(name)
    else references.set(name, now)
  }
  return { head, references }
}

/** The references that rows speak of, by name. */
async function namedByRows(read: Handle, repositoryId: number): Promise<ReadonlyMap<string, string>> {
  const given = { repositoryId }
  const named: readonly (readonly [string, string])[] = [
    ...(await findBranches(read, given)).map(({ name, commit_id }) => [`refs/heads/${name}`, commit_id] as const),
    ...(await findTags(read, given)).map(({ name, object_id }) => [`refs/tags/${name}`, object_id] as const),
    ...(await findPullHeads(read, given)).map(({ number, head_id }) => [`refs/pull/${number}/head`, head_id] as const),
  ]
  return new Map(named.filter(([name, id]) => isRefName(name) && id !== ""))
}

const SPOKEN_OF = /^refs\/(heads|tags)\//

/** A move of a reference that rows tell of; "" is no value. */
export interface RefMove {
  readonly ref: string
  readonly from: string
  readonly to: string
}

/** Events that are looked back on: what the last seconds brought. */
const EVENTS = 2_000

/** The last moves that rows tell of, the oldest first, by repository. */
async function lastMoves(read: Handle): Promise<ReadonlyMap<number, readonly RefMove[]>> {
  const rows = (await findLastEvents(read, { limit: EVENTS })).filter(({ kind }) => kind.startsWith("reference.")).toReversed()
  const moves = rows.flatMap(({ repository_id, data }) => {
    const { ref, oldId, newId }: Readonly<Record<string, unknown>> = JSON.parse(data)
    return typeof ref === "string" ? [{ repository_id, ref, from: String(oldId ?? ""), to: String(newId ?? "") }] : []
  })
  return Map.groupBy(moves, ({ repository_id }) => repository_id)
}

/** The references of the moment, from those in the folder some time after it. */
export function agreed(
  there: ReadonlyMap<string, string>,
  rows: ReadonlyMap<string, string>,
  moves: readonly RefMove[],
): ReadonlyMap<string, string> {
  const found = new Map([...there].filter(([name]) => !SPOKEN_OF.test(name)))
  for (const [name, id] of rows) found.set(name, id)
  for (const name of new Set([...rows.keys(), ...[...there.keys()].filter((each) => SPOKEN_OF.test(each))])) {
    const [row, now] = [rows.get(name) ?? "", there.get(name) ?? ""]
    if (row === now) continue
    const end = endOf(moves.filter(({ ref }) => ref === name))
    if (end === undefined || end === row) continue
    if (end === "") found.delete(name)
    else found.set(name, end)
  }
  return found
}

/**
 * Where moves of one reference have led, in whatever order they were written down: two pushes may settle in the other order than they moved it, and for a moment the row has the value of
 * the first, until the process looks again. Undefined where they tell nothing.
 */
export function endOf(moves: readonly RefMove[]): string | undefined {
  const balance = new Map<string, number>()
  for (const { from, to } of moves) {
    balance.set(from, (balance.get(from) ?? 0) - 1)
    balance.set(to, (balance.get(to) ?? 0) + 1)
  }
  const ends = [...balance].filter(([, count]) => count > 0)
  const [end] = ends
  return ends.length === 1 && end?.[1] === 1 ? end[0] : undefined
}
