/**
 * Keys that press what is on the page: elements say theirs in `aria-keyshortcuts`, `g i` for one after the other. `?` lists those of this page. Loaded
 * with the first key that is pressed.
 */

const SEQUENCE_MS = 1_500

let begun = ""
let begunAt = 0

/** A key that was pressed outside of fields, with nothing held. */
export function pressed(key: string): void {
  if (key === "?") list()
  else if (key === "j" || key === "k") move(key === "j" ? 1 : -1)
  else follow(key)
}

function follow(key: string): void {
  const now = performance.now()
  const keys = begun !== "" && now - begunAt < SEQUENCE_MS ? `${begun} ${key}` : key
  begun = key
  begunAt = now
  const target = [...document.querySelectorAll<HTMLElement>("[aria-keyshortcuts]")].find(
    (element) => element.getAttribute("aria-keyshortcuts") === keys && element.getClientRects().length > 0,
  )
  if (!target) return
  begun = ""
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) target.focus()
  else target.click()
}

/** To the next row of a list, or the one before. */
function move(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("main .rows > li")].flatMap(
    (row) => row.querySelector<HTMLElement>(".title a[href], a[href].title, .main a[href]") ?? [],
  )
  const { activeElement } = document
  const at = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1
  links[at < 0 && by < 0 ? links.length - 1 : at + by]?.focus()
}

const OTHERS = [
  ["/", "Search"],
  ["j", "Next row"],
  ["k", "Previous row"],
  ["Escape", "Close menus"],
  ["?", "Keyboard shortcuts"],
] as const

function list(): void {
  const open = document.querySelector<HTMLDialogElement>("dialog.keys")
  if (open) {
    open.close()
    return
  }
  const dialog = document.createElement("dialog")
  dialog.className = "keys"
  dialog.setAttribute("aria-label", "Keyboard shortcuts of this page")
  const heading = document.createElement("h2")
  heading.textContent = "Keyboard shortcuts of this page"
  const terms = document.createElement("dl")
  const known = new Set<string>()
  const add = (keys: string, what: string): void => {
    if (known.has(keys) || what === "") return
    known.add(keys)
    const term = document.createElement("dt")
    for (const key of keys.split(" ")) {
      const cap = document.createElement("kbd")
      cap.textContent = key
      term.append(cap)
    }
    const meaning = document.createElement("dd")
    meaning.textContent = what
    terms.append(term, meaning)
  }
  for (const element of document.querySelectorAll<HTMLElement>("[aria-keyshortcuts]"))
    if (element.getClientRects().length > 0) add(element.getAttribute("aria-keyshortcuts") ?? "", nameOf(element))
  for (const element of document.querySelectorAll<HTMLElement>("[data-keys]"))
    add(element.dataset["keys"] ?? "", element.textContent.trim())
  for (const [keys, what] of OTHERS) add(keys, what)
  const close = document.createElement("button")
  close.textContent = "Close"
  close.addEventListener("click", () => dialog.close())
  dialog.append(heading, terms, close)
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

/** What an element is called, without counts. */
function nameOf(element: HTMLElement): string {
  const label =
    element.getAttribute("aria-label") ?? element.getAttribute("title") ?? element.querySelector("[aria-label]")?.getAttribute("aria-label")
  const copy = element.cloneNode(true)
  if (copy instanceof Element) for (const count of copy.querySelectorAll(".count")) count.remove()
  return (label ?? copy.textContent ?? "").trim()
}
