/**
 * The editors of files and of the wiki. A text is edited by CodeMirror, which is loaded here alone (`code-editor.ts`); until then, Tab indents in the
 * textarea. The textarea is what is sent. What was typed is kept by `drafts.ts`, and offered again here.
 */

import type { CodeEditor, Style } from "./code-editor.ts"
import { forget, keptOf } from "./drafts.ts"
import { fetchFragment } from "./fragment.ts"
import { indentBy, unitOf } from "./indent.ts"
import { KEYS, TOOLS } from "./markdown-tools.ts"
import { type Pictures, takePictures } from "./pictures.ts"
import { changed } from "./text.ts"

function inTextarea(area: HTMLTextAreaElement): void {
  area.spellcheck = false
  let leaves = false
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaves = true
    else if (event.key === "Tab" && !leaves && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      indentBy(area, event.shiftKey)
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.form?.requestSubmit()
    else if (event.key !== "Tab" && event.key !== "Shift") leaves = false
  })
  area.addEventListener("blur", () => {
    leaves = false
  })
}

// --- a file -----------------------------------------------------------------------------------------------------------------------------

/** After a pause in typing, the text is kept. */
const KEPT_AFTER_MS = 300
const MARKDOWN = /\.(?:md|markdown|mdown|mkd|livemd)$/i

function ofFile(hint: HTMLElement, area: HTMLTextAreaElement, form: HTMLFormElement): void {
  let opened: CodeEditor | undefined
  let pictures: Pictures | undefined
  let waiting: ReturnType<typeof setTimeout> | undefined
  const put = (): void => {
    clearTimeout(waiting)
    waiting = undefined
    if (!opened) return
    const text = opened.text()
    if (text === area.value) return
    area.value = text
    changed(area)
  }
  offerDraft(area, form, () => opened?.replaceAll(area.value))
  form.addEventListener("submit", ({ submitter }) => {
    if (!isLook(submitter)) opened?.tidy()
    put()
    if (!isLook(submitter)) pictures?.name(area.value)
  })
  // What was sent or discarded is not kept again.
  form.addEventListener("reset", () => queueMicrotask(() => opened?.replaceAll(area.value)))
  addEventListener("pagehide", put)
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && put())
  lookInPlace(form, area, put, () => opened)
  // Without this, its styles would be an element, which the policy of the page forbids.
  if (!("adoptedStyleSheets" in document)) return
  const rests = restOf(area)
  void import("./code-editor.ts").then(
    async ({ openEditor }) => {
      await rests()
      const bar = barOf(hint, form)
      opened = openEditor({
        area,
        label: area.labels?.[0]?.textContent ?? "",
        describedBy: hint.id,
        changed: () => {
          clearTimeout(waiting)
          waiting = setTimeout(put, KEPT_AFTER_MS)
        },
        moved: bar.moved,
        pressed: (key) => press(key, form, hint, opened),
      })
      replaceField(area, opened)
      bar.serve(opened, area)
      const to = hint.dataset["pictures"]
      if (to !== undefined) pictures = takePictures({ form, editor: opened, to, isMarkdown: () => isMarkdown(form, hint) })
    },
    () => {
      // The textarea can do it alone.
    },
  )
}

/** Waits for the end of a word that is being composed, as with an input method: to interrupt it loses the word. */
function restOf(area: HTMLTextAreaElement): () => Promise<void> {
  let composing = false
  area.addEventListener("compositionstart", () => {
    composing = true
  })
  area.addEventListener("compositionend", () => {
    composing = false
  })
  return () => new Promise((resolve) => (composing ? area.addEventListener("compositionend", () => resolve(), { once: true }) : resolve()))
}

/** The editor stands in the field's place, and has its label; and the focus, which is nowhere else in between, where someone is in the field already. */
function replaceField(area: HTMLTextAreaElement, editor: CodeEditor): void {
  const [label] = area.labels ?? []
  if (document.activeElement === area) editor.focus()
  area.hidden = true
  label?.removeAttribute("for")
  label?.addEventListener("click", editor.focus)
}

const nameIn = (form: HTMLFormElement, hint: HTMLElement): string => pathIn(form)?.value ?? hint.dataset["name"] ?? ""
const isMarkdown = (form: HTMLFormElement, hint: HTMLElement): boolean => MARKDOWN.test(nameIn(form, hint))
const pathIn = (form: HTMLFormElement): HTMLInputElement | null => form.querySelector<HTMLInputElement>("input[name=path]")

/** What a key with Ctrl does; for Markdown, those of the composer. */
function press(key: string, form: HTMLFormElement, hint: HTMLElement, editor: CodeEditor | undefined): boolean {
  if (key === "Enter") form.requestSubmit()
  else if (key === "s") form.querySelector<HTMLElement>("[name=message]")?.focus()
  else if (editor && isMarkdown(form, hint)) use(KEYS[key], editor)
  else return false
  return true
}

function use(tool: string | undefined, editor: CodeEditor): void {
  const change = TOOLS[tool ?? ""]?.(editor.selected())
  if (change) editor.change(change)
}

// --- the bar ----------------------------------------------------------------------------------------------------------------------------

interface Bar {
  readonly moved: (line: number, column: number) => void
  readonly serve: (editor: CodeEditor, area: HTMLTextAreaElement) => void
}

function barOf(hint: HTMLElement, form: HTMLFormElement): Bar {
  const bar = form.querySelector<HTMLElement>(".editor-bar")
  const inside = <Kind extends HTMLElement>(name: string): Kind | null => bar?.querySelector<Kind>(`[data-editor-${name}]`) ?? null
  const [line, column] = [inside("line"), inside("column")]
  const [indent, wrap] = [inside<HTMLSelectElement>("indent"), inside<HTMLInputElement>("wrap")]
  return {
    moved: (atLine, atColumn) => {
      if (line) line.textContent = String(atLine)
      if (column) column.textContent = String(atColumn)
    },
    serve: (editor, area) => {
      if (!bar || !indent || !wrap) return
      let style = styleIn(hint.dataset["style"], area.value, nameIn(form, hint))
      let isChosen = false
      const shows = (): void => {
        editor.setStyle(style)
        indent.value = style.indent === "\t" ? "tab" : String(style.indent.length)
      }
      const named = (): void => {
        editor.setName(nameIn(form, hint))
        const tools = bar.querySelector<HTMLElement>(".tools")
        if (tools) tools.hidden = !isMarkdown(form, hint)
        wrap.checked = isMarkdown(form, hint)
        editor.setWrapped(wrap.checked)
      }
      indent.addEventListener("change", () => {
        isChosen = true
        style = { ...style, ...(indent.value === "tab" ? { indent: "\t" } : { indent: " ".repeat(Number(indent.value)) }) }
        shows()
      })
      wrap.addEventListener("change", () => editor.setWrapped(wrap.checked))
      inside("find")?.addEventListener("click", editor.find)
      bar.addEventListener("click", ({ target }) => {
        const tool = target instanceof Element ? target.closest<HTMLElement>("[data-tool]")?.dataset["tool"] : undefined
        if (tool !== undefined) use(tool, editor)
      })
      pathIn(form)?.addEventListener("change", ({ target }) => {
        named()
        const path = target instanceof HTMLInputElement ? target.value : ""
        void styleOf(hint, path).then((said) => {
          if (said === undefined || path !== pathIn(form)?.value) return
          const known = styleIn(said, editor.text(), path)
          style = isChosen ? { ...known, indent: style.indent } : known
          shows()
          setEnds(hint, form, said)
        })
      })
      editor.element.before(bar)
      bar.hidden = false
      named()
      shows()
      setEnds(hint, form, hint.dataset["style"] ?? "")
    },
  }
}

/** How a file of another path is written. */
async function styleOf(hint: HTMLElement, path: string): Promise<string | undefined> {
  const parts = path.split("/").filter((part) => part !== "")
  if (parts.length === 0) return undefined
  const answer = await fetch((hint.dataset["styles"] ?? "") + parts.map(encodeURIComponent).join("/")).catch(() => undefined)
  return answer?.ok === true ? answer.text() : undefined
}

/** What `.editorconfig` says, and for the rest what the text has, or what files of this kind usually have. */
function styleIn(said: string | undefined, text: string, path: string): Style {
  const known: unknown = JSON.parse(said ?? "{}")
  const member = (name: string): unknown => Object.entries(known ?? {}).find(([each]) => each === name)?.[1]
  const [indent, tabWidth] = [member("indent"), member("tabWidth")]
  return {
    indent: typeof indent === "string" ? indent : unitOf(text, path),
    tabWidth: typeof tabWidth === "number" ? tabWidth : 4,
    trims: member("trims") === true,
    endsWithNewline: member("endsWithNewline") === true,
  }
}

/** The lines of a new file end as is said; those of one that is there as they do. */
function setEnds(hint: HTMLElement, form: HTMLFormElement, said: string): void {
  const [, ends] = /"ends":"(lf|crlf)"/.exec(said) ?? []
  const field = form.querySelector<HTMLInputElement>("input[name=ends]")
  if (field && ends !== undefined && hint.dataset["new"] !== undefined) field.value = ends
}

// --- drafts -----------------------------------------------------------------------------------------------------------------------------

/** What was typed and not sent: it is in the field again, or, where the file is another by now, it is offered. */
function offerDraft(area: HTMLTextAreaElement, form: HTMLFormElement, shows: () => void): void {
  const draft = keptOf(area)
  if (!draft || area.dataset["typed"] !== undefined || draft.text === area.defaultValue) return
  const isStale = draft.base !== area.dataset["base"]
  const notice = form.querySelector<HTMLElement>(`[data-draft=${isStale ? "stale" : "restored"}]`)
  if (!notice) return
  form.prepend(notice)
  notice.hidden = false
  notice.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null
    if (!button) return
    notice.remove()
    if (button.dataset["draftTake"] !== undefined) {
      const sha = form.querySelector<HTMLInputElement>("input[name=sha]")
      // The server finds that this is there no more, and shows both.
      if (sha) sha.value = draft.base
      area.dataset["base"] = draft.base
      area.value = draft.text
      changed(area)
    } else {
      forget(form)
      if (!isStale) form.reset()
    }
    shows()
  })
}

// --- looking before there is a commit -----------------------------------------------------------------------------------------------------

const isLook = (submitter: HTMLElement | null): submitter is HTMLButtonElement =>
  submitter instanceof HTMLButtonElement && submitter.name === "look"

/** The preview, and what would change, in the place of the text. Where that can't be had, the button leads to its page. */
function lookInPlace(form: HTMLFormElement, area: HTMLTextAreaElement, put: () => void, editor: () => CodeEditor | undefined): void {
  const shown = document.createElement("div")
  let pressed: HTMLButtonElement | undefined
  const back = (): void => {
    pressed?.setAttribute("aria-pressed", "false")
    pressed = undefined
    shown.remove()
    const place = editor()?.element ?? area
    place.hidden = false
  }
  form.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null
    if (!isLook(button) || button.dataset["whole"] !== undefined) return
    event.preventDefault()
    const isOff = button === pressed
    back()
    if (isOff) return editor()?.focus()
    put()
    void look(form, button).then((made) => {
      if (!made) return
      const place = editor()?.element ?? area
      place.hidden = true
      shown.replaceChildren(made)
      place.after(shown)
      button.setAttribute("aria-pressed", "true")
      pressed = button
      shown.dispatchEvent(new CustomEvent("hearth:shown", { bubbles: true, detail: shown }))
      made.tabIndex = -1
      made.focus()
    })
  })
}

async function look(form: HTMLFormElement, button: HTMLButtonElement): Promise<HTMLElement | undefined> {
  const fields = new URLSearchParams()
  for (const [name, value] of new FormData(form, button)) if (typeof value === "string") fields.append(name, value)
  button.disabled = true
  try {
    return (await fetchFragment(button.formAction, fields)).querySelector<HTMLElement>("#looked") ?? undefined
  } catch {
    button.disabled = false
    button.dataset["whole"] = ""
    button.click()
    return undefined
  } finally {
    button.disabled = false
  }
}

const hint = document.querySelector<HTMLElement>("[data-editor]")
const area = document.getElementById(hint?.dataset["editor"] ?? "")
if (hint && area instanceof HTMLTextAreaElement) {
  inTextarea(area)
  if (hint.dataset["style"] !== undefined && area.form) ofFile(hint, area, area.form)
}
