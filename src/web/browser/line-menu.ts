import { t } from "./words.ts"

/** What can be done with the marked lines of a file, and going to a line by its number. */

const MENU = "line-menu"

/** Whether the next line that is marked was asked for by its number: the keyboard goes on there. */
let isAskedFor = false

/** Puts the button of the menu beside the first of the lines. */
export function offer(file: HTMLElement, first: HTMLElement, from: number, to: number): void {
  for (const old of document.querySelectorAll(`.${MENU}`)) old.remove()
  const items = document.createElement("div")
  items.className = `${MENU} menu-items`
  items.id = "line-menu"
  items.popover = "auto"
  const button = document.createElement("button")
  button.type = "button"
  button.className = `${MENU} small`
  button.textContent = "…"
  button.setAttribute("aria-label", from === to ? t("Line {from}", { from }) : t("Lines {from} to {to}", { from, to }))
  button.setAttribute("aria-haspopup", "true")
  button.popoverTargetElement = items
  const range = from === to ? `#L${from}` : `#L${from}-L${to}`
  const absolute = (path: string): string => new URL(path, location.href).href
  const permalink = absolute(`${file.dataset["permalink"]}${range}`)
  items.append(
    copier(from === to ? t("Copy the line") : t("Copy the lines"), () => textOf(from, to)),
    copier(t("Copy the link"), () => absolute(`${location.pathname}${location.search}${range}`)),
    copier(t("Copy the permalink"), () => permalink),
  )
  const { blame, issue } = file.dataset
  if (blame !== undefined) items.append(linked(t("View who wrote it"), `${blame}${range}`))
  if (issue !== undefined)
    items.append(linked(t("Reference in a new issue"), `${issue}?${new URLSearchParams({ body: `${permalink}\n` })}`))
  // The top layer of the page: lines cut off what does not fit into them.
  items.addEventListener("toggle", () => {
    const place = button.getBoundingClientRect()
    items.style.top = `${Math.min(place.bottom + 4, innerHeight - items.offsetHeight - 8)}px`
    items.style.left = `${Math.max(8, Math.min(place.left, innerWidth - items.offsetWidth - 8))}px`
    if (items.matches(":popover-open")) items.querySelector<HTMLElement>("button, a")?.focus()
  })
  items.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
    event.preventDefault()
    const all = [...items.querySelectorAll<HTMLElement>("button, a")]
    const at = document.activeElement instanceof HTMLElement ? all.indexOf(document.activeElement) : -1
    all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length]?.focus()
  })
  document.body.append(items)
  first.prepend(button)
  if (isAskedFor) button.focus({ preventScroll: true })
  isAskedFor = false
}

/** The text of lines, without the button in one of them. */
const textOf = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const copy = document.getElementById(`L${from + index}`)?.cloneNode(true)
    if (!(copy instanceof HTMLElement)) return ""
    copy.querySelector(`.${MENU}`)?.remove()
    return (copy.textContent ?? "").replace(/\n$/, "")
  }).join("\n")

function copier(label: string, text: () => string): HTMLElement {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = label
  button.addEventListener("click", () => {
    void navigator.clipboard.writeText(text())
    document.getElementById("line-menu")?.hidePopover()
  })
  return button
}

function linked(label: string, href: string): HTMLElement {
  const link = document.createElement("a")
  link.textContent = label
  link.href = href
  return link
}

/** Asks for the number of a line, or two of them. */
export function askForLine(): void {
  const dialog = document.createElement("dialog")
  dialog.className = "finder"
  dialog.setAttribute("aria-label", t("Go to line"))
  const form = document.createElement("form")
  form.method = "dialog"
  const field = document.createElement("input")
  field.inputMode = "numeric"
  field.placeholder = t("Line, or 10-20")
  field.setAttribute("aria-label", t("Go to line"))
  field.autocomplete = "off"
  const go = document.createElement("button")
  go.textContent = t("Go")
  form.append(field, go)
  form.addEventListener("submit", () => {
    const [, from, to] = /^\s*L?(\d{1,9})(?:\s*-\s*L?(\d{1,9}))?\s*$/i.exec(field.value) ?? []
    if (from === undefined) return
    const hash = to === undefined ? `#L${from}` : `#L${from}-L${to}`
    isAskedFor = location.hash !== hash
    location.hash = hash
  })
  dialog.append(form)
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
