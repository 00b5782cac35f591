import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Config } from "../../../core/config.ts"

/** What a repository does with newcomers: as it says itself, else its owner, else the site. */
export interface Gate {
  readonly mode: "free" | "limited" | "held"
  /** Accounts that are younger are newcomers; 0: of any age. */
  readonly days: number
  /** What one of them may open a day; 0: any number. */
  readonly perDay: number
}

type Said = Pick<User, "newcomers" | "newcomer_days" | "newcomers_per_day">

/** What counts where what is nearer says nothing. */
export function gateOf({ newcomers: site }: Pick<Config, "newcomers">, ...said: readonly Said[]): Gate {
  const number = (name: "newcomer_days" | "newcomers_per_day") => said.find((each) => each[name] >= 0)?.[name]
  return {
    mode: said.map((each) => each.newcomers).find((mode) => mode !== "") || site.gate,
    days: number("newcomer_days") ?? site.days,
    perDay: number("newcomers_per_day") ?? site.perDay,
  }
}

/** The gate of a repository, where it does anything. */
export function gateAt(
  config: Pick<Config, "newcomers">,
  { repository, owner }: { readonly repository: Repository; readonly owner: User },
) {
  const gate = gateOf(config, repository, owner)
  return gate.mode === "free" ? undefined : gate
}
