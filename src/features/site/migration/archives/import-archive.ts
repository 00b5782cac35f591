import { existsSync } from "node:fs"
import { join } from "node:path"
import { findRepositoryById, findRepositoryByName } from "../../../../access/store.ts"
import type { User } from "../../../../core/actor.ts"
import { flag } from "../../../../core/database/tables/index.ts"
import { refuse } from "../../../../core/errors.ts"
import type { Services } from "../../../../core/services.ts"
import {
  branchOf,
  branchRef,
  type Repository as GitRepository,
  isRefName,
  type ObjectFormat,
  objectId,
  type RefName,
  refName,
  tagOf,
} from "../../../../git/index.ts"
import { surveyJob } from "../../../code/languages/survey.ts"
import { establish, requireCreatable } from "../../../code/lifecycle/establish.ts"
import { RemoteRefused } from "../../../code/mirrors/remote.ts"
import type { Import } from "../../../code/mirrors/store.ts"
import { chooseDefault, readTips } from "../../../code/pushes/branches.ts"
import { requireRepositoryName } from "../../../code/repositories/names.ts"
import { readAllTags } from "../../../code/tags/facts.ts"
import { bringRecords, Elsewhere } from "../bring.ts"
import { findImport, findImportOf, finishImport, insertImport, settleArchive, startImport } from "../imports-store.ts"
import { KINDS } from "../origins/model.ts"
import type { Origin } from "../origins/origin.ts"
import { type Progress, readProgress } from "../progress.ts"
import { openBundle } from "./bundle.ts"
import { openGithubArchive } from "./github.ts"
import { openGitlabExport } from "./gitlab.ts"
import { unpack } from "./unpack.ts"

/** A repository in an archive: what is said of it, and its git part. */
export interface OpenArchive {
  readonly service: "github-archive" | "gitlab-export"
  readonly origin: Origin
  readonly description: string
  readonly isPrivate: boolean
  readonly branch: string
  /** Makes the repository here of what the archive has of git. */
  readonly take: (storage: string) => Promise<GitRepository>
  readonly close: () => Promise<void>
}

/** Opens a migration archive of GitHub or a project export of GitLab; `close` removes what it unpacks. Throws {@link RemoteRefused} for anything else. */
export async function openArchive(services: Services, file: string, signal: AbortSignal): Promise<OpenArchive> {
  const { folder, names, remove } = await unpack(file, signal)
  try {
    const open =
      names.has("project.bundle") || names.has("tree") ? openGitlab : names.has("repositories_000001.json") ? openGithub : undefined
    if (!open) throw new RemoteRefused("it is neither a migration archive of GitHub nor a project export of GitLab of version 13 or newer")
    return { ...(await open(services, folder)), close: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function openGitlab(services: Services, folder: string): Promise<Omit<OpenArchive, "close">> {
  const origin = await openGitlabExport(folder, services.now())
  const bundle = join(folder, "project.bundle")
  return {
    service: "gitlab-export",
    origin,
    description: origin.description,
    isPrivate: origin.isPrivate,
    branch: origin.branch,
    async take(storage) {
      const { git, config } = services
      // A project without commits has none.
      if (!existsSync(bundle)) return git.repositories.create(storage, { format: "sha1", branch: config.repository.defaultBranch })
      const { references, format, pack } = await openBundle(bundle)
      const made = await git.repositories.create(storage, { format, branch: config.repository.defaultBranch })
      await git.repositories.storePack(made, pack())
      return putReferences(services, made, references)
    },
  }
}

async function openGithub(services: Services, folder: string): Promise<Omit<OpenArchive, "close">> {
  const { origin, facts, branch, git: path } = await openGithubArchive(folder, services.now())
  const place = join(folder, path)
  return {
    service: "github-archive",
    origin,
    description: facts.description,
    isPrivate: facts.isPrivate,
    branch,
    async take(storage) {
      const { git, config } = services
      const branch = config.repository.defaultBranch
      if (path === "" || !existsSync(join(place, "HEAD"))) return git.repositories.create(storage, { format: "sha1", branch })
      // Nothing is borrowed: the name of another folder is never unpacked.
      const { repository, references } = await git.repositories.bring(place, storage, { branch, link: false, placeOf: () => place })
      return putReferences(services, repository, references)
    },
  }
}

/** Keeps branches and tags alone: the heads of pull requests get references of their own with their records. Throws {@link RemoteRefused} for damaged objects. */
async function putReferences(
  { git }: Services,
  made: GitRepository,
  references: readonly { readonly name: string; readonly id: string }[],
): Promise<GitRepository> {
  const damaged = await git.maintenance.check(made)
  if (damaged.length > 0) throw new RemoteRefused(`the repository in the archive is damaged: ${damaged.slice(0, 3).join("; ")}`)
  const wanted = new Map<RefName, string>()
  for (const { name, id } of references)
    if (isRefName(name) && (branchOf(name) !== undefined || tagOf(name) !== undefined)) wanted.set(refName(name), id)
  const here = new Map((await git.references.list(made)).map(({ name, id }) => [name, id]))
  await git.references.update(made, [
    ...[...wanted].flatMap(([name, id]) => (here.get(name) === id ? [] : [{ name, from: here.get(name) ?? null, to: objectId(id) }])),
    ...[...here].flatMap(([name, from]) => (wanted.has(name) ? [] : [{ name, from, to: null }])),
  ])
  return made
}

export interface ArchiveImport {
  readonly file: string
  readonly doer: User
  readonly owner: User
  readonly name: string
  readonly signal: AbortSignal
  /** The import of an archive that was sent, which has no repository before its archive is opened. */
  readonly sent?: Import
}

/**
 * Makes a repository of an archive, with all its records. One that was interrupted goes on where it was: the repository of that name is the one that was begun.
 * Refuses `conflict` for a name that another has, `invalid` for one that no repository may have. Throws {@link RemoteRefused} for what is no such archive.
 */
export async function importArchive(services: Services, { file, doer, owner, name, signal, sent }: ArchiveImport): Promise<Progress> {
  const { database, now } = services
  requireRepositoryName(name, "name")
  const begun = sent ? (sent.repository_id === 0 ? undefined : sent.id) : await findBegun(services, owner, name)
  if (!begun) await requireCreatable(database.read, services, { doer, owner, name })
  const archive = await openArchive(services, file, signal)
  try {
    const importId = begun ?? (await create(services, { doer, owner, name }, archive, sent))
    const imported = await findImport.first(database.read, { id: importId })
    const repository = imported && (await findRepositoryById.first(database.read, { id: imported.repository_id }))
    if (!imported || !repository) throw refuse.notFound()
    await bringRecords(
      { services, repository, imported, origin: archive.origin },
      { git: { done: 1, total: 1 }, ...readProgress(imported) },
      signal,
    )
    await database.write((tx) => finishImport(tx, { id: importId, now: now() }))
    const ended = await findImport.first(database.read, { id: importId })
    return ended ? readProgress(ended) : {}
  } finally {
    await archive.close()
  }
}

/** The import of the repository of this name, if it came from an archive and is not done. Refuses `conflict` for any other. */
async function findBegun({ database, now }: Services, owner: User, name: string): Promise<number | undefined> {
  const there = await findRepositoryByName.first(database.read, { ownerId: owner.id, lowerName: name.toLowerCase() })
  if (!there) return undefined
  const row = await findImportOf.first(database.read, { repositoryId: there.id })
  if (!row || row.phase === "done" || !/^(?:github-archive|gitlab-export)$/.test(row.service))
    throw refuse.conflict("The repository with the same name already exists.")
  // One that was stopped or has failed goes on too.
  await database.write((tx) => startImport(tx, row.id, { phase: "records" }, now()))
  return row.id
}

async function create(
  services: Services,
  place: Pick<ArchiveImport, "doer" | "owner" | "name">,
  archive: OpenArchive,
  sent: Import | undefined,
): Promise<number> {
  const { config, git, jobs, now } = services
  let importId = 0
  await establish(services, archive.take, async (made) => {
    const branches = (await git.references.list(made, "refs/heads/")).flatMap(({ name }) => branchOf(name) ?? [])
    const stored = branches.includes(archive.branch) ? archive.branch : config.repository.defaultBranch
    const wanted = chooseDefault({ stored, wasEmpty: true, created: branches }, (each) => branches.includes(each))
    await git.references.setHead(made, branchRef(wanted))
    const format: ObjectFormat = made.format
    return {
      ...place,
      isImported: true,
      tips: (await readTips(git, made, branches)).flatMap(({ name, commit }) => (commit ? [{ name, commit }] : [])),
      tags: await readAllTags(git, made, []),
      row: {
        description: archive.description,
        default_branch: wanted,
        object_format: format,
        is_private: flag(config.repository.forcePrivate || archive.isPrivate),
        is_empty: flag(branches.length === 0),
      },
      alongside: async (tx, repositoryId) => {
        await jobs.enqueue(tx, surveyJob, { repositoryId })
        if (sent) {
          importId = sent.id
          const settled = await settleArchive.changes(tx, { id: sent.id, repositoryId, service: archive.service, now: now() })
          if (settled === 0) throw new Elsewhere("the import was stopped")
          return
        }
        const stored = await insertImport(
          tx,
          {
            repository_id: repositoryId,
            doer_id: place.doer.id,
            service: archive.service,
            name: place.name,
            remote_url: "",
            remote_username: "",
            lfs: 0,
            lfs_endpoint: "",
            parts: JSON.stringify(KINDS),
            phase: "records",
          },
          now(),
        )
        importId = stored.id
      },
    }
  })
  return importId
}
