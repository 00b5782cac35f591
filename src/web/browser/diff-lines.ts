/**
 * The line of a difference on which the reader stands, which has the focus: the arrow keys go from line to line, with Shift they choose several, `n` and `p` go from
 * change to change, `j` and `k` from file to file.
 */

type Side = "L" | "R"

/** Lines of one side of a file. */
export interface Chosen {
  readonly section: HTMLElement
  /** The row of the last of them. */
  readonly row: HTMLElement
  readonly side: Side
  readonly first: number
  readonly last: number
}

/** The row on which the reader stands, and the one where they began to choose. */
let current: HTMLElement | undefined
let begin: HTMLElement | undefined
/** The side that is meant where a row has lines of both. */
let meant: Side = "R"

const isRow = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement && element.parentElement?.classList.contains("diff-lines") === true && !element.classList.contains("noted")

/** The row that something of a difference is in. */
export function rowOf(target: EventTarget | null): HTMLElement | undefined {
  let row = target instanceof Element ? target : null
  while (row && !isRow(row)) row = row.parentElement
  return row && isRow(row) ? row : undefined
}

export const sectionOf = (inside: Element): HTMLElement | null => inside.closest<HTMLElement>("section.diff")

/** The number of a row on a side. The address of a line ends with it; an unchanged one has that of the old file beside it. */
function numberOf(row: HTMLElement, side: Side): number | undefined {
  for (const line of [row, ...row.querySelectorAll<HTMLElement>("[id]")]) {
    const [, of, number] = /([LR])(\d+)$/.exec(line.id) ?? []
    if (of === side) return Number(number)
    if (side === "L" && line.dataset["o"] !== undefined) return Number(line.dataset["o"])
  }
  return undefined
}

/** The line whose number is under the pointer: numbers are generated content, beside the text. */
export function lineAtNumber({ target, clientX }: MouseEvent): HTMLElement | undefined {
  const line = target instanceof Element ? target.closest<HTMLElement>(".diff-lines [data-n]") : null
  if (!line || line !== target) return undefined
  if (line.tagName === "I") return line
  const { left, right } = line.getBoundingClientRect()
  const { paddingInlineStart, direction } = getComputedStyle(line)
  return (direction === "rtl" ? right - clientX : clientX - left) < Number.parseFloat(paddingInlineStart) ? line : undefined
}

const isChanged = (row: HTMLElement): boolean => row.matches(".a, .d") || row.querySelector(":scope > .a, :scope > .d") !== null

/** The next row of the page, or the one before; of files that are open. */
function beside(row: HTMLElement, by: 1 | -1): HTMLElement | undefined {
  const next = (from: Element): Element | null => (by > 0 ? from.nextElementSibling : from.previousElementSibling)
  let at = next(row)
  while (at && !isRow(at)) at = next(at)
  if (at && isRow(at)) return at
  const parts = [...document.querySelectorAll("section.diff > details[open] .diff-lines")]
  for (let index = parts.indexOf(row.parentElement ?? row) + by; parts[index]; index += by) {
    const rows = [...(parts[index]?.children ?? [])].filter(isRow)
    const found = by > 0 ? rows[0] : rows.at(-1)
    if (found) return found
  }
  return undefined
}

/** The first row of the next change, or of the one before. */
function nextChange(from: HTMLElement, by: 1 | -1): HTMLElement | undefined {
  const begins = (row: HTMLElement): boolean => {
    const before = beside(row, -1)
    return isChanged(row) && (!before || !isChanged(before) || sectionOf(before) !== sectionOf(row))
  }
  let row = beside(from, by)
  while (row && !begins(row)) row = beside(row, by)
  return row
}

/** Where a change begins in the new file: what was deleted stands before what came in its place. */
function newBegin(row: HTMLElement): HTMLElement {
  let at: HTMLElement | undefined = row
  while (at && isChanged(at) && numberOf(at, "R") === undefined) at = beside(at, 1)
  return at && isChanged(at) && sectionOf(at) === sectionOf(row) ? at : row
}

/** The first line of a file that has changed, where it is shown. */
export function firstOf(section: Element): HTMLElement | undefined {
  const rows = [...section.querySelectorAll(":scope > details[open] .diff-lines > *")].filter(isRow)
  const changed = rows.find(isChanged)
  return changed ? newBegin(changed) : rows[0]
}

function clear(): void {
  for (const row of document.querySelectorAll(".diff-lines > .chosen")) row.classList.remove("chosen")
}

/** Marks the rows between two of one file. */
export function choose(from: HTMLElement, to: HTMLElement): void {
  clear()
  begin = from
  current = to
  if (from === to || sectionOf(from) !== sectionOf(to)) return
  const by = from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING ? 1 : -1
  for (let row: HTMLElement | undefined = from; row; row = row === to ? undefined : beside(row, by)) row.classList.add("chosen")
}

/** Goes to a row; with `from`, all between them are chosen. */
export function stand(row: HTMLElement, from = row): void {
  current?.removeAttribute("tabindex")
  choose(from, row)
  row.tabIndex = -1
  row.focus({ preventScroll: true })
  row.scrollIntoView({ block: "nearest" })
  document.dispatchEvent(new CustomEvent("hearth:line", { detail: row }))
}

const isShown = (row: HTMLElement): boolean => {
  const { top, bottom } = row.getBoundingClientRect()
  return row.isConnected && bottom > 0 && top < innerHeight
}

/** Where the reader stands, or the first change that they see. */
export function here(): HTMLElement | undefined {
  if (current && isShown(current)) return current
  const target = rowOf(document.querySelector(".diff-lines [data-n]:target"))
  if (target) return target
  for (const section of document.querySelectorAll("section.diff")) {
    if (section.getBoundingClientRect().bottom < 0) continue
    const rows = [...section.querySelectorAll(":scope > details[open] .diff-lines > *")].filter(isRow)
    const found = rows.find((row) => isChanged(row) && row.getBoundingClientRect().top >= 0)
    if (found) return newBegin(found)
  }
  return undefined
}

/** The lines between two rows, on the side of the one that was chosen last. */
export function linesBetween(from: HTMLElement, to: HTMLElement, asked?: Side): Chosen | undefined {
  const section = sectionOf(to)
  if (!section) return undefined
  const wanted = asked ?? meant
  const side = numberOf(to, wanted) === undefined ? (wanted === "R" ? "L" : "R") : wanted
  const at = numberOf(to, side)
  if (at === undefined) return undefined
  let [first, last, end] = [at, at, to]
  if (from !== to && sectionOf(from) === section) {
    const isDown = Boolean(from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING)
    for (let row: HTMLElement | undefined = from; row && row !== to; row = beside(row, isDown ? 1 : -1)) {
      const line = numberOf(row, side)
      if (line === undefined) continue
      first = Math.min(first, line)
      if (line > last) [last, end] = [line, row]
    }
  }
  return { section, row: end, side, first, last }
}

/** What is chosen: at least the line on which the reader stands. */
export function chosen(): Chosen | undefined {
  const row = here()
  return row && linesBetween(begin && row === current && begin.isConnected ? begin : row, row)
}

/** The row that was chosen last, for what is chosen from there. */
export const lastOf = (section: Element | null): HTMLElement | undefined =>
  current?.isConnected && section?.contains(current) ? current : undefined

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** The file in which the reader is: that of the focus, or the one at the top of the window. */
function fileAt(files: readonly HTMLElement[]): number {
  const focused = files.findIndex((file) => file.contains(document.activeElement))
  return focused >= 0 ? focused : files.findLastIndex((file) => file.getBoundingClientRect().top < 80)
}

function toFile(by: 1 | -1): void {
  const files = [...document.querySelectorAll<HTMLElement>("section.diff")]
  const file = files[Math.max(0, fileAt(files) + by)]
  if (!file) return
  file.scrollIntoView()
  const row = firstOf(file)
  if (row) stand(row)
  else file.querySelector("summary")?.focus({ preventScroll: true })
}

/** The row from which the arrows go on; from a file's name, before its first change. */
function move(event: KeyboardEvent): void {
  const { activeElement } = document
  const row = rowOf(activeElement)
  const isAtName = activeElement?.matches("section.diff > details[open] > summary") === true
  const by = event.key === "ArrowDown" ? 1 : -1
  const next =
    row === activeElement
      ? row && beside(row, by)
      : isAtName && by > 0
        ? firstOf(activeElement.parentElement?.parentElement ?? activeElement)
        : undefined
  if (!next) return
  event.preventDefault()
  if (event.shiftKey && row && sectionOf(next) !== sectionOf(row)) return
  stand(next, event.shiftKey && row ? (begin ?? row) : next)
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
  const { key } = event
  const row = rowOf(document.activeElement)
  if (key === "j" || key === "k") toFile(key === "j" ? 1 : -1)
  else if (key === "n" || key === "p") {
    const from = current?.isConnected ? current : undefined
    const next = from ? nextChange(from, key === "n" ? 1 : -1) : here()
    if (next) stand(next)
  } else if (key === "ArrowDown" || key === "ArrowUp") move(event)
  else if ((key === "ArrowLeft" || key === "ArrowRight") && row?.classList.contains("both") && row === document.activeElement) {
    meant = key === "ArrowLeft" ? "L" : "R"
    event.preventDefault()
    stand(row)
  } else if (key === "Escape" && row) {
    clear()
    begin = row
  }
})
