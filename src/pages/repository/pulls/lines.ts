import { onPull } from "../../../access/policies/pulls.ts"
import { refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { findEntry } from "../../../features/code/contents/paths.ts"
import { rangeOf } from "../../../features/review/pulls/contents.ts"
import { isGitError, isTreeEntryName } from "../../../git/index.ts"
import { icon } from "../../../web/icon.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { anchorOf } from "../../parts/diffs/diffs.ts"
import { pullPage, shapeOf } from "./frame.ts"
import { type Lines, lineBox, linesAsked, suggestionOf } from "./line-form.ts"
import { type FilesCall, pendingOf, reviewMenu } from "./reviewing.ts"
import { drawThreads, linesIn, suggestionsBox } from "./reviews-view.ts"

/** Lines of a file that a pull request changes: what was said about them, and the box for a comment. The script of the files puts parts of it in place. */
export const pullLines: Page = page({
  id: "pull.lines",
  address: "GET /{owner}/{repo}/pulls/{index}/lines",
  access: onPull,
  query: { comment: Type.Optional(Type.String()), suggest: Type.Optional(Type.Boolean()) },
  changesWithTime: true,
  answer: async (call) => {
    const lines = linesAsked(call.query.comment)
    if (!lines || lines.last === 0) throw refuse.notFound()
    const { path, side, first, last } = lines
    const line = side === "L" ? -last : last
    const threads = await drawThreads(call, (comment) => comment.path === path && comment.line === line)
    const isWriting = call.actor.kind === "user" && call.repository.is_archived === 0
    const pending = isWriting ? await pendingOf(call) : undefined
    const texts = await textsOf(call, lines)
    const sign = side === "L" ? "-" : "+"
    return pullPage(
      await shapeOf(call),
      "files",
      html`
        <div class="bar between">
          <h2 class="break"><bdi class="mono">${path}</bdi></h2>
          ${isWriting && reviewMenu(call, pending)}
        </div>
        <p class="bar">
          <span class="muted">${linesIn(line, last - first + 1)}</span>
          <a class="button small" href="${conversationPath(call)}/files#${anchorOf(path)}${side}${last}">${icon("file-diff")}All changes</a>
        </p>
        ${
          texts &&
          html`
            <pre class="hunk" tabindex="0">
              ${texts.map((text) => html`<span class="${side === "L" ? "del" : "add"}">${sign}${text}</span>`)}
            </pre>
          `
        }
        ${suggestionsBox(
          call,
          threads.some(({ hasSuggestion }) => hasSuggestion),
        )}
        ${threads.map(({ content }) => content)}
        ${
          isWriting &&
          lineBox(call, lines, {
            isPending: pending !== undefined,
            text: call.query.suggest === true && texts && side === "R" ? suggestionOf(texts) : "",
          })
        }
      `,
      { modules: ["composer", "review"] },
    )
  },
})

/** More lines than a comment can be about are not read. */
const MOST_LINES = 500

/** The lines as they are on their side; undefined where there are none of them. */
async function textsOf(call: FilesCall, { path, side, first, last }: Lines): Promise<readonly string[] | undefined> {
  const { git } = call.services
  const { repository, from, to } = rangeOf(call.services, call, call.pull)
  const names = path.split("/")
  if (!names.every(isTreeEntryName) || last - first >= MOST_LINES) return undefined
  const { tree } = await git.objects.readCommit(repository, side === "L" ? from : to)
  const entry = await findEntry(git, repository, tree, names)
  if (!entry || entry.mode === "40000" || entry.mode === "160000") return undefined
  try {
    const content = await git.objects.readBlob(repository, entry.id)
    if (content.includes(0)) return undefined
    const texts = content
      .toString("utf8")
      .split("\n", last)
      .slice(first - 1)
    return texts.length === 0 ? undefined : texts.map((text) => text.replace(/\r$/, ""))
  } catch (error) {
    if (isGitError(error, "tooLarge")) return undefined
    throw error
  }
}
