import { onRepositoryAsOwner, onRepositorySignedIn } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { isChosenOwner, NOT_CHOSEN } from "../../../core/limited-token.ts"
import { accepted, created, type Operation, ok, operation } from "../../../core/operation.ts"
import type { Site } from "../../../core/site.ts"
import { presentRepository } from "../repositories/present.ts"
import { Repository, TransferRepoOption } from "../repositories/records.ts"
import { findRepositoriesByIds, withOwners } from "../repositories/store.ts"
import { locateNamed } from "./recipients.ts"
import { acceptTransfer, rejectTransfer, transferRepository } from "./transfer.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

/** The repository as returned to the caller, who may have lost access to it by the transfer. */
async function afterwards(db: Handle, site: Site, actor: Actor, repositoryId: number): Promise<Repository> {
  const [owned] = await withOwners(db, await findRepositoriesByIds(db, { ids: [repositoryId] }))
  if (!owned) throw refuse.notFound()
  return presentRepository(db, site, actor, owned)
}

export const transferOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoTransfer",
    route: "POST /repos/{owner}/{repo}/transfer",
    summary: "Transfer a repository",
    description: "At once (202) where no one else needs to be asked; otherwise it waits for the new owner (201).",
    access: onRepositoryAsOwner,
    body: TransferRepoOption,
    answers: { 201: Repository, 202: Repository },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ db, services, actor, me, repository, body }) => {
      const recipient = await locateNamed(db, actor, body.new_owner ?? "")
      if (!isChosenOwner(actor, recipient)) throw refuse.forbidden(NOT_CHOSEN)
      const offer = { doer: me, recipient, teamIds: [...new Set(body.team_ids ?? [])] }
      const completed = await services.database.write((tx) => transferRepository(tx, services, repository.id, offer))
      const record = await afterwards(db, services.site, actor, repository.id)
      return completed ? accepted(record) : created(record)
    },
  }),

  operation({
    ...shared,
    id: "acceptRepoTransfer",
    route: "POST /repos/{owner}/{repo}/transfer/accept",
    summary: "Accept the transfer of a repository",
    access: onRepositorySignedIn,
    answers: { 202: Repository },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, me, repository }) => {
      await services.database.write((tx) => acceptTransfer(tx, services, me, repository.id))
      return accepted(await afterwards(db, services.site, actor, repository.id))
    },
  }),

  operation({
    ...shared,
    id: "rejectRepoTransfer",
    route: "POST /repos/{owner}/{repo}/transfer/reject",
    summary: "Reject the transfer of a repository",
    access: onRepositorySignedIn,
    answers: { 200: Repository },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, me, repository, permission }) => {
      await services.database.write((tx) => rejectTransfer(tx, me, repository.id))
      // The caller may have lost access to the repository by rejecting it.
      const [owned] = await withOwners(db, [repository])
      if (!owned) throw refuse.notFound()
      return ok(await presentRepository(db, services.site, actor, owned, permission))
    },
  }),
]
