import { fetchFragment } from "./fragment.ts"
import "./texts.ts"

/** The title is edited in place; a link to a comment leads to it, also in the folded middle of a long conversation, and in a closed thread. */

const whole = document.querySelector<HTMLAnchorElement>("a[data-whole]")

function follow(): void {
  const id = decodeURIComponent(location.hash.slice(1))
  const shown = id === "" ? null : document.getElementById(id)
  const thread = shown?.closest<HTMLDetailsElement>("details.thread:not([open])")
  if (thread) {
    thread.open = true
    shown?.scrollIntoView()
  }
  if (whole && id !== "" && shown === null) location.replace(whole.href + location.hash)
}

addEventListener("hashchange", follow)
follow()

/** The repositories that an issue can be moved to, once the form for it is opened: they are offered while one types. */
const targets = document.querySelector<HTMLAnchorElement>("a[data-targets]")
targets?.closest("details")?.addEventListener(
  "toggle",
  async () => {
    const field = targets.closest("form")?.querySelector<HTMLInputElement>("[name=repository]")
    const list = (await fetchFragment(targets.href).catch(() => undefined))?.querySelector("datalist")
    if (!field || !list) return
    field.after(list)
    field.setAttribute("list", list.id)
  },
  { once: true },
)

let retitle: ((pencil: HTMLAnchorElement) => void) | undefined
document.addEventListener("click", async (event) => {
  const pencil = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-retitle]") : null
  if (!pencil || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  // Once it is there the field opens at once: keys that are pressed next belong into it.
  retitle ??= (await import("./retitle.ts")).retitle
  retitle(pencil)
})
