import type { Repository } from "../../../access/permission.ts"
import { refuse } from "../../../core/errors.ts"
import type { MergeStyle } from "./records.ts"

const SWITCH = {
  merge: "allow_merge_commits",
  rebase: "allow_rebase",
  "rebase-merge": "allow_rebase_explicit",
  squash: "allow_squash_merge",
  "fast-forward-only": "allow_fast_forward_only_merge",
} as const satisfies Readonly<Record<MergeStyle, keyof Repository>>

/** Refuses `methodNotAllowed` a style that the repository has switched off. */
export function requireStyle(repository: Repository, style: MergeStyle): void {
  if (repository[SWITCH[style]] === 0) throw refuse.methodNotAllowed(`${style} is not allowed an allowed merge style for this repository`)
}
