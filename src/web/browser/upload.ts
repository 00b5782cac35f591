/** Files are dropped on a form, or several chosen in it, and sent one after the other with their progress. Without this, the form sends one. */

import { fetchFragment, fragmentOf } from "./fragment.ts"
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

  const sendAll = async (files: readonly File[]): Promise<void> => {
    for (const file of files) await send(form, input, told, file)
    form.reset()
    const list = document.getElementById(place.dataset["list"] ?? "")
    const made = (await fetchFragment(location.href)).getElementById(list?.id ?? "")
    if (list && made) list.replaceChildren(...made.childNodes)
  }
}

function send(form: HTMLFormElement, input: HTMLInputElement, told: HTMLElement, file: File): Promise<void> {
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
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      progress.value = total > 0 ? loaded / total : 0
    })
    request.addEventListener("loadend", () => {
      if (request.status >= 200 && request.status < 300) label.remove()
      else label.replaceChildren(`${file.name}: ${reasonIn(request)}`)
      resolve()
    })
    request.open("POST", form.action)
    request.setRequestHeader("accept", "text/html")
    request.send(body)
  })
}

/** What the server says in the form that it shows again. */
function reasonIn({ status, responseText }: XMLHttpRequest): string {
  if (status === 0) return t("the connection broke off")
  const said = fragmentOf(responseText).querySelector(".notice.bad, .fault, main p")?.textContent
  return said?.trim() || t("it was refused ({status})", { status })
}
