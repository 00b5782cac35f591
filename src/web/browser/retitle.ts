import { element } from "./element.ts"
import { fragmentOf } from "./fragment.ts"

/** The title of an issue is edited in its place: Enter saves, Escape leaves it. Loaded with the first press of the pencil. */

const header = (of: Document | DocumentFragment): HTMLElement | null => of.getElementById("conversation-header")

export function retitle(pencil: HTMLAnchorElement): void {
  const heading = pencil.closest<HTMLElement>(".heading")
  if (!heading) return
  const [label = "", save = "", cancel = "", unreached = ""] = (pencil.dataset["words"] ?? "").split("|")
  const form = element("form", { className: "retitle" })
  const field = element("input", {
    ariaLabel: label,
    // As long as the value is another, the page that follows what others do leaves it alone.
    defaultValue: pencil.dataset["title"] ?? "",
    maxLength: 255,
    required: true,
    dir: "auto",
    autocomplete: "off",
  })
  const saves = element("button", { className: "primary", textContent: save })
  const leaves = element("button", { type: "button", textContent: cancel })
  form.append(field, saves, leaves)
  heading.hidden = true
  heading.after(form)
  field.focus()
  field.select()

  const leave = (): void => {
    form.remove()
    unsay()
    heading.hidden = false
    pencil.focus()
  }
  leaves.addEventListener("click", leave)
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return
    event.stopPropagation()
    leave()
  })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (field.value.trim() === pencil.dataset["title"]) leave()
    else void send(pencil, field, saves, unreached)
  })
}

async function send(pencil: HTMLAnchorElement, field: HTMLInputElement, button: HTMLButtonElement, unreached: string): Promise<void> {
  const body = new URLSearchParams({ title: field.value, _shown: pencil.dataset["shown"] ?? "" })
  button.disabled = true
  unsay()
  try {
    const answer = await fetch(pencil.dataset["retitle"] ?? "", {
      method: "POST",
      body,
      credentials: "same-origin",
      headers: { accept: "text/html" },
    })
    const text = await answer.text()
    const page = fragmentOf(text)
    const [old, now] = [header(document), header(page)]
    if (answer.ok && old && now) {
      old.replaceWith(document.adoptNode(now))
      document.title = page.querySelector("title")?.textContent ?? document.title
      document.dispatchEvent(new CustomEvent("hearth:shown", { detail: now }))
      now.querySelector<HTMLElement>("[data-retitle]")?.focus()
      return
    }
    // What is sent next takes the place of the title as it is now.
    const newer = page.querySelector<HTMLElement>("[data-retitle]")?.dataset
    if (newer) Object.assign(pencil.dataset, { shown: newer["shown"], title: newer["title"] })
    const title = now?.querySelector("h1")?.textContent?.trim() ?? ""
    say(field, `${page.querySelector("main .notice.bad")?.textContent?.trim() ?? unreached} ${answer.status === 409 ? title : ""}`.trim())
  } catch {
    say(field, unreached)
  } finally {
    button.disabled = false
  }
}

function say(field: HTMLElement, words: string): void {
  const line = element("p", { className: "notice bad retitle-problem", role: "alert" })
  field.closest("form")?.after(line)
  line.textContent = words
}

function unsay(): void {
  for (const before of document.querySelectorAll(".retitle-problem")) before.remove()
}
