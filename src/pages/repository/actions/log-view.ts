import { attribute, type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { isDone } from "../../../features/actions/runs/status.ts"
import type { ShownTask, Step } from "../../../features/actions/runs/tasks-store.ts"
import { withQuery } from "../../../web/address.ts"
import { filterForm } from "../../../web/components.ts"
import { plural } from "../../../web/time.ts"
import { stateIcon } from "../../parts/run-state.ts"
import { lengthOf } from "./list-view.ts"
import { readLine, type ShownLine } from "./log-line.ts"
import { linesOf, type Match, partsOfLog, type Range, type Wanted } from "./log-parts.ts"

/** The log of a job: its steps with their last lines. */

/** Lines of a step that are shown at once, and of all steps. */
export const LINES_SHOWN = 1_000
const LINES_OF_PAGE = 4_000

/** A part of a log: before the steps, one of them, or after them. */
export interface LogPart {
  /** From 0; that of a step is one more than its number. */
  readonly index: number
  readonly name: Text
  readonly step: Step | undefined
  /** All its lines. */
  readonly range: Range
  /** Those that are on the page. */
  readonly shown: Range
  readonly isOpen: boolean
}

export interface LogQuery {
  /** The part to open. */
  readonly step?: number | undefined
  /** Its first line to show, from 1. */
  readonly from?: number | undefined
  readonly q?: string | undefined
  readonly times?: boolean | undefined
}

/** What of a log is shown: every part's last lines, as far as there is room, and first of all those of the part that is open. */
export function layOutLog(task: ShownTask, steps: readonly Step[], isDone: boolean, asked: LogQuery): readonly LogPart[] {
  const ranges = partsOfLog(
    steps.map((step) => ({ number: step.number, firstLine: step.log_line, lines: step.log_lines })),
    linesOf(task),
    isDone,
  )
  const names = [t("Set up job"), ...steps.map(({ name }) => name), t("Complete job")]
  const open = asked.step !== undefined && ranges[asked.step] ? asked.step : openPart(steps, ranges, isDone)
  let room = LINES_OF_PAGE - LINES_SHOWN
  return ranges.map((range, index): LogPart => {
    const isOpen = index === open
    const most = isOpen ? LINES_SHOWN : Math.min(LINES_SHOWN, room)
    const last = Math.max(range.from, range.to - most)
    const first = isOpen && asked.from !== undefined ? Math.min(Math.max(range.from, range.from + asked.from - 1), last) : last
    const shown = { from: first, to: Math.min(range.to, first + most) }
    if (!isOpen) room -= shown.to - shown.from
    return { index, name: names[index] ?? "", step: steps[index - 1], range, shown, isOpen }
  })
}

/** The step that failed, or is in hand, or else the last that has written something. */
function openPart(steps: readonly Step[], ranges: readonly Range[], isDone: boolean): number {
  const failed = steps.findIndex(({ state }) => state === "failure")
  if (failed >= 0) return failed + 1
  const running = isDone ? -1 : steps.findIndex(({ state }) => state === "running")
  if (running >= 0) return running + 1
  // What succeeded is closed; a job of no steps is its own log.
  if (isDone && steps.length > 0) return -1
  const last = ranges.slice(0, -1).findLastIndex(({ from, to }) => to > from)
  return Math.max(0, last)
}

export const wantedOf = (parts: readonly LogPart[]): readonly Wanted[] =>
  parts.map(({ shown, isOpen }) => ({ ...shown, comesFirst: isOpen }))

// --- lines -----------------------------------------------------------------------------------------------------------------------

const clock = (at: string): Html | undefined => (at === "" ? undefined : html`<time>${at.slice(11, 19)}</time>`)

const textsOf = ({ parts }: ShownLine): Content =>
  parts.map(([classes, text]) => (classes === "" ? text : html`<span class="${classes}">${text}</span>`))

const WORD: Readonly<Record<string, Text>> = { error: t("Error: "), warning: t("Warning: "), notice: t("Notice: ") }

/** A line; the number is a link to it. */
function drawLine(part: number, number: number, line: ShownLine, withTime: boolean): Html {
  const id = `jobstep-${part}-${number}`
  return html`
    <div class="log-line${line.kind && ` is-${line.kind}`}" id="${id}">
      <a href="#${id}" tabindex="-1">${number}</a>${withTime && clock(line.time)}
      <span>${WORD[line.kind]}${textsOf(line)}</span>
    </div>
  `
}

function drawLines({ index, range, shown }: LogPart, lines: ReadonlyMap<number, string>, withTime: boolean): Html {
  const drawn: Content[] = []
  let group: { readonly head: Html; readonly inside: Html[] } | undefined
  const close = () => {
    if (group)
      drawn.push(html`
        <details class="log-group">
          <summary>${group.head}</summary>
          ${group.inside}
        </details>
      `)
    group = undefined
  }
  for (let at = shown.from; at < shown.to; at++) {
    const text = lines.get(at)
    if (text === undefined) continue
    const line = readLine(text)
    const number = at - range.from + 1
    if (line.kind === "endgroup") close()
    else if (line.kind === "group") {
      close()
      const id = `jobstep-${index}-${number}`
      const head = html`
        <span class="log-line is-group" id="${id}">
          <span class="log-number">${number}</span>${withTime && clock(line.time)}<span>${textsOf(line)}</span>
        </span>
      `
      group = { head, inside: [] }
    } else (group?.inside ?? drawn).push(drawLine(index, number, line, withTime))
  }
  // What is still going on is not folded.
  if (group) drawn.push(group.head, group.inside)
  return html`${drawn}`
}

/** A part of a log, with links to its other lines. */
export function drawPart(
  part: LogPart,
  lines: ReadonlyMap<number, string>,
  { url, now, withTimes }: { readonly url: string; readonly now: number; readonly withTimes: boolean },
): Html {
  const { index, name, step, range, shown, isOpen } = part
  const total = range.to - range.from
  const here = withQuery(url, { q: undefined, step: index })
  const isEmpty = total === 0
  const end = index > 0 && step === undefined
  const before = shown.from - range.from
  const isWhole = Array.from({ length: shown.to - shown.from }, (_, offset) => shown.from + offset).every((at) => lines.has(at))
  return html`
    <details
      class="log-part"
      id="step-${index}"
      data-part="${index}"
      data-first="${range.from}"
      ${flagged("open", isOpen)}
      ${flagged("hidden", isEmpty && end)}
    >
      <summary>
        ${step && html`<span data-state="step-${index}">${stateIcon(step.state)}</span>`}
        <span class="break" dir="auto">${name}</span>
        <span class="muted small end" data-length>
          ${step && (step.stopped_at > 0 || !isDone(step.state)) && lengthOf(step, now)}
        </span>
      </summary>
      ${
        (before > 0 || !isWhole) &&
        html`
          <p class="muted small log-more">
            ${before > 0 && plural(before, "line")}${before > 0 && t(" before these. ")}
            <a href="${withQuery(here, { from: Math.max(1, before - LINES_SHOWN + 1) })}#step-${index}">
              Earlier lines
            </a>
            ${before > 0 && html` · <a href="${withQuery(here, { from: 1 })}#step-${index}">First lines</a>`}
            ${!isOpen && html` · <a href="${here}#step-${index}">Show all</a>`}
          </p>
        `
      }
      <div class="log-lines" data-lines>${isEmpty ? undefined : drawLines(part, lines, withTimes)}</div>
      ${
        shown.to < range.to &&
        html`
          <p class="muted small log-more">
            <a href="${withQuery(here, { from: shown.to - range.from + 1 })}#step-${index}">Later lines</a> ·${" "}
            <a href="${withQuery(here, { from: undefined })}#step-${index}">Last lines</a>
          </p>
        `
      }
    </details>
  `
}

/** The tools above a log. */
export const logTools = (url: string, at: string, { q, times }: LogQuery, hasLog: boolean): Html =>
  html`
    <div class="bar log-tools">
      ${filterForm(at, q ?? "", t("Search this log"), { times: times ? "1" : undefined })}
      <a
        class="button small"
        href="${withQuery(url, { times: times ? undefined : 1 })}"
        rel="nofollow"
        ${attribute("aria-pressed", undefined)}
      >
        ${times ? t("Hide times") : t("Show times")}
      </a>
      ${hasLog && html`<a class="button small" href="${at}/logs" rel="nofollow">Download</a>`}
    </div>
  `

/** The lines in which something was found, each with a link to where it stands. */
export function matchList(
  parts: readonly LogPart[],
  { matches, total }: { readonly matches: readonly Match[]; readonly total: number },
  q: string,
  url: string,
): Html {
  const drawn = matches.map(({ number, line }) => {
    const part = parts.findLast(({ range }) => number >= range.from && number < range.to) ?? parts[0]
    const inPart = number - (part?.range.from ?? 0) + 1
    const isShown = part !== undefined && number >= part.shown.from && number < part.shown.to && part.isOpen
    const to = withQuery(url, { q: undefined, step: part?.index, from: isShown ? undefined : Math.max(1, inPart - 20) })
    const text = readLine(line)
      .parts.map(([, each]) => each)
      .join("")
    return html`
      <li>
        <a href="${to}#jobstep-${part?.index}-${inPart}">${part?.name} : ${inPart}</a>${" "}
        <code class="break">${marked(text, q)}</code>
      </li>
    `
  })
  return html`
    <section class="stack tight">
      <h2>${total === 0 ? t("No matching lines") : plural(total, "line")}</h2>
      ${matches.length > 0 && html`<ol class="rows found-lines">${drawn}</ol>`}
      ${total > matches.length && html`<p class="muted small">The first ${matches.length} of them.</p>`}
    </section>
  `
}

/** A text with the marks of what was searched for, and not much before the first. */
function marked(whole: string, q: string): Html {
  const first = whole.toLowerCase().indexOf(q.toLowerCase())
  const start = Math.max(0, first - 200)
  const text = whole.slice(start, start + 600)
  const parts: Content[] = start > 0 ? ["…"] : []
  const lower = text.toLowerCase()
  let at = 0
  // A letter whose small form has another length would shift the marks.
  for (let hit = lower.length === text.length ? lower.indexOf(q.toLowerCase()) : -1; hit !== -1; hit = lower.indexOf(q.toLowerCase(), at)) {
    parts.push(text.slice(at, hit), html`<mark>${text.slice(hit, hit + q.length)}</mark>`)
    at = hit + q.length
  }
  return html`${parts}${text.slice(at)}`
}
