import type { Operation } from "../../src/core/operation.ts"
import type { Cell } from "./expectation.ts"
import { credentials, roles, type Visibility, visibilities, type World } from "./world.ts"

/** The cells that can differ: an anonymous caller has no credential, and the site as a whole no visibility. */
export const cellsOf = ({ rule }: Operation): readonly Cell[] =>
  (rule.subject === "site" ? (["public"] as const) : visibilities).flatMap((visibility) =>
    roles.flatMap((role) =>
      (role === "anonymous" ? (["password"] as const) : credentials).map((credential) => ({ role, credential, visibility })),
    ),
  )

/** Below /api/v1, the operation's address for the subject of this visibility. */
export function addressIn(world: World, { path, rule }: Operation, visibility: Visibility): string {
  const values = world.parameters(visibility)
  const [kind = ""] = rule.needs.split(":")
  const subject = kind === "comment" || kind === "review" ? kind : rule.subject
  const id = subject === "site" || subject === "user" || subject === "organization" ? undefined : values[`${subject}_id`]
  // The issue is the first of its repository, the pull request the second.
  const index = path.includes("/pulls/{index}") ? "2" : "1"
  const known: Readonly<Record<string, string | undefined>> = { ...values, id, index, diffType: "diff" }
  return path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "1")
}
