/**
 * Pictures that are dropped or pasted into a text in Markdown that the editor has. Those of a file wait on the server for its commit, which puts them beside
 * it (`pages/repository/code/upload.ts`); those of a wiki are stored at once, and the server says what stands for them.
 */

import type { CodeEditor } from "./code-editor.ts"
import { keepList, keptList } from "./kept-list.ts"
import { pastedText } from "./pasting.ts"
import { markFor, type Sent, sayFault, sendShown, textIn } from "./sending.ts"
import { t } from "./words.ts"

interface Place {
  readonly form: HTMLFormElement
  readonly editor: CodeEditor
  /** Where pictures are sent. */
  readonly to: string
  readonly isMarkdown: () => boolean
}

export interface Pictures {
  /** Names in the form what the text still shows, before it is sent. */
  readonly name: (text: string) => void
}

/** What a name is made of, so that it means nothing in Markdown or in an address. */
const ODD = /[^\p{L}\p{N}._-]+/gu

export function takePictures(place: Place): Pictures {
  const { form, editor, isMarkdown } = place
  const path = form.querySelector<HTMLInputElement>("input[name=path]")
  const box = form.querySelector<HTMLElement>("[data-editor-pictures]")
  const status = box?.querySelector("[role=status]") ?? form
  const shows = (): void => {
    if (box) box.hidden = !isMarkdown()
  }
  shows()
  path?.addEventListener("change", shows)
  const staged = path && stagingIn(form, path)
  const send = async (file: File): Promise<string> => {
    const name = file.name.replaceAll(ODD, "-").replace(/^[.-]+/, "") || "picture.png"
    const body = new FormData()
    if (staged) return staged.send(name, file, (fields) => sendShown(status, place.to, name, fields))
    body.append("attachment", file, name)
    return textIn(await sendShown(status, place.to, name, body), "markdown") ?? ""
  }
  hear(place, taking(form, editor, { status, send }))
  return { name: (text) => staged?.name(text) }
}

// --- those that wait for the commit of a file ---------------------------------------------------------------------------------------------

interface Staging {
  readonly send: (name: string, file: File, send: (body: FormData) => Promise<Sent>) => Promise<string>
  readonly name: (text: string) => void
}

function stagingIn(form: HTMLFormElement, path: HTMLInputElement): Staging {
  const files = new Map<string, File>()
  /** Names of pictures on their way. */
  const wanted = new Set<string>()
  const inputs = (): readonly HTMLInputElement[] => [...form.querySelectorAll<HTMLInputElement>("input[name=staged]")]
  const add = (text: string): void => {
    const field = document.createElement("input")
    field.type = "hidden"
    field.name = "staged"
    field.value = text
    form.append(field)
    keepList(inputs().map(({ value }) => value))
  }
  if (inputs().length === 0) for (const text of keptList()) add(text)
  // They are at no address before the commit.
  form.addEventListener("hearth:shown", ({ target }) => {
    for (const image of target instanceof Element ? target.querySelectorAll("img") : []) {
      const file = files.get(decodeURIComponent(new URL(image.src).pathname.split("/").at(-1) ?? ""))
      if (file) showIn(image, file)
    }
  })
  return {
    send: async (name, file, send) => {
      const isTaken = wanted.has(name) || inputs().some(({ value }) => value.slice(37) === name)
      const distinct = isTaken ? `${Date.now().toString(36)}-${name}` : name
      wanted.add(distinct)
      const body = new FormData()
      body.append("folder", path.value.slice(0, path.value.lastIndexOf("/") + 1))
      body.append("path", distinct)
      body.append("free", "true")
      body.append("file", file, name)
      const sent = await send(body)
      const made = textIn(sent, "name") ?? distinct
      files.set(made, file)
      add(`${textIn(sent, "id") ?? ""} ${made}`)
      return `![${made.replace(/\.[^.]*$/, "")}](${encodeURIComponent(made)})`
    },
    name: (text) => {
      for (const field of inputs()) field.disabled = !text.includes(encodeURIComponent(field.value.slice(37)))
      keepList([])
    },
  }
}

// --- dropping and pasting ------------------------------------------------------------------------------------------------------------------

interface Sending {
  /** Where it is shown. */
  readonly status: Element
  /** Gives what stands for the picture in the text. */
  readonly send: (file: File) => Promise<string>
}

type Take = (pictures: readonly File[], at?: { readonly x: number; readonly y: number }) => Promise<void>

/** Puts a mark into the text until the picture is there. The form waits for all of them. */
function taking(form: HTMLFormElement, editor: CodeEditor, { status, send }: Sending): Take {
  let sending = 0
  let pressed: { readonly by: HTMLElement | null } | undefined
  form.addEventListener(
    "submit",
    (event) => {
      if (sending === 0) return
      event.preventDefault()
      event.stopImmediatePropagation()
      pressed = { by: event.submitter }
    },
    true,
  )
  addEventListener("beforeunload", (event) => sending > 0 && event.preventDefault())
  return async (pictures, at) => {
    for (const line of status.querySelectorAll(":scope > .fault")) line.remove()
    const marks = pictures.map(({ name }) => markFor(name))
    editor.insert(marks.join("\n"), at)
    sending += pictures.length
    let isWhole = true
    for (const [index, file] of pictures.entries()) {
      const mark = marks[index] ?? ""
      try {
        editor.exchange(mark, await send(file))
      } catch (error) {
        isWhole = false
        editor.exchange(mark, "")
        sayFault(status, `${file.name}: ${error instanceof Error ? error.message : t("it could not be sent")}`)
      }
      sending -= 1
    }
    const waiting = pressed
    if (sending > 0 || !waiting) return
    pressed = undefined
    if (isWhole) form.requestSubmit(waiting.by)
  }
}

function hear({ editor, isMarkdown }: Place, take: Take): void {
  const picturesIn = (data: DataTransfer | null): readonly File[] =>
    isMarkdown() ? [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/")) : []
  const handled = (event: Event): void => {
    event.preventDefault()
    event.stopPropagation()
  }
  const dropped = (event: DragEvent): void => {
    const pictures = picturesIn(event.dataTransfer)
    if (pictures.length === 0) return
    handled(event)
    void take(pictures, { x: event.clientX, y: event.clientY })
  }
  const pasted = (event: ClipboardEvent): void => {
    const data = event.clipboardData
    // The fields of the search are none of this.
    if (!data || !isMarkdown() || (event.target instanceof Element && event.target.closest("input"))) return
    // A program that copies words may add a picture of them.
    const pictures = data.getData("text/plain") === "" ? picturesIn(data) : []
    const text = pictures.length > 0 ? undefined : pastedText(data, editor.selected())
    if (pictures.length === 0 && text === undefined) return
    handled(event)
    if (text !== undefined) editor.insert(text)
    else void take(pictures)
  }
  editor.element.addEventListener("drop", dropped, true)
  editor.element.addEventListener("paste", pasted, true)
}

function showIn(image: HTMLImageElement, file: File): void {
  const reader = new FileReader()
  reader.addEventListener("load", () => {
    if (typeof reader.result === "string") image.src = reader.result
  })
  reader.readAsDataURL(file)
}
