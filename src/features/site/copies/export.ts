import { createReadStream, createWriteStream } from "node:fs"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { knownSteps } from "../../../core/database/loadable.ts"
import { type PartRule, pagesOf } from "../../../core/database/portable/part.ts"
import type { Row } from "../../../core/database/portable/rows.ts"
import { type FoundTable, readReferences, readSchema, readShapes } from "../../../core/database/portable/shapes.ts"
import type { Services } from "../../../core/services.ts"
import { TAR_END, tarHeader, tarPadding } from "../../../core/text/tar.ts"
import { VERSION } from "../../../core/version.ts"
import { objectId, refName } from "../../../git/index.ts"
import { placeOfRepositories } from "../../code/lifecycle/place.ts"
import { wikiKey } from "../../code/repositories/wiki-place.ts"
import { listWanted, type Wanted } from "../backups/references.ts"
import { ACCOUNT_COLUMNS, ACCOUNT_RULES, ONLY_TOLD, PEOPLE_COLUMNS } from "./account-rules.ts"
import type { Manifest } from "./archive.ts"
import { REPOSITORY_RULES } from "./rules.ts"
import { findAttached, findLargeFiles, findRepositoriesOf } from "./store.ts"

type Exporting = Pick<Services, "database" | "git" | "blobs" | "site" | "now">

const PARENTS = 200

/**
 * The archive of an account and its repositories, as a stream of gzip, which must be read or destroyed: rows of one moment, references that match them, bundles, and large files. Nothing in it
 * lets anyone in. Needs room in the folder for temporary files, for the rows and the largest bundle.
 */
export const exportAccount = (services: Exporting, account: Pick<User, "id" | "name" | "kind">): Readable => {
  const archive = Readable.from(entries(services, account), { objectMode: false })
  const gzip = createGzip()
  pipeline(archive, gzip).catch(() => {})
  return gzip
}

async function* entries(services: Exporting, account: Pick<User, "id" | "name" | "kind">): AsyncGenerator<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-export-"))
  const at = services.now()
  try {
    const taken = await services.database.snapshot((read) => takeRows(services, read, account, folder))
    const repositories = taken.wanted.map(({ key, name, format, head, references }, index) => ({
      storage: key,
      name,
      format,
      head,
      references: references.map(([ref, id]): [string, string] => [ref, id]),
      bundle: references.length === 0 ? "" : `git/${index + 1}.bundle`,
    }))
    const manifest: Manifest = {
      format: "hearth-account-1",
      version: VERSION,
      schema: { step: taken.step, name: knownSteps()[taken.step - 1] ?? "" },
      rootUrl: services.site.rootUrl,
      at,
      account: { id: account.id, name: account.name, kind: account.kind },
      repositories,
    }
    yield* entryOf("manifest.json", Buffer.from(JSON.stringify(manifest, undefined, 2)), at)
    for (const { shape, file } of taken.tables) {
      yield* entryOf(`schemas/${shape.name}.json`, Buffer.from(JSON.stringify(schemaOf(shape), undefined, 2)), at)
      yield* fileEntry(`rows/${shape.name}.jsonl`, file, at)
    }
    for (const { storage, format, references, bundle } of repositories) {
      if (bundle === "") continue
      const file = join(folder, "bundle")
      const named = references.map(([name, id]) => ({ name: refName(name), id: objectId(id) }))
      await pipeline(services.git.archives.bundle(services.git.at(storage, format), named), createWriteStream(file, { mode: 0o600 }))
      yield* fileEntry(bundle, file, at)
    }
    for (const key of taken.files) {
      const blob = await services.blobs.open(key)
      if (!blob) continue
      yield tarHeader(`files/${key}`, blob.size, at)
      for await (const chunk of blob.read()) yield chunk
      yield tarPadding(blob.size)
    }
    yield TAR_END
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function* entryOf(name: string, content: Buffer, at: number): Generator<Buffer> {
  yield tarHeader(name, content.length, at)
  yield content
  yield tarPadding(content.length)
}

async function* fileEntry(name: string, file: string, at: number): AsyncGenerator<Buffer> {
  const { size } = await stat(file)
  yield tarHeader(name, size, at)
  for await (const chunk of createReadStream(file)) yield chunk
  yield tarPadding(size)
}

/** What a line of a table is, as JSON Schema. */
function schemaOf({ name, columns, nullable }: FoundTable) {
  const types = { integer: "integer", real: "number", text: "string", bytes: "string" } as const
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: name,
    type: "object",
    properties: Object.fromEntries(
      columns.map((column) => [
        column.name,
        {
          type: nullable.includes(column.name) ? [types[column.type], "null"] : types[column.type],
          ...(column.type === "bytes" && { contentEncoding: "base64" }),
        },
      ]),
    ),
  }
}

interface TakenTable {
  readonly shape: FoundTable
  readonly file: string
}

interface Taken {
  readonly step: number
  readonly tables: readonly TakenTable[]
  readonly wanted: readonly Wanted[]
  /** The keys of large files. */
  readonly files: readonly string[]
}

async function takeRows({ git }: Exporting, read: Handle, { id }: Pick<User, "id">, folder: string): Promise<Taken> {
  const shapes = new Map((await readShapes(read)).map((shape) => [shape.name, shape]))
  const references = Map.groupBy(await readReferences(read), ({ table }) => table)
  const repositories = await findRepositoriesOf(read, { ownerId: id })
  const ids = new Map<string, number[]>([
    ["users", [id]],
    ["repositories", repositories.map((each) => each.id)],
  ])
  const people = new Set<number>([id])
  const tables: TakenTable[] = []
  const rules: readonly PartRule[] = [
    { table: "repositories", by: ["owner_id", "users"] },
    ...ACCOUNT_RULES,
    ...ONLY_TOLD,
    ...REPOSITORY_RULES,
  ]
  for (const rule of rules) {
    const shape = shapes.get(rule.table)
    if (!shape) throw new Error(`There is no table ${rule.table}.`)
    const file = join(folder, `${rule.table}.jsonl`)
    // Labels are of organisations and of repositories.
    if (!tables.some((each) => each.file === file)) tables.push({ shape, file })
    const toPeople = [
      ...(references.get(rule.table) ?? []).filter(({ target }) => target === "users").map(({ column }) => column),
      ...(rule.people ?? []),
    ]
    const own = ids.get(rule.table) ?? []
    const parents = ids.get(rule.by[1]) ?? []
    async function* lines(): AsyncGenerator<string> {
      for (let start = 0; start < parents.length; start += PARENTS)
        for await (const rows of pagesOf(read, rule, shape ?? { name: "", columns: [], key: [] }, parents.slice(start, start + PARENTS)))
          for (const row of rows) {
            if (typeof row["id"] === "number" && rule.table !== "repositories") own.push(row["id"])
            for (const column of toPeople) if (Number(row[column]) > 0) people.add(Number(row[column]))
            yield `${JSON.stringify(withBase64(row))}\n`
          }
    }
    await pipeline(Readable.from(lines()), createWriteStream(file, { mode: 0o600, flags: "a" }))
    ids.set(rule.table, own)
  }
  const users = shapes.get("users")
  const columns = users?.columns.filter(({ name }) => ACCOUNT_COLUMNS.includes(name)) ?? []
  if (users) tables.push({ shape: { ...users, columns }, file: await takePeople(read, users, id, people, folder) })
  const keys = new Set(repositories.flatMap(({ storage }) => [storage, wikiKey(storage)]))
  const wanted: Wanted[] = []
  for await (const each of listWanted(read, git, await placeOfRepositories(read), keys)) if (!each.isGone) wanted.push(each)
  const attached: string[] = []
  for (const repository of repositories) {
    for (const { uuid } of await findAttached(read, { repositoryId: repository.id }))
      attached.push(`attachments/${uuid.slice(0, 2)}/${uuid}`)
    for (const { file } of await findLargeFiles(read, { repositoryId: repository.id })) attached.push(`lfs/${file.slice(0, 2)}/${file}`)
  }
  return { step: await readSchema(read), tables, wanted, files: [...new Set(attached)] }
}

const withBase64 = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value]),
  )

/** The account, and the names of those whom rows lead to. */
async function takePeople(read: Handle, shape: FoundTable, id: number, people: ReadonlySet<number>, folder: string): Promise<string> {
  const file = join(folder, "users.jsonl")
  const all = [...people]
  async function* lines(): AsyncGenerator<string> {
    for (let start = 0; start < all.length; start += PARENTS)
      for await (const rows of pagesOf(read, { table: "users", by: ["id", "users"] }, shape, all.slice(start, start + PARENTS)))
        for (const row of rows) {
          const columns = row["id"] === id ? ACCOUNT_COLUMNS : PEOPLE_COLUMNS
          yield `${JSON.stringify(Object.fromEntries(columns.map((name) => [name, row[name]])))}\n`
        }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file, { mode: 0o600 }))
  return file
}
