/** A click on a name in a file shows where it is defined, and leads to a search of it. */

import { fetchFragment } from "./fragment.ts"
import { t } from "./words.ts"

const WORD = /[\p{L}\p{N}_$]/u
const NAME = /^[A-Za-z_$][\w$]+$/

/** A word that is clicked twice is chosen, to copy it. */
const TWICE_MS = 250
/** Where the box stands from the edge of the window, and from the pointer. */
const MARGIN = 8
const BELOW = 14

let asked = 0

/** Asks where the word at the click is defined. `search` is the address of the search of the repository. */
export async function showDefinitions({ target, clientX, clientY }: MouseEvent, search: string): Promise<void> {
  const number = ++asked
  // Nothing is defined by the words of comments and texts, nor by those of the language.
  if (!(target instanceof Element) || target.closest(".kw, .co, .st, .nu, .li, button, a")) return
  const name = wordAt(clientX, clientY)
  if (!NAME.test(name)) return
  const address = `${search}?${new URLSearchParams({ q: name, search_mode: "words", case: "1" })}`
  const [found] = await Promise.all([fetchFragment(address).catch(() => undefined), new Promise((done) => setTimeout(done, TWICE_MS))])
  if (number !== asked || !found || getSelection()?.isCollapsed === false) return
  show(boxOf(name, address, found.querySelector("#definitions")), clientX, clientY)
}

/** The word at a point of the window. */
function wordAt(x: number, y: number): string {
  const place = document.caretPositionFromPoint?.(x, y)
  if (!place || !(place.offsetNode instanceof Text)) return ""
  const { data } = place.offsetNode
  let [from, to] = [place.offset, place.offset]
  while (from > 0 && WORD.test(data[from - 1] ?? "")) from--
  while (to < data.length && WORD.test(data[to] ?? "")) to++
  return data.slice(from, to)
}

function boxOf(name: string, address: string, list: Element | null): HTMLElement {
  const box = document.createElement("div")
  box.className = "definitions"
  box.popover = "auto"
  box.setAttribute("role", "dialog")
  box.setAttribute("aria-label", name)
  const all = document.createElement("a")
  all.href = address
  all.textContent = t("Search for all uses")
  box.append(...(list ? [list] : []), all)
  box.addEventListener("toggle", () => box.matches(":popover-open") || box.remove())
  return box
}

function show(box: HTMLElement, x: number, y: number): void {
  document.body.append(box)
  box.showPopover()
  box.style.left = `${Math.max(MARGIN, Math.min(x, innerWidth - box.offsetWidth - MARGIN))}px`
  box.style.top = `${Math.max(MARGIN, Math.min(y + BELOW, innerHeight - box.offsetHeight - MARGIN))}px`
}
