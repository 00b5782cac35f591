import { look as lookAtBell } from "./bell.ts"
import { element } from "./element.ts"
import { fragmentOf } from "./fragment.ts"
import { hideNotice, showNotice, showSignedOut } from "./page-notice.ts"
import { t } from "./words.ts"

/**
 * Keeps an open page true. Elements with an id and `data-live` are replaced by those of the page as it is now; the children of one with
 * `data-live="list"` one by one, by their ids. One with `data-live="later"` has a list whose rows must not jump: it says how many have changed,
 * and shows them when it is asked to. What holds the focus, or something typed, is left as it is.
 */

const IDLE_MS = 500
/** Milliseconds between two tries to follow: twice as many each time. */
const [SOONEST_MS, LATEST_MS] = [1_000, 60_000]
/** Tries that fail before the reader is told. */
const QUIET_TRIES = 2
/** A timer that comes so late means that the machine has slept. */
const [TICK_MS, SLEPT_MS] = [10_000, 30_000]

let source: EventSource | undefined
let retry: ReturnType<typeof setTimeout> | undefined
let tries = 0
let isAsking = false
let isStale = false
/** Why the page can't be followed any more, as far as it was told. */
let isOver = false
/** Lists whose rows are to be put in place now. */
const wanted = new Set<string>()

const address = new URL(location.href)
address.hash = ""
const stream = new URL(address)
stream.searchParams.set("live", "1")

const isSeen = (): boolean => document.visibilityState === "visible"

function follow(): void {
  clearTimeout(retry)
  if (source || !isSeen()) return
  const opened = new EventSource(stream)
  source = opened
  // The page may have changed between its making and this moment, or while it could not be followed.
  opened.addEventListener("following", () => {
    tries = 0
    void refresh()
  })
  opened.addEventListener("changed", () => void refresh())
  opened.addEventListener("notified", () => void lookAtBell())
  opened.addEventListener("error", () => {
    if (source !== opened) return
    leave()
    // The page itself says why: no one may see it any more, or the server is away.
    void refresh().then(() => {
      if (isOver || source || !isSeen()) return
      const pause = Math.min(LATEST_MS, SOONEST_MS * 2 ** tries) * (0.5 + Math.random() / 2)
      tries += 1
      clearTimeout(retry)
      retry = setTimeout(follow, pause)
    })
  })
}

function leave(): void {
  clearTimeout(retry)
  source?.close()
  source = undefined
}

function again(): void {
  leave()
  tries = 0
  isOver = false
  follow()
}

/** Only the page that is seen is followed: browsers have few connections to one site. */
document.addEventListener("visibilitychange", () => (isSeen() ? again() : leave()))
addEventListener("pagehide", leave)
addEventListener("pageshow", ({ persisted }) => persisted && again())
addEventListener("online", again)

let ticked = Date.now()
setInterval(() => {
  const hasSlept = Date.now() - ticked > SLEPT_MS
  ticked = Date.now()
  if (hasSlept) again()
}, TICK_MS)

type Asked =
  | { readonly kind: "page"; readonly page: DocumentFragment }
  | { readonly kind: "moved"; readonly to: string }
  | { readonly kind: "signedOut" | "gone" | "failed" }

const viewerOf = (page: ParentNode): string | undefined => page.querySelector<HTMLElement>(".site-header")?.dataset["viewer"]

async function ask(): Promise<Asked> {
  const answer = await fetch(address, { credentials: "same-origin", headers: { accept: "text/html" } })
  const at = new URL(answer.url)
  if (at.origin !== location.origin || answer.headers.get("content-type")?.startsWith("text/html") !== true) return { kind: "failed" }
  const page = fragmentOf(await answer.text())
  if (answer.status < 500 && viewerOf(page) !== viewerOf(document)) return { kind: "signedOut" }
  if (answer.status === 404 || answer.status === 403) return { kind: "gone" }
  if (!answer.ok) return { kind: "failed" }
  return at.pathname === address.pathname ? { kind: "page", page } : { kind: "moved", to: at.href }
}

async function refresh(): Promise<void> {
  if (isAsking) {
    isStale = true
    return
  }
  isAsking = true
  try {
    do {
      isStale = false
      await rest()
      show(await ask().catch((): Asked => ({ kind: "failed" })))
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
    } while (isStale)
  } finally {
    isAsking = false
  }
}

/** Nothing is put in place while something is dragged, or on its way to the server. */
async function rest(): Promise<void> {
  while (document.querySelector("[data-busy]")) await new Promise((resolve) => setTimeout(resolve, IDLE_MS / 2))
}

function show(asked: Asked): void {
  isOver = asked.kind !== "page" && asked.kind !== "failed"
  if (isOver) leave()
  if (asked.kind === "page") {
    // What was begun meanwhile is not disturbed.
    if (document.querySelector("[data-busy]")) isStale = true
    else put(asked.page)
    if (isOfThisVersion(asked.page)) hideNotice()
    else showNotice(t("A new version of this site is available. Reload the page to use it."), { text: t("Reload"), href: address.href })
  } else if (asked.kind === "moved") showNotice(t("This page has moved."), { text: t("Go to the new address"), href: asked.to })
  else if (asked.kind === "signedOut") showSignedOut()
  else if (asked.kind === "gone") showNotice(t("This page was deleted, or you no longer have access to it."))
  else if (tries >= QUIET_TRIES) showNotice(t("The site can’t be reached. This page may be out of date. Reconnecting…"))
}

/** Whether the page that the server makes now loads the same styles and scripts, as far as both load them. */
function isOfThisVersion(page: DocumentFragment): boolean {
  const stem = (path: string): string => path.replace(/\.[\w-]+(\.\w+)$/, "$1")
  const loaded = (of: ParentNode): readonly string[] =>
    [...of.querySelectorAll("script[src], link[rel=stylesheet]")].map((each) => each.getAttribute("src") ?? each.getAttribute("href") ?? "")
  const now = new Map(loaded(page).map((path) => [stem(path), path]))
  return loaded(document).every((path) => (now.get(stem(path)) ?? path) === path)
}

function put(page: DocumentFragment): void {
  // Lists first: what is in their rows is taken out of the new page.
  for (const old of document.querySelectorAll<HTMLElement>("[data-live=later][id]")) {
    const now = page.getElementById(old.id)
    if (now) offer(old, now)
  }
  for (const old of document.querySelectorAll<HTMLElement>("[data-live][id]:not([data-live=later])")) {
    const now = page.getElementById(old.id)
    if (now && old.isConnected) update(old, now)
  }
  const bell = page.querySelector(".bell")
  const shown = document.querySelector(".bell")
  if (bell && shown && bell.innerHTML !== shown.innerHTML) shown.replaceChildren(...bell.childNodes)
}

function update(old: HTMLElement, now: HTMLElement): void {
  if (old.dataset["live"] === "list") updateList(old, now)
  else if (old.dataset["live"] !== "parts" && !isSame(old, now) && !isInUse(old)) {
    old.replaceWith(document.adoptNode(now))
    announce(now)
  }
}

function updateList(old: HTMLElement, now: HTMLElement): void {
  const next = [...now.children].filter((each): each is HTMLElement => each instanceof HTMLElement && each.id !== "")
  const ids = new Set(next.map(({ id }) => id))
  for (const child of [...old.children]) if (child.id !== "" && !ids.has(child.id) && !isInUse(child)) child.remove()
  let before: Element | null = null
  for (const wants of next) {
    // What the reader is at work in may come from another list of the page.
    const known: HTMLElement | null = document.getElementById(wants.id)
    const place: Element | null = before ? before.nextElementSibling : old.firstElementChild
    if (!known) {
      const added = document.adoptNode(wants)
      old.insertBefore(added, place)
      announce(added)
      before = added
      continue
    }
    if (known !== place) move(known, old, place)
    before = known
    if (known.dataset["live"] !== undefined || isSame(known, wants)) continue
    if (isInUse(known)) {
      Object.assign(known.dataset, { ...wants.dataset })
      continue
    }
    const changed: HTMLElement = document.adoptNode(wants)
    known.replaceWith(changed)
    announce(changed)
    before = changed
  }
}

/** Moves an element; what has the focus in it keeps it. */
function move(element: HTMLElement, into: Element, before: Element | null): void {
  const focused = document.activeElement
  into.insertBefore(element, before)
  if (focused instanceof HTMLElement && focused !== document.activeElement && element.contains(focused))
    focused.focus({ preventScroll: true })
}

/** Says above a list how many of its rows are others by now; and puts them in place where the reader has asked for them. */
function offer(old: HTMLElement, now: HTMLElement): void {
  const barId = `${old.id}-changed`
  const [rows, others] = [old, now].map((each) => new Map([...each.querySelectorAll<HTMLElement>("li[id]")].map((row) => [row.id, row])))
  if (!rows || !others) return
  const changed = [...others].filter(([id, row]) => {
    const known = rows.get(id)
    return known === undefined || (row.dataset["live"] === undefined && !isSame(known, row))
  })
  const many = changed.length + [...rows.keys()].filter((id) => !others.has(id)).length
  const bar = document.getElementById(barId)
  if (many === 0 || wanted.delete(old.id)) {
    bar?.remove()
    if (many > 0) putRows(old, now)
    return
  }
  const words = t("{many} changed", { many })
  if (bar) {
    if (bar.firstChild && bar.firstChild.textContent !== words) bar.firstChild.textContent = words
    return
  }
  const made = element("div", { id: barId, className: "bar small changed", role: "status" })
  const said = element("span")
  const button = element("button", { type: "button", className: "small", textContent: t("Show") })
  button.addEventListener("click", () => {
    wanted.add(old.id)
    old.tabIndex = -1
    old.focus({ preventScroll: true })
    void refresh()
  })
  made.append(said, button)
  old.before(made)
  said.textContent = words
}

function putRows(old: HTMLElement, now: HTMLElement): void {
  const [lists, others] = [old.querySelectorAll<HTMLElement>("ul.rows"), now.querySelectorAll<HTMLElement>("ul.rows")]
  const [list, other] = [lists[0], others[0]]
  if (lists.length === 1 && others.length === 1 && list && other) updateList(list, other)
  else {
    old.replaceChildren(...now.childNodes)
    announce(old)
  }
}

const isSame = (old: Element, now: Element): boolean => asMade(old).isEqualNode(asMade(now))

/** Without what the reader's browser has changed, and without how long ago something was. */
function asMade(element: Element): Node {
  const copy = element.cloneNode(true)
  if (!(copy instanceof Element)) return copy
  for (const time of copy.querySelectorAll("time")) {
    time.removeAttribute("title")
    time.textContent = ""
  }
  for (const made of copy.querySelectorAll("[data-made]")) made.remove()
  for (const block of copy.querySelectorAll("pre")) block.removeAttribute("hidden")
  for (const button of copy.querySelectorAll("[data-copied]")) button.removeAttribute("data-copied")
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    // Our pages have none: extensions and test drivers add them.
    each.removeAttribute("style")
    if (each instanceof HTMLDetailsElement) each.removeAttribute("open")
  }
  return copy
}

/** Tells other modules of elements that are new on the page. */
const announce = (element: HTMLElement): boolean => document.dispatchEvent(new CustomEvent("hearth:shown", { detail: element }))

/** Whether the reader is at work in it: it has the focus, an open form, or a field that was changed. */
function isInUse(element: Element): boolean {
  if (element.contains(document.activeElement) && document.activeElement !== document.body) return true
  if (element.querySelector("details.edit[open], details.menu[open], .in-place")) return true
  for (const field of element.querySelectorAll("textarea, input, select"))
    if (
      (field instanceof HTMLTextAreaElement && field.value !== field.defaultValue) ||
      (field instanceof HTMLInputElement && (field.value !== field.defaultValue || field.checked !== field.defaultChecked)) ||
      (field instanceof HTMLSelectElement &&
        [...field.options].some((option) => option.selected !== option.defaultSelected) &&
        field.dataset["touched"] !== undefined)
    )
      return true
  return false
}

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement) target.dataset["touched"] = ""
})

follow()
