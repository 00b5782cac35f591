import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { attribute, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Located, OnCode } from "../../../features/code/contents/locate.ts"
import { codePath, repositoryPath } from "../../../web/address.ts"
import { empty, notice } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"

/** Lines of files on pages, and what stands in their place. */

/** Lines in one part of the page, which browsers lay out only when it is seen. */
const CHUNK = 250

/** For a file that has no lines to show. */
export const download = (title: Text, text: Text, href: string): Html =>
  empty("file-binary", title, text, html`<a class="button primary" href="${href}">${icon("download")}Download</a>`)

export const INVISIBLE_WARNING = html`
  <div class="inside">
    ${notice(
      "warn",
      html`
        This file has invisible or bidirectional Unicode characters. They are shown by their code points, such as${" "}
        <span class="iv">U+202E</span>.
      `,
    )}
  </div>
`

/**
 * What the menu of a line needs (`line-menu.ts`): where the lines stay as they are, who wrote them, and where they can be written about; and where names in
 * them are sought (`definitions.ts`).
 */
export function linesData(call: OnCode, { revision, parts }: Located, isBlame = false): Html {
  const { actor, permission, repository } = call
  const fixed = { kind: "commit", name: revision.commit.id }
  const takesIssues = actor.kind === "user" && repository.is_archived === 0 && unitMode(permission, repository, "repo.issues") >= Mode.read
  const permalink = attribute("data-permalink", codePath(call, "src", fixed, parts))
  const blame = attribute("data-blame", isBlame ? undefined : codePath(call, "blame", revision, parts))
  const names = attribute("data-names", `${repositoryPath(call)}/search`)
  return html`${permalink} ${names} ${blame} ${attribute("data-issue", takesIssues ? `${repositoryPath(call)}/issues/new` : undefined)}`
}

export interface CodeOptions {
  /** The class for the width of tabs. */
  readonly tabs?: string | undefined
  /** The number of the first line. */
  readonly first?: number
  /** Other lines of the file are on other pages. */
  readonly isPart?: boolean
}

/** Lines of code with numbers. They can be linked to: `#L3`, and with scripts `#L3-L9`. */
export function codeView(name: string, lines: readonly Html[], { tabs, first = 1, isPart = false }: CodeOptions = {}): Html {
  if (lines.length === 0) return empty("file", t("Empty file"))
  const chunks = Array.from({ length: Math.ceil(lines.length / CHUNK) }, (_, index) => lines.slice(index * CHUNK, (index + 1) * CHUNK))
  return html`
    <div
      class="code${tabs && ` ${tabs}`}"
      role="region"
      aria-label="${name}"
      tabindex="0"
      ${attribute("data-part", isPart)}
    >
      ${chunks.map(
        (chunk, at) =>
          html`
            <div class="chunk">
              ${chunk.map(
                (line, index) => html`<div id="L${first + at * CHUNK + index}" data-n="${first + at * CHUNK + index}">${line}${"\n"}</div>`,
              )}
            </div>
          `,
      )}
    </div>
  `
}

/** How many lines a text has: an end of the last line begins no further one. */
export function countLines(content: Buffer): number {
  let lines = content.length > 0 && content.at(-1) !== LINE_FEED ? 1 : 0
  // Faster than to look for each, where lines are short.
  for (let at = 0; at < content.length; at++) if (content[at] === LINE_FEED) lines++
  return lines
}

const LINE_FEED = 0x0a
