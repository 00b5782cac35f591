import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"
import { NOBODY_ID } from "../../../access/rules.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Ids, putPart } from "../../../core/database/portable/part.ts"
import type { Row } from "../../../core/database/portable/rows.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, keptRef, type ObjectFormat, objectId, type RefName, refName } from "../../../git/index.ts"
import { takeObject } from "../../code/lfs/objects.ts"
import { newStorageKey } from "../../code/lifecycle/establish.ts"
import { deleteRemainsJob } from "../../code/lifecycle/remains.ts"
import { recountOwned, recountStars, recountWatchers } from "../../code/repositories/counters-store.ts"
import { insertRepository, updateRepository } from "../../code/repositories/store.ts"
import { wikiKey } from "../../code/repositories/wiki-place.ts"
import { putTopics, touchTopics } from "../../code/topics/store.ts"
import { GHOST } from "../../people/users/present.ts"
import { ensureNobody } from "../../people/users/store.ts"
import { NAMED_AUTHORS, REPOSITORY_RULES, TEXTS } from "./rules.ts"
import { findAttached, findLargeFiles, findOwned, findRepositoryRow, findTakenUuids, findUsersByNames, peopleOf } from "./store.ts"

/** A repository as git has it, wherever it comes from. */
export interface GitState {
  readonly format: ObjectFormat
  readonly head: string
  readonly references: readonly (readonly [name: string, id: string])[]
  readonly kept: readonly string[]
  /** Packs of git, each based on those before it. */
  readonly packs: readonly AsyncIterable<Buffer>[]
}

/** Where a repository is taken from: a database of this version, and what belongs to its rows. */
export interface Source {
  readonly db: Handle
  readonly git: (storage: string) => Promise<GitState | undefined>
  /** The bytes of a large file, by its key; undefined where it is not there. */
  readonly file: (key: string) => Promise<AsyncIterable<Buffer> | undefined>
}

export interface PutRepository {
  readonly repositoryId: number
  readonly owner: User
  readonly name: string
  /** The account that comes along, under another name perhaps. */
  readonly self?: { readonly from: number; readonly to: number }
  readonly progress?: (state: string) => void
}

export interface PutResult {
  readonly repositoryId: number
  readonly rows: number
  /** A sentence for each thing that is missing. */
  readonly faults: readonly string[]
}

/** Seconds after which what an ended copy has left is deleted. */
const REMAINS_AFTER = 86_400

/**
 * Puts a repository of another database into this site, under another name; the server may run. Nobody sees it before all is there: until then it belongs to no one, and is deleted after
 * a day. No event tells of it. People are found by their names; who is missing is named as the author. Refuses `conflict` where the name is taken.
 */
export async function putRepository(
  services: Services,
  source: Source,
  { repositoryId, owner, name, self, progress }: PutRepository,
): Promise<PutResult> {
  const { database, jobs, now } = services
  const faults: string[] = []
  const row = await findRepositoryRow.first(source.db, { id: repositoryId })
  if (!row) throw refuse.notFound()
  await requireFree(database.read, owner, name)
  const storage = newStorageKey()
  await putGit(services, source, row.storage, storage, faults)
  await putGit(services, source, wikiKey(row.storage), wikiKey(storage), faults)
  const { people: matched, names } = await matchPeople(database.read, source.db)
  const people = self ? new Map([...matched, [self.from, self.to]]) : matched
  const uuids = await renamedFiles(database.read, source.db, repositoryId)
  const id = await database.write(async (tx) => {
    await ensureNobody(tx, now())
    const { id: _, ...rest } = row
    const made = await insertRepository(tx, {
      ...rest,
      owner_id: NOBODY_ID,
      name: storage.replace("/", "-"),
      lower_name: storage.replace("/", "-"),
      storage,
      avatar: "",
      is_mirror: 0,
      fork_of_id: null,
      template_id: null,
      forks_count: 0,
      lfs_size: 0,
    })
    await jobs.enqueue(tx, deleteRemainsJob, { repositoryId: made }, { runAt: now() + REMAINS_AFTER })
    return made
  })
  const ids: Ids = new Map([["repositories", new Map([[repositoryId, id]])]])
  const change = (table: string, given: Row, old: Row): Row => withAuthor(table, withFiles(table, given, uuids), old, names, people)
  const counts = await putPart({
    from: source.db,
    to: database,
    rules: REPOSITORY_RULES,
    ids,
    people,
    nobody: GHOST.id,
    change,
    ...(progress && { progress }),
  })
  await putFiles(services, source, uuids, faults)
  await putLargeFiles(services, source, { from: repositoryId, to: id }, faults)
  await database.write(async (tx) => {
    await requireFree(tx, owner, name)
    await updateRepository(tx, id, { owner_id: owner.id, name, lower_name: name.toLowerCase() })
    const topics: unknown = JSON.parse(row.topics)
    if (Array.isArray(topics)) await touchTopics(tx, await putTopics(tx, id, topics.map(String), now()), now())
    await recountOwned(tx, [owner.id])
    await recountStars(tx, { repositoryIds: [id], userIds: [...new Set(people.values())] })
    await recountWatchers(tx, [id])
  })
  return { repositoryId: id, rows: [...counts.values()].reduce((sum, count) => sum + count, 1), faults }
}

async function requireFree(db: Handle, owner: User, name: string): Promise<void> {
  if (await findOwned.first(db, { ownerId: owner.id, lowerName: name.toLowerCase() }))
    throw refuse.conflict("The repository with the same name already exists.")
}

async function putGit({ git }: Services, source: Source, from: string, to: string, faults: string[]): Promise<void> {
  const state = await source.git(from)
  if (!state) return
  const repository = await git.repositories.create(to, { format: state.format, branch: branchOf(refName(state.head)) ?? "main" })
  for (const pack of state.packs) await git.repositories.storePack(repository, pack)
  const references = new Map<RefName, string>(state.references.map(([name, id]) => [refName(name), id]))
  for (const id of state.kept) references.set(keptRef(objectId(id)), id)
  await git.references.update(
    repository,
    [...references].map(([name, id]) => ({ name, from: null, to: objectId(id) })),
  )
  const damaged = await git.maintenance.check(repository)
  if (damaged.length > 0) faults.push(`git: ${damaged.slice(0, 3).join("; ")}`)
}

/** Who is who: accounts of the source by their names here. */
export async function matchPeople(
  here: Handle,
  there: Handle,
): Promise<{ readonly people: ReadonlyMap<number, number>; readonly names: ReadonlyMap<number, string> }> {
  const all = await peopleOf(there)
  const names = new Map(all.map(({ id, name }) => [id, name]))
  const known = new Map<string, number>()
  for (let start = 0; start < all.length; start += 500) {
    const wanted = all.slice(start, start + 500).map(({ lower_name }) => lower_name)
    for (const { id, lower_name } of await findUsersByNames(here, { names: wanted })) known.set(lower_name, id)
  }
  const people = new Map(
    all.flatMap(({ id, lower_name }) => {
      const found = known.get(lower_name)
      return found === undefined ? [] : [[id, found] as const]
    }),
  )
  return { people, names }
}

/** The names of attached files here, by those there: the same, unless there is such a file already. */
async function renamedFiles(here: Handle, there: Handle, repositoryId: number): Promise<ReadonlyMap<string, string>> {
  const uuids = (await findAttached(there, { repositoryId })).map(({ uuid }) => uuid)
  const taken = new Set<string>()
  for (let start = 0; start < uuids.length; start += 500)
    for (const { uuid } of await findTakenUuids(here, { uuids: uuids.slice(start, start + 500) })) taken.add(uuid)
  return new Map(uuids.map((uuid) => [uuid, taken.has(uuid) ? randomUUID() : uuid]))
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

function withFiles(table: string, row: Row, uuids: ReadonlyMap<string, string>): Row {
  if (table === "attachments") return { ...row, uuid: uuids.get(String(row["uuid"])) ?? row["uuid"] }
  const column = TEXTS[table]
  const text = column === undefined ? undefined : row[column]
  if (column === undefined || typeof text !== "string") return row
  return { ...row, [column]: text.replace(UUID, (uuid) => uuids.get(uuid) ?? uuid) }
}

/** Names an author who has no account here, as of issues that were imported. */
function withAuthor(table: string, row: Row, old: Row, names: ReadonlyMap<number, string>, people: ReadonlyMap<number, number>): Row {
  const author = Number(old["author_id"])
  if (!NAMED_AUTHORS.has(table) || author <= 0 || people.has(author) || row["original_author"] !== "") return row
  return { ...row, original_author: names.get(author) ?? "" }
}

const attachmentKey = (uuid: string): string => `attachments/${uuid.slice(0, 2)}/${uuid}`

async function putFiles({ blobs }: Services, source: Source, uuids: ReadonlyMap<string, string>, faults: string[]): Promise<void> {
  for (const [from, to] of uuids) {
    const content = await source.file(attachmentKey(from))
    if (content) await blobs.write(attachmentKey(to), content)
    else faults.push(`the attached file ${from} is missing`)
  }
}

async function putLargeFiles(
  services: Services,
  source: Source,
  repository: { readonly from: number; readonly to: number },
  faults: string[],
): Promise<void> {
  for (const { oid, size, file } of await findLargeFiles(source.db, { repositoryId: repository.from })) {
    const content = await source.file(`lfs/${file.slice(0, 2)}/${file}`)
    if (content) await takeObject(services, { id: repository.to }, { oid, size }, Readable.from(content, { objectMode: false }))
    else faults.push(`the large file ${oid} is missing`)
  }
}
