/** The finder of files: a field and the paths that fit to it, found in the browser among all of a revision. */

import { type FoundPath, indexPaths, type PathIndex, searchPaths } from "../../core/text/fuzzy.ts"
import { openedBefore } from "./opened.ts"
import { t } from "./words.ts"

interface Options {
  /** The address of the list of paths. */
  readonly list: string
  /** What stands before a path in the address of its file. */
  readonly at: string
  /** The page that finds without this script. */
  readonly page: string
  /** Files that were opened before, newest first. */
  readonly opened: readonly string[]
}

/** Paths that are shown, and how long in milliseconds the search goes on before the browser has its turn. */
const SHOWN = 50
const TURN_MS = 8
const TURN = 1_000

const lists = new Map<string, Promise<PathIndex>>()

/** The paths, fetched once for a page; the browser asks whether they are still the same. */
function pathsAt(address: string): Promise<PathIndex> {
  const known = lists.get(address)
  if (known) return known
  const list = fetchPaths(address)
  lists.set(address, list)
  list.catch(() => lists.delete(address))
  return list
}

async function fetchPaths(address: string): Promise<PathIndex> {
  const { ok, body } = await fetch(address, { credentials: "same-origin", redirect: "error" })
  if (!ok || !body) throw new TypeError("no list of files")
  const text = await new Response(body.pipeThrough(new DecompressionStream("gzip"))).text()
  return indexPaths(text === "" ? [] : text.split("\0"))
}

const yielded = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve()
    port2.postMessage(undefined)
  })

interface Finding {
  readonly found: readonly FoundPath[]
  readonly matching: readonly number[] | undefined
}

/** Undefined where something else was typed meanwhile. */
async function find(
  index: PathIndex,
  text: string,
  { opened }: Options,
  among: readonly number[] | undefined,
  isStale: () => boolean,
): Promise<Finding | undefined> {
  if (text.trim() === "") {
    const before = opened.filter((path) => index.paths.includes(path))
    const rest = index.paths.slice(0, SHOWN).filter((path) => !before.includes(path))
    return { found: [...before, ...rest].slice(0, SHOWN).map((path) => ({ path, marked: [] })), matching: undefined }
  }
  const search = searchPaths(index, text, { limit: SHOWN, preferred: new Set(opened), ...(among && { among }) })
  const many = among?.length ?? index.paths.length
  let begun = performance.now()
  for (let at = 0; at < many; at += TURN) {
    search.scan(at, Math.min(many, at + TURN))
    if (performance.now() - begun < TURN_MS) continue
    await yielded()
    if (isStale()) return undefined
    begun = performance.now()
  }
  return { found: search.found(), matching: search.matching() }
}

const hrefOf = (at: string, path: string): string => at + path.split("/").map(encodeURIComponent).join("/")

function rowOf({ path, marked }: FoundPath, id: string, { at, opened }: Options): HTMLAnchorElement {
  const row = document.createElement("a")
  row.id = id
  row.href = hrefOf(at, path)
  row.tabIndex = -1
  row.setAttribute("role", "option")
  const name = document.createElement("bdi")
  const isMarked = new Set(marked)
  for (let from = 0; from < path.length; ) {
    let to = from + 1
    while (to < path.length && isMarked.has(to) === isMarked.has(from)) to++
    const text = path.slice(from, to)
    if (isMarked.has(from)) {
      const mark = document.createElement("mark")
      mark.textContent = text
      name.append(mark)
    } else name.append(text)
    from = to
  }
  row.append(name)
  if (opened.includes(path)) {
    const note = document.createElement("span")
    note.className = "muted small"
    note.textContent = t("Opened recently")
    row.append(note)
  }
  return row
}

function filesIn(many: number): string {
  if (many < 2) return many === 0 ? t("No files found") : t("1 file")
  return t("{many} files", { many: many.toLocaleString(document.documentElement.lang) })
}

/** Finds while one types: the rows stand in the list, and the arrow keys and Enter choose among them. */
function attach(field: HTMLInputElement, list: HTMLElement, said: HTMLElement, options: Options): void {
  let asked = 0
  let last: { readonly text: string; readonly matching: readonly number[] } | undefined
  let current = -1
  // Enter that was pressed while the search goes on waits for it.
  let isFinding = false
  let isChosen = false
  const rows = () => [...list.querySelectorAll<HTMLAnchorElement>("[role=option]")]
  const choose = (at: number): void => {
    const all = rows()
    current = all.length === 0 ? -1 : (at + all.length) % all.length
    for (const [index, row] of all.entries()) row.setAttribute("aria-selected", String(index === current))
    const chosen = all[current]
    if (chosen) {
      field.setAttribute("aria-activedescendant", chosen.id)
      chosen.scrollIntoView({ block: "nearest" })
    } else field.removeAttribute("aria-activedescendant")
  }
  const update = async (): Promise<void> => {
    const turn = ++asked
    const text = field.value
    isFinding = true
    isChosen = false
    try {
      const index = await pathsAt(options.list)
      const among = last && last.text !== "" && text.startsWith(last.text) ? last.matching : undefined
      const finding = turn === asked ? await find(index, text, options, among, () => turn !== asked) : undefined
      if (!finding || turn !== asked) return
      last = finding.matching && { text, matching: finding.matching }
      list.replaceChildren(...finding.found.map((each, at) => rowOf(each, `${list.id}-${at}`, options)))
      const many = finding.matching?.length ?? index.paths.length
      said.textContent = filesIn(many)
      choose(0)
      isFinding = false
      if (isChosen) rows()[0]?.click()
    } catch {
      isFinding = false
      said.textContent = t("The list of files can’t be loaded. Press Enter to search on a page.")
    }
  }
  field.addEventListener("input", () => void update())
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      choose(current + (event.key === "ArrowDown" ? 1 : -1))
    } else if (event.key === "Enter") {
      const chosen = rows()[current]
      if (chosen || isFinding) event.preventDefault()
      if (isFinding) isChosen = true
      else chosen?.click()
    }
  })
  said.textContent = t("Loading the list of files…")
  void update()
}

function listIn(place: HTMLElement, field: HTMLInputElement, options: Options): void {
  const list = document.createElement("div")
  list.id = "found-files"
  list.className = "found-files"
  list.setAttribute("role", "listbox")
  list.setAttribute("aria-label", t("Files"))
  const said = document.createElement("p")
  said.className = "muted small"
  said.setAttribute("role", "status")
  place.append(said, list)
  field.setAttribute("role", "combobox")
  field.setAttribute("aria-expanded", "true")
  field.setAttribute("aria-controls", list.id)
  field.setAttribute("aria-autocomplete", "list")
  attach(field, list, said, options)
}

/** A dialog; Escape closes it. */
export function openFinder(options: Options): void {
  if (document.querySelector("dialog.finder")) return
  const dialog = document.createElement("dialog")
  dialog.className = "finder"
  dialog.setAttribute("aria-label", t("Go to file"))
  const form = document.createElement("form")
  form.action = options.page
  const field = document.createElement("input")
  field.type = "search"
  field.name = "q"
  field.placeholder = t("Go to file")
  field.setAttribute("aria-label", t("Go to file"))
  field.spellcheck = false
  field.autocomplete = "off"
  const close = document.createElement("button")
  close.textContent = t("Close|dialog")
  close.className = "small"
  close.type = "button"
  close.addEventListener("click", () => dialog.close())
  form.append(field, close)
  dialog.append(form)
  dialog.addEventListener("close", () => dialog.remove())
  // A click beside it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close())
  document.body.append(dialog)
  listIn(dialog, field, options)
  dialog.showModal()
  field.focus()
}

/** Among the files of the default branch, on pages of a repository that show no code. */
export function openFinderOf({ repository = "", files = "" }: DOMStringMap): void {
  const field = document.querySelector<HTMLInputElement>("main .finder input[type=search]")
  field?.focus()
  if (field) return
  const addressOf = (view: string): string => `${repository}/${view}/${files}`
  openFinder({ list: addressOf("paths"), at: `${addressOf("src")}/`, page: addressOf("find"), opened: openedBefore(repository) })
}

/** In the page of the finder, in place of what the server found. */
export function findIn(place: HTMLElement, options: Options): void {
  const field = place.querySelector<HTMLInputElement>("input[type=search]")
  if (!field) return
  for (const found of [...place.children].slice(1)) found.remove()
  listIn(place, field, options)
  field.focus()
}
