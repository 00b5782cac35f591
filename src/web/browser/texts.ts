import { fetchFragment, renameIds } from "./fragment.ts"
import { t } from "./words.ts"

/** What is done with a text of a conversation in place: its link is copied, it is quoted, edited and deleted, and reactions are given and taken back. */

const menuOf = (inside: Element): HTMLDetailsElement | null => inside.closest<HTMLDetailsElement>("details.menu")

function closeMenu(inside: Element): void {
  const menu = menuOf(inside)
  if (menu) menu.open = false
}

// --- its link ---------------------------------------------------------------------------------------------------------------------------

/** Also where the site has no https, and browsers give scripts no clipboard. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement("textarea")
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand("copy")
  field.remove()
}

async function copyLink(button: HTMLElement): Promise<void> {
  const words = button.lastChild
  const before = words?.textContent ?? ""
  await copyText(new URL(button.dataset["copyLink"] ?? "", location.href).href)
  if (words) words.textContent = t("Copied")
  setTimeout(() => {
    if (words) words.textContent = before
    closeMenu(button)
  }, 800)
}

// --- quoting ----------------------------------------------------------------------------------------------------------------------------

/** A comment on lines is answered in its thread, all else at the end of the conversation. */
async function quote(link: HTMLAnchorElement): Promise<void> {
  const forms = link.closest(".thread")?.querySelector(".thread-forms")
  const field = forms ? forms.querySelector("textarea") : document.querySelector<HTMLTextAreaElement>(".comment-form textarea")
  try {
    const page = await fetchFragment(link.href)
    const quoted = page.querySelector<HTMLTextAreaElement>(forms ? "main textarea" : ".comment-form textarea")?.value
    if (!field || quoted === undefined) throw new TypeError("there is no form to answer with")
    closeMenu(link)
    forms?.querySelector("details")?.setAttribute("open", "")
    const before = field.value.trimEnd()
    field.value = before === "" ? quoted : `${before}\n\n${quoted}`
    field.dispatchEvent(new InputEvent("input", { bubbles: true }))
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  } catch {
    location.assign(link.href)
  }
}

// --- editing and deleting -----------------------------------------------------------------------------------------------------------------

async function change(link: HTMLAnchorElement): Promise<void> {
  const article = link.closest("article")
  const text = article?.querySelector<HTMLElement>(":scope > .inside")
  try {
    const page = await fetchFragment(link.href)
    const isDeletion = link.dataset["delete"] !== undefined
    const form = page.querySelector<HTMLFormElement>(
      isDeletion ? 'main form[action$="/delete"]' : `main form[action="${new URL(link.href).pathname}"]`,
    )
    if (!article || !text || !form) throw new TypeError("there is no form for it")
    const place = document.createElement("div")
    place.className = "inside stack in-place"
    const about = isDeletion && form.previousElementSibling
    if (about) place.append(document.adoptNode(about))
    if (isDeletion) {
      const cancel = document.createElement("button")
      cancel.type = "button"
      cancel.dataset["cancel"] = ""
      cancel.textContent = t("Cancel")
      form.querySelector(":scope > .bar:last-child")?.append(cancel)
    }
    place.append(document.adoptNode(form))
    renameIds(place, article.id)
    leave(article)
    closeMenu(link)
    text.hidden = !isDeletion
    if (isDeletion) text.before(place)
    else text.after(place)
    document.dispatchEvent(new CustomEvent("hearth:shown", { detail: place }))
    const target = place.querySelector<HTMLElement>("textarea") ?? place.querySelector<HTMLElement>("button")
    target?.focus()
  } catch {
    location.assign(link.href)
  }
}

/** Shows the text again as it is. */
function leave(article: Element): void {
  const place = article.querySelector(":scope > .in-place")
  if (!place) return
  place.remove()
  article.querySelector<HTMLElement>(":scope > .inside")?.removeAttribute("hidden")
  article.querySelector<HTMLElement>("details.menu > summary")?.focus()
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
  const copy = event.target.closest<HTMLElement>("[data-copy-link]")
  if (copy) return void copyLink(copy)
  const link = event.target.closest<HTMLAnchorElement>("a[data-quote], a[data-edit], a[data-delete]")
  const article = event.target.closest("[data-cancel]")?.closest("article")
  if (link) {
    event.preventDefault()
    void (link.dataset["quote"] === undefined ? change(link) : quote(link))
  } else if (article) {
    event.preventDefault()
    leave(article)
  }
})

// --- reactions --------------------------------------------------------------------------------------------------------------------------

/** Forms that are sent the way that browsers send them: the answer says what is wrong. */
const asPage = new WeakSet<HTMLFormElement>()

document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event
  if (!(form instanceof HTMLFormElement) || !form.matches("form.reactions") || !(button instanceof HTMLButtonElement)) return
  if (asPage.has(form)) return
  event.preventDefault()
  if (form.getAttribute("aria-busy") !== "true") void react(form, button)
})

async function react(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const isGiven = button.getAttribute("aria-pressed") === "true"
  form.setAttribute("aria-busy", "true")
  const body = new URLSearchParams({ content: button.value })
  const address = isGiven ? (form.dataset["remove"] ?? "") : (form.getAttribute("action") ?? "")
  const answer = await fetch(address, { method: "POST", body, redirect: "manual" }).catch(() => undefined)
  form.removeAttribute("aria-busy")
  if (answer?.type === "opaqueredirect") return count(form, button, isGiven)
  asPage.add(form)
  form.requestSubmit(button)
}

/** Counts what was given or taken back; a reaction that no one has given stands in the menu. */
function count(form: HTMLFormElement, button: HTMLButtonElement, isGiven: boolean): void {
  const menu = form.querySelector<HTMLDetailsElement>("details.menu")
  const faces = menu?.querySelector(".faces")
  if (menu) menu.open = false
  const many = Number(/\d+\s*$/.exec(button.textContent)?.[0] ?? 0) + (isGiven ? -1 : 1)
  const face = document.createElement("span")
  face.setAttribute("aria-hidden", "true")
  face.textContent = (button.querySelector("[aria-hidden]") ?? button).textContent
  const name = document.createElement("span")
  name.className = "hidden-text"
  name.textContent = button.value
  button.removeAttribute("aria-label")
  button.setAttribute("aria-pressed", String(!isGiven))
  if (isGiven) button.removeAttribute("formaction")
  else button.setAttribute("formaction", form.dataset["remove"] ?? "")
  if (many > 0) {
    button.replaceChildren(face, name, ` ${many}`)
    if (faces?.contains(button)) menu?.before(button)
    button.focus()
  } else if (faces) {
    button.removeAttribute("aria-pressed")
    button.setAttribute("aria-label", button.value)
    button.textContent = face.textContent
    faces.append(button)
    menu?.querySelector("summary")?.focus()
  } else button.remove()
}
