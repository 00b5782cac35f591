import { Mode } from "../../../access/modes.ts"
import { permissionOn, type Repository as Row, unitMode } from "../../../access/permission.ts"
import { findRepositoryByName, findUserByName } from "../../../access/store.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit } from "../../../git/index.ts"
import { resolveRevision } from "../../code/commits/revision.ts"
import { findEntry } from "../../code/contents/paths.ts"
import { type CalledFile, type CalledFiles, type CalledPath, calledFile, MOST_LEVELS, NO_CALLS, notCallable, readUses } from "./calls.ts"
import { type Budget, newBudget, openWorkflow } from "./files.ts"
import { type ReadingRun, readerFor } from "./reader.ts"
import { WorkflowError } from "./source.ts"
import type { Workflow } from "./workflow.ts"

/** Reads the files that a workflow calls. */

/** The most files that one run may call. */
const MOST_CALLED = 50

/** A commit that files are read from. */
interface FileSource {
  readonly row: Pick<Row, "id" | "storage" | "object_format" | "default_branch">
  readonly commit: Commit
}

interface Reading {
  readonly services: Services
  /** The run as a caller. */
  readonly reader: SignedIn
  readonly files: Map<string, CalledFile>
  readonly budget: Budget
}

/** Where a workflow is from: a commit of the repository that it runs for, with code of a fork if it says so. */
interface WorkflowSource extends FileSource {
  readonly row: FileSource["row"] & ReadingRun["repository"]
  readonly isUntrusted?: boolean
}

/**
 * The files that a workflow calls, directly or through others. What can't be called is there with the reason. Reads git, so it must not be
 * called in a transaction; it reads nothing for a workflow that calls none.
 */
export async function readCalledFiles(
  services: Services,
  source: WorkflowSource,
  workflow: Workflow,
  budget = newBudget(),
): Promise<CalledFiles> {
  if (workflow.jobs.every(({ uses }) => uses === "")) return NO_CALLS
  const reader = readerFor({ repository: source.row, isUntrusted: source.isUntrusted ?? false })
  const reading: Reading = { services, reader, files: new Map(), budget }
  const calls = await callsOf(reading, source, workflow, [])
  return { calls, files: Object.fromEntries(reading.files) }
}

/** The keys of the files that a workflow's jobs call. `above` are those of the files that led to it. */
async function callsOf(reading: Reading, source: FileSource, workflow: Workflow, above: readonly string[]): Promise<CalledFiles["calls"]> {
  const calls: [string, string][] = []
  for (const uses of new Set(workflow.jobs.flatMap((job) => (job.uses === "" ? [] : [job.uses]))))
    calls.push([uses, await readCalled(reading, source, uses, above)])
  return Object.fromEntries(calls)
}

/** Reads one file and what it calls; returns its key. */
async function readCalled(reading: Reading, from: FileSource, uses: string, above: readonly string[]): Promise<string> {
  const fail = (message: string): string => {
    const key = `error:${message}`
    reading.files.set(key, notCallable(message))
    return key
  }
  try {
    const named = readUses(uses, reading.services.site.rootUrl)
    const source = named.of === "commit" ? from : await findSource(reading, named, from)
    if (!source) return fail(`'${uses.slice(0, 200)}' is not there, or this repository may not read it`)
    const key = `${source.row.id}:${source.commit.id}:${named.path}`
    if (above.includes(key)) return fail(`'${uses.slice(0, 200)}' calls itself${above.length > 1 ? ", by way of others" : ""}`)
    if (above.length >= MOST_LEVELS) return fail(`workflows call each other over more than ${MOST_LEVELS} levels`)
    if (reading.files.has(key)) return key
    if (reading.files.size >= MOST_CALLED) return fail(`more than ${MOST_CALLED} workflows are called`)
    const workflow = await openCalled(reading, source, named.path)
    if (!workflow) return fail(`'${uses.slice(0, 200)}' is not there`)
    reading.files.set(key, calledFile(workflow, await callsOf(reading, source, workflow, [...above, key])))
    return key
  } catch (error) {
    if (error instanceof WorkflowError) return fail(error.message)
    throw error
  }
}

async function openCalled(
  { services: { git }, budget }: Reading,
  { row, commit }: FileSource,
  path: string,
): Promise<Workflow | undefined> {
  const repository = git.at(row.storage, row.object_format)
  const entry = await findEntry(git, repository, commit.tree, path.split("/"))
  if (entry?.mode !== "100644" && entry?.mode !== "100755") return undefined
  return openWorkflow(git, repository, { entry }, budget)
}

/** A commit of another repository that the run may read, or of the same one; undefined where it is not there. */
async function findSource(
  { services, reader }: Reading,
  named: CalledPath & { readonly of: "repository" },
  { row }: FileSource,
): Promise<FileSource | undefined> {
  const db = services.database.read
  const owner = await findUserByName.first(db, { lowerName: named.owner.toLowerCase() })
  const repository = owner && (await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: named.name.toLowerCase() }))
  if (!repository) return undefined
  const readable = unitMode(await permissionOn(db, reader, { repository, owner }), repository, "repo.code") >= Mode.read
  if (repository.id !== row.id && !readable) return undefined
  const revision = await resolveRevision(services.git, repository, named.ref)
  return revision && { row: repository, commit: revision.commit }
}
