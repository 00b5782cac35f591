import { fetchFragment } from "./fragment.ts"

/** The title is edited in place; a link to a comment in the folded middle of a long conversation leads to the whole of it; what is quoted is put into the answer in place. */

const whole = document.querySelector<HTMLAnchorElement>("a[data-whole]")

function follow(): void {
  const id = decodeURIComponent(location.hash.slice(1))
  if (whole && id !== "" && document.getElementById(id) === null) location.replace(whole.href + location.hash)
}

addEventListener("hashchange", follow)
follow()

const answer = (inside: ParentNode): HTMLTextAreaElement | null => inside.querySelector(".comment-form textarea")

async function quote(link: HTMLAnchorElement): Promise<void> {
  try {
    const field = answer(document)
    const quoted = answer(await fetchFragment(link.href))?.value
    if (!field || quoted === undefined) throw new TypeError("there is no form to answer with")
    const before = field.value.trimEnd()
    field.value = before === "" ? quoted : `${before}\n\n${quoted}`
    field.dispatchEvent(new InputEvent("input", { bubbles: true }))
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  } catch {
    location.assign(link.href)
  }
}

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

document.addEventListener("click", (event) => {
  const pencil = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-retitle]") : null
  if (!pencil || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void import("./retitle.ts").then(({ retitle }) => retitle(pencil))
})

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-quote]") : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void quote(link)
})
