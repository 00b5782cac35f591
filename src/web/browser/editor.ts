/** The editor of files: Tab indents, and who leaves with what isn't sent is warned. */

const hint = document.querySelector<HTMLElement>("[data-editor]")
const area = document.getElementById(hint?.dataset["editor"] ?? "")

if (hint && area instanceof HTMLTextAreaElement) {
  area.spellcheck = false
  let leaves = false
  let isSent = false
  const begun = area.value
  // Then these are cared for.
  const isComposed = area.closest(".composer") !== null
  const isShownAgain = hint.dataset["typed"] === "true"

  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaves = true
    else if (event.key === "Tab" && !leaves && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      indent(area, event.shiftKey)
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.form?.requestSubmit()
    else if (event.key !== "Tab" && event.key !== "Shift") leaves = false
  })
  area.addEventListener("blur", () => {
    leaves = false
  })
  area.form?.addEventListener("submit", () => {
    isSent = true
  })
  addEventListener("pageshow", () => {
    isSent = false
  })
  addEventListener("beforeunload", (event) => {
    if (!isSent && !isComposed && (isShownAgain || area.value !== begun)) event.preventDefault()
  })
}

/** One step of indentation as the text has it. */
function unitOf(text: string): string {
  const steps = text.match(/^(?:\t| {2,8})(?=\S)/gm) ?? []
  if (steps.some((step) => step === "\t")) return "\t"
  return " ".repeat(Math.min(...steps.map((step) => step.length), 4) || 4)
}

/** The selected lines get an indent more or less; without a selection it is put in at the caret. */
function indent(area: HTMLTextAreaElement, isLess: boolean): void {
  const { value, selectionStart, selectionEnd } = area
  const unit = unitOf(value)
  if (!isLess && selectionStart === selectionEnd) {
    insert(area, unit)
    return
  }
  const from = value.lastIndexOf("\n", selectionStart - 1) + 1
  const end = value.indexOf("\n", Math.max(from, selectionEnd - (selectionEnd > selectionStart ? 1 : 0)))
  const to = end < 0 ? value.length : end
  const before = value.slice(from, to)
  const less = new RegExp(`^(?:\t| {1,${unit === "\t" ? 4 : unit.length}})`, "gm")
  const after = isLess ? before.replace(less, "") : before.replace(/^(?=.)/gm, unit)
  if (after === before) return
  area.setSelectionRange(from, to)
  insert(area, after)
  area.setSelectionRange(from, from + after.length)
}

/** Puts a text in place of the selection so that the browser can undo it, where it still knows how. */
function insert(area: HTMLTextAreaElement, text: string): void {
  const isDone = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text)
  if (!isDone) area.setRangeText(text, area.selectionStart, area.selectionEnd, "end")
}
