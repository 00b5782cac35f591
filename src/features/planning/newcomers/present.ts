import type { Repository } from "../../../access/permission.ts"
import type { Actor, User } from "../../../core/actor.ts"
import { memberOf } from "../../../core/check.ts"
import type { Config } from "../../../core/config.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Static } from "../../../core/schema.ts"
import type { Site } from "../../../core/site.ts"
import { findRepositoriesByIds, findUsersByIds } from "../../code/repositories/store.ts"
import { presentUser } from "../../people/users/present.ts"
import { gateOf } from "./gate.ts"
import type { HeldRequest, NewcomerRules } from "./records.ts"
import type { HeldRow } from "./store.ts"

const textIn = (body: unknown, name: string): string => {
  const value = memberOf(body, name)
  return typeof value === "string" ? value : ""
}

/** The request as it was sent: the schema of the operation has checked it. */
export const bodyOf = ({ body }: Pick<HeldRow, "body">): unknown => JSON.parse(body)

export async function presentHeld(db: Handle, site: Site, viewer: Actor, rows: readonly HeldRow[]): Promise<HeldRequest[]> {
  if (rows.length === 0) return []
  const homes = new Map(
    (await findRepositoriesByIds(db, { ids: [...new Set(rows.map(({ repository_id }) => repository_id))] })).map((home) => [home.id, home]),
  )
  const people = new Map(
    (
      await findUsersByIds(db, {
        ids: [...new Set([...rows.map(({ author_id }) => author_id), ...[...homes.values()].map(({ owner_id }) => owner_id)])],
      })
    ).map((user) => [user.id, user]),
  )
  return rows.map((row) => {
    const body = bodyOf(row)
    const author = people.get(row.author_id)
    const home = homes.get(row.repository_id)
    return {
      id: row.id,
      kind: row.is_pull === 1 ? "pull" : "issue",
      state: row.state,
      repository: home ? `${people.get(home.owner_id)?.name ?? ""}/${home.name}` : "",
      author: author ? presentUser(site, author, viewer) : null,
      title: row.title,
      body: textIn(body, "body"),
      ...(row.is_pull === 1 && { base: textIn(body, "base"), head: textIn(body, "head") }),
      number: row.number,
      created_at: rfc3339(row.created_at),
    }
  })
}

export async function presentOneHeld(db: Handle, site: Site, viewer: Actor, row: HeldRow): Promise<HeldRequest> {
  const [shown] = await presentHeld(db, site, viewer, [row])
  if (!shown) throw new TypeError("one row gives one record")
  return shown
}

type Said = Pick<User | Repository, "newcomers" | "newcomer_days" | "newcomers_per_day">

const given = (number: number): number | null => (number < 0 ? null : number)

export function presentRules(config: Pick<Config, "newcomers">, said: Said, ...farther: readonly Said[]): Static<typeof NewcomerRules> {
  const { mode, days, perDay } = gateOf(config, said, ...farther)
  return {
    mode: said.newcomers === "" ? null : said.newcomers,
    days: given(said.newcomer_days),
    per_day: given(said.newcomers_per_day),
    effective: { mode, days, per_day: perDay },
  }
}
