import { element } from "./element.ts"
import { t } from "./words.ts"
import "./attach.ts"
import "./drafts.ts"
import { fetchFragment } from "./fragment.ts"
import { KEYS, TOOLS } from "./markdown-tools.ts"
import { type Field, fieldOf, isComposed, replace } from "./text.ts"

/** Writing a text: a toolbar, the preview in place, saved replies, names completed, Ctrl-Enter. What is pasted is in `attach.ts`. See `web/composer.ts`. */

// --- the toolbar ----------------------------------------------------------------------------------------------------------------------

function use(tool: string, field: Field): void {
  const { selectionStart: from, selectionEnd: to, value } = field
  const change = TOOLS[tool]?.({ value, from, to })
  if (!change) return
  replace(field, change.from, change.to, change.text)
  field.setSelectionRange(change.selectFrom, change.selectTo)
}

// --- the preview ----------------------------------------------------------------------------------------------------------------------

async function preview(button: HTMLButtonElement, field: Field): Promise<void> {
  const box = field.closest<HTMLElement>(".write")
  if (!box) return
  const shown = box.querySelector<HTMLElement>(".preview")
  if (shown) {
    shown.remove()
    field.hidden = false
    button.textContent = t("Preview")
    field.focus()
    return
  }
  button.disabled = true
  try {
    const fresh = await fetchFragment(button.formAction, new URLSearchParams({ preview: field.name, [field.name]: field.value }))
    const made = element("div", { className: "preview card inside", tabIndex: -1, role: "region", ariaLabel: t("Preview") })
    made.append(...(fresh.getElementById("preview")?.childNodes ?? []))
    field.hidden = true
    box.append(made)
    document.dispatchEvent(new CustomEvent("hearth:shown", { detail: made }))
    button.textContent = t("Write|text")
    made.focus()
  } catch {
    // The page of its own says what is wrong.
    button.disabled = false
    button.dataset["whole"] = ""
    button.click()
  } finally {
    button.disabled = false
  }
}

// --- saved replies --------------------------------------------------------------------------------------------------------------------

/** Puts a saved reply where the caret is. */
async function insert(button: HTMLButtonElement, field: Field, address: string): Promise<void> {
  try {
    const response = await fetch(address, { redirect: "error" })
    if (!response.ok) throw new TypeError(`${address} answered ${response.status}`)
    const text = await response.text()
    button.closest("details")?.removeAttribute("open")
    replace(field, field.selectionStart, field.selectionEnd, text)
  } catch {
    // The page that comes then has it in the field, or says what is wrong.
    delete button.dataset["reply"]
    button.click()
  }
}

// --- buttons --------------------------------------------------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null
  const field = button && fieldOf(button)
  if (!button || !field) return
  const { tool, reply } = button.dataset
  if (tool !== undefined) use(tool, field)
  else if (reply !== undefined) {
    event.preventDefault()
    void insert(button, field, reply)
  } else if (button.name === "preview" && button.dataset["whole"] === undefined) {
    event.preventDefault()
    void preview(button, field)
  }
})

// --- completion -----------------------------------------------------------------------------------------------------------------------

interface Offer {
  readonly text: string
  readonly about: string
}

const isOffer = (value: unknown): value is Offer =>
  typeof value === "object" &&
  value !== null &&
  "text" in value &&
  typeof value.text === "string" &&
  "about" in value &&
  typeof value.about === "string"

const WAIT_MS = 120
/** The word before the caret, where it begins with a sign: not within a word, and an emoji from its second letter on. */
const WORD = /(?:^|[\s([{>*_"'])(([@#])([\w.-]*)|(:)([\w+-]{2,}))$/

let list: HTMLUListElement | undefined
let waiting: ReturnType<typeof setTimeout> | undefined
let asking: AbortController | undefined

function close(): void {
  asking?.abort()
  clearTimeout(waiting)
  list?.remove()
  list = undefined
  for (const field of document.querySelectorAll(".composer textarea[aria-controls]"))
    for (const name of ["aria-controls", "aria-activedescendant", "aria-autocomplete"]) field.removeAttribute(name)
}

function wordAt(field: Field): { readonly word: string; readonly sign: string; readonly q: string } | undefined {
  const before = field.value.slice(Math.max(0, field.selectionStart - 60), field.selectionStart)
  const [, word, sign = "", q = "", colon = "", name = ""] = WORD.exec(before) ?? []
  return word === undefined || field.selectionStart !== field.selectionEnd ? undefined : { word, sign: sign || colon, q: q || name }
}

async function ask(field: Field): Promise<void> {
  const at = wordAt(field)
  const address = field.closest<HTMLElement>(".composer")?.dataset["complete"]
  if (!at || address === undefined) return close()
  asking?.abort()
  asking = new AbortController()
  try {
    const response = await fetch(`${address}?${new URLSearchParams({ sign: at.sign, q: at.q })}`, { signal: asking.signal })
    const found: unknown = response.ok ? await response.json() : []
    const offers = Array.isArray(found) ? found.filter(isOffer) : []
    if (wordAt(field)?.word !== at.word || document.activeElement !== field) return
    close()
    if (offers.length > 0) offer(field, at.word, offers)
  } catch {
    // Nothing is offered: the name can be typed.
  }
}

function offer(field: Field, word: string, offers: readonly Offer[]): void {
  const made = element("ul", { className: "offers card", id: `${field.id}-offers`, role: "listbox", ariaLabel: t("Names") })
  for (const [at, { text, about }] of offers.entries()) {
    const item = element("li", { id: `${made.id}-${at}`, role: "option" })
    item.dataset["text"] = text
    item.append(element("bdi", { textContent: text }), " ", element("span", { className: "muted", dir: "auto", textContent: about }))
    item.addEventListener("mousedown", (event) => {
      event.preventDefault()
      take(field, word, text)
    })
    made.append(item)
  }
  made.dataset["word"] = word
  field.after(made)
  field.setAttribute("aria-controls", made.id)
  field.setAttribute("aria-autocomplete", "list")
  list = made
  mark(field, 0)
}

/** Marks the offer that Enter takes. */
function mark(field: Field, wanted: number): void {
  const items = [...(list?.children ?? [])]
  const at = (wanted + items.length) % items.length
  for (const [index, item] of items.entries()) item.setAttribute("aria-selected", index === at ? "true" : "false")
  field.setAttribute("aria-activedescendant", items[at]?.id ?? "")
  items[at]?.scrollIntoView({ block: "nearest" })
}

function take(field: Field, word: string, text: string): void {
  close()
  replace(field, field.selectionStart - word.length, field.selectionStart, `${text} `)
}

function chooses(event: KeyboardEvent, field: Field): boolean {
  if (!list || !field.parentElement?.contains(list)) return false
  const items = [...list.children]
  const at = items.findIndex((item) => item.getAttribute("aria-selected") === "true")
  const chosen = items[at]
  if (event.key === "ArrowDown") mark(field, at + 1)
  else if (event.key === "ArrowUp") mark(field, at - 1)
  else if (event.key === "Escape") close()
  else if ((event.key === "Enter" || event.key === "Tab") && !event.ctrlKey && chosen instanceof HTMLElement)
    take(field, list.dataset["word"] ?? "", chosen.dataset["text"] ?? "")
  else return false
  return true
}

document.addEventListener("keydown", (event) => {
  const field = event.target
  if (!isComposed(field) || event.isComposing) return
  if (chooses(event, field)) return event.preventDefault()
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return
  const tool = event.shiftKey ? undefined : KEYS[event.key.toLowerCase()]
  if (event.key === "Enter") {
    event.preventDefault()
    const second = event.shiftKey && field.form?.querySelector<HTMLButtonElement>("button[data-with-shift]")
    field.form?.requestSubmit(second || field.form.querySelector<HTMLButtonElement>("button.primary"))
  } else if (tool !== undefined) {
    event.preventDefault()
    use(tool, field)
  }
})

document.addEventListener("focusout", ({ target }) => isComposed(target) && close())

document.addEventListener("input", ({ target }) => {
  if (!isComposed(target)) return
  clearTimeout(waiting)
  if (wordAt(target)) waiting = setTimeout(() => void ask(target), WAIT_MS)
  else if (list) close()
})
