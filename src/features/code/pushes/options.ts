import { Mode } from "../../../access/modes.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"

/** Push options about the repository itself: `-o repo.private` and `-o repo.template`, each with or without `=true` or `=false`. */
export interface RepositoryOptions {
  readonly isPrivate?: boolean
  readonly isTemplate?: boolean
}

/** Parses push options; unknown ones are ignored. */
export function readOptions(options: readonly string[]): RepositoryOptions {
  const read = (name: string): boolean | undefined => {
    const given = options.findLast((option) => option === name || option.startsWith(`${name}=`))
    if (given === undefined) return undefined
    return !/^(false|f|0|no|off)$/i.test(given.slice(name.length + 1))
  }
  const [isPrivate, isTemplate] = [read("repo.private"), read("repo.template")]
  return { ...(isPrivate !== undefined && { isPrivate }), ...(isTemplate !== undefined && { isTemplate }) }
}

/** Why a push with these options is refused, or undefined. */
export function optionsRefused({ permission }: OnRepository, options: readonly string[]): string | undefined {
  const asks = Object.keys(readOptions(options)).length > 0
  return asks && permission.mode < Mode.admin
    ? "the push options repo.private and repo.template are for administrators of the repository"
    : undefined
}
