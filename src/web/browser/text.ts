/** The fields of composers, and changing what is in them. */

export type Field = HTMLTextAreaElement

export const fieldOf = (inside: Element): Field | null => inside.closest(".composer")?.querySelector("textarea") ?? null
export const isComposed = (target: EventTarget | null): target is Field =>
  target instanceof HTMLTextAreaElement && target.closest(".composer") !== null

/** Puts a text in the place of a part of the field's, so that it can be undone. */
export function replace(field: Field, from: number, to: number, text: string): void {
  field.focus()
  field.setSelectionRange(from, to)
  // The only way that browsers have to change a text as if it were typed.
  if (!document.execCommand("insertText", false, text)) {
    field.setRangeText(text, from, to, "end")
    changed(field)
  }
}

export const changed = (field: Field): boolean => field.dispatchEvent(new InputEvent("input", { bubbles: true }))
