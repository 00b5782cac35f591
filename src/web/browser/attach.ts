import { fragmentOf } from "./fragment.ts"
import { changed, type Field, fieldOf, isComposed, replace } from "./text.ts"
import { t } from "./words.ts"

/** Pasting and dropping: files are sent at once and stand in the text, tables of spreadsheets and addresses become Markdown. See `web/composer.ts`. */

/** What stands in the text until the file is there. */
const placeholder = (name: string, number: number): string => `[Sending ${name.replaceAll(/[[\]\r\n]/g, " ")} (${number})…]()`

const placeOf = (field: Field): HTMLElement | null => field.closest(".composer")?.querySelector<HTMLElement>("[data-attach]") ?? null

// --- files ----------------------------------------------------------------------------------------------------------------------------

let number = 0
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

function say(place: HTMLElement, text: string): void {
  const line = document.createElement("p")
  line.className = "fault"
  line.dir = "auto"
  line.textContent = text
  told(place).append(line)
}

async function attach(field: Field, files: readonly File[]): Promise<void> {
  const place = placeOf(field)
  const { form } = field
  if (!place || !form) return
  for (const line of place.querySelectorAll(".fault")) line.remove()
  const marks = files.map((file) => {
    number += 1
    return placeholder(file.name, number)
  })
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
      say(place, `${file.name}: ${error instanceof Error ? error.message : t("it could not be sent")}`)
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
function send(place: HTMLElement, file: File): Promise<string> {
  const label = document.createElement("label")
  const progress = document.createElement("progress")
  progress.max = 1
  progress.value = 0
  const name = document.createElement("bdi")
  name.textContent = file.name
  label.append(name, " ", progress)
  const line = document.createElement("div")
  line.className = "bar"
  const cancel = document.createElement("button")
  cancel.type = "button"
  cancel.className = "small"
  cancel.textContent = t("Cancel")
  line.append(label, cancel)
  told(place).append(line)
  const body = new FormData()
  body.append("attachment", file, file.name === "" ? "picture.png" : file.name)
  return new Promise<string>((resolve, reject) => {
    const request = new XMLHttpRequest()
    cancel.addEventListener("click", () => request.abort())
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      progress.value = total > 0 ? loaded / total : 0
    })
    request.addEventListener("abort", () => reject(new Error(t("not sent"))))
    request.addEventListener("error", () => reject(new Error(t("the connection broke off; attach it again when it is back"))))
    request.addEventListener("load", () => {
      const answer = answerIn(request)
      if (request.status === 200 && answer.markdown !== undefined) resolve(answer.markdown)
      else reject(new Error(answer.message ?? t("it was not taken; are you still signed in?")))
    })
    request.open("POST", place.dataset["attach"] ?? "")
    request.setRequestHeader("accept", "application/json")
    request.send(body)
  }).finally(() => line.remove())
}

function answerIn({ responseText }: XMLHttpRequest): { readonly markdown?: string; readonly message?: string } {
  try {
    const answer: unknown = JSON.parse(responseText)
    if (typeof answer !== "object" || answer === null) return {}
    return {
      ...("markdown" in answer && typeof answer.markdown === "string" && { markdown: answer.markdown }),
      ...("message" in answer && typeof answer.message === "string" && { message: answer.message.replace(/^\[\w+\]: /, "") }),
    }
  } catch {
    return {}
  }
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

// --- tables and addresses ---------------------------------------------------------------------------------------------------------------

type Row = readonly string[]

/** Rows as a table in Markdown; undefined for what is no table. */
function tableOf(rows: readonly Row[]): string | undefined {
  const width = Math.max(...rows.map((row) => row.length))
  if (rows.length < 2 || width < 2 || rows.length > 2_000 || width > 100) return undefined
  const cell = (text = ""): string =>
    text
      .trim()
      .replaceAll(/\s*\n\s*/g, " ")
      .replaceAll("\\", "\\\\")
      .replaceAll("|", "\\|")
  const line = (cells: Row): string => `| ${Array.from({ length: width }, (_, at) => cell(cells[at])).join(" | ")} |`
  const [head = [], ...others] = rows
  return [line(head), `|${" --- |".repeat(width)}`, ...others.map(line)].join("\n")
}

/** The rows of a copied table; undefined where more than a table was copied. */
function rowsInHtml(text: string): readonly Row[] | undefined {
  const content = fragmentOf(text)
  const tables = content.querySelectorAll("table")
  const [table] = tables
  if (!table || tables.length > 1) return undefined
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent ?? ""))
  table.remove()
  for (const element of content.querySelectorAll("style, script, meta, title")) element.remove()
  return (content.textContent ?? "").trim() === "" ? rows : undefined
}

/** The rows of a text with tabs between its cells; undefined for code, whose lines begin with them. */
function rowsInText(text: string): readonly Row[] | undefined {
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n")
  const rows = lines.map((each) => each.split("\t"))
  const [width = 0] = rows.map((row) => row.length)
  return rows.every((row) => row.length === width) && lines.every((each) => !each.startsWith("\t")) ? rows : undefined
}

const isInCode = (before: string): boolean => (before.match(/^ {0,3}(```|~~~)/gm)?.length ?? 0) % 2 === 1

/** Pressed with Ctrl-V, it pastes what is there as it is. */
let isPlain = false
document.addEventListener("keydown", (event) => {
  isPlain = event.shiftKey
})

document.addEventListener("paste", (event) => {
  const field = event.target
  const data = event.clipboardData
  if (!isComposed(field) || !data) return
  const { selectionStart: from, selectionEnd: to, value } = field
  const plain = data.getData("text/plain")
  const rows = isPlain || isInCode(value.slice(0, from)) ? undefined : (rowsInHtml(data.getData("text/html")) ?? rowsInText(plain))
  const table = rows && tableOf(rows)
  if (table !== undefined) {
    event.preventDefault()
    const before = from === 0 || value.slice(0, from).endsWith("\n\n") ? "" : value[from - 1] === "\n" ? "\n" : "\n\n"
    return replace(field, from, to, `${before}${table}\n`)
  }
  const files = [...data.files]
  // A program that copies words may add a picture of them.
  if (files.length > 0 && plain === "" && placeOf(field)) {
    event.preventDefault()
    return void attach(field, files)
  }
  const address = plain.trim()
  if (from === to || !/^https?:\/\/\S+$/.test(address)) return
  event.preventDefault()
  replace(field, from, to, `[${value.slice(from, to)}](${address})`)
})

document.addEventListener("hearth:shown", (event) => {
  if (event instanceof CustomEvent && event.detail instanceof Element) prepare(event.detail)
})

prepare(document)
