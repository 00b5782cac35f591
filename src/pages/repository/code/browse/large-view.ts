import { type Html, html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import type { Located, OnCode } from "../../../../features/code/contents/locate.ts"
import type { TreeEntry } from "../../../../git/index.ts"
import { codePath, withQuery } from "../../../../web/address.ts"
import { notice } from "../../../../web/components.ts"
import { icon } from "../../../../web/icon.ts"
import { bytes, count, number } from "../../../../web/time.ts"
import { codeView, download, INVISIBLE_WARNING } from "../../../parts/code/lines.ts"
import { type PartLimits, readPart } from "./part.ts"

/** One page of a large file. What it can become as HTML, of characters that are shown as numbers, is a few MB. */
const LIMITS: PartLimits = { lines: 5_000, lineBytes: 4 * 1024, bytes: 512 * 1024, readBytes: 256 * 1024 * 1024 }

export interface LargeFile {
  readonly entry: TreeEntry
  readonly size: number
  /** The first line that is shown. */
  readonly from: number
  readonly tabs: string | undefined
}

/** A file that is too large to be shown whole: some of its lines, without colours, and ways to the others. Takes one process. */
export async function largeView(call: OnCode, { git, revision, parts }: Located, { entry, size, from, tabs }: LargeFile): Promise<Html> {
  const { services } = call
  const raw = codePath(call, "raw", revision, parts)
  const { content } = await services.git.objects.streamBlob(git, entry.id)
  const part = await readPart(content, from, LIMITS)
  if (part.isBinary) return download(t("Binary file"), t("The file has {size}.", { size: bytes(size) }), raw)
  const here = codePath(call, "src", revision, parts)
  const at = (line: number) => withQuery(`${here}?display=source`, { from: line === 1 ? undefined : line })
  const code = await services.highlighter.lines({ text: part.lines.map(({ text }) => `${text}\n`).join("") })
  const lines = code.lines.map((line, index) => {
    const cut = part.lines[index]?.cut ?? 0
    return cut === 0 ? line : html`${line} <span class="muted">… ${bytes(cut)} more</span>`
  })
  const next = from + part.lines.length
  const pages = html`
    <div class="inside bar parts">
      <span class="muted small">
        ${
          part.lines.length === 0
            ? t("No line {from} here.", { from: count(from) })
            : t("Lines {from} to {to}", { from: number(from), to: number(next - 1) })
        }
      </span>
      ${
        from > 1 &&
        html`
          <a class="button small" rel="prev nofollow" href="${at(Math.max(1, from - LIMITS.lines))}">
            ${icon("chevron-left")}Lines before
          </a>
        `
      }
      ${
        part.hasMore &&
        !part.isTooFar &&
        html`<a class="button small" rel="next nofollow" href="${at(next)}">Lines after${icon("chevron-right")}</a>`
      }
      <form class="bar end" action="${here}">
        <input type="hidden" name="display" value="source"><label for="from">Line</label>
        <input id="from" name="from" type="number" min="1" max="999999999" required><button class="small">Go</button>
      </form>
    </div>
  `
  return html`
    ${pages}${code.hasInvisible && INVISIBLE_WARNING}
    ${
      part.isTooFar &&
      html`
        <div class="inside">
          ${notice("info", html`Only the first ${bytes(LIMITS.readBytes)} are shown. <a href="${raw}">The whole file</a> has more.`)}
        </div>
      `
    }
    ${part.lines.length > 0 && codeView(entry.name, lines, { first: from, isPart: true, tabs })}
  `
}
