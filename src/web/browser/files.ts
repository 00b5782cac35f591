/** The tree of files beside a file: folders open in place, and whether the tree is shown is remembered. */

import { fetchFragment } from "./fragment.ts"

const KEY = "hearth-files"
const nav = document.querySelector<HTMLElement>(".file-tree")
const box = nav?.querySelector<HTMLDetailsElement>(":scope > details")

if (nav && box) {
  if (localStorage.getItem(KEY) === "closed") box.open = false
  box.addEventListener("toggle", () => localStorage.setItem(KEY, box.open ? "open" : "closed"))
  const current = nav.querySelector<HTMLElement>("[aria-current]")
  if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 2
}

async function open(link: HTMLAnchorElement): Promise<void> {
  link.setAttribute("aria-busy", "true")
  try {
    const list = await fetchFragment(link.dataset["list"] ?? "")
    const details = document.createElement("details")
    const summary = document.createElement("summary")
    summary.append(...link.childNodes)
    details.append(summary, list)
    details.open = true
    link.replaceWith(details)
    summary.focus()
  } catch {
    location.assign(link.href)
  }
}

nav?.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
  const link = event.target.closest<HTMLAnchorElement>("a[data-list]")
  if (!link || link.hasAttribute("aria-busy")) return
  event.preventDefault()
  void open(link)
})
