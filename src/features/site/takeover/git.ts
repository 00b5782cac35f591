import { isAbsolute, join, relative } from "node:path"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, isBranchName, isGitError, type Reference, type Repository, tagOf } from "../../../git/index.ts"
import { readSchedulesJob } from "../../actions/triggers/schedules.ts"
import { surveyJob } from "../../code/languages/survey.ts"
import { readTips, type Tip, writeBranches } from "../../code/pushes/branches.ts"
import { wikiKey } from "../../code/repositories/wiki-place.ts"
import { type NamedTag, readTags } from "../../code/tags/facts.ts"
import { findAllTags, putTags } from "../../code/tags/store.ts"
import { putWiki, putWikiSize } from "../../code/wiki/store.ts"
import { findHeads } from "./heads.ts"
import type { TakenRepository } from "./mapping/world.ts"
import type { KindResult, Remark, Taking } from "./rows.ts"
import { findBranchesAndTags, findChunks, putChunk, putGitSize, removeNamed } from "./store.ts"

/** Git repositories and wikis, and the rows that follow from them. */

export interface GitTaking extends Taking {
  readonly services: Services
  /** Object files become hard links. */
  readonly link: boolean
}

export const REPOSITORIES = "git repositories"
export const WIKIS = "wikis"

/** Repositories that are brought at once: git and the disk do the work. */
const AT_ONCE = 4

interface Total {
  found: number
  taken: number
  changed: number
  leftOut: number
}

/** Brings the repositories of all rows that were taken; what has the same references as in the run before is left as it is. */
export async function takeRepositories(taking: GitTaking): Promise<readonly (readonly [kind: string, result: KindResult])[]> {
  const { world, signal, progress } = taking
  const none = (): Total => ({ found: 0, taken: 0, changed: 0, leftOut: 0 })
  const totals = { [REPOSITORIES]: none(), [WIKIS]: none() }
  const remarks: Record<string, Remark[]> = { [REPOSITORIES]: [], [WIKIS]: [] }
  const rest = world.repositories.values()
  const told = (kind: string, id: number, content: string) => remarks[kind]?.push({ key: String(id), content })

  async function work(): Promise<void> {
    for (const repository of rest) {
      if (signal.aborted) return
      await count(
        REPOSITORIES,
        repository,
        await takeRepository(taking, repository, (content) => told(REPOSITORIES, repository.id, content)),
      )
      await count(WIKIS, repository, await takeWiki(taking, repository))
      const { taken, changed, leftOut } = totals[REPOSITORIES]
      progress({ found: world.repositories.size, taken, changed, removed: 0, leftOut })
    }
  }

  async function count(kind: typeof REPOSITORIES | typeof WIKIS, { id, name }: TakenRepository, outcome: Outcome): Promise<void> {
    const total = totals[kind]
    if (kind === WIKIS && outcome === "missing") return
    total.found++
    if (outcome === "missing") {
      total.leftOut++
      told(kind, id, `${name} has no folder there: it is empty here`)
    } else total.taken++
    if (outcome === "brought") total.changed++
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return ([REPOSITORIES, WIKIS] as const).map((kind) => [kind, { ...totals[kind], removed: 0, remarks: remarks[kind] ?? [] }])
}

type Outcome = "brought" | "same" | "missing"

/** What tells whether a repository has changed since it was brought. */
const stateOf = (references: readonly Reference[], more: string): string =>
  `${more} ${references.map(({ name, id }) => `${name} ${id}`).join("\n")}`

/** What was told of a repository when it was brought, if it is still the same. */
async function toldBefore({ services, world }: GitTaking, kind: string, id: number, state: string): Promise<readonly string[] | undefined> {
  const [known] = await findChunks(services.database.read, { kind, from: id, to: id })
  const [digest, told = "[]"] = known?.content.split("\n", 2) ?? []
  return digest === world.digestOf(state) ? JSON.parse(told) : undefined
}

const remember = (tx: Transaction, { world }: GitTaking, kind: string, id: number, state: string, told: readonly string[] = []) =>
  putChunk(tx, { kind, chunk: id, content: `${world.digestOf(state)}${told.length === 0 ? "" : `\n${JSON.stringify(told)}`}` })

async function takeRepository(taking: GitTaking, of: TakenRepository, toTell: (content: string) => void): Promise<Outcome> {
  const { services, world, dryRun, link } = taking
  const { git, database } = services
  const folder = join(world.layout.repositories, `${of.path}.git`)
  const references = await referencesIn(services, folder)
  if (references === undefined) {
    if (!dryRun && !(await git.repositories.exists(git.at(of.storage, of.format))))
      await git.repositories.create(of.storage, { format: of.format, branch: branchFor(of) })
    return "missing"
  }
  const state = stateOf(references, of.defaultBranch)
  const before = await toldBefore(taking, REPOSITORIES, of.id, state)
  before?.forEach(toTell)
  if (before) return "same"
  if (dryRun) return "brought"
  const told: string[] = []
  const tell = (content: string): void => {
    told.push(content)
    toTell(content)
  }
  const brought = await git.repositories.bring(folder, of.storage, { branch: branchFor(of), link, placeOf: placeIn(taking) })
  if (brought.hasBorrowed) tell(`${of.name} borrowed objects of another repository, and has them itself now`)
  const { repository } = brought
  const damaged: string[] = []
  const tips = await tipsOf(services, repository, brought.references, damaged)
  const tags = await tagsOf(services, of.id, repository, brought.references, damaged)
  const pulls = await findHeads(services, of, repository)
  if (damaged.length > 0)
    tell(
      `${of.name} is damaged there, and was taken as it is: ${damaged.slice(0, 5).join(", ")}${damaged.length > 5 ? ` and ${damaged.length - 5} more` : ""} can't be read`,
    )
  for (const missing of pulls.missing) tell(`${of.name}: the head of pull request ${missing} is gone`)
  const size = await git.repositories.size(repository)
  await database.write(async (tx) => {
    await writeReferenceRows(tx, services, of, { tips, tags })
    await pulls.write(tx)
    await putGitSize(tx, { id: of.id, size })
    await services.jobs.enqueue(tx, surveyJob, { repositoryId: of.id })
    if (tips.length > 0) await services.jobs.enqueue(tx, readSchedulesJob, { repositoryId: of.id })
    await remember(tx, taking, REPOSITORIES, of.id, state, told)
  })
  return "brought"
}

async function referencesIn({ git }: Services, folder: string): Promise<readonly Reference[] | undefined> {
  try {
    return await git.repositories.foreignReferences(folder)
  } catch (error) {
    if (isGitError(error, "missing")) return undefined
    throw error
  }
}

const branchFor = ({ defaultBranch }: TakenRepository): string => (isBranchName(defaultBranch) ? defaultBranch : "main")

/** A folder of objects that is named by a path of the old machine. */
function placeIn({ world }: GitTaking): (path: string) => string {
  const { repositories, repositoriesThere } = world.layout
  return (path) => {
    const below = relative(repositoriesThere, path)
    return isAbsolute(path) && !below.startsWith("..") ? join(repositories, below) : path
  }
}

async function tipsOf(
  { git }: Services,
  repository: Repository,
  references: readonly Reference[],
  damaged: string[],
): Promise<readonly Tip[]> {
  const names = references.flatMap(({ name }) => branchOf(name) ?? [])
  try {
    return await readTips(git, repository, names)
  } catch (error) {
    if (!isGitError(error)) throw error
  }
  const tips: Tip[] = []
  for (const name of names)
    try {
      tips.push(...(await readTips(git, repository, [name])))
    } catch (error) {
      if (!isGitError(error)) throw error
      damaged.push(name)
    }
  return tips
}

async function tagsOf(
  { git, database }: Services,
  id: number,
  repository: Repository,
  references: readonly Reference[],
  damaged: string[],
): Promise<readonly NamedTag[]> {
  const wanted = references.flatMap(({ name, id: object }) => {
    const tag = tagOf(name)
    return tag === undefined ? [] : [{ name: tag, id: object }]
  })
  const known = (await findAllTags(database.read, { repositoryId: id })).filter(({ object_id }) => object_id !== "")
  try {
    return await readTags(git, repository, wanted, known)
  } catch (error) {
    if (!isGitError(error)) throw error
  }
  const tags: NamedTag[] = []
  for (const tag of wanted)
    try {
      tags.push(...(await readTags(git, repository, [tag], known)))
    } catch (error) {
      if (!isGitError(error)) throw error
      damaged.push(tag.name)
    }
  return tags
}

/** Rows of branches and tags as git has them now. */
async function writeReferenceRows(
  tx: Transaction,
  { now }: Services,
  { id }: TakenRepository,
  { tips, tags }: { readonly tips: readonly Tip[]; readonly tags: readonly NamedTag[] },
): Promise<void> {
  const there = await findBranchesAndTags(tx, id)
  const kept = { branches: new Set(tips.map(({ name }) => name)), tags: new Set(tags.map(({ name }) => name)) }
  await removeNamed(
    tx,
    "branches",
    id,
    there.branches.filter((name) => !kept.branches.has(name)),
  )
  await removeNamed(
    tx,
    "tags",
    id,
    there.tags.filter((name) => !kept.tags.has(name)),
  )
  await writeBranches(tx, { repositoryId: id, tips, pusherId: 0, now: now() })
  await putTags(tx, id, tags)
}

async function takeWiki(taking: GitTaking, of: TakenRepository): Promise<Outcome> {
  const { services, world, dryRun, link } = taking
  const { git, database, now } = services
  const folder = join(world.layout.repositories, `${of.path}.wiki.git`)
  const references = await referencesIn(services, folder)
  if (references === undefined) return "missing"
  const branches = references.flatMap(({ name }) => branchOf(name) ?? [])
  const branch = [of.wikiBranch, "master", "main"].find((name) => branches.includes(name)) ?? of.wikiBranch
  const state = stateOf(references, branch)
  if (await toldBefore(taking, WIKIS, of.id, state)) return "same"
  if (dryRun) return "brought"
  const { repository } = await git.repositories.bring(folder, wikiKey(of.storage), { branch, link, placeOf: placeIn(taking) })
  const size = await git.repositories.size(repository)
  await database.write(async (tx) => {
    await putWiki(tx, { repositoryId: of.id, now: now() })
    await putWikiSize(tx, { id: of.id, size })
    await remember(tx, taking, WIKIS, of.id, state)
  })
  return "brought"
}
