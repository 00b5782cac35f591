import type { Author } from "./cast.ts"

/** A history as a list of steps, in the order in which they happened. */

/** One change to one file. */
export type Edit =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "append"; readonly path: string; readonly text: string }
  | { readonly kind: "replace"; readonly path: string; readonly old: string; readonly text: string }

interface When {
  readonly by: Author
  /** Days since the story began. */
  readonly day: number
  /** Minutes since midnight, in UTC. */
  readonly minute: number
}

export type Step = When &
  (
    | { readonly kind: "commit"; readonly branch: string; readonly message: string; readonly edits: readonly Edit[] }
    /** Joins a branch into main and deletes it. */
    | { readonly kind: "merge"; readonly branch: string }
    /** Tags what main is. */
    | { readonly kind: "tag"; readonly name: string; readonly message: string }
  )

export const MAIN = "main"

function when(at: string, by: Author): When {
  const [, day, hour, minute] = /^(\d+) (\d\d):(\d\d)$/.exec(at) ?? []
  if (minute === undefined) throw new TypeError(`not a day and a time: ${at}`)
  return { by, day: Number(day), minute: Number(hour) * 60 + Number(minute) }
}

/** A commit on main; `at` is a day of the story and a time, such as "3 08:45". */
export const commit = (at: string, by: Author, message: string, ...edits: readonly Edit[]): Step => ({
  ...when(at, by),
  kind: "commit",
  branch: MAIN,
  message,
  edits,
})

/** A commit on another branch, which leaves main where its first commit is made. */
export const commitOn = (branch: string, at: string, by: Author, message: string, ...edits: readonly Edit[]): Step => ({
  ...when(at, by),
  kind: "commit",
  branch,
  message,
  edits,
})

export const merge = (branch: string, at: string, by: Author): Step => ({ ...when(at, by), kind: "merge", branch })

export const tag = (name: string, at: string, by: Author, message: string): Step => ({ ...when(at, by), kind: "tag", name, message })

export const write = (path: string, text: string): Edit => ({ kind: "write", path, text })
export const append = (path: string, text: string): Edit => ({ kind: "append", path, text })
export const replace = (path: string, old: string, text: string): Edit => ({ kind: "replace", path, old, text })

/** A text of whole lines, without the indentation that it has in the source. */
export function text(parts: TemplateStringsArray): string {
  const lines = (parts[0] ?? "").replace(/^\n/, "").replace(/\s*$/, "").split("\n")
  const indentation = Math.min(...lines.filter((line) => line !== "").map((line) => line.length - line.trimStart().length))
  return `${lines.map((line) => line.slice(indentation)).join("\n")}\n`
}
