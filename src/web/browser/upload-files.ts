/**
 * Files and folders for one commit: each is sent when it is chosen or dropped, and waits on the server; the form then names them. Without this, the form
 * sends the files of its own field. See `pages/repository/code/upload.ts`.
 */

import "./drafts.ts"
import { droppedFiles, type Picked } from "./dropped.ts"
import { keepList, keptList } from "./kept-list.ts"
import { memberIn, reasonIn, sendFile, textIn } from "./sending.ts"
import { t } from "./words.ts"

type State = "waiting" | "sending" | "ready" | "failed"

interface Item {
  readonly path: string
  /** Undefined for one that an earlier page has sent. */
  readonly file: File | undefined
  state: State
  id: string
  stop: AbortController | undefined
  readonly row: Row
}

interface Row {
  readonly element: HTMLLIElement
  /** `canRetry` says whether it can help to send it again. */
  readonly shows: (state: State, part: number, about: string, canRetry?: boolean) => void
}

/** How many files are sent at a time. */
const AT_ONCE = 3

interface Uploads {
  readonly place: HTMLElement
  readonly form: HTMLFormElement
  readonly items: Map<string, Item>
  /** The button that was pressed while files were on their way. */
  pressed: { readonly by: HTMLElement | null } | undefined
  isSent: boolean
}

function serve(place: HTMLElement, form: HTMLFormElement, input: HTMLInputElement): void {
  const uploads: Uploads = { place, form, items: new Map(), pressed: undefined, isSent: false }
  const chosen = filesIn(input)
  begin(place, form, input)
  const staged = stagedIn(place)
  for (const text of staged.length > 0 ? staged : keptList()) add(uploads, text.slice(37), undefined, text.slice(0, 36))
  tell(uploads)
  const addThese = (picked: readonly Picked[]): void => addAll(uploads, picked)
  choosing(place, addThese)
  dropping(place, addThese)
  // Before this was here.
  if (chosen.length > 0) addThese(chosen)
  // What stands in another folder is not known.
  form.querySelector("input[name=folder]")?.addEventListener("change", () => {
    for (const { state, row } of uploads.items.values()) if (state === "ready") row.shows(state, 1, "")
  })
  form.addEventListener("submit", (event) => submitted(uploads, event))
  addEventListener("beforeunload", (event) => {
    if (!uploads.isSent && uploads.items.size > 0) event.preventDefault()
  })
}

// --- the files ------------------------------------------------------------------------------------------------------------------------

const isUnderWay = ({ state }: Item): boolean => state === "waiting" || state === "sending"

function tell({ place, items }: Uploads, text?: string): void {
  const all = [...items.values()]
  const count = (state: State): number => all.filter((each) => each.state === state).length
  const bytes = all.reduce((total, { file }) => total + (file?.size ?? 0), 0)
  const line = place.querySelector<HTMLElement>("[data-sum]")
  if (line) line.textContent = text ?? sumOf(all.length, count("ready"), count("failed"), bytes)
  keepList(all.filter(({ state }) => state === "ready").map(({ id, path }) => `${id} ${path}`))
}

/** Sends what waits, some at a time. */
function go(uploads: Uploads): void {
  const all = [...uploads.items.values()]
  const room = AT_ONCE - all.filter(({ state }) => state === "sending").length
  for (const item of all.filter(({ state }) => state === "waiting").slice(0, Math.max(0, room)))
    void send(uploads.place, item, () => settled(uploads))
  tell(uploads)
}

/** A file has arrived, or not; after the last one, the form is sent where that was asked for. */
function settled(uploads: Uploads): void {
  go(uploads)
  const all = [...uploads.items.values()]
  const { pressed } = uploads
  if (!pressed || all.some(isUnderWay)) return
  uploads.pressed = undefined
  if (all.length > 0 && all.every(({ state }) => state === "ready")) uploads.form.requestSubmit(pressed.by)
}

function remove(uploads: Uploads, item: Item): void {
  const { place, items } = uploads
  const { element } = item.row
  const next = element.nextElementSibling ?? element.previousElementSibling
  items.delete(item.path)
  drop(place, item)
  ;(next?.querySelector<HTMLElement>("button:last-of-type") ?? place.querySelector<HTMLElement>("button"))?.focus()
  settled(uploads)
}

function drop(place: HTMLElement, item: Item): void {
  const { stop } = item
  item.stop = undefined
  stop?.abort()
  item.row.element.remove()
  unstage(place, item)
}

/** A file of the same path takes the place of the one before. */
function add(uploads: Uploads, path: string, file: File | undefined, id = ""): Item {
  const { place, items } = uploads
  const known = items.get(path)
  if (known) drop(place, known)
  uploads.isSent = false
  const row = rowOf(path, file?.size, {
    retry: () => {
      item.state = "waiting"
      go(uploads)
    },
    remove: () => remove(uploads, item),
  })
  const item: Item = { path, file, state: id === "" ? "waiting" : "ready", id, stop: undefined, row }
  items.set(path, item)
  place.querySelector("ul")?.append(row.element)
  row.shows(item.state, 0, "")
  return item
}

function addAll(uploads: Uploads, picked: readonly Picked[]): void {
  const { items } = uploads
  const [most, mostBytes, mostTogether] = ["most", "mostBytes", "mostTogether"].map((name) => Number(uploads.place.dataset[name]))
  const room = Math.max(0, (most ?? 0) - items.size)
  let bytes = [...items.values()].reduce((total, { file }) => total + (file?.size ?? 0), 0)
  for (const { path, file } of picked.slice(0, room)) {
    const item = add(uploads, path, file)
    bytes += file.size
    const isLarge = file.size > (mostBytes ?? 0)
    if (!isLarge && bytes <= (mostTogether ?? 0)) continue
    item.state = "failed"
    const fault = isLarge
      ? t("It has more than {size} MiB.", { size: (mostBytes ?? 0) / 1_048_576 })
      : t("It is too much together with the others.")
    item.row.shows("failed", 0, fault, false)
  }
  go(uploads)
  if (picked.length > room) tell(uploads, t("Only {most} files fit into one commit. The others were left out.", { most: most ?? 0 }))
}

/** The form names the files; where one is not there yet, it waits, and where one failed, it says so. */
function submitted(uploads: Uploads, event: SubmitEvent): void {
  const { place, form } = uploads
  const all = [...uploads.items.values()]
  const failed = all.find(({ state }) => state === "failed")
  for (const field of form.querySelectorAll("input[name=staged]")) field.remove()
  if (all.length > 0 && !failed && !all.some(isUnderWay)) {
    for (const { id, path } of all) form.append(hidden("staged", `${id} ${path}`))
    uploads.isSent = true
    keepList([])
    return
  }
  event.preventDefault()
  event.stopImmediatePropagation()
  if (all.length > 0 && !failed) {
    uploads.pressed = { by: event.submitter }
    return
  }
  tell(uploads, failed ? t("Some files could not be sent: send them again, or remove them.") : t("Choose files first."))
  ;(failed?.row.element.querySelector<HTMLElement>("button:not([hidden])") ?? place.querySelector<HTMLElement>("button"))?.focus()
}

const sumOf = (all: number, ready: number, failed: number, bytes: number): string => {
  if (all === 0) return t("Nothing is chosen yet. Nothing is committed before you press Commit.")
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
  if (failed > 0) return t("{ready} of {all} files are ready, {failed} failed, {size}.", { ready, all, failed, size })
  return t("{ready} of {all} files are ready, {size}.", { ready, all, size })
}

function hidden(name: string, value: string): HTMLInputElement {
  const field = document.createElement("input")
  field.type = "hidden"
  field.name = name
  field.value = value
  return field
}

/** The form names files instead of sending them. */
function begin(place: HTMLElement, form: HTMLFormElement, input: HTMLInputElement): void {
  form.action = place.dataset["save"] ?? ""
  form.enctype = "application/x-www-form-urlencoded"
  const field = input.closest(".field")
  const fault = field?.querySelector(".fault")
  if (fault) place.append(fault)
  place.inert = false
  if (document.activeElement === input) place.querySelector("button")?.focus()
  field?.remove()
  // What was typed before is kept under this address.
  document.dispatchEvent(new CustomEvent("hearth:shown", { detail: form }))
}

const stagedIn = ({ dataset }: HTMLElement): readonly string[] => {
  const staged: unknown = JSON.parse(dataset["staged"] ?? "[]")
  return Array.isArray(staged) ? staged.filter((each) => typeof each === "string") : []
}

// --- choosing and dropping ----------------------------------------------------------------------------------------------------------------

const filesIn = ({ files }: HTMLInputElement): readonly Picked[] =>
  [...(files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }))

function choosing(place: HTMLElement, add: (picked: readonly Picked[]) => void): void {
  for (const button of place.querySelectorAll<HTMLElement>("[data-choose]")) {
    const chooser = document.createElement("input")
    chooser.type = "file"
    chooser.multiple = true
    chooser.hidden = true
    chooser.webkitdirectory = button.dataset["choose"] === "folder"
    chooser.setAttribute("aria-label", button.textContent ?? "")
    button.after(chooser)
    button.addEventListener("click", () => chooser.click())
    chooser.addEventListener("change", () => {
      const files = filesIn(chooser)
      chooser.value = ""
      add(files.filter(({ path }) => !path.split("/").includes(".git")))
    })
  }
}

function dropping(place: HTMLElement, add: (picked: readonly Picked[]) => void): void {
  const isOver = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true
  // Beside the place, too: a browser would open the file and leave the page.
  document.addEventListener("dragover", (event) => {
    if (!isOver(event)) return
    event.preventDefault()
    place.classList.add("over")
  })
  document.addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && place.classList.remove("over"))
  document.addEventListener("drop", (event) => {
    place.classList.remove("over")
    if (!event.dataTransfer || !isOver(event)) return
    event.preventDefault()
    void droppedFiles(event.dataTransfer, Number(place.dataset["most"]) + 1).then(add)
  })
}

// --- sending ------------------------------------------------------------------------------------------------------------------------------

async function send(place: HTMLElement, item: Item, settled: () => void): Promise<void> {
  const { file, path, row } = item
  if (!file) return
  item.state = "sending"
  row.shows("sending", 0, "")
  const body = new FormData()
  body.append("folder", place.closest("form")?.querySelector<HTMLInputElement>("input[name=folder]")?.value ?? "")
  body.append("path", path)
  body.append("file", file, file.name)
  const stop = new AbortController()
  item.stop = stop
  const shows = (part: number): void => {
    if (item.state === "sending") row.shows("sending", part, "")
  }
  const sent = await sendFile(place.dataset["uploads"] ?? "", body, {
    accept: "application/json",
    progress: shows,
    signal: stop.signal,
  }).catch(() => undefined)
  if (!sent || item.stop !== stop) return
  item.stop = undefined
  const id = sent.status === 200 ? textIn(sent, "id") : undefined
  item.state = id === undefined ? "failed" : "ready"
  item.id = id ?? ""
  row.shows(item.state, 1, id === undefined ? reasonIn(sent) : memberIn(sent, "replaces") === true ? t("replaces a file") : "")
  settled()
}

/** What waits on the server and is not wanted any more. */
function unstage(place: HTMLElement, { id }: Item): void {
  if (id === "") return
  // Where it fails, the server removes it by itself after some hours.
  void fetch(place.dataset["remove"] ?? "", { method: "POST", body: new URLSearchParams({ id }) }).catch(() => undefined)
}

// --- the list -----------------------------------------------------------------------------------------------------------------------------

function rowOf(path: string, size: number | undefined, on: { readonly retry: () => void; readonly remove: () => void }): Row {
  const element = document.createElement("li")
  const name = document.createElement("bdi")
  name.textContent = path
  const about = document.createElement("span")
  about.className = "small muted"
  const progress = document.createElement("progress")
  progress.max = 1
  progress.setAttribute("aria-label", path)
  const button = (text: string, label: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement("button")
    made.type = "button"
    made.className = "small"
    made.textContent = text
    made.setAttribute("aria-label", label)
    made.addEventListener("click", act)
    return made
  }
  const retry = button(t("Send again"), t("Send again: {path}", { path }), on.retry)
  const remove = button(t("Remove"), t("Remove: {path}", { path }), on.remove)
  element.append(name, about, progress, retry, remove)
  const kilobytes = size === undefined || size === 0 ? "" : `${Math.ceil(size / 1000)} kB`
  return {
    element,
    shows: (state, part, text, canRetry = true) => {
      element.dataset["state"] = state
      progress.hidden = state === "ready" || state === "failed"
      if (state === "sending" && part > 0) progress.value = part
      else progress.removeAttribute("value")
      retry.hidden = state !== "failed" || !canRetry
      about.className = state === "failed" ? "small fault" : "small muted"
      about.textContent = [state === "failed" ? "" : kilobytes, text].filter((each) => each !== "").join(", ")
    },
  }
}

const place = document.querySelector<HTMLElement>("[data-uploads]")
const form = place?.closest("form")
const input = form?.querySelector<HTMLInputElement>("input[type=file][name=content]")
if (place && form && input) serve(place, form, input)
