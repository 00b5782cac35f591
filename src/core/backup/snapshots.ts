import { randomBytes } from "node:crypto"
import Type, { Check, type Static } from "../schema.ts"
import { type ChunkReader, chunkReader, type Known, knownChunks, readIndexes, readSealed, writeSealed } from "./chunks.ts"
import type { BackupPlace } from "./place.ts"
import { Damaged, type Keys, makeLock, openLock } from "./seal.ts"

/** A snapshot is a small document that names everything of one backup, by chunks. It is written last: what has none was not completed. */

const Chunks = Type.Array(Type.String())

export const Snapshot = Type.Object({
  format: Type.Literal(1),
  id: Type.String(),
  /** One more than that of the last one there was when it began: the order of those of the same second. */
  number: Type.Integer(),
  /** The moment that it shows, and when it was complete; seconds since 1970. */
  at: Type.Integer(),
  endedAt: Type.Integer(),
  /** The version of Hearth, and the last migration of the database. */
  version: Type.String(),
  schema: Type.Object({ step: Type.Integer(), name: Type.String() }),
  rootUrl: Type.String(),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.Array(
        Type.Object({
          name: Type.String(),
          type: Type.Union([Type.Literal("integer"), Type.Literal("real"), Type.Literal("text"), Type.Literal("bytes")]),
        }),
      ),
      key: Type.Array(Type.String()),
      rows: Type.Integer(),
      sha256: Type.String(),
      chunks: Chunks,
    }),
  ),
  /** See `readSequences`. */
  sequences: Type.Array(Type.Object({ table: Type.String(), last: Type.Integer() })),
  /** A {@link RepositoryLine} for each repository and wiki, in the order of their keys. */
  repositories: Type.Object({ count: Type.Integer(), bytes: Type.Integer(), chunks: Chunks }),
  /** A {@link FileLine} for each large file, in the order of their keys. */
  files: Type.Object({ count: Type.Integer(), bytes: Type.Integer(), chunks: Chunks }),
  /** What the data folder has of keys: the one that seals secrets, and that of SSH where there is one. */
  keys: Type.Object({ secretKey: Type.String(), sshHostKey: Type.String() }),
  /** Bytes that this backup has added to the place. */
  added: Type.Integer(),
  /** What could not be backed up as it should, a sentence each. */
  faults: Type.Array(Type.String()),
})
export type Snapshot = Static<typeof Snapshot>

export const RepositoryLine = Type.Object({
  /** The storage key. */
  key: Type.String(),
  /** OWNER/NAME at that moment, for people. */
  name: Type.String(),
  format: Type.Union([Type.Literal("sha1"), Type.Literal("sha256")]),
  head: Type.String(),
  references: Type.Array(Type.Unsafe<[string, string]>({ type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 })),
  /** Commits that rows name and no reference reaches. */
  kept: Type.Array(Type.String()),
  /** Packs of git, each based on those before it. */
  packs: Type.Array(Type.Object({ size: Type.Integer(), chunks: Chunks })),
})
export type RepositoryLine = Static<typeof RepositoryLine>

export const FileLine = Type.Object({ key: Type.String(), size: Type.Integer(), chunks: Chunks })
export type FileLine = Static<typeof FileLine>

/** Reads a line that this program has written. Throws {@link Damaged}. */
export function readLine<T>(schema: typeof RepositoryLine | typeof FileLine, line: string, is: (value: unknown) => value is T): T {
  const value: unknown = JSON.parse(line)
  if (!is(value)) throw new Damaged(`a line of the ${schema === FileLine ? "files" : "repositories"} can't be read`)
  return value
}

export const isRepositoryLine = (value: unknown): value is RepositoryLine => Check(RepositoryLine, value)
export const isFileLine = (value: unknown): value is FileLine => Check(FileLine, value)

export const newSnapshotId = (): string => randomBytes(4).toString("hex")
const nameOf = (id: string): string => `snapshots/${id}`

/** A place that was opened with its passphrase. */
export interface Backups {
  readonly place: BackupPlace
  readonly keys: Keys
  readonly known: Known
  readonly indexes: readonly string[]
  readonly reader: ChunkReader
}

const CONFIG = "config"

/** There is no backup in the place. */
export class NoBackups extends Error {
  constructor(name: string) {
    super(`There is no backup in ${name}.`)
    this.name = "NoBackups"
  }
}

export interface OpenOptions {
  /** Makes an empty place one for backups. */
  readonly creates?: boolean
  /** The cost of the passphrase in a new place; that of tests is low. */
  readonly cost?: { readonly n: number; readonly r: number; readonly p: number }
}

/** Throws {@link NoBackups}, `PassphraseWrong`, {@link Damaged}, and what the place throws. */
export async function openBackups(place: BackupPlace, passphrase: string, { creates = false, cost }: OpenOptions = {}): Promise<Backups> {
  const config = await place.read(CONFIG)
  if (config) {
    const keys = await openLock(config.toString("utf8"), passphrase)
    const { known, indexes } = await readIndexes(place, keys)
    return { place, keys, known, indexes, reader: chunkReader(place, keys, known) }
  }
  if (!creates) throw new NoBackups(place.name)
  const { lock, keys } = await makeLock(passphrase, cost)
  await place.write(CONFIG, Buffer.from(JSON.stringify(lock)))
  const known = knownChunks()
  return { place, keys, known, indexes: [], reader: chunkReader(place, keys, known) }
}

/** All snapshots, the oldest first. Throws {@link Damaged}. */
export async function listSnapshots({ place, keys }: Pick<Backups, "place" | "keys">): Promise<readonly Snapshot[]> {
  const found: Snapshot[] = []
  for await (const { name } of place.list("snapshots")) found.push(await readSnapshot(place, keys, name))
  return found.toSorted((a, b) => a.at - b.at || a.number - b.number)
}

async function readSnapshot(place: BackupPlace, keys: Keys, name: string): Promise<Snapshot> {
  const value = await readSealed(place, keys, name)
  if (!Check(Snapshot, value)) throw new Damaged(`${name} was written by a newer version, which has to read it`)
  return value
}

export const putSnapshot = ({ place, keys }: Pick<Backups, "place" | "keys">, snapshot: Snapshot): Promise<void> =>
  writeSealed(place, keys, nameOf(snapshot.id), snapshot)

export const removeSnapshot = ({ place }: Pick<Backups, "place">, id: string): Promise<void> => place.remove(nameOf(id))
