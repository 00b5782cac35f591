import { findRepositoryById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { type ObjectId, tagOf } from "../../../git/index.ts"
import type { PushStep } from "../pushes/step.ts"
import { type NamedTag, readAllTags, readTags } from "./facts.ts"
import { draftReleasesOf } from "./releases-store.ts"
import { findAllTags, findTagObjects, putTags, removeTags } from "./store.ts"

/** A tag that was pushed. */
interface TagChange {
  readonly name: string
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
}

/** Updates the rows of pushed tags; releases whose tag is deleted become drafts again. */
export const keepTags: PushStep = async ({ services, row, repository, changes }) => {
  const moved: readonly TagChange[] = changes.flatMap(({ ref, oldId, newId }) => {
    const name = tagOf(ref)
    return name === undefined ? [] : [{ name, oldId, newId }]
  })
  const there = moved.flatMap(({ name, newId }) => (newId === null ? [] : [{ name, id: newId }]))
  const tags = await readTags(services.git, repository, there)
  return async (tx) => {
    if (moved.length === 0) return
    const names = moved.map(({ name }) => name)
    const stored = new Map((await findTagObjects(tx, { repositoryId: row.id, names })).map((each) => [each.name, each.object_id]))
    await takeAway(
      tx,
      row.id,
      moved.filter(({ newId }) => newId === null).map(({ name }) => name),
    )
    await putTags(tx, row.id, tags)
    // Two pushes to one tag may be recorded in reverse order; then the stored object is not the expected one, and git is read again.
    const expected = moved.every(({ name, oldId, newId }) => {
      const found = stored.get(name) ?? null
      return found === oldId || found === newId
    })
    if (!expected) await services.jobs.enqueue(tx, alignTagsJob, { repositoryId: row.id })
  }
}

async function takeAway(tx: Transaction, repositoryId: number, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await removeTags(tx, { repositoryId, names })
  await draftReleasesOf(tx, repositoryId, names)
}

/** Synchronises the rows of all tags of a repository with its references. */
export const alignTagsJob = defineJob({
  kind: "tags.align",
  payload: Type.Object({ repositoryId: int64() }),
  run: async ({ repositoryId }, { context: { database, git, jobs } }) => {
    const row = await findRepositoryById.first(database.read, { id: repositoryId })
    if (!row) return
    const stored = await findAllTags(database.read, { repositoryId })
    const tags = await readAllTags(git, git.at(row.storage, row.object_format), stored)
    const objects = new Map(stored.map(({ name, object_id }) => [name, object_id]))
    const changed = tags.filter(({ name, object_id }) => objects.get(name) !== object_id)
    for (const { name } of tags) objects.delete(name)
    if (changed.length === 0 && objects.size === 0) return
    await database.write(async (tx) => {
      await lockRow(tx, "repositories", repositoryId)
      const now = await findAllTags(tx, { repositoryId })
      // A push recorded meanwhile may be newer.
      if (!sameTags(stored, now)) return void (await jobs.enqueue(tx, alignTagsJob, { repositoryId }))
      await takeAway(tx, repositoryId, [...objects.keys()])
      await putTags(tx, repositoryId, changed)
    })
  },
})

const sameTags = (before: readonly NamedTag[], after: readonly NamedTag[]): boolean =>
  before.length === after.length &&
  before.every(({ name, object_id }, index) => after[index]?.name === name && after[index].object_id === object_id)
