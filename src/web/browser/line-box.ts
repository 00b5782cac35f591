import { type Chosen, rowOf, sectionOf, stand } from "./diff-lines.ts"
import { fetchFragment, renameIds } from "./fragment.ts"
import { replace } from "./text.ts"
import { t } from "./words.ts"

/** The box for a comment on lines: it is made of the template that the page has, and opens under them. */

export const template = (): HTMLTemplateElement | null => document.querySelector("template#line-box")

/** The path of a file whose lines can be commented on. */
export const pathOf = (section: Element | null): string | undefined =>
  section?.querySelector<HTMLElement>("[data-comment]")?.dataset["comment"]

const nameOf = ({ section, side, first, last }: Chosen): string => `${section.id}${side}${first}-${last}`

const wordsOf = ({ side, first, last }: Chosen): string => {
  if (side === "L")
    return first === last ? t("Line {last} before the change", { last }) : t("Lines {first} to {last} before the change", { first, last })
  return first === last ? t("Line {last}", { last }) : t("Lines {first} to {last}", { first, last })
}

/** Opens the box, or goes to the one that is open for these lines. */
export function open(lines: Chosen, { suggests = false, isFocused = true } = {}): void {
  const path = pathOf(lines.section)
  const made = template()
  const place = document.createElement("div")
  const { side, first, last } = lines
  place.className = "noted line-form-place"
  place.dataset["name"] = nameOf(lines)
  const known = document.querySelector(`.line-form-place[data-name="${CSS.escape(nameOf(lines))}"]`)
  if (!known) {
    if (!made || path === undefined) return
    place.append(document.importNode(made.content, true))
    renameIds(place, nameOf(lines))
    for (const [name, value] of Object.entries({ path, side, first, last })) {
      const field = place.querySelector<HTMLInputElement>(`input[name=${name}]`)
      if (field) field.value = String(value)
    }
    const words = place.querySelector("[data-lines]")
    if (words) words.textContent = wordsOf(lines)
    const suggestion = place.querySelector<HTMLAnchorElement>("a[data-suggest]")
    if (side === "L") suggestion?.remove()
    else if (suggestion) suggestion.href = `${addressOf(`${path}:${side}:${first}-${last}`)}&suggest=true`
    place.querySelector(".line-form > .bar:last-child")?.append(cancelButton())
    let before: Element = lines.row
    while (before.nextElementSibling?.classList.contains("noted")) before = before.nextElementSibling
    before.after(place)
    document.dispatchEvent(new CustomEvent("hearth:shown", { detail: place }))
  }
  const form = (known ?? place).querySelector<HTMLFormElement>("form.line-form")
  if (isFocused) form?.querySelector("textarea")?.focus()
  if (suggests && form) void suggest(form)
}

export function cancelButton(): HTMLButtonElement {
  const cancel = document.createElement("button")
  cancel.type = "button"
  cancel.dataset["close"] = ""
  cancel.textContent = t("Cancel")
  return cancel
}

/** The page about lines, of which parts are put in place here. */
export const addressOf = (lines: string): string => `${template()?.dataset["at"] ?? ""}?comment=${encodeURIComponent(lines)}`

/** The row below which a box stands, or what was said. */
export function rowAbove(place: Element | null | undefined): HTMLElement | undefined {
  let row = place?.previousElementSibling
  while (row?.classList.contains("noted")) row = row.previousElementSibling
  return rowOf(row ?? null)
}

export function close(form: Element): void {
  const place = form.closest(".line-form-place")
  const row = rowAbove(place)
  const field = place?.querySelector("textarea")
  if (field && field.value.trim() !== "" && !confirm(t("Discard this comment?"))) return
  if (field) {
    field.value = ""
    // So it is not kept either.
    field.dispatchEvent(new InputEvent("input", { bubbles: true }))
  }
  place?.remove()
  if (row) stand(row)
}

// --- suggestions ------------------------------------------------------------------------------------------------------------------------

/** Longer lines may be cut on the page. */
const LONG = 1_000

/** The lines as the page has them; undefined where it hasn't all of them as they are. */
function textsOf(section: Element, first: number, last: number): readonly string[] | undefined {
  const texts: string[] = []
  for (let line = first; line <= last; line++) {
    const shown = document.getElementById(`${section.id}R${line}`)
    const copy = (shown?.matches("i") ? shown.parentElement : shown)?.cloneNode(true)
    if (!(copy instanceof Element) || copy.querySelector(".iv")) return undefined
    for (const other of copy.querySelectorAll("i, .ends, .comment-here")) other.remove()
    if (copy.textContent.length > LONG) return undefined
    texts.push(copy.textContent)
  }
  return texts
}

/** Code in a fence that is longer than those in it. */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)))
  const fence = "`".repeat(longest + 1)
  return [`${fence}suggestion`, ...lines, fence, ""].join("\n")
}

export async function suggest(form: HTMLFormElement): Promise<void> {
  const field = form.querySelector("textarea")
  const section = sectionOf(form)
  const link = form.querySelector<HTMLAnchorElement>("a[data-suggest]")
  const lineOf = (name: string): number => Number(form.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value)
  if (!field || !link) return
  const texts = section && textsOf(section, lineOf("first"), lineOf("last"))
  const asked = async () => (await fetchFragment(link.href)).querySelector<HTMLTextAreaElement>("form.line-form textarea")?.value
  const text = texts ? fenced(texts) : await asked().catch(() => undefined)
  if (text === undefined || text === "") return location.assign(link.href)
  const { selectionStart: from, selectionEnd: to, value } = field
  const isAtBegin = from === 0 || value[from - 1] === "\n"
  replace(field, from, to, isAtBegin ? text : `\n${text}`)
  // To the end of the code, where it is to be changed.
  const end = field.selectionStart - (text.split("\n").at(-2)?.length ?? 0) - 2
  field.setSelectionRange(end, end)
}

/** Opens the boxes again whose texts were not sent. */
function reopen(): void {
  const action = template()?.content.querySelector("form")?.getAttribute("action")
  for (const key of Object.keys(localStorage)) {
    const [, address, name = ""] = /^hearth-draft (\S+) pull-lineComment-text-(.+)$/.exec(key) ?? []
    const [, id = "", side, from, to] = /^(.+)([LR])(\d+)-(\d+)$/.exec(name) ?? []
    const row = rowOf(document.getElementById(`${id}${side}${to}`))
    const section = row && sectionOf(row)
    if (address !== action || !row || !section || (side !== "L" && side !== "R")) continue
    open({ section, row, side, first: Number(from), last: Number(to) }, { isFocused: false })
  }
}

try {
  reopen()
} catch {
  // A browser that keeps nothing.
}
