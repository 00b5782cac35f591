import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { presentOneHeld } from "../newcomers/present.ts"
import type { HeldRequest } from "../newcomers/records.ts"
import { gateFor, hold, requireUnderLimit } from "../newcomers/rules.ts"
import { normalizeTitle } from "./create.ts"
import type { CreateIssueOption } from "./records.ts"

/** What opening an issue asks of the gate; loaded where there is one. */

type Found = OnRepository & Me

/** The held request of an issue that has to wait; undefined where it may be created now. Refuses as `hold` does. */
export async function holdIssue(services: Services, db: Handle, found: Found, body: CreateIssueOption): Promise<HeldRequest | undefined> {
  const gate = await gateFor(services, db, found)
  if (gate?.mode !== "held") return undefined
  const held = await hold(services, found, gate, { isPull: false, title: normalizeTitle(body.title), body })
  return presentOneHeld(db, services.site, found.actor, held)
}

/** Refuses `tooMany` where a newcomer has opened too many, what is being created counted. */
export async function requireFewOpened(tx: Transaction, services: Services, found: Found): Promise<void> {
  const gate = await gateFor(services, tx, found)
  if (gate) await requireUnderLimit(tx, services, found, gate)
}
