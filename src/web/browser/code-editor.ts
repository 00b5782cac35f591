/** CodeMirror over a textarea: loaded by `editor.ts` on pages of files alone. The textarea stays what is sent. */

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands"
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  LanguageDescription,
  type LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language"
import { languages } from "@codemirror/language-data"
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search"
import { type ChangeSpec, Compartment, EditorState, type Extension, Prec, type Transaction } from "@codemirror/state"
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view"
import { classes, theme } from "./code-theme.ts"
import type { Change, Selected } from "./markdown-tools.ts"
import { t } from "./words.ts"

/** How a file is to be written, as `.editorconfig` says, or as its text has it. */
export interface Style {
  /** One step: a tab, or spaces. */
  readonly indent: string
  readonly tabWidth: number
  readonly trims: boolean
  readonly endsWithNewline: boolean
}

interface Options {
  readonly area: HTMLTextAreaElement
  /** What the field is called, and the id of what says how it is used. */
  readonly label: string
  readonly describedBy: string
  readonly changed: () => void
  readonly moved: (line: number, column: number) => void
  /** For keys with Ctrl; says whether there is something for it. */
  readonly pressed: (key: "Enter" | "s" | "b" | "i" | "e" | "k") => boolean
}

/** In the window. */
interface Point {
  readonly x: number
  readonly y: number
}

export interface CodeEditor {
  readonly text: () => string
  readonly replaceAll: (text: string) => void
  readonly selected: () => Selected
  readonly change: (change: Change) => void
  /** In place of the selection, or at the end of the line at a point of the window. */
  readonly insert: (text: string, at?: Point) => void
  /** Puts a text where another one stands, wherever the caret is; nothing where that one is gone. */
  readonly exchange: (before: string, after: string) => void
  readonly setName: (name: string) => void
  readonly setStyle: (style: Style) => void
  readonly setWrapped: (isWrapped: boolean) => void
  /** Makes the text fit its style: what it ends with, and what its lines end with. */
  readonly tidy: () => void
  readonly find: () => void
  readonly focus: () => void
  readonly element: HTMLElement
}

export function openEditor(options: Options): CodeEditor {
  const { area } = options
  const language = new Compartment()
  const indentation = new Compartment()
  const wrapping = new Compartment()
  let style: Style = { indent: "    ", tabWidth: 4, trims: false, endsWithNewline: false }
  let wanted = ""
  const inside = (support: Extension): Extension => [
    behaviour,
    typingOver,
    keysOf(options),
    listener(options),
    EditorView.contentAttributes.of({ "aria-label": options.label, "aria-describedby": options.describedBy, spellcheck: "false" }),
    language.of(support),
    indentation.of(indentationOf(style)),
    wrapping.of([]),
  ]
  const selection = selectionOf(area)
  const view = new EditorView({
    state: EditorState.create({ doc: area.value, selection, extensions: inside([]) }),
    // Where someone is in the field, they go on where they were.
    ...(document.activeElement === area && { scrollTo: EditorView.scrollIntoView(selection.head) }),
  })
  return {
    element: placeAfter(area, view),
    text: () => view.state.doc.toString(),
    replaceAll: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    selected: () => {
      const { from, to } = view.state.selection.main
      return { value: view.state.doc.toString(), from, to }
    },
    change: ({ from, to, text, selectFrom, selectTo }) => {
      view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: selectFrom, head: selectTo }, userEvent: "input" })
      view.focus()
    },
    insert: (text, at) => insertText(view, text, at),
    exchange: (before, after) => exchange(view, before, after),
    setName: (name) => {
      wanted = name
      void supportFor(name).then((support) => {
        // The name may have become another one meanwhile.
        if (wanted === name) view.dispatch({ effects: language.reconfigure(support ?? []) })
      })
    },
    setStyle: (changed) => {
      style = changed
      view.dispatch({ effects: indentation.reconfigure(indentationOf(style)) })
    },
    setWrapped: (isWrapped) => view.dispatch({ effects: wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) }),
    tidy: () => {
      const changes = tidying(view.state, style)
      if (changes.length > 0) view.dispatch({ changes })
    },
    find: () => openSearchPanel(view),
    focus: () => view.focus(),
  }
}

/** What is selected in the textarea stays selected: it may be about to be typed over. Both count the same characters, as neither has CR. */
function selectionOf({ selectionStart, selectionEnd, selectionDirection }: HTMLTextAreaElement): {
  readonly anchor: number
  readonly head: number
} {
  return selectionDirection === "backward" ? { anchor: selectionEnd, head: selectionStart } : { anchor: selectionStart, head: selectionEnd }
}

/** The library decides how its own element is displayed: the one around it can be hidden. */
function placeAfter(area: HTMLTextAreaElement, view: EditorView): HTMLElement {
  const element = document.createElement("div")
  element.append(view.dom)
  area.after(element)
  return element
}

function exchange(view: EditorView, before: string, after: string): void {
  const from = view.state.doc.toString().indexOf(before)
  if (from >= 0) view.dispatch({ changes: { from, to: from + before.length, insert: after } })
}

function insertText(view: EditorView, text: string, at: Point | undefined): void {
  const there = at ? view.posAtCoords(at) : null
  const end = there === null ? undefined : view.state.doc.lineAt(there).to
  const { from, to } = end === undefined ? view.state.selection.main : { from: end, to: end }
  view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.paste" })
  view.focus()
}

/** What the library says, in our words. */
const WORDS = {
  Find: t("Find"),
  Replace: t("Replace"),
  next: t("Next"),
  previous: t("Previous"),
  all: t("Select all"),
  "match case": t("Match case"),
  regexp: t("Regular expression"),
  "by word": t("Whole words"),
  replace: t("Replace"),
  "replace all": t("Replace all"),
  close: t("Close|dialog"),
  go: t("Go"),
  "Go to line": t("Go to line"),
}

const behaviour: Extension = [
  EditorState.phrases.of(WORDS),
  lineNumbers(),
  foldGutter(),
  codeFolding(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  dropCursor(),
  rectangularSelection(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  syntaxHighlighting(classes),
  theme,
]

const indentationOf = ({ indent, tabWidth }: Style): Extension => [indentUnit.of(indent), EditorState.tabSize.of(tabWidth)]

/**
 * What replaces or deletes a selection is done here, not by the browser: Chromium would give what it leaves of coloured words elements with styles, which the
 * policy of the page forbids. A composition, and Android's own way of editing, are not to be interrupted.
 */
const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, dataTransfer } = event
    const isText = inputType === "insertText" || inputType === "insertReplacementText"
    const text = isText ? (data ?? dataTransfer?.getData("text/plain")) : inputType.startsWith("deleteContent") ? "" : undefined
    if (text === undefined || event.isComposing || view.composing || !event.cancelable) return false
    // What was selected a moment ago may be told later than this.
    document.dispatchEvent(new Event("selectionchange"))
    const { state } = view
    const { from, to, empty } = state.selection.main
    if (empty) return false
    const replaced = (): Transaction =>
      state.update(state.replaceSelection(text), { userEvent: text === "" ? "delete.selection" : "input.type", scrollIntoView: true })
    if (text === "" || !state.facet(EditorView.inputHandler).some((handles) => handles(view, from, to, text, replaced)))
      view.dispatch(replaced())
    return true
  },
})

/** Tab indents; after Escape it leads on, so that no one is kept in the field. */
function keysOf({ pressed }: Options): Extension {
  let leaves = false
  const watch = EditorView.domEventHandlers({
    keydown: ({ key }) => {
      if (key === "Escape") leaves = true
      else if (key !== "Tab" && key !== "Shift") leaves = false
      return false
    },
    blur: () => {
      leaves = false
    },
  })
  const own = (["Enter", "s", "b", "i", "e", "k"] as const).map((key) => ({ key: `Mod-${key}`, run: () => pressed(key) }))
  const tab = {
    key: "Tab",
    run: (view: EditorView) => !leaves && (view.state.selection.main.empty ? insertStep(view) : indentMore(view)),
    shift: (view: EditorView) => !leaves && indentLess(view),
  }
  return [
    Prec.highest([watch, keymap.of(own)]),
    keymap.of([tab, ...closeBracketsKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap]),
  ]
}

/** Up to the next column that a step leads to. */
function insertStep(view: EditorView): boolean {
  const { state } = view
  const unit = state.facet(indentUnit)
  view.dispatch(
    state.changeByRange((range) => {
      const column = range.head - state.doc.lineAt(range.head).from
      const text = unit === "\t" ? unit : " ".repeat(unit.length - (column % unit.length))
      return {
        changes: { from: range.from, to: range.to, insert: text },
        range: range.map(state.changes({ from: range.from, to: range.to, insert: text }), 1),
      }
    }),
    { scrollIntoView: true, userEvent: "input.indent" },
  )
  return true
}

const listener = ({ changed, moved }: Options): Extension =>
  EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (docChanged) changed()
    if (!docChanged && !selectionSet) return
    const { head } = state.selection.main
    const line = state.doc.lineAt(head)
    moved(line.number, head - line.from + 1)
  })

/** The language of a file, by its name; undefined where there is none, or it can't be had. */
async function supportFor(path: string): Promise<LanguageSupport | undefined> {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const found = LanguageDescription.matchFilename(languages, name)
  if (!found) return undefined
  try {
    if (found.name !== "Markdown") return await found.load()
    const { markdown, markdownLanguage } = await import("@codemirror/lang-markdown")
    return markdown({ base: markdownLanguage, codeLanguages: languages })
  } catch {
    return undefined
  }
}

function tidying({ doc }: EditorState, { trims, endsWithNewline }: Style): readonly ChangeSpec[] {
  const changes: ChangeSpec[] = []
  if (trims)
    for (let number = 1; number <= doc.lines; number++) {
      const { from, to, text } = doc.line(number)
      const kept = text.trimEnd().length
      if (kept < text.length) changes.push({ from: from + kept, to })
    }
  const last = doc.line(doc.lines)
  if (endsWithNewline && doc.length > 0 && last.text.trimEnd() !== "") changes.push({ from: doc.length, insert: "\n" })
  return changes
}
