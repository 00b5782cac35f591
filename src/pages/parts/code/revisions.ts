import { t } from "../../../core/language/message.ts"
import { type Moved, moved } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import type { Located, OnCode } from "../../../features/code/contents/locate.ts"
import { codePath } from "../../../web/address.ts"

/** The query with which the menu of branches and tags asks for a path that need not be there. */
export const nearestField = { nearest: Type.Optional(Type.Boolean()) }

/** The view and the path in it, `src/lib/a.ts`, with which the pages of branches and tags are asked for where one comes from a file. */
export const comingFromField = { path: Type.Optional(Type.String({ maxLength: 4096 })) }

const VIEWS = ["src", "blame", "commits"] as const

/** Where a branch or tag leads to on these pages: to the path that one comes from, as far as it has it. */
export function comingFrom(on: Parameters<typeof codePath>[0], path: string | undefined, kind: "branch" | "tag", name: string): string {
  const [first = "", ...parts] = (path ?? "").split("/").filter((part) => part !== "")
  const view = VIEWS.find((known) => known === first)
  return view ? `${codePath(on, view, { kind, name }, parts)}?nearest=true` : codePath(on, "src", { kind, name })
}

/** The longest path that a sentence repeats, in characters: it is sent in a cookie. */
const LONGEST_SAID = 300

/** Leads to the path in this revision, or to the nearest folder above it that the revision has, with a sentence about it. */
export async function nearestPlace(call: OnCode, view: "src" | "blame" | "commits", located: Located): Promise<Moved> {
  const { git, revision, parts } = located
  let tree = revision.commit.tree
  for (const [depth, part] of parts.entries()) {
    const entry = (await call.services.git.objects.readTree(git, tree)).find(({ name }) => name === part)
    const isLast = depth === parts.length - 1
    if (entry?.mode === "40000") tree = entry.id
    else if (entry && entry.mode !== "160000" && isLast) break
    else {
      const path = parts.join("/")
      const said = path.length > LONGEST_SAID ? t("This path") : path
      const there = codePath(call, view === "blame" ? "src" : view, revision, parts.slice(0, depth))
      return moved(there, { flash: t("{said} is not in {name}.", { said, name: revision.name }) })
    }
    // Only files have a blame.
    if (isLast && view === "blame") return moved(codePath(call, "src", revision, parts))
  }
  return moved(codePath(call, parts.length === 0 && view === "blame" ? "src" : view, revision, parts))
}
