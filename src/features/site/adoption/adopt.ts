import { findRepositoryByName, findUserByName } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { t } from "../../../core/language/message.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, branchRef, type Repository as GitRepository, isGitError } from "../../../git/index.ts"
import { hasCode } from "../../../git/model/errors.ts"
import { surveyJob } from "../../code/languages/survey.ts"
import { establish, requireCreatable } from "../../code/lifecycle/establish.ts"
import { chooseDefault, readTips } from "../../code/pushes/branches.ts"
import { requireRepositoryName } from "../../code/repositories/names.ts"
import { wikiKey } from "../../code/repositories/wiki-place.ts"
import { readAllTags } from "../../code/tags/facts.ts"
import { putWiki } from "../../code/wiki/store.ts"
import { type Folder, FolderFixed, findFolder, isWikiName, removeFolder } from "./folders.ts"
import { linkLargeFiles, storeLargeFiles } from "./large-files.ts"

/** What `owner/name` in a path stands for. */
export interface Adoptable {
  readonly owner: User
  readonly name: string
  readonly folder: Folder
}

/**
 * The folder of a repository that is not known yet. Refuses `notFound` for an unknown owner, a known repository and a missing folder, `invalid` for a name that
 * no repository may have.
 */
export async function findAdoptable(services: Services, ownerName: string, name: string): Promise<Adoptable> {
  const db = services.database.read
  const owner = await findUserByName.first(db, { lowerName: ownerName.toLowerCase() })
  if (!owner || isWikiName(name)) throw refuse.notFound()
  requireRepositoryName(name, "repo")
  if (await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: name.toLowerCase() })) throw refuse.notFound()
  const folder = await findFolder(services, ownerName, name)
  if (!folder) throw refuse.notFound()
  return { owner, name, folder }
}

/** Removes the folder of an adopted repository, unless another one has come to lie there. */
export const removeAdoptedJob = defineJob({
  kind: "adoption.removeFolder",
  payload: Type.Object({ path: Type.String(), wiki: Type.String(), owner: Type.String(), name: Type.String(), identity: Type.String() }),
  timeoutSeconds: 3600,
  run: async ({ owner, name, identity, ...adopted }, { context }) => {
    const there = await findFolder(context, owner, name)
    if (there?.identity !== identity || there.path !== adopted.path) return
    await removeFolder(adopted).catch((error: unknown) => {
      // It is not listed as long as there is the repository.
      if (!(error instanceof FolderFixed)) throw error
      context.log.warn({ err: error, folder: adopted.path }, "the folder of an adopted repository can't be removed")
    })
  },
})

/**
 * Makes a private repository of what lies in the import folder, with its wiki and its large files, checked like a push; then a job removes the folder.
 * Refuses like `findAdoptable`, `invalid` for what a push would be refused for; the folder is left as it was, and there is no repository then.
 */
export async function adopt(services: Services, doer: User, ownerName: string, name: string): Promise<void> {
  const found = await findAdoptable(services, ownerName, name)
  const { owner } = found
  const make = async () => {
    await requireCreatable(services.database.read, services, { doer, owner, name })
    await establishAdopted(services, doer, found, ownerName)
  }
  await make().catch((error: unknown) => {
    // Adopted or removed by another request meanwhile.
    const isGone = isGitError(error, "missing") || hasCode(error, "ENOENT")
    if (isGone || (error instanceof Refusal && error.kind === "conflict")) throw refuse.notFound()
    if (isGitError(error, "unfit")) throw refuse.invalid("repo", t`it can't be adopted: ${error.message}`)
    throw error
  })
}

/** Makes a private repository of a folder, which stays, or is removed where `ownerName` says how its owner is spelt in the import folder. Refuses like `adopt`. */
export async function establishAdopted(
  services: Services,
  doer: User,
  { owner, name, folder }: Adoptable,
  ownerName?: string,
): Promise<void> {
  const { config, git, jobs, now } = services
  const branch = config.repository.defaultBranch
  let head: string | undefined
  let hasWiki = false

  async function take(storage: string): Promise<GitRepository> {
    const taken = await git.repositories.takeOver(folder.path, storage, { branch })
    head = taken.head
    hasWiki = await takeWiki(services, folder, storage, taken.repository).catch(async (error: unknown) => {
      await git.repositories.remove(taken.repository)
      throw error
    })
    return taken.repository
  }

  await establish(services, take, async (made) => {
    const branches = (await git.references.list(made, "refs/heads/")).flatMap(({ name: ref }) => branchOf(ref) ?? [])
    const choice = { stored: head ?? branch, wasEmpty: true, created: branches }
    const wanted = chooseDefault(branches.includes(choice.stored) ? choice : { ...choice, stored: branch }, (each) =>
      branches.includes(each),
    )
    await git.references.setHead(made, branchRef(wanted))
    const files = await storeLargeFiles(services, made, folder.path)
    return {
      doer,
      owner,
      name,
      isImported: true,
      tips: (await readTips(git, made, branches)).flatMap(({ name: tip, commit }) => (commit ? [{ name: tip, commit }] : [])),
      tags: await readAllTags(git, made, []),
      row: {
        default_branch: wanted,
        object_format: made.format,
        is_private: flag(true),
        is_empty: flag(branches.length === 0),
      },
      alongside: async (tx, repositoryId) => {
        if (hasWiki) await putWiki(tx, { repositoryId, now: now() })
        await linkLargeFiles(tx, repositoryId, files, now())
        await jobs.enqueue(tx, surveyJob, { repositoryId })
        if (ownerName !== undefined) await jobs.enqueue(tx, removeAdoptedJob, { ...folder, owner: ownerName, name })
      },
    }
  })
}

/** Takes the wiki, where there is one. */
async function takeWiki({ git, config }: Services, folder: Folder, storage: string, { format }: GitRepository): Promise<boolean> {
  try {
    const branch = config.repository.defaultBranch
    const { repository, head } = await git.repositories.takeOver(folder.wiki, wikiKey(storage), { branch, format })
    const shown = head === undefined ? undefined : branchRef(head)
    if (shown && (await git.references.resolve(repository, shown))) await git.references.setHead(repository, shown)
    return true
  } catch (error) {
    if (isGitError(error, "missing")) return false
    throw isGitError(error, "unfit") ? refuse.invalid("repo", t`its wiki can't be adopted: ${error.message}`) : error
  }
}
