import { fetchFragment } from "./fragment.ts"
import { t } from "./words.ts"

/** Runs and logs as they go on. The server tells states and lines; they are put into the page as texts and classes alone. */

interface Look {
  readonly tone: string
  readonly icon: string
  readonly text: string
}
interface Line {
  readonly time: string
  readonly kind: string
  readonly parts: readonly (readonly [classes: string, text: string])[]
}
interface States {
  readonly attempt?: number
  readonly states: Readonly<Record<string, Look>>
  readonly firsts?: readonly number[]
  readonly lengths?: readonly string[]
  readonly current?: number
}

/** A part of the log: before the steps, one of them, or after them. */
interface Part {
  readonly index: number
  readonly box: HTMLDetailsElement
  readonly lines: HTMLElement
  /** The number of its first line in the whole log; -1 before it has one. */
  first: number
  group: HTMLDetailsElement | undefined
}

/** Lines of a part that stay in the page. */
const MOST_LINES = 5_000
/** Milliseconds between two tries to connect: twice as many each time. */
const [SOONEST, LATEST] = [1_000, 30_000]
const MOST_TRIES = 30
const WORDS: Readonly<Record<string, string>> = { error: t("Error: "), warning: t("Warning: "), notice: t("Notice: ") }

const live = document.querySelector<HTMLElement>("[data-live]")
if (live) follow(live)

/** The log of a job, or the states of a run, as the page shows it. */
interface Log {
  readonly root: HTMLElement
  readonly parts: readonly Part[]
  readonly withTimes: boolean
  /** The number of the line that comes next. */
  next: number
  /** The reader has opened or closed a part. */
  isChosen: boolean
}

function follow(root: HTMLElement): void {
  const address = new URL(root.dataset["live"] ?? "", location.href)
  const parts = [...root.querySelectorAll<HTMLDetailsElement>("[data-part]")].map((box, index): Part => {
    const lines = box.querySelector<HTMLElement>("[data-lines]") ?? box
    return { index, box, lines, first: lines.childElementCount > 0 ? Number(box.dataset["first"]) : -1, group: undefined }
  })
  const withTimes = root.dataset["times"] !== undefined
  const log: Log = { root, parts, withTimes, next: Number(address.searchParams.get("from") ?? 0), isChosen: false }
  for (const { box } of parts)
    box.querySelector("summary")?.addEventListener("click", () => {
      log.isChosen = true
    })
  connect(log, address)
}

function connect(log: Log, address: URL, tries = 0): void {
  if (address.searchParams.has("from")) address.searchParams.set("from", String(log.next))
  const source = new EventSource(address)
  let failures = tries
  source.addEventListener("open", () => {
    failures = 0
  })
  source.addEventListener("state", ({ data }) => showStates(log, JSON.parse(data)))
  source.addEventListener("lines", ({ data }) => showLines(log, JSON.parse(data)))
  source.addEventListener("reload", () => location.reload())
  source.addEventListener("end", () => {
    source.close()
    // A run has left more when it has ended: artifacts, summaries, buttons.
    if (log.parts.length === 0) location.reload()
    else void finish(log)
  })
  source.addEventListener("error", () => {
    source.close()
    if (failures++ < MOST_TRIES)
      setTimeout(() => connect(log, address, failures), Math.min(LATEST, SOONEST * 2 ** failures) * (0.5 + Math.random()))
  })
}

/** The job is over: its steps are closed but for one that failed, and what stands around the log is as it is now; also when the whole run has ended. */
async function finish(log: Log): Promise<void> {
  if (!log.isChosen) for (const { box } of log.parts) box.open = box.querySelector("summary .state.failure") !== null
  document.querySelector("[data-reload]")?.remove()
  await freshen()
  if (log.root.dataset["run"] === undefined || document.querySelector('[data-fresh="head"] form')) return
  const run = new EventSource(new URL(log.root.dataset["run"], location.href))
  run.addEventListener("state", () => void freshen())
  run.addEventListener("end", () => {
    run.close()
    void freshen()
  })
  run.addEventListener("error", () => run.close())
}

/** Puts the parts of the page beside the log in place as the server has them now. */
async function freshen(): Promise<void> {
  try {
    const page = await fetchFragment(location.pathname)
    for (const place of document.querySelectorAll<HTMLElement>("[data-fresh]")) {
      const fresh = page.querySelector(`[data-fresh="${CSS.escape(place.dataset["fresh"] ?? "")}"]`)
      if (fresh && !place.contains(document.activeElement)) place.replaceWith(fresh)
    }
  } catch {
    // The page is true again once it is loaded again.
  }
}

function showStates(log: Log, { attempt, states, firsts, lengths, current }: States): void {
  const { root, parts } = log
  if (attempt !== undefined && attempt !== Number(root.dataset["attempt"])) location.reload()
  for (const [name, look] of Object.entries(states)) {
    const place = document.querySelector(`[data-state="${CSS.escape(name)}"]`)
    if (place) showState(place, look)
    // A matrix has become jobs.
    else if (parts.length === 0) location.reload()
  }
  lengths?.forEach((length, index) => {
    const place = parts[index]?.box.querySelector("[data-length]")
    if (place) place.textContent = length
  })
  firsts?.forEach((first, index) => {
    const part = parts[index]
    if (part && first >= 0 && part.first !== first) beginPart(parts, part, first)
  })
  const now = parts[current ?? 0]
  if (now && current && !log.isChosen && !now.box.open) for (const { box } of parts) box.open = box === now.box
}

/** Lines that came before it was known that a part had begun stand in the one before. */
function beginPart(parts: readonly Part[], part: Part, first: number): void {
  const before = parts.slice(0, part.index).findLast((each) => each.first >= 0 && each.first < first)
  const moved: Element[] = []
  if (before) {
    for (let child = before.lines.lastElementChild; child && lineOf(child, before) >= first; child = child.previousElementSibling)
      moved.unshift(child)
    if (moved.length > 0) before.group = undefined
  }
  part.first = first
  part.box.hidden = false
  part.lines.prepend(...moved)
  if (before) for (const element of moved) for (const line of linesIn(element)) number(line, part, lineOf(line, before))
}

function showLines(log: Log, { from, lines }: { readonly from: number; readonly lines: readonly Line[] }): void {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 160
  let last: Part | undefined
  lines.forEach((line, offset) => {
    const at = from + offset
    if (at < log.next) return
    log.next = at + 1
    const part = log.parts.findLast(({ first }) => first >= 0 && first <= at) ?? log.parts[0]
    if (!part) return
    if (part.first < 0) part.first = at
    add(part, at, line, log.withTimes)
    last = part
  })
  while (last && last.lines.childElementCount > MOST_LINES) last.lines.firstElementChild?.remove()
  if (isAtEnd && last?.box.open) scrollTo({ top: document.documentElement.scrollHeight })
}

function add(part: Part, at: number, line: Line, withTimes: boolean): void {
  if (line.kind === "endgroup") {
    if (part.group) part.group.open = false
    part.group = undefined
    return
  }
  const isGroup = line.kind === "group"
  const drawn = make(isGroup ? "span" : "div", line.kind === "" ? "log-line" : `log-line is-${line.kind}`)
  drawn.append(isGroup ? make("span", "log-number") : document.createElement("a"))
  if (withTimes && line.time !== "") drawn.append(make("time", "", line.time.slice(11, 19)))
  const text = make("span", "", WORDS[line.kind] ?? "")
  for (const [classes, written] of line.parts) text.append(classes === "" ? written : make("span", classes, written))
  drawn.append(text)
  number(drawn, part, at)
  if (isGroup) {
    const group = document.createElement("details")
    group.className = "log-group"
    group.open = true
    const head = document.createElement("summary")
    head.append(drawn)
    group.append(head)
    part.lines.append(group)
    part.group = group
  } else (part.group ?? part.lines).append(drawn)
}

function make(name: string, classes: string, text = ""): HTMLElement {
  const element = document.createElement(name)
  if (classes !== "") element.className = classes
  if (text !== "") element.textContent = text
  return element
}

const linesIn = (element: Element): readonly Element[] =>
  element.classList.contains("log-line") ? [element] : [...element.querySelectorAll(".log-line")]

/** The number of a line in the whole log; of a group, that of its head. */
function lineOf(element: Element, part: Part): number {
  const [line] = linesIn(element)
  return part.first + Number(/-(\d+)$/.exec(line?.id ?? "")?.[1] ?? 0) - 1
}

/** Numbers a line as one of a part. */
function number(line: Element, part: Part, at: number): void {
  const own = at - part.first + 1
  line.id = `jobstep-${part.index}-${own}`
  const place = line.firstElementChild
  if (!place) return
  place.textContent = String(own)
  if (!(place instanceof HTMLAnchorElement)) return
  place.href = `#${line.id}`
  place.tabIndex = -1
}

function showState(place: Element, { tone, icon, text }: Look): void {
  const state = place.querySelector(".state")
  const use = place.querySelector("use")
  if (!state || !use) return
  const isBadge = state.classList.contains("badge")
  state.className = `state ${tone}${isBadge ? " badge" : ""}`
  use.setAttribute("href", (use.getAttribute("href") ?? "").replace(/#.*/, `#${icon}`))
  if (!isBadge) place.querySelector("svg")?.setAttribute("aria-label", text)
  else if (state.lastChild && state.lastChild !== state.firstChild) state.lastChild.textContent = text
}
