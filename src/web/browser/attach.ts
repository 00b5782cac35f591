import { pastedFiles, pastedText } from "./pasting.ts"
import { markFor, sayFault, sendShown, textIn } from "./sending.ts"
import { changed, type Field, fieldOf, isComposed, replace } from "./text.ts"
import { t } from "./words.ts"

/** Pasting and dropping into a composer: files are sent at once and stand in the text. See `web/composer.ts`. */

const placeOf = (field: Field): HTMLElement | null => field.closest(".composer")?.querySelector<HTMLElement>("[data-attach]") ?? null

// --- files ----------------------------------------------------------------------------------------------------------------------------

/** What each form still sends. */
const sending = new Map<HTMLFormElement, number>()
/** The button that was pressed meanwhile. */
const pressed = new Map<HTMLFormElement, HTMLElement | null>()

function told(place: HTMLElement): HTMLElement {
  const known = place.querySelector<HTMLElement>("[role=status]")
  if (known) return known
  const made = document.createElement("div")
  made.className = "stack small"
  made.setAttribute("role", "status")
  place.append(made)
  return made
}

async function attach(field: Field, files: readonly File[]): Promise<void> {
  const place = placeOf(field)
  const { form } = field
  if (!place || !form) return
  for (const line of place.querySelectorAll(".fault")) line.remove()
  const marks = files.map(({ name }) => markFor(name))
  const { selectionStart: from, selectionEnd: to, value } = field
  const begins = from > 0 && value[from - 1] !== "\n" ? "\n" : ""
  replace(field, from, to, `${begins}${marks.join("\n")}\n`)
  sending.set(form, (sending.get(form) ?? 0) + files.length)
  let failed = false
  for (const [at, file] of files.entries()) {
    const mark = marks[at] ?? ""
    try {
      put(field, mark, await send(place, file))
    } catch (error) {
      failed = true
      put(field, `${mark}\n`, "")
      put(field, mark, "")
      sayFault(told(place), `${file.name}: ${error instanceof Error ? error.message : t("it could not be sent")}`)
    }
    sending.set(form, (sending.get(form) ?? 1) - 1)
  }
  if ((sending.get(form) ?? 0) > 0) return
  const button = pressed.get(form)
  pressed.delete(form)
  if (button !== undefined && !failed) form.requestSubmit(button)
}

/** Puts a text where the mark is, wherever the caret and the focus are; nothing where someone has taken the mark away. */
function put(field: Field, mark: string, text: string): void {
  const from = field.value.indexOf(mark)
  if (from < 0) return
  field.setRangeText(text, from, from + mark.length, "preserve")
  changed(field)
}

/** Sends a file and gives its Markdown. Throws an Error that says why it could not be sent. */
async function send(place: HTMLElement, file: File): Promise<string> {
  const body = new FormData()
  body.append("attachment", file, file.name === "" ? "picture.png" : file.name)
  return textIn(await sendShown(told(place), place.dataset["attach"] ?? "", file.name, body), "markdown") ?? ""
}

// What is sent while files are on their way waits for them.
document.addEventListener(
  "submit",
  (event) => {
    const { target: form, submitter } = event
    if (!(form instanceof HTMLFormElement) || (sending.get(form) ?? 0) === 0) return
    event.preventDefault()
    event.stopImmediatePropagation()
    pressed.set(form, submitter)
  },
  true,
)

/** With scripts, files are sent when they are chosen. */
function prepare(inside: ParentNode): void {
  for (const place of inside.querySelectorAll<HTMLElement>("[data-attach]")) {
    const button = place.querySelector("button")
    if (button) button.hidden = true
  }
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.type !== "file" || !target.closest("[data-attach]")) return
  const field = fieldOf(target)
  const files = [...(target.files ?? [])]
  target.value = ""
  if (field) void attach(field, files)
})

const overFiles = (event: DragEvent): HTMLElement | null => {
  const composer = event.target instanceof Element ? event.target.closest<HTMLElement>(".composer") : null
  return composer?.querySelector("[data-attach]") && event.dataTransfer?.types.includes("Files") ? composer : null
}

document.addEventListener("dragover", (event) => {
  const composer = overFiles(event)
  for (const other of document.querySelectorAll(".composer.over")) if (other !== composer) other.classList.remove("over")
  if (!composer) return
  event.preventDefault()
  composer.classList.add("over")
})
document.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) for (const composer of document.querySelectorAll(".composer.over")) composer.classList.remove("over")
})
document.addEventListener("drop", (event) => {
  const composer = overFiles(event)
  for (const each of document.querySelectorAll(".composer.over")) each.classList.remove("over")
  const field = composer && fieldOf(composer)
  const files = [...(event.dataTransfer?.files ?? [])]
  if (!field || files.length === 0) return
  event.preventDefault()
  void attach(field, files)
})

// --- pasting ------------------------------------------------------------------------------------------------------------------------------

document.addEventListener("paste", (event) => {
  const field = event.target
  const data = event.clipboardData
  if (!isComposed(field) || !data) return
  const { selectionStart: from, selectionEnd: to, value } = field
  const files = pastedFiles(data)
  const text = files.length > 0 && placeOf(field) ? undefined : pastedText(data, { value, from, to })
  if (text !== undefined) {
    event.preventDefault()
    return replace(field, from, to, text)
  }
  if (files.length === 0 || !placeOf(field)) return
  event.preventDefault()
  void attach(field, files)
})

document.addEventListener("hearth:shown", (event) => {
  if (event instanceof CustomEvent && event.detail instanceof Element) prepare(event.detail)
})

prepare(document)
