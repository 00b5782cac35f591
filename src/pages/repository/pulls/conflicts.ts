import { type OnPull, onPullToChange } from "../../../access/policies/pulls.ts"
import { requireUnarchived } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import { fileContent } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { type Conflicts, MOST_BYTES, MOST_FILES, readConflicts, resolveConflicts } from "../../../features/review/conflicts/rules.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import type { TypedFile, TypedResolution } from "./conflicts-view.ts"

/** The page on which the conflicts of a pull request are resolved. */

const access = onPullToChange
const texts = Type.Optional(Type.Array(Type.String()))
const contents = Type.Optional(Type.Array(fileContent()))
const text = Type.Optional(Type.String())

type Call = OnPull & Me & Request

export const conflictPages: readonly Page[] = [
  page({
    id: "pull.conflicts",
    address: "GET /{owner}/{repo}/pulls/{index}/conflicts",
    access,
    changesWithTime: true,
    answer: async (call) => {
      const found = await conflictsOf(call)
      if (found.conflicts?.questions.length === 0 && found.conflicts.obstacle === undefined)
        return moved(conversationPath(call), { flash: t("The branches have no conflicts.") })
      const { conflictsPage } = await import("./conflicts-view.ts")
      return conflictsPage(call, found)
    },
  }),
  page({
    id: "pull.resolveConflicts",
    address: "POST /{owner}/{repo}/pulls/{index}/conflicts",
    access,
    // An escaped byte takes three in a form.
    bytes: 3 * MOST_BYTES + 524_288,
    once: true,
    // Each file has one path, decision and text, and what its sides were; in this order.
    query: { head: text, base: text, message: text, path: texts, how: texts, content: contents, sides: contents },
    again: async (call, refusal) => {
      const { conflictsPage } = await import("./conflicts-view.ts")
      const shown = await conflictsPage(call, { ...(await conflictsOf(call)), typed: typedIn(call.query), refusal })
      return { ...shown, isPrivate: true }
    },
    answer: async (call) => {
      requireUnarchived(call)
      const { files, head, base, message } = typedIn(call.query)
      if (files.length > 2 * MOST_FILES) throw refuse.invalid("path", t`at most ${MOST_FILES} files are resolved at once`)
      const decisions = files.map(({ path, how, content }) => ({ path, how, text: content }))
      await resolveConflicts(call.services, call, { tip: head, from: base, message, decisions })
      return moved(conversationPath(call), { flash: t("Conflicts resolved.") })
    },
  }),
]

/** What is in conflict now, or why that can't be said to this person. */
async function conflictsOf(call: Call): Promise<{ readonly conflicts?: Conflicts; readonly reason?: Text }> {
  try {
    requireUnarchived(call)
    return { conflicts: await readConflicts(call.services, call) }
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return { reason: error.kind === "notFound" ? t("The head branch was deleted, or you don’t have access to it.") : error.said }
  }
}

interface Sent {
  readonly [field: string]: string | readonly string[] | undefined
  readonly path?: readonly string[]
  readonly how?: readonly string[]
  readonly content?: readonly string[]
  readonly sides?: readonly string[]
  readonly head?: string
  readonly base?: string
  readonly message?: string
}

function typedIn({ path = [], how = [], content = [], sides = [], head = "", base = "", message = "" }: Sent): TypedResolution {
  const files = path.map((each, index): TypedFile => {
    const written = unixLines(content[index]) ?? ""
    return { path: each, how: how[index] ?? "", content: written, sides: sides[index] ?? "" }
  })
  return { files, head, base, message: unixLines(message) }
}
