import { type OnIssue, writesKind } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Ticks } from "../task-boxes.ts"
import { conversationPath } from "./call.ts"

interface Text {
  /** That of its entry; the opening text has 0. */
  readonly id: number
  readonly author_id: number
}

/** Where the boxes of task lists in a text are ticked, where the reader may edit it. `from` is the page below the conversation that they stand on. */
export function ticksOf(call: OnIssue & { readonly actor: Actor }, text: Text | undefined, from: "files" | "" = ""): Ticks | undefined {
  const { actor, repository, issue } = call
  if (!text || actor.kind !== "user" || repository.is_archived === 1) return undefined
  if (actor.user.id !== text.author_id && !writesKind(call, issue)) return undefined
  const { id } = text
  const address = `${conversationPath(call)}${id === 0 ? "/tasks" : `/comments/${id}/tasks`}`
  return { key: id, address, ...(from !== "" && { fields: { from } }) }
}
