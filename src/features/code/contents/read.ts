import type { OnRepository } from "../../../access/policies/repositories.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId } from "../../../git/index.ts"
import { resolveRevision } from "../commits/revision.ts"
import { findEntry, partsToRead } from "./paths.ts"
import { type ContentOptions, presentEntries, presentEntry, type RevisionView, repositoryOf } from "./present.ts"
import type { ContentsResponse } from "./records.ts"

/** The default parts of a file's record. */
export const DEFAULT_OPTIONS: ContentOptions = { content: true, commit: true, message: false, lfs: true }

/** The most files of one response, and the most bytes of their contents together. */
const MOST_FILES = 30
const MOST_BYTES = 100 * 1024 * 1024

/** The most entries of a directory that are answered at once: the API has no pages for them. */
const MOST_ENTRIES = 5000

const tooManyEntries = ({ owned: { owner, repository } }: RevisionView, count: number, id: ObjectId) =>
  refuse.tooLarge(
    t`the directory has ${count} entries, and at most ${MOST_ENTRIES} are listed here; GET /repos/${owner.name}/${repository.name}/git/trees/${id}?page=1 lists them in pages`,
  )

/** The repository at the requested revision, by default its default branch. Refuses `notFound` for an unknown revision. */
export async function openRevision(
  services: Services,
  owned: OnRepository,
  ref: string | undefined,
  missing = refuse.notFound,
): Promise<RevisionView> {
  const revision = await resolveRevision(services.git, owned.repository, ref)
  if (!revision) throw missing()
  return { services, owned, revision }
}

/** A file, or the entries of a directory in git's order; the root for an empty path. Refuses like `partsToRead`, and `tooLarge` for more entries than are listed. */
export async function contentsAt(
  view: RevisionView,
  path: string,
  options: ContentOptions,
): Promise<ContentsResponse | ContentsResponse[]> {
  const { git } = view.services
  const repository = repositoryOf(view)
  const parts = partsToRead(path)
  const entry = await findEntry(git, repository, view.revision.commit.tree, parts)
  if (!entry) throw refuse.notFound()
  if (entry.mode !== "40000") return presentEntry(view, parts.slice(0, -1), entry, options)
  const entries = await git.objects.readTree(repository, entry.id)
  if (entries.length > MOST_ENTRIES) throw tooManyEntries(view, entries.length, entry.id)
  return [...(await presentEntries(view, parts, entries, { ...options, content: false }))]
}

/** The entries at several paths, in their order, null for a missing one; truncated after thirty, and after 100 MiB of content. */
export async function filesAt(view: RevisionView, paths: readonly string[]): Promise<(ContentsResponse | null)[]> {
  const found: (ContentsResponse | null)[] = []
  let bytes = 0
  for (const path of paths.slice(0, MOST_FILES)) {
    const file = await fileAt(view, path)
    bytes += file?.content?.length ?? 0
    if (bytes > MOST_BYTES) break
    found.push(file)
  }
  return found
}

async function fileAt(view: RevisionView, path: string): Promise<ContentsResponse | null> {
  const parts = partsOf(path)
  if (!parts || parts.length === 0) return null
  const entry = await findEntry(view.services.git, repositoryOf(view), view.revision.commit.tree, parts)
  return entry ? presentEntry(view, parts.slice(0, -1), entry, DEFAULT_OPTIONS) : null
}

/** The components of a path; undefined for an impossible one, so that it doesn't fail the whole request. */
function partsOf(path: string): readonly string[] | undefined {
  try {
    return partsToRead(path)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const INCLUDES = ["file_content", "lfs_metadata", "commit_metadata", "commit_message"] as const

/** Parses the list of requested parts. Refuses `badRequest` for an unknown word. */
export function readIncludes(text: string): ContentOptions {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  const unknown = words.find((word) => !INCLUDES.some((known) => known === word))
  if (unknown !== undefined) throw refuse.badRequest(t`[includes]: there is no ${unknown.slice(0, 100)}; there are ${INCLUDES.join(", ")}`)
  const has = (word: (typeof INCLUDES)[number]): boolean => words.includes(word)
  return { content: has("file_content"), lfs: has("lfs_metadata"), commit: has("commit_metadata"), message: has("commit_message") }
}
