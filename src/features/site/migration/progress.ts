import { rfc3339 } from "../../../core/record.ts"
import Type, { Check, type Static } from "../../../core/schema.ts"
import type { RepositoryImport } from "../../code/mirrors/records.ts"
import type { Import } from "../../code/mirrors/store.ts"
import { KINDS, type Kind } from "./origins/model.ts"

/** The progress of an import, as stored in its row. */

/** The steps of an import, in order. */
export const STEPS = ["git", "wiki", "large_files", ...KINDS] as const
type Step = (typeof STEPS)[number]

const Counts = Type.Record(
  Type.String(),
  Type.Object({
    done: Type.Integer(),
    /** Null where the server doesn't say. */
    total: Type.Union([Type.Integer(), Type.Null()]),
    missing: Type.Optional(Type.Integer()),
  }),
)

/** For each step that has begun, how much of it is done, and how much there is. */
export type Progress = { readonly [step in Step]?: Static<typeof Counts>[string] }

export function readProgress({ progress }: Pick<Import, "progress">): Progress {
  const stored: unknown = progress === "" ? {} : JSON.parse(progress)
  return Check(Counts, stored) ? stored : {}
}

/** The imported kinds of records. */
export function kindsOf({ parts }: Pick<Import, "parts">): readonly Kind[] {
  const words: unknown = JSON.parse(parts)
  return Array.isArray(words) ? KINDS.filter((kind) => words.includes(kind)) : []
}

/** The word for the wiki among the parts; it is brought by git, as the code is. */
export const WIKI = "wiki"

export function wantsWiki({ parts }: Pick<Import, "parts">): boolean {
  const words: unknown = JSON.parse(parts)
  return Array.isArray(words) && words.includes(WIKI)
}

/** `repository` is its full name; null where there is none, or none any more. */
export function presentImport(row: Import, repository: string | null): RepositoryImport {
  const progress = readProgress(row)
  const names: readonly Step[] = [
    "git",
    ...(wantsWiki(row) ? ["wiki" as const] : []),
    ...(row.lfs === 1 ? ["large_files" as const] : []),
    ...kindsOf(row),
  ]
  const isDone = (name: Step): boolean => {
    const count = progress[name]
    return row.phase === "done" || (count !== undefined && count.total !== null && count.done + (count.missing ?? 0) >= count.total)
  }
  const isRunning = row.phase === "git" || row.phase === "records"
  const current = names.find((name) => !isDone(name))
  return {
    id: row.id,
    repository,
    state: row.phase === "git" || row.phase === "records" ? "running" : row.phase,
    service: row.service,
    clone_addr: row.remote_url,
    error: row.error,
    waits_until: row.waits_until === 0 ? null : rfc3339(row.waits_until),
    steps: names.map((name) => ({
      name,
      state: isDone(name)
        ? "done"
        : name !== current || !isRunning
          ? name === current && row.phase === "failed"
            ? "failed"
            : "waiting"
          : "running",
      done: progress[name]?.done ?? 0,
      total: progress[name]?.total ?? null,
      missing: progress[name]?.missing ?? 0,
    })),
    created_at: rfc3339(row.created_at),
    updated_at: rfc3339(row.updated_at),
  }
}
