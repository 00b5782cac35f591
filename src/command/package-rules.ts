import { findUserByName } from "../access/store.ts"
import type { User } from "../core/actor.ts"
import type { Handle } from "../core/database/database.ts"
import { rfc3339 } from "../core/record.ts"
import { removeRule, saveRule } from "../features/packages/packages/cleanup.ts"
import { findRules } from "../features/packages/packages/rules-store.ts"
import { registries } from "../features/packages/registries.ts"
import { CommandFailed } from "./failure.ts"
import { type Environment, withInstallation } from "./installation.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

/** The operator's commands for the rules of the nightly clean-up of packages. */

export interface RuleWords {
  readonly keep: number
  readonly olderThan: number
  readonly only: string
  readonly except: string
  readonly off: boolean
}

async function ownerNamed(db: Handle, name: string): Promise<User> {
  const owner = await findUserByName.first(db, { lowerName: name.toLowerCase() })
  if (!owner) throw new CommandFailed(`There is no one called ${name}.`, "Give the name of a person or an organisation.")
  return owner
}

export async function setRule(terminal: Terminal, env: Environment, name: string, type: string, words: RuleWords): Promise<void> {
  const types = registries.map((registry) => registry.type)
  if (!types.includes(type)) throw new CommandFailed(`There is no registry ${type}.`, `Give one of ${types.join(", ")}.`)
  await withInstallation(env, async (services) => {
    const owner = await ownerNamed(services.database.read, name)
    await saveRule(services, owner, {
      type,
      isEnabled: !words.off,
      keepCount: words.keep,
      keepPattern: words.except,
      removeDays: words.olderThan,
      removePattern: words.only,
    })
    terminal.out(`The rule for ${type} packages of ${owner.name} is set.`)
  })
}

export function listRules(terminal: Terminal, env: Environment, name: string, { json }: { readonly json: boolean }): Promise<void> {
  return withInstallation(env, async ({ database }) => {
    const owner = await ownerNamed(database.read, name)
    const rules = (await findRules(database.read, { ownerId: owner.id })).map((rule) => ({
      type: rule.type,
      enabled: rule.is_enabled === 1,
      keep: rule.keep_count,
      older_than: rule.remove_days,
      only: rule.remove_pattern,
      except: rule.keep_pattern,
      followed_at: rule.checked_at === 0 ? null : rfc3339(rule.checked_at),
      failure: rule.failure,
    }))
    if (json) terminal.out(JSON.stringify(rules, null, 2))
    else
      printTable(
        terminal,
        ["TYPE", "FOLLOWED", "KEEPS", "OLDER THAN", "ONLY", "EXCEPT", "LAST TIME"],
        rules.map(({ type, enabled, keep, older_than, only, except, followed_at, failure }) => [
          type,
          enabled ? "yes" : "no",
          String(keep),
          `${older_than} days`,
          only || "all",
          except || "none",
          failure || (followed_at ?? "never"),
        ]),
      )
  })
}

export function dropRule(terminal: Terminal, env: Environment, name: string, type: string): Promise<void> {
  return withInstallation(env, async (services) => {
    const owner = await ownerNamed(services.database.read, name)
    if (!(await removeRule(services, owner, type)))
      throw new CommandFailed(
        `${owner.name} has no rule for ${type} packages.`,
        `\`hearth package-rule list ${owner.name}\` shows what there is.`,
      )
    terminal.out(`The rule for ${type} packages of ${owner.name} is removed.`)
  })
}
