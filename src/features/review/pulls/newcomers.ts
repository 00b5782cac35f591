import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { normalizeTitle } from "../../planning/issues/create.ts"
import { presentOneHeld } from "../../planning/newcomers/present.ts"
import type { HeldRequest } from "../../planning/newcomers/records.ts"
import { gateFor, hold } from "../../planning/newcomers/rules.ts"
import type { CreatePullRequestOption } from "./records.ts"
import { locateEnds } from "./source.ts"

/** What opening a pull request asks of the gate; loaded where there is one. */

export { requireFewOpened } from "../../planning/issues/newcomers.ts"

type Found = OnRepository & Me

/** Whether a pull request of the caller has to wait. */
export const isHeld = async (services: Services, db: Handle, found: Found): Promise<boolean> =>
  (await gateFor(services, db, found))?.mode === "held"

/**
 * The held request of a pull request that has to wait; undefined where it may be created now. Nothing of its head is fetched. Refuses as `hold` and
 * `locateEnds` do.
 */
export async function holdPull(
  services: Services,
  db: Handle,
  found: Found,
  body: CreatePullRequestOption,
): Promise<HeldRequest | undefined> {
  const gate = await gateFor(services, db, found)
  if (gate?.mode !== "held") return undefined
  await locateEnds(services, db, found, body)
  const ends = `${body.base}...${body.head}`
  const held = await hold(services, found, gate, { isPull: true, title: normalizeTitle(body.title), ends, body })
  return presentOneHeld(db, services.site, found.actor, held)
}
