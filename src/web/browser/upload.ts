/** Files are dropped on a form, or several chosen in it, and sent one after the other with their progress. Without this, the form sends one. */

import { fetchFragment, fragmentOf } from "./fragment.ts"
import { type Sent, sendFile } from "./sending.ts"
import { t } from "./words.ts"

const place = document.querySelector<HTMLElement>("[data-upload]")
const form = place?.querySelector("form")
const input = form?.querySelector<HTMLInputElement>("input[type=file]")

if (place && form && input) {
  input.multiple = true
  const told = document.createElement("div")
  told.setAttribute("role", "status")
  place.append(told)
  const hint = document.createElement("p")
  hint.className = "muted small"
  hint.textContent = t("Files can be dropped here.")
  place.append(hint)

  place.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return
    event.preventDefault()
    place.classList.add("over")
  })
  place.addEventListener("dragleave", () => place.classList.remove("over"))
  place.addEventListener("drop", (event) => {
    place.classList.remove("over")
    const files = [...(event.dataTransfer?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    void sendAll(files)
  })
  form.addEventListener("submit", (event) => {
    const files = [...(input.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    void sendAll(files)
  })

  let waiting = 0
  addEventListener("beforeunload", (event) => waiting > 0 && event.preventDefault())
  const sendAll = async (files: readonly File[]): Promise<void> => {
    waiting += 1
    for (const file of files) await send(form, input, told, file)
    waiting -= 1
    form.reset()
    const list = document.getElementById(place.dataset["list"] ?? "")
    const made = (await fetchFragment(location.href)).getElementById(list?.id ?? "")
    if (list && made) list.replaceChildren(...made.childNodes)
  }
}

async function send(form: HTMLFormElement, input: HTMLInputElement, told: HTMLElement, file: File): Promise<void> {
  const label = document.createElement("label")
  const progress = document.createElement("progress")
  progress.max = 1
  progress.value = 0
  label.append(`${file.name} `, progress)
  told.append(label)
  // The other fields first: the server reads what stands before the file.
  const body = new FormData()
  for (const [name, value] of new FormData(form)) if (name !== input.name) body.append(name, value)
  body.append(input.name, file)
  const shows = (part: number): void => {
    progress.value = part
  }
  const sent = await sendFile(form.action, body, { accept: "text/html", progress: shows, signal: new AbortController().signal })
  if (sent.status >= 200 && sent.status < 300) label.remove()
  else label.replaceChildren(`${file.name}: ${said(sent)}`)
}

/** What the server says in the form that it shows again. */
function said({ status, text }: Sent): string {
  if (status === 0) return t("the connection broke off")
  const found = fragmentOf(text).querySelector(".notice.bad, .fault, main p")?.textContent
  return found?.trim() || t("it was refused ({status})", { status })
}
