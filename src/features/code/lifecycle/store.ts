import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import type { RepositoryTransfersTable } from "../../../core/database/tables/repositories.ts"
import { idsOwnedBy } from "../repositories/store.ts"

/** Deletes the redirect of an old name once it is taken. */
export async function dropRedirect(tx: Transaction, ownerId: number, lowerName: string): Promise<void> {
  await tx.deleteFrom("repository_redirects").where("owner_id", "=", ownerId).where("lower_name", "=", lowerName).execute()
}

/** Redirects an old name to a repository. */
export async function redirect(tx: Transaction, ownerId: number, lowerName: string, repositoryId: number): Promise<void> {
  await dropRedirect(tx, ownerId, lowerName)
  await tx.insertInto("repository_redirects").values({ owner_id: ownerId, lower_name: lowerName, repository_id: repositoryId }).execute()
}

/** Stores that a repository is offered to another owner. */
export async function insertTransfer(tx: Transaction, transfer: Insertable<RepositoryTransfersTable>): Promise<void> {
  await tx.insertInto("repository_transfers").values(transfer).execute()
}

/** Deletes the offer of a repository, if there is one. */
export async function dropTransfer(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.deleteFrom("repository_transfers").where("repository_id", "=", repositoryId).execute()
}

/** Deletes the offers of an owner's repositories to a user; returns of which. */
export const dropOffersTo = (tx: Transaction, recipientId: number, ownerId: number) =>
  tx
    .deleteFrom("repository_transfers")
    .where("recipient_id", "=", recipientId)
    .where("repository_id", "in", idsOwnedBy(tx, ownerId))
    .returning("repository_id")
    .execute()
