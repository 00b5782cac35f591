import { createHmac } from "node:crypto"
import type { Layout } from "../source/layout.ts"
import { number, type SourceRow, text } from "../source/row.ts"
import type { FilePart } from "./file-part.ts"
import { type IdSet, openIdSet } from "./id-set.ts"
import type { OldSecrets } from "./old-secrets.ts"
import type { Table } from "./table.ts"
import type { RepositorySettings } from "./units.ts"

/** A repository that was taken over, and where it is on both sides. */
export interface TakenRepository {
  readonly id: number
  /** Of the folder there, without `.git`. */
  readonly path: string
  readonly name: string
  /** Ours. */
  readonly storage: string
  readonly format: "sha1" | "sha256"
  readonly defaultBranch: string
  readonly wikiBranch: string
  readonly isBroken: boolean
}

/** What is known of the old server, and of the rows that were taken so far in this run. */
export interface World {
  readonly layout: Layout
  readonly old: OldSecrets
  readonly now: number
  /** The ids of rows that are here, by our tables. */
  readonly has: (table: Table, id: number) => boolean
  readonly note: (table: Table, id: number) => void
  /** The id where that row is here; otherwise null. */
  readonly known: (table: Table, id: number) => number | null
  readonly organizations: IdSet
  readonly repositories: Map<number, TakenRepository>
  /** Of repositories, by their ids: gathered before they are. */
  readonly settings: Map<number, RepositorySettings>
  readonly languages: Map<number, Readonly<Record<string, number>>>
  readonly licenses: Map<number, readonly string[]>
  /** The files of artifacts of the older protocol, by {@link artifactOf}. */
  readonly artifactFiles: Map<string, readonly FilePart[]>
  /** The blob of a file in a commit of a repository that was taken; "" where there is none. */
  readonly blobAt: (repositoryId: number, commit: string, path: string) => Promise<string>
  /** A name for a file or a folder of ours, the same in every run. */
  readonly nameOf: (what: string) => string
  /** A digest that only this site can make. */
  readonly digestOf: (text: string) => string
}

/** Which artifact a row is of. */
export const artifactOf = (row: SourceRow): string =>
  JSON.stringify([number(row, "run_id"), number(row, "status"), text(row, "artifact_name")])

export interface WorldOptions {
  readonly layout: Layout
  readonly old: OldSecrets
  readonly now: number
  readonly blobAt: World["blobAt"]
  /** A secret of this site. */
  readonly key: string
}

export function openWorld({ layout, old, now, blobAt, key }: WorldOptions): World {
  const sets = new Map<Table, IdSet>()
  const setOf = (table: Table): IdSet => {
    const known = sets.get(table)
    if (known) return known
    const made = openIdSet()
    sets.set(table, made)
    return made
  }
  const mac = (text: string) => createHmac("sha256", key).update(text).digest("hex")
  const has = (table: Table, id: number) => setOf(table).has(id)
  return {
    layout,
    old,
    now,
    has,
    note: (table, id) => setOf(table).add(id),
    known: (table, id) => (has(table, id) ? id : null),
    organizations: openIdSet(),
    repositories: new Map(),
    settings: new Map(),
    languages: new Map(),
    licenses: new Map(),
    artifactFiles: new Map(),
    blobAt,
    nameOf: (what) => mac(what).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
    digestOf: (text) => mac(text).slice(0, 16),
  }
}
