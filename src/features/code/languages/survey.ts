import { lockRow } from "../../../core/database/lock.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { type Git, isGitError, isObjectId, type ObjectId, type Repository, type TreeEntry } from "../../../git/index.ts"
import { resolveRevision } from "../commits/revision.ts"
import { indexKind } from "../repositories/index-job.ts"
import { parseStrings } from "../repositories/present.ts"
import { type Budget, budgetOf, changed, countChange } from "./languages.ts"
import { licenseFiles, readLicenses } from "./licenses.ts"
import { type Composition, findComposition, type Known, putComposition, readBytes } from "./store.ts"

/** The most objects that the job reads; the rest is not counted. */
const JOB_BUDGET = 500_000

interface Stored {
  readonly tree_id: string | null
  readonly bytes: string | null
  readonly language: string
  readonly licenses: string
}

/** The stored composition of a repository. */
export function knownOf({ tree_id, bytes, language, licenses }: Stored): Known {
  const tree = tree_id !== null && isObjectId(tree_id) ? tree_id : null
  // Without a tree they were counted by another server: they are shown until they are counted here.
  return { tree, bytes: tree === null ? {} : readBytes(bytes), language, licenses: parseStrings(licenses) }
}

/** The composition of a tree, computed from the known composition of another. Reads git: must not be called inside a transaction. */
export async function compose(git: Git, repository: Repository, known: Composition, tree: ObjectId, budget: Budget): Promise<Composition> {
  try {
    return await composeFrom(git, repository, known, tree, budget)
  } catch (error) {
    // A repository restored from a backup may not have the tree that was counted.
    if (known.tree === null || !isGitError(error, "missing")) throw error
    return composeFrom(git, repository, { ...known, tree: null, bytes: {} }, tree, budget)
  }
}

async function composeFrom(git: Git, repository: Repository, known: Composition, tree: ObjectId, budget: Budget): Promise<Composition> {
  const change = await countChange(git, repository, known.tree, tree, budget)
  const before = known.tree === null ? undefined : licenseFiles(await git.objects.readTree(repository, known.tree))
  const now = licenseFiles(await git.objects.readTree(repository, tree))
  const licenses = before && sameFiles(before, now) ? known.licenses : await readLicenses(git, repository, now, known.licenses)
  return { tree, bytes: changed(known.bytes, change), licenses }
}

const sameFiles = (a: readonly TreeEntry[], b: readonly TreeEntry[]): boolean =>
  a.length === b.length && a.every(({ id, name }, index) => b[index]?.id === id && b[index].name === name)

/** Computes and stores the composition of a repository's default branch. What made it change concerns code search too. */
export const surveyJob = defineJob({
  kind: "repository.survey",
  payload: Type.Object({ repositoryId: int64() }),
  timeoutSeconds: 3600,
  run: async ({ repositoryId }, { context: { database, git, jobs } }) => {
    const row = await findComposition.first(database.read, { repositoryId })
    const revision = row && (await resolveRevision(git, row, undefined))
    if (!row || !revision) return
    await database.write((tx) => enqueueOnce(tx, jobs, indexKind, { repositoryId }))
    const known = knownOf(row)
    if (known.tree === revision.commit.tree) return
    const composition = await compose(git, git.at(row.storage, row.object_format), known, revision.commit.tree, budgetOf(JOB_BUDGET))
    await database.write(async (tx) => {
      await lockRow(tx, "repositories", repositoryId)
      // A composition stored meanwhile may be of an older commit than this one.
      if (!(await putComposition(tx, repositoryId, known, composition))) await jobs.enqueue(tx, surveyJob, { repositoryId })
    })
  },
})
