/** Indenting in a textarea. */

const TABS = /(?:^|\/)(?:GNU)?[Mm]akefile$|\.(?:go|mk)$/
const TWO = /\.(?:ya?ml|jsonc?|html?|vue|svelte|s?css|less|[cm]?[jt]sx?|rb|md|markdown|xml|svg|nix|dart|lua)$/i

/** One step of indentation as the text has it; where it has none, as files of this name usually do. */
export function unitOf(text: string, path = ""): string {
  const steps = text.match(/^(?:\t| {2,8})(?=\S)/gm) ?? []
  if (steps.some((step) => step === "\t")) return "\t"
  if (steps.length > 0) return " ".repeat(Math.min(...steps.map((step) => step.length)))
  return TABS.test(path) ? "\t" : " ".repeat(TWO.test(path) ? 2 : 4)
}

/** The selected lines get an indent more or less; without a selection it is put in at the caret. */
export function indentBy(area: HTMLTextAreaElement, isLess: boolean): void {
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
