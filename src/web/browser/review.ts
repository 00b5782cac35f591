/** Reviews: the form for a comment opens under the lines that it is about, and marks of viewed files are set in place. */

import { fetchFragment } from "./fragment.ts"

interface LineAnchor {
  readonly section: HTMLElement
  readonly number: HTMLElement
  readonly side: "L" | "R"
  readonly line: number
}

const plus = document.createElement("button")
plus.type = "button"
plus.className = "comment-here"
plus.textContent = "+"
plus.title = "Comment on this line; hold Shift to select a range"
plus.setAttribute("aria-label", "Comment on this line")

let shown: LineAnchor | undefined
let before: LineAnchor | undefined

function anchorOf(number: HTMLElement | null): LineAnchor | undefined {
  const section = number?.closest<HTMLElement>("section.diff")
  const [, side, line] = /([LR])(\d+)$/.exec(number?.id ?? "") ?? []
  if (!number || !section?.querySelector("[data-comment]") || (side !== "L" && side !== "R")) return undefined
  return { section, number, side, line: Number(line) }
}

document.addEventListener("mouseover", ({ target }) => {
  if (target === plus) return
  const anchor = target instanceof Element ? anchorOf(target.closest<HTMLElement>(".diff-lines [data-n]")) : undefined
  if (!anchor) return
  shown = anchor
  anchor.number.append(plus)
})

plus.addEventListener("click", (event) => {
  event.preventDefault()
  event.stopPropagation()
  if (shown) void open(shown, event.shiftKey ? before : undefined)
})

async function open(anchor: LineAnchor, since: LineAnchor | undefined): Promise<void> {
  const link = anchor.section.querySelector<HTMLAnchorElement>("[data-comment]")
  const row = anchor.number.closest(".both") ?? anchor.number
  if (!link) return
  const isRange = since?.section === anchor.section && since.side === anchor.side
  const [first, last] = isRange ? [Math.min(since.line, anchor.line), Math.max(since.line, anchor.line)] : [anchor.line, anchor.line]
  const address = new URL(link.href)
  address.searchParams.set("comment", `${link.dataset["comment"] ?? ""}:${anchor.side}:${first}-${last}`)
  before = anchor
  try {
    const form = (await fetchFragment(address.href)).querySelector<HTMLElement>("form.line-form")
    if (!form) throw new TypeError("no form")
    const known = document.querySelector<HTMLElement>("form.line-form")
    const text = known?.querySelector("textarea")
    const field = form.querySelector("textarea")
    // What was typed moves along.
    if (field && text) field.value = text.value
    known?.closest(".line-form-place")?.remove()
    known?.remove()
    const around = document.createElement("div")
    around.className = "noted line-form-place"
    const cancel = document.createElement("button")
    cancel.type = "button"
    cancel.textContent = "Cancel"
    cancel.addEventListener("click", () => around.remove())
    form.querySelector(".bar:last-child")?.append(cancel)
    around.append(document.adoptNode(form))
    row.after(around)
    document.dispatchEvent(new CustomEvent("hearth:shown", { detail: around }))
    field?.focus()
  } catch {
    location.assign(address)
  }
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
  if (event.key !== "c" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
  // A line is chosen by its address.
  const anchor = anchorOf(document.querySelector<HTMLElement>(".diff-lines [data-n]:target"))
  if (!anchor) return
  event.preventDefault()
  void open(anchor, undefined)
})

document.addEventListener("submit", (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.matches("form.viewed")) return
  const button = form.querySelector("button")
  if (!button) return
  event.preventDefault()
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, button)) if (typeof value === "string") body.append(name, value)
  void mark(form, button, body)
})

async function mark(form: HTMLFormElement, button: HTMLButtonElement, body: URLSearchParams): Promise<void> {
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
  if (count) count.textContent = `${many} of ${count.dataset["all"]} viewed`
}
