import type { Typed } from "../../../core/forms/form.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { path } from "../../../web/address.ts"

/** What all forms that make a commit have alike: its message, and where they lead. */

/** The subject and the description as one message; nothing lets the operation make one. */
export const messageOf = ({ message = [], description = [] }: Typed): { readonly message: string } => ({
  message: [message[0] ?? "", unixLines(description[0]) ?? ""]
    .map((part) => part.trim())
    .join("\n\n")
    .trim(),
})

interface Done {
  readonly path: { readonly owner: string; readonly repo: string }
  readonly field: (name: string) => string
}

/** Where a commit leads: to what was changed, or from a new branch to the form of a pull request. */
export function afterwards({ path: { owner, repo }, field }: Done, view: "src" | "commits", file: string, query = ""): string {
  const [start, made, upstream] = [field("branch"), field("new_branch") || field("branch"), field("upstream")]
  if (/^[\w.-]+\/[\w.-]+$/.test(upstream)) return `/${upstream}/compare/...${encodeURIComponent(owner)}:${escapePath(made)}?expand=1`
  if (made !== start) return `${path(owner, repo)}/compare/${escapePath(start)}...${escapePath(made)}?expand=1`
  return `${path(owner, repo)}/${view}/branch/${escapePath(made)}${file === "" ? "" : `/${escapePath(file)}`}${query}`
}
