import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import type { Database } from "../../../core/database/database.ts"
import { knownSteps } from "../../../core/database/loadable.ts"
import { type Filling, fillSqlite } from "../../../core/database/portable/fill.ts"
import Type, { Check, type Static } from "../../../core/schema.ts"
import { readTar } from "../../../core/text/tar.ts"
import type { Source } from "./put-repository.ts"

/** The archive of an account: see docs/backup.md. */

export const ArchivedRepository = Type.Object({
  storage: Type.String(),
  name: Type.String(),
  format: Type.Union([Type.Literal("sha1"), Type.Literal("sha256")]),
  head: Type.String(),
  references: Type.Array(Type.Unsafe<[string, string]>({ type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 })),
  /** The bundle of git that has all of it; "" for an empty one. */
  bundle: Type.String(),
})

export const Manifest = Type.Object({
  format: Type.Literal("hearth-account-1"),
  /** The version of Hearth, and the last migration of its database. */
  version: Type.String(),
  schema: Type.Object({ step: Type.Integer(), name: Type.String() }),
  rootUrl: Type.String(),
  /** Seconds since 1970. */
  at: Type.Integer(),
  account: Type.Object({ id: Type.Integer(), name: Type.String(), kind: Type.String() }),
  repositories: Type.Array(ArchivedRepository),
})
export type Manifest = Static<typeof Manifest>

/** What is given is no such archive. */
export class ArchiveRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = "ArchiveRefused"
  }
}

export interface OpenArchive {
  readonly manifest: Manifest
  readonly source: Source
}

const NAME = /^(manifest\.json|rows\/[a-z0-9_]+\.jsonl|git\/\d+\.bundle|files\/(attachments|lfs)\/[0-9a-f]{2}\/[0-9a-f-]+)$/

/** Opens an archive for the time of the work: it is unpacked into a folder for temporary files. Throws {@link ArchiveRefused}, and `TarBroken`. */
export async function withArchive<R>(file: string, work: (opened: OpenArchive) => Promise<R>): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-archive-"))
  let database: Database | undefined
  try {
    for await (const { name, content } of readTar(createReadStream(file).pipe(createGunzip()))) {
      // Schemas are for readers, and no other name is one of ours.
      if (!NAME.test(name)) continue
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await pipeline(Readable.from(content), createWriteStream(join(folder, name), { flags: "wx", mode: 0o600 }))
    }
    const manifest = await readManifest(join(folder, "manifest.json"))
    database = await fillSqlite(join(folder, "rows.db"), manifest.schema.step, rowsIn(folder))
    return await work({ manifest, source: sourceIn(folder, manifest, database) })
  } finally {
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function readManifest(file: string): Promise<Manifest> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new ArchiveRefused("It is not the archive of an account: manifest.json is missing.")
  })
  const manifest: unknown = JSON.parse(text)
  if (!Check(Manifest, manifest)) throw new ArchiveRefused("Its manifest.json is not one that this version can read.")
  if (knownSteps()[manifest.schema.step - 1] !== manifest.schema.name)
    throw new ArchiveRefused(`It was written by Hearth ${manifest.version}, whose database this version does not know.`)
  return manifest
}

async function* rowsIn(folder: string): AsyncGenerator<Filling> {
  const { readdir } = await import("node:fs/promises")
  for (const name of (await readdir(join(folder, "rows"))).toSorted())
    yield { table: name.replace(".jsonl", ""), rows: linesOf(join(folder, "rows", name)) }
}

async function* linesOf(file: string) {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const row: unknown = JSON.parse(line)
    if (typeof row !== "object" || row === null) throw new ArchiveRefused("A line of its rows is none.")
    yield { ...row }
  }
}

function sourceIn(folder: string, manifest: Manifest, database: Database): Source {
  return {
    db: database.read,
    async git(storage) {
      const found = manifest.repositories.find((each) => each.storage === storage)
      if (!found) return undefined
      return { ...found, kept: [], packs: found.bundle === "" ? [] : [packIn(join(folder, bundleName(found.bundle)))] }
    },
    async file(key) {
      const path = join(folder, "files", key)
      return NAME.test(`files/${key}`) && (await isThere(path)) ? createReadStream(path) : undefined
    },
  }
}

function bundleName(name: string): string {
  if (!NAME.test(name)) throw new ArchiveRefused("The name of a bundle is none.")
  return name
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The pack of a bundle, which begins after an empty line. */
async function* packIn(file: string): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of createReadStream(file)) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf("\n\n")
    if (end < 0) continue
    yield head.subarray(end + 2)
    head = undefined
  }
  if (head !== undefined) throw new ArchiveRefused("A bundle breaks off.")
}
