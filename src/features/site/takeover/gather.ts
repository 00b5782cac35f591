import type { FilePart } from "./mapping/file-part.ts"
import { withUnit } from "./mapping/units.ts"
import { artifactOf, type World } from "./mapping/world.ts"
import type { Source } from "./source/reader.ts"
import { number, type SourceRow, text } from "./source/row.ts"

/** What rows of other tables say of repositories, read before these: settings of their parts, languages and licences; and the files of artifacts. */
export async function gather(source: Source, world: World): Promise<void> {
  await each(source, "repo_unit", (row) => {
    const id = number(row, "repo_id")
    world.settings.set(id, withUnit(world.settings.get(id), row))
  })
  await each(source, "language_stat", (row) => {
    const id = number(row, "repo_id")
    world.languages.set(id, { ...world.languages.get(id), [text(row, "language")]: number(row, "size") })
  })
  await each(source, "repo_license", (row) => {
    const id = number(row, "repo_id")
    world.licenses.set(id, [...(world.licenses.get(id) ?? []), text(row, "license")])
  })
  const files = new Map<string, FilePart[]>()
  await each(source, "action_artifact", (row) => {
    const encoding = text(row, "content_encoding")
    if (encoding === "application/zip") return
    const file = {
      path: text(row, "storage_path"),
      name: text(row, "artifact_path"),
      isGzip: encoding === "gzip",
      size: number(row, "file_size"),
    }
    const others = files.get(artifactOf(row))
    if (others) others.push(file)
    else files.set(artifactOf(row), [file])
  })
  for (const [artifact, parts] of files) world.artifactFiles.set(artifact, parts)
}

const PAGE = 4_000

async function each(source: Source, table: string, take: (row: SourceRow) => void): Promise<void> {
  if ((await source.columns(table)) === undefined) return
  for (let after = 0; ; ) {
    const page = await source.page({ table, key: "x.id" }, after, PAGE)
    for (const row of page) take(row)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = number(last, "source_key")
  }
}
