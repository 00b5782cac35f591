import { hash } from "node:crypto"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { type BundledReference, branchRef, type ObjectId, type Repository, tagRef } from "../../../git/index.ts"
import { type Revision, resolveRevision } from "../commits/revision.ts"
import { findEntry, partsToRead } from "../contents/paths.ts"

/** Archive formats. A bundle holds the whole history and can be cloned from. */
export const FORMATS = ["zip", "tar.gz", "bundle"] as const
export type Format = (typeof FORMATS)[number]

/** A requested archive. */
export interface ArchiveRequest {
  readonly repository: Repository
  readonly format: Format
  readonly commit: ObjectId
  /** The top-level directory inside the archive. */
  readonly prefix: string
  /** Empty for all files. */
  readonly paths: readonly string[]
  /** The references in a bundle; empty for other formats. */
  readonly references: readonly BundledReference[]
  /** The file name offered to the client. */
  readonly fileName: string
  /** Digest of everything that the bytes depend on. */
  readonly digest: string
}

/**
 * Parses a request such as `v1.0.tar.gz`, limited to some paths. Refuses `notFound` if archives are switched off or a revision or path is missing,
 * `badRequest` for an unknown extension.
 */
export async function readRequest(
  services: Services,
  { repository: row }: OnRepository,
  asked: string,
  wanted: readonly string[] = [],
): Promise<ArchiveRequest> {
  const { config, git } = services
  if (!config.archives.enabled) throw refuse.notFound()
  const format = FORMATS.find((each) => asked.endsWith(`.${each}`))
  if (!format) throw refuse.badRequest(t`[archive]: must end in one of ${FORMATS.map((each) => `.${each}`).join(", ")}`)
  const name = asked.slice(0, -format.length - 1)
  const revision = name === "" ? undefined : await resolveRevision(git, row, name)
  if (!revision) throw refuse.notFound()
  const repository = git.at(row.storage, row.object_format)
  const commit = revision.commit.id
  const paths = format === "bundle" ? [] : await readPaths(services, repository, revision, wanted)
  const references = format === "bundle" ? await referencesOf(services, repository, revision) : []
  const prefix = row.name
  return {
    repository,
    format,
    commit,
    prefix,
    paths,
    references,
    fileName: `${row.name}-${revision.name.replaceAll("/", "-")}.${format}`,
    digest: hash("sha256", JSON.stringify([format, commit, format === "bundle" ? references : [prefix, paths]])),
  }
}

/** The most paths in one request. */
const MOST_PATHS = 100

async function readPaths(
  { git }: Services,
  repository: Repository,
  { commit }: Revision,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const paths = [...new Set(wanted.map((path) => partsToRead(path).join("/")))].sort()
  if (paths.length > MOST_PATHS) throw refuse.badRequest(t`[path]: at most ${MOST_PATHS} paths can be asked for`)
  if (paths.includes("")) return []
  for (const path of paths) if (!(await findEntry(git, repository, commit.tree, path.split("/")))) throw refuse.notFound()
  return paths
}

/** A bundle needs a HEAD to be cloned from, and contains the requested branch or tag. */
async function referencesOf(
  { git }: Services,
  repository: Repository,
  { kind, name, commit }: Revision,
): Promise<readonly BundledReference[]> {
  const head = { name: "HEAD", id: commit.id } as const
  if (kind === "commit") return [head]
  if (kind === "branch") return [head, { name: branchRef(name), id: commit.id }]
  return [head, { name: tagRef(name), id: (await git.references.resolve(repository, tagRef(name))) ?? commit.id }]
}
