import type { Git, ObjectId, Repository } from "../../../git/index.ts"
import { findEntry } from "./paths.ts"
import { MAX_INLINE_BYTES } from "./records.ts"

/** The URLs of the submodules of a tree by their paths, from `.gitmodules`. Starts no process. */
export async function modulesIn(git: Git, repository: Repository, tree: ObjectId): Promise<ReadonlyMap<string, string>> {
  const entry = await findEntry(git, repository, tree, [".gitmodules"])
  if (entry?.mode !== "100644") return new Map()
  const info = await git.objects.info(repository, entry.id)
  if (!info || info.size > MAX_INLINE_BYTES) return new Map()
  const modules = new Map<string, string>()
  let section: { path?: string; url?: string } = {}
  for (const line of (await git.objects.readBlob(repository, entry.id)).toString("utf8").split("\n")) {
    if (line.trimStart().startsWith("[")) section = {}
    const equals = line.indexOf("=")
    const [key, value] = [line.slice(0, Math.max(equals, 0)).trim(), line.slice(equals + 1).trim()]
    if (key === "path" || key === "url") section[key] = value
    if (section.path !== undefined && section.url !== undefined) modules.set(section.path, section.url)
  }
  return modules
}
