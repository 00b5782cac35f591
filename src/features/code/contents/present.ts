import type { Owned } from "../../../access/permission.ts"
import { mapInBatches } from "../../../core/batches.ts"
import { localTime, NEVER, rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { type Commit, isGitError, type ObjectId, type Person, type TreeEntry } from "../../../git/index.ts"
import type { Revision } from "../commits/revision.ts"
import { type LargeFile, POINTER_BYTES, readPointer } from "../lfs/pointers.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../repositories/urls.ts"
import { UNSIGNED, verifications } from "../signatures/verification.ts"
import { lastCommits } from "./last-commits.ts"
import { modulesIn } from "./modules.ts"
import { type ContentsResponse, type FileCommitResponse, MAX_INLINE_BYTES } from "./records.ts"

/** A repository at a revision. */
export interface RevisionView {
  readonly services: Services
  readonly owned: Owned
  readonly revision: Revision
}

/** Optional parts of a file's record. */
export interface ContentOptions {
  readonly content: boolean
  readonly commit: boolean
  readonly message: boolean
  readonly lfs: boolean
}

export function repositoryOf({ services: { git }, owned: { repository } }: RevisionView) {
  return git.at(repository.storage, repository.object_format)
}

export const apiUrl = (site: Site, { owner, repository }: Owned): string => repositoryApiUrl(site, owner.name, repository.name)

/** One entry, with its content if requested. */
export async function presentEntry(
  view: RevisionView,
  directory: readonly string[],
  entry: TreeEntry,
  options: ContentOptions,
): Promise<ContentsResponse> {
  const [record] = await presentEntries(view, directory, [entry], options)
  if (!record) throw new TypeError("one entry makes one record")
  return record
}

/** The entries of one directory, with one history walk for all of them. */
export async function presentEntries(
  view: RevisionView,
  directory: readonly string[],
  entries: readonly TreeEntry[],
  options: ContentOptions,
): Promise<readonly ContentsResponse[]> {
  const { services, revision } = view
  const repository = repositoryOf(view)
  const names = entries.map(({ name }) => name)
  const last =
    options.commit || options.message
      ? await lastCommits(services.git, repository, revision.commit, directory, names)
      : new Map<string, ObjectId>()
  const commits = new Map<ObjectId, Partial<ContentsResponse>>()
  await mapInBatches([...new Set(last.values())], async (id) =>
    commits.set(id, commitFields(await services.git.objects.readCommit(repository, id), options, entries.length > 1)),
  )
  const modules = entries.some(({ mode }) => mode === "160000")
    ? await modulesIn(view.services.git, repositoryOf(view), view.revision.commit.tree)
    : new Map<string, string>()
  const place = placeOf(view, directory)
  return mapInBatches(entries, async (entry) => {
    const read = await readEntry(view, entry, options)
    const id = last.get(entry.name)
    return present(place, entry, read, id && commits.get(id), modules)
  })
}

interface Read {
  readonly size: number
  readonly content: Buffer | undefined
  readonly target: string | null
  readonly largeFile: LargeFile | undefined
}

async function readEntry(view: RevisionView, { mode, id }: TreeEntry, options: ContentOptions): Promise<Read> {
  const { objects } = view.services.git
  const repository = repositoryOf(view)
  const none = { size: 0, content: undefined, target: null, largeFile: undefined }
  if (mode === "40000" || mode === "160000") return none
  const isLink = mode === "120000"
  // A list names a file that is lost all the same.
  const orLost = (error: unknown): undefined => {
    if (options.content || !isGitError(error, "missing")) throw error
  }
  const most = isLink ? LONGEST_LINK : options.content ? MAX_INLINE_BYTES : options.lfs ? POINTER_BYTES : 0
  const { size, content } = (await objects.look(repository, id, most).catch(orLost)) ?? none
  if (isLink) return { ...none, size, target: content?.toString("utf8") ?? "" }
  return {
    ...none,
    size,
    content: options.content ? content : undefined,
    largeFile: options.lfs && content ? readPointer(content) : undefined,
  }
}

/** The longest path that a symbolic link may hold, in bytes; and what is told of a message for each entry of a directory. */
const LONGEST_LINK = 4096
const LONGEST_MESSAGE = 1000

function commitFields(
  { author, committer, id, message }: Commit,
  options: ContentOptions,
  isOneOfMany: boolean,
): Partial<ContentsResponse> {
  return {
    ...(options.commit && {
      last_commit_sha: id,
      last_committer_date: localTime(committer.when, committer.offset),
      last_author_date: localTime(author.when, author.offset),
    }),
    ...(options.message && { last_commit_message: isOneOfMany ? message.slice(0, LONGEST_MESSAGE).toWellFormed() : message }),
  }
}

const TYPES = { "100644": "file", "100755": "file", "120000": "symlink", "40000": "dir", "160000": "submodule" } as const

/** What the addresses of all entries of a directory begin with. */
interface Place {
  readonly directory: string
  readonly api: string
  readonly html: string
  /** The directory in addresses, with its slash. */
  readonly escaped: string
  readonly at: string
  readonly ref: string
}

function placeOf({ services: { site }, owned, revision }: RevisionView, parts: readonly string[]): Place {
  const directory = parts.map((part) => `${part}/`).join("")
  const escaped = escapePath(directory)
  return {
    directory,
    escaped,
    api: apiUrl(site, owned),
    html: repositoryHtmlUrl(site, owned.owner.name, owned.repository.name),
    at: `${revision.kind}/${escapePath(revision.name)}/${escaped}`,
    ref: encodeURIComponent(revision.name),
  }
}

function present(
  { directory, escaped, api, html, at, ref }: Place,
  { name, mode, id }: TreeEntry,
  { size, content, target, largeFile }: Read,
  last: Partial<ContentsResponse> | undefined,
  modules: ReadonlyMap<string, string>,
): ContentsResponse {
  const path = `${directory}${name}`
  const type = TYPES[mode]
  const own = encodeURIComponent(name)
  const self = `${api}/contents/${escaped}${own}?ref=${ref}`
  const here = type === "submodule" ? null : { git: `${api}/git/blobs/${id}`, html: `${html}/src/${at}${own}` }
  return {
    name,
    path,
    sha: id,
    ...last,
    type,
    size,
    encoding: content ? "base64" : null,
    content: content ? content.toString("base64") : null,
    target,
    url: self,
    html_url: here?.html ?? null,
    git_url: here?.git ?? null,
    download_url: type === "file" || type === "symlink" ? `${html}/raw/${at}${own}` : null,
    submodule_git_url: type === "submodule" ? (modules.get(path) ?? null) : null,
    _links: { self, git: here?.git ?? null, html: here?.html ?? null },
    ...(largeFile && { lfs_oid: largeFile.oid, lfs_size: largeFile.size }),
  }
}

// --- the commit that a change made ------------------------------------------------------------------------------------------------

/** A commit that was just made here, perhaps with a signature. */
export async function presentCommit(services: Services, owned: Owned, made: Commit) {
  const { site, database } = services
  const { id, tree, parents, author, committer, message } = made
  const verification = (await verifications(database.read, services, [made])).get(id) ?? UNSIGNED
  const api = apiUrl(site, owned)
  const meta = (kind: "commits" | "trees", sha: ObjectId) => ({ url: `${api}/git/${kind}/${sha}`, sha, created: NEVER })
  const commit: FileCommitResponse = {
    ...meta("commits", id),
    html_url: `${repositoryHtmlUrl(site, owned.owner.name, owned.repository.name)}/commit/${id}`,
    author: presentPerson(author),
    committer: presentPerson(committer),
    parents: parents.map((parent) => meta("commits", parent)),
    message,
    tree: meta("trees", tree),
  }
  return { commit, verification }
}

const presentPerson = ({ name, email, when }: Person) => ({ name, email, date: rfc3339(when) })
