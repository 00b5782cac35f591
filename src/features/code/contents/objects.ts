import type { OnRepository } from "../../../access/policies/repositories.ts"
import { mapInBatches } from "../../../core/batches.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { type Git, isTagName, type ObjectId, type Repository, type TreeEntry, tagRef } from "../../../git/index.ts"
import { peel, resolveRevision } from "../commits/revision.ts"
import { readPointer } from "../lfs/pointers.ts"
import { apiUrl } from "./present.ts"
import { type GitEntry, MAX_INLINE_BYTES } from "./records.ts"

/** Git trees and blobs. */

/** The most entries of one response. */
const MOST_ENTRIES = 1000
/** The most entries below one tree that are counted; more are only reported as truncated. */
const MOST_COUNTED = 200_000

interface TreeCall {
  readonly sha: string
  readonly recursive: boolean
  readonly page: number
  readonly perPage: number
}

/** A page of the entries of a tree, or of all below it. Refuses `badRequest` if the name resolves to no tree. */
export async function readTreePage(services: Services, on: OnRepository, { sha, recursive, page, perPage }: TreeCall) {
  const { git, site } = services
  const repository = git.at(on.repository.storage, on.repository.object_format)
  const found = await findTree(git, on, repository, sha)
  if (!found) throw refuse.badRequest(`[sha]: ${sha.slice(0, 100)} names no tree`)
  const all: Listed[] = []
  await collect(git, repository, found.tree, "", recursive, all)
  const size = perPage <= 0 ? MOST_ENTRIES : Math.min(perPage, MOST_ENTRIES)
  const number = Math.max(1, page)
  const start = (number - 1) * size
  const api = apiUrl(site, on)
  return {
    sha: found.id,
    url: `${api}/git/trees/${found.id}`,
    tree: [...(await mapInBatches(all.slice(start, start + size), (entry) => presentEntry(git, repository, api, entry)))],
    truncated: start + size < all.length,
    page: number,
    total_count: all.length,
  }
}

/** The tree of a branch, a tag, a commit or a tree's own id, and the id that the name resolved to. */
async function findTree(
  git: Git,
  { repository: row }: OnRepository,
  repository: Repository,
  name: string,
): Promise<{ readonly id: ObjectId; readonly tree: ObjectId } | undefined> {
  const revision = await resolveRevision(git, row, name)
  if (revision) return { id: revision.commit.id, tree: revision.commit.tree }
  const id =
    (isTagName(name) ? await git.references.resolve(repository, tagRef(name)) : undefined) ?? (await git.objects.expand(repository, name))
  const info = id && (await git.objects.info(repository, id))
  if (info?.type === "tree") return { id: info.id, tree: info.id }
  const commit = info?.type === "tag" ? await peel(git, repository, info.id) : undefined
  return commit && { id: commit.id, tree: commit.tree }
}

interface Listed extends TreeEntry {
  readonly path: string
}

async function collect(git: Git, repository: Repository, tree: ObjectId, above: string, recursive: boolean, into: Listed[]): Promise<void> {
  for (const entry of await git.objects.readTree(repository, tree)) {
    if (into.length === MOST_COUNTED) return
    const path = above + entry.name
    into.push({ ...entry, path })
    if (recursive && entry.mode === "40000") await collect(git, repository, entry.id, `${path}/`, recursive, into)
  }
}

async function presentEntry(git: Git, repository: Repository, api: string, { path, mode, id }: Listed): Promise<GitEntry> {
  const common = { path, mode: mode.padStart(6, "0"), sha: id }
  if (mode === "40000") return { ...common, type: "tree", size: 0, url: `${api}/git/trees/${id}` }
  if (mode === "160000") return { ...common, type: "commit", size: 0, url: "" }
  // A file that is lost is named all the same.
  const size = (await git.objects.info(repository, id))?.size ?? 0
  return { ...common, type: "blob", size, url: `${api}/git/blobs/${id}` }
}

/** A blob by its id. Refuses `badRequest` if the id is not a blob's. */
export async function readBlobRecord({ git, site }: Services, on: OnRepository, sha: string) {
  const repository = git.at(on.repository.storage, on.repository.object_format)
  const id = await git.objects.expand(repository, sha.toLowerCase())
  const info = id && (await git.objects.info(repository, id))
  if (info?.type !== "blob") throw refuse.badRequest(`[sha]: ${sha.slice(0, 100)} names no blob`)
  const content = info.size <= MAX_INLINE_BYTES ? await git.objects.readBlob(repository, info.id) : undefined
  const pointer = content && readPointer(content)
  return {
    content: content ? content.toString("base64") : null,
    encoding: content ? "base64" : null,
    url: `${apiUrl(site, on)}/git/blobs/${info.id}`,
    sha: info.id,
    size: info.size,
    ...(pointer && { lfs_oid: pointer.oid, lfs_size: pointer.size }),
  }
}
