import { element } from "./element.ts"
import { t } from "./words.ts"
import "./texts.ts"
import { choose, chosen, firstOf, lastOf, lineAtNumber, linesBetween, rowOf, sectionOf, stand } from "./diff-lines.ts"
import { fetchFragment } from "./fragment.ts"
import { addressOf, cancelButton, close, open, pathOf, rowAbove, suggest, template } from "./line-box.ts"

/** Reviews: a box for a comment opens under the lines that it is about, what was said appears in place, and files are marked as viewed. */

// --- lines are chosen -----------------------------------------------------------------------------------------------------------------

const plus = element("button", {
  type: "button",
  className: "comment-here",
  textContent: "+",
  title: t("Comment on this line; drag to choose several"),
  ariaLabel: t("Comment on this line"),
  tabIndex: -1,
})

/** The line that the pointer is on: in two columns that of its side. */
function lineAt(target: EventTarget | null): HTMLElement | undefined {
  const row = rowOf(target)
  if (!row || !(target instanceof Element)) return undefined
  const side = row.classList.contains("both") ? (target.closest<HTMLElement>(".both > div") ?? row) : row
  return side.matches("[data-n]") ? side : [...side.querySelectorAll<HTMLElement>("[data-n]")].at(-1)
}

function offer(line: HTMLElement | undefined): void {
  if (line && template() && pathOf(sectionOf(line)) !== undefined) line.append(plus)
}

document.addEventListener("mouseover", ({ target }) => target !== plus && offer(lineAt(target)))
document.addEventListener("hearth:line", (event) => {
  if (event instanceof CustomEvent && event.detail instanceof HTMLElement) offer(lineAt(event.detail))
})

const sideOf = (line: Element): "L" | "R" => (/L\d+$/.test(line.id) ? "L" : "R")

interface Drag {
  readonly from: HTMLElement
  readonly side: "L" | "R"
  readonly isOffer: boolean
}

let drag: Drag | undefined
/** A click that ends a drag says nothing more. */
let wasDragged = false

document.addEventListener("pointerdown", (event) => {
  wasDragged = false
  // Fingers scroll; they tap.
  if (event.button !== 0 || event.pointerType === "touch" || !(event.target instanceof Element) || !template()) return
  const line = event.target === plus ? plus.parentElement : lineAtNumber(event)
  const row = rowOf(line ?? null)
  if (!line || !row || pathOf(sectionOf(row)) === undefined) return
  const from = event.shiftKey ? (lastOf(sectionOf(row)) ?? row) : row
  drag = { from, side: sideOf(line), isOffer: event.target === plus || event.shiftKey }
  choose(from, row)
  event.target.releasePointerCapture?.(event.pointerId)
})

document.addEventListener("mousedown", (event) => drag && event.preventDefault())

document.addEventListener("pointermove", ({ target }) => {
  const row = drag && rowOf(target)
  if (drag && row && sectionOf(row) === sectionOf(drag.from)) choose(drag.from, row)
})

document.addEventListener("pointerup", ({ target }) => {
  const begun = drag
  drag = undefined
  const row = begun && rowOf(target)
  if (!begun || !row || (row === begun.from && !begun.isOffer)) return
  wasDragged = true
  const lines = linesBetween(begun.from, row, begun.side)
  if (lines) open(lines)
})

document.addEventListener(
  "click",
  (event) => {
    const isOfPlus = event.target === plus
    const wasOpened = wasDragged
    wasDragged = false
    if (!isOfPlus && !(wasOpened && lineAtNumber(event))) return
    event.preventDefault()
    event.stopPropagation()
    const row = rowOf(plus)
    const lines = !wasOpened && row && linesBetween(row, row, sideOf(plus.parentElement ?? row))
    if (lines) open(lines)
  },
  true,
)

// --- what was sent ------------------------------------------------------------------------------------------------------------------------

/** Puts in place what was said about a line, and the reader's review as it is by now. */
async function refresh(at: string, row: HTMLElement | undefined): Promise<void> {
  const page = await fetchFragment(addressOf(at))
  const fresh = page.querySelector<HTMLElement>(".thread")
  const shown = document.querySelector<HTMLElement>(`.diff-files .thread[data-at="${CSS.escape(at)}"]`)
  if (fresh && shown) shown.replaceWith(fresh)
  else if (fresh && row) {
    const place = document.createElement("div")
    place.className = "noted"
    place.append(fresh)
    row.after(place)
  } else if (shown) (shown.closest(".noted") ?? shown).remove()
  const batch = document.getElementById("suggestions")
  if (fresh?.querySelector("input[form=suggestions]") && batch) batch.hidden = false
  refreshReview(page)
  if (fresh) document.dispatchEvent(new CustomEvent("hearth:shown", { detail: fresh }))
}

function refreshReview(page: DocumentFragment): void {
  const [menu, shown] = [page.querySelector("#review"), document.getElementById("review")]
  const [typed, field] = [shown?.querySelector("textarea")?.value ?? "", menu?.querySelector("textarea")]
  if (menu && shown) {
    const verdict = shown.querySelector<HTMLInputElement>("input[type=radio]:checked")?.value
    shown.replaceWith(menu)
    if (field && typed !== "") field.value = typed
    for (const radio of menu.querySelectorAll<HTMLInputElement>("input[type=radio]")) radio.checked = radio.value === verdict
  }
  // Whether a comment begins a review or becomes a part of one.
  const box = page.querySelector("form.line-form")
  const made = template()
  if (!box || !made) return
  made.content.replaceChildren(box)
  for (const bar of document.querySelectorAll(".line-form-place .line-form > .bar:last-child")) {
    const buttons = box.querySelector(":scope > .bar:last-child")?.cloneNode(true)
    if (!(buttons instanceof Element)) continue
    buttons.append(cancelButton())
    bar.replaceWith(buttons)
  }
}

/** Shows what was done, or the page anew where that can't be had. */
async function show(at: string, row: HTMLElement | undefined): Promise<void> {
  try {
    await refresh(at, row)
    if (row?.isConnected) stand(row)
  } catch {
    location.reload()
  }
}

document.addEventListener("hearth:sent", (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !template()) return
  const place = form.closest(".line-form-place")
  const thread = form.closest<HTMLElement>(".diff-files .thread")
  if (place) {
    event.preventDefault()
    const typed = (name: string): string => form.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value ?? ""
    const row = rowAbove(place)
    place.remove()
    void show(`${typed("path")}:${typed("side")}:${typed("last")}`, row)
  } else if (thread) {
    event.preventDefault()
    void show(thread.dataset["at"] ?? "", rowAbove(thread.closest(".noted")))
  }
})

/** Forms that are sent the way that browsers send them: the answer says what is wrong. */
const asPage = new WeakSet<HTMLFormElement>()

/** Resolving a conversation, and deleting a comment of it. */
async function send(form: HTMLFormElement, thread: HTMLElement): Promise<void> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value)
  const address = form.getAttribute("action") ?? ""
  const answer = await fetch(address, { method: "POST", body, redirect: "manual" }).catch(() => undefined)
  if (answer?.type === "opaqueredirect") return show(thread.dataset["at"] ?? "", rowAbove(thread.closest(".noted")))
  asPage.add(form)
  form.requestSubmit()
}

document.addEventListener("submit", (event) => {
  const { target: form, defaultPrevented } = event
  if (!(form instanceof HTMLFormElement) || defaultPrevented) return
  const thread = form.closest<HTMLElement>(".diff-files .thread")
  if (form.matches("form.viewed")) {
    event.preventDefault()
    void mark(form)
  } else if (thread && template() && !asPage.has(form) && /\/(resolve|unresolve|delete)$/.test(form.getAttribute("action") ?? "")) {
    event.preventDefault()
    void send(form, thread)
  }
})

// --- buttons and keys ---------------------------------------------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
  const form = event.target.closest<HTMLFormElement>(".line-form-place form.line-form")
  const comment = event.target.closest("a[data-comment]")
  if (form && event.target.closest("[data-close]")) close(form)
  else if (form && event.target.closest("a[data-suggest]")) {
    event.preventDefault()
    void suggest(form)
  } else if (comment) {
    const row = firstOf(sectionOf(comment) ?? comment)
    const lines = row && template() && linesBetween(row, row)
    if (!lines) return
    event.preventDefault()
    open(lines)
  }
})

const VERDICTS: Readonly<Record<string, string>> = { KeyC: "COMMENT", KeyA: "APPROVED", KeyR: "REQUEST_CHANGES" }

document.addEventListener("keydown", (event) => {
  const { target } = event
  if (!(target instanceof HTMLElement)) return
  const form = target.closest<HTMLFormElement>("form.line-form")
  const isHeld = event.ctrlKey || event.metaKey
  if (form && isHeld && !event.altKey && event.key.toLowerCase() === "g") {
    event.preventDefault()
    void suggest(form)
  } else if (form?.closest(".line-form-place") && event.key === "Escape" && form.querySelector("textarea")?.value.trim() === "") close(form)
  else if (event.altKey && !isHeld && target.closest("#review")) {
    const radio = document.querySelector<HTMLInputElement>(`#review input[type=radio][value="${VERDICTS[event.code] ?? ""}"]`)
    if (!radio) return
    event.preventDefault()
    radio.checked = true
  }
  if (isHeld || event.altKey || event.defaultPrevented || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
  if (event.key === "v") {
    const section = sectionOf(document.activeElement ?? target) ?? (chosen()?.section || null)
    section?.querySelector<HTMLButtonElement>("form.viewed button")?.click()
  } else if ((event.key === "c" || event.key === "s") && template()) {
    const lines = chosen()
    if (!lines) return
    event.preventDefault()
    open(lines, { suggests: event.key === "s" && lines.side === "R" })
  }
})

/** The field is where one begins. */
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.id === "review" && target.open) target.querySelector("textarea")?.focus()
  },
  true,
)

// --- viewed files -------------------------------------------------------------------------------------------------------------------------

async function mark(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector("button")
  if (!button) return
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, button)) if (typeof value === "string") body.append(name, value)
  const isViewed = button.value === "true"
  const answer = await fetch(form.action, { method: "POST", body, redirect: "manual", credentials: "same-origin" }).catch(() => undefined)
  if (answer?.type !== "opaqueredirect" && answer?.status !== 303) {
    button.setAttribute("aria-invalid", "true")
    return
  }
  button.value = isViewed ? "false" : "true"
  button.setAttribute("aria-pressed", String(isViewed))
  const files = form.closest("section.diff")?.querySelector<HTMLDetailsElement>(":scope > details")
  if (files) files.open = !isViewed
  const count = document.getElementById("viewed-count")
  const many = document.querySelectorAll('form.viewed button[aria-pressed="true"]').length
  if (count) count.textContent = t("{many} of {all} viewed", { many, all: count.dataset["all"] ?? "" })
}
