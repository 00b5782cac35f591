import { Mode } from "../../../access/modes.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"

/** Push options about the repository itself: `-o repo.private` and `-o repo.template`, each with or without `=true` or `=false`. */
export interface RepositoryOptions {
  readonly isPrivate?: boolean
  readonly isTemplate?: boolean
}

/** Parses push options; unknown ones are ignored. */
export function readOptions(options: readonly string[]): RepositoryOptions {
  const [isPrivate, isTemplate] = [optionSwitch(options, "repo.private"), optionSwitch(options, "repo.template")]
  return { ...(isPrivate !== undefined && { isPrivate }), ...(isTemplate !== undefined && { isTemplate }) }
}

/** The text of an option: "" where it stands alone, undefined where it is not given. The last one counts. */
export function optionText(options: readonly string[], name: string): string | undefined {
  const given = options.findLast((option) => option === name || option.startsWith(`${name}=`))
  return given?.slice(name.length + 1)
}

/** The same for one that switches something on or off. */
export function optionSwitch(options: readonly string[], name: string): boolean | undefined {
  const text = optionText(options, name)
  return text === undefined ? undefined : !/^(false|f|0|no|off)$/i.test(text)
}

/** Why a push with these options is refused, or undefined. */
export function optionsRefused({ permission }: OnRepository, options: readonly string[]): string | undefined {
  const asks = Object.keys(readOptions(options)).length > 0
  return asks && permission.mode < Mode.admin
    ? "the push options repo.private and repo.template are for administrators of the repository"
    : undefined
}
