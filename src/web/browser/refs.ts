/** The menu of branches and tags: its lists come from the server when it is opened, by what is typed and page by page. */

import { fetchFragment } from "./fragment.ts"

/** How long, in milliseconds, it waits for the next letter. */
const PAUSE_MS = 120

for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.refs")) attach(menu)

function attach(menu: HTMLDetailsElement): void {
  const field = menu.querySelector<HTMLInputElement>("input[type=search]")
  const list = menu.querySelector<HTMLElement>(".ref-list")
  if (!field || !list) return
  const kinds = [...menu.querySelectorAll<HTMLElement>("[data-kind]")]
  let kind = menu.dataset["refs"]?.includes("/ref-list/tag/") ? "tag" : "branch"
  let asked = 0
  let pause = 0

  const show = async (): Promise<void> => {
    const turn = ++asked
    for (const each of kinds)
      if (each.dataset["kind"] === kind) each.setAttribute("aria-current", "true")
      else each.removeAttribute("aria-current")
    const query = new URLSearchParams({ kind, view: menu.dataset["view"] ?? "src", q: field.value })
    try {
      const found = await fetchFragment(`${menu.dataset["refs"]}?${query}`)
      if (turn === asked) list.replaceChildren(found)
    } catch {
      // What is there stays, and its links lead on without this script.
    }
  }
  menu.addEventListener("toggle", () => {
    if (!menu.open) return
    field.focus()
    if (asked === 0) void show()
  })
  field.addEventListener("input", () => {
    clearTimeout(pause)
    pause = window.setTimeout(() => void show(), PAUSE_MS)
  })
  field.form?.addEventListener("submit", async (event) => {
    event.preventDefault()
    clearTimeout(pause)
    await show()
    list.querySelector<HTMLElement>("a:not([data-more]), button")?.click()
  })
  menu.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
    const tab = event.target.closest<HTMLElement>("[data-kind]")
    const next = event.target.closest<HTMLAnchorElement>("[data-more]")
    if (!tab && !next) return
    event.preventDefault()
    if (next && !next.hasAttribute("aria-busy")) {
      next.setAttribute("aria-busy", "true")
      const turn = asked
      void more(next, () => turn === asked)
    }
    if (!tab) return
    kind = tab.dataset["kind"] ?? kind
    field.focus()
    void show()
  })
  moveBy(menu, field, list)
}

/** Puts the next page of a list in the place of the link to it, as long as it is still wanted. */
async function more(link: HTMLAnchorElement, isWanted: () => boolean): Promise<void> {
  const isFocused = document.activeElement === link
  try {
    const found = await fetchFragment(link.href)
    const first = found.querySelector<HTMLElement>("a")
    if (!isWanted()) return
    link.replaceWith(found)
    if (isFocused) first?.focus()
  } catch {
    link.removeAttribute("aria-busy")
  }
}

/** The end of the list loads what follows, and arrow keys go through it. */
function moveBy(menu: HTMLElement, field: HTMLElement, list: HTMLElement): void {
  list.addEventListener("scroll", () => {
    const next = list.querySelector<HTMLAnchorElement>("[data-more]:not([aria-busy])")
    if (next && list.scrollTop + list.clientHeight > next.offsetTop - list.offsetTop - 100) next.click()
  })
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") menu.querySelector<HTMLElement>("summary")?.focus()
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
    event.preventDefault()
    const places = [field, ...list.querySelectorAll<HTMLElement>("a, button")]
    const { activeElement } = document
    const at = activeElement instanceof HTMLElement ? places.indexOf(activeElement) : -1
    places[(Math.max(0, at) + (event.key === "ArrowDown" ? 1 : places.length - 1)) % places.length]?.focus()
  })
}
