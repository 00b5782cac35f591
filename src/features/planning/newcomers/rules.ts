import { findCollaborations } from "../../../access/grants.ts"
import { Mode } from "../../../access/modes.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { findMembership } from "../../../access/store.ts"
import { jobOf } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { type Gate, gateAt } from "./gate.ts"
import { countOpened, countWaiting, findAccepted, findVerified, type HeldRow, insertHeld } from "./store.ts"

/**
 * First issues and pull requests of newcomers. What is held is not created: its request is kept, and made again in its author's name once it is
 * approved. So there is nothing of it anywhere else that could be found.
 */

const DAY = 86_400

type Found = OnRepository & Me

/** The gate that this caller meets, if any: those who belong to the repository, or had something accepted in it, meet none. */
export async function gateFor({ config, now }: Services, db: Handle, found: Found): Promise<Gate | undefined> {
  const gate = gateAt(config, found)
  return gate && (await isNewcomer(db, found, gate, now())) ? gate : undefined
}

async function isNewcomer(db: Handle, { actor, me, repository, owner, permission }: Found, { days }: Gate, now: number): Promise<boolean> {
  if (jobOf(actor) || me.is_admin === 1 || me.id === owner.id || permission.mode > Mode.read || permission.units.size > 0) return false
  if (days > 0 && me.created_at <= now - days * DAY && (await findVerified.first(db, { userId: me.id }))) return false
  if ((await findCollaborations(db, { userId: me.id, subjectIds: [repository.id] })).length > 0) return false
  if (owner.kind === "organization" && (await findMembership.first(db, { organizationId: owner.id, userId: me.id }))) return false
  const accepted = { repositoryId: repository.id, authorId: me.id, before: now - DAY }
  return (await findAccepted.first(db, accepted)) === undefined
}

/** Refuses `tooMany` a newcomer who has opened more than the gate lets them, counting what is being created. Call it with the repository locked. */
export async function requireUnderLimit(
  tx: Transaction,
  { config, now }: Services,
  { repository, me }: Found,
  { perDay }: Gate,
): Promise<void> {
  const { perAccountDay } = config.newcomers
  const opened = await countOpened.first(tx, { repositoryId: repository.id, authorId: me.id, since: now() - DAY })
  const here = Number(opened?.issues_here ?? 0) + Number(opened?.held_here ?? 0)
  const all = Number(opened?.issues ?? 0) + Number(opened?.held ?? 0)
  if (perDay > 0 && here > perDay) throw refuse.tooSoon("newcomers may open only a few issues and pull requests here a day", DAY)
  if (perAccountDay > 0 && all > perAccountDay) throw refuse.tooSoon("newcomers may open only a few issues and pull requests a day", DAY)
}

interface Wanted {
  readonly isPull: boolean
  readonly title: string
  readonly ends?: string
  readonly body: object
}

/**
 * Keeps the request of a newcomer. Refuses `forbidden` to people whom the owner has blocked, `tooMany` where as much waits already as may, and
 * `conflict` where the same pull request waits.
 */
export function hold(services: Services, found: Found, gate: Gate, { isPull, title, ends = "", body }: Wanted): Promise<HeldRow> {
  const { me, owner } = found
  return services.database.write(async (tx) => {
    // The person first, so that what they ask for in several repositories is counted together.
    await lockRow(tx, "users", me.id)
    const repository = await lockRow(tx, "repositories", found.repository.id)
    if (!repository) throw refuse.notFound()
    if (repository.is_archived === 1) throw refuse.archived()
    await requireUnblocked(tx, me, [owner])
    const { waitingPerAccount, waitingPerRepository } = services.config.newcomers
    const waiting = await countWaiting.first(tx, { repositoryId: repository.id, authorId: me.id })
    if (Number(waiting?.mine ?? 0) >= waitingPerAccount) throw refuse.tooMany("too much of yours waits for approval already")
    if (Number(waiting?.here ?? 0) >= waitingPerRepository) throw refuse.tooMany("too much waits for approval here already")
    const now = services.now()
    const row = { repository_id: repository.id, author_id: me.id, is_pull: flag(isPull), state: "waiting", title, ends } as const
    const held = await insertHeld(tx, { ...row, body: JSON.stringify(body), created_at: now })
    if (!held) throw refuse.conflict("the same pull request waits for approval already")
    await requireUnderLimit(tx, services, found, gate)
    return held
  })
}
