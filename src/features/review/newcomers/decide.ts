import { Mode } from "../../../access/modes.ts"
import { onIssuesAsReporter, writesKind } from "../../../access/policies/issues.ts"
import { onPullsSignedIn } from "../../../access/policies/pulls.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { findUserById } from "../../../access/store.ts"
import { jobOf, signedInAs } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import { Check, type Static, type TSchema } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { block } from "../../people/blocks/rules.ts"
import { requireUsableAccount } from "../../people/sign-in/authenticate.ts"
import { createIssue } from "../../planning/issues/create.ts"
import { CreateIssueOption } from "../../planning/issues/records.ts"
import { bodyOf } from "../../planning/newcomers/present.ts"
import { decideHeld, findHeld, type HeldRow, rejectAllHeld } from "../../planning/newcomers/store.ts"
import { createPull } from "../pulls/create.ts"
import { CreatePullRequestOption } from "../pulls/records.ts"

/** Decides about what waits. Only once: who comes second is refused, and what can't be created goes on waiting. */

type Found = OnRepository & Me

/** What waits there. Refuses `forbidden` jobs, and `notFound` what does not wait, and kinds that the caller may not write to. */
async function waiting({ database }: Services, found: Found, id: number): Promise<HeldRow> {
  if (jobOf(found.actor)) throw refuse.forbidden("only people decide about what waits for approval")
  const row = await findHeld.first(database.read, { id, repositoryId: found.repository.id })
  if (row?.state !== "waiting" || !writesKind(found, row)) throw refuse.notFound()
  return row
}

async function decide(
  tx: Transaction,
  services: Services,
  { me }: Found,
  { id, state, number = 0 }: Pick<HeldRow, "id" | "state"> & { readonly number?: number },
): Promise<HeldRow> {
  const row = await decideHeld.first(tx, { id, state, number, decidedById: me.id, now: services.now() })
  if (!row) throw refuse.conflict("somebody else has decided about it")
  return row
}

/**
 * Makes the request again in its author's name, with the rights that they have now. Refuses `conflict` where the author may not do it any more, and what
 * creating it refuses, such as a branch that is gone.
 */
export async function approve(services: Services, found: Found, id: number): Promise<HeldRow> {
  const row = await waiting(services, found, id)
  const author = await findUserById.first(services.database.read, { id: row.author_id })
  if (!author) throw refuse.notFound()
  const actor = signedInAs(author)
  const request = {
    services,
    db: services.database.read,
    actor,
    path: { owner: found.owner.name, repo: found.repository.name },
    archived: "refused",
  } as const
  const as = await asAuthor(async () => {
    requireUsableAccount(services, actor)
    return row.is_pull === 1 ? onPullsSignedIn.open(request) : onIssuesAsReporter.open(request)
  })
  const decided = (tx: Transaction, number: number) => decide(tx, services, found, { id, state: "approved", number })
  if (row.is_pull === 1) {
    let approved = row
    await createPull(services, as, usable(CreatePullRequestOption, row), async (tx, { issue }) => {
      approved = await decided(tx, issue.number)
    })
    return approved
  }
  return services.database.write(async (tx) => decided(tx, (await createIssue(tx, services, as, usable(CreateIssueOption, row))).number))
}

/** The body as it was sent. It is checked again: this version may ask for more than the one that kept it. */
function usable<S extends TSchema>(schema: S, row: HeldRow): Static<S> {
  const body = bodyOf(row)
  if (!Check(schema, body)) throw refuse.conflict("its author may not open this here any more")
  return body
}

async function asAuthor(open: () => Promise<Found>): Promise<Found> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Renamed) throw refuse.conflict("its author may not open this here any more")
    throw error
  }
}

/** Refuses `forbidden` a block by others than owners of the repository. */
export async function reject(services: Services, found: Found, id: number, isBlocked: boolean): Promise<void> {
  const { author_id } = await waiting(services, found, id)
  if (isBlocked && found.permission.mode < Mode.owner) throw refuse.forbidden("user should be the owner of the repo")
  await services.database.write(async (tx) => {
    await decide(tx, services, found, { id, state: "rejected" })
    if (!isBlocked) return
    const author = await findUserById.first(tx, { id: author_id })
    const now = services.now()
    if (author) await block(tx, found.owner, author, undefined, now)
    await rejectAllHeld.changes(tx, { repositoryId: found.repository.id, authorId: author_id, decidedById: found.me.id, now })
  })
}
