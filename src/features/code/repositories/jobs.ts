import { findUserById } from "../../../access/store.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { GHOST } from "../../people/users/present.ts"
import { alignHead } from "../pushes/settle.ts"
import { deleteRepository } from "./delete.ts"

/** Makes git's HEAD name the default branch that is stored by then, should the process that changed it not have come to it. */
export const alignHeadJob = defineJob({
  kind: "repository.alignHead",
  payload: Type.Object({ repositoryId: int64() }),
  run: ({ repositoryId }, { context }) => alignHead(context, repositoryId),
})

/** Deletes the repositories that somebody owned when this was asked for, one after the other: all of them at once would hold up everybody else. */
export const deleteOwnedJob = defineJob({
  kind: "repository.deleteOwned",
  payload: Type.Object({ ownerId: int64(), newestId: int64(), doerId: Type.Optional(int64()) }),
  timeoutSeconds: 3600,
  run: async ({ ownerId, newestId, doerId }, { context, signal }) => {
    const { database } = context
    const doer = (doerId === undefined ? undefined : await findUserById.first(database.read, { id: doerId })) ?? GHOST
    while (!signal.aborted) {
      const next = await database.read
        .selectFrom("repositories")
        .selectAll()
        .where("owner_id", "=", ownerId)
        .where("id", "<=", newestId)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst()
      if (!next) return
      await database.write((tx) => deleteRepository(tx, context, next, doer))
    }
    throw new Error("interrupted; the rest is deleted later")
  },
})
