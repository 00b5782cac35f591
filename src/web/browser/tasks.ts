import { fragmentOf } from "./fragment.ts"
import { t } from "./words.ts"

/**
 * Boxes of task lists, which are buttons of a form: sent without leaving the page, one after the other. The text is replaced by the one that the server
 * answers with, also where it refuses since the text has changed meanwhile.
 */

interface Tick {
  readonly formId: string
  /** The name of the box: the same as long as nothing but states of boxes changes. */
  readonly name: string
  readonly isDone: boolean
}

const waiting: Tick[] = []
let isSending = false

const boxesOf = (formId: string, inside: ParentNode = document): readonly HTMLButtonElement[] => [
  ...inside.querySelectorAll<HTMLButtonElement>(`button.task[form="${CSS.escape(formId)}"]`),
]
const nameOf = (box: HTMLButtonElement): string => box.value.slice(2)

function show({ formId, name }: Tick, isDone: boolean): void {
  for (const box of boxesOf(formId)) if (nameOf(box) === name) box.setAttribute("aria-checked", String(isDone))
}

async function sendAll(): Promise<void> {
  if (isSending) return
  isSending = true
  for (let tick = waiting[0]; tick; tick = waiting[0]) {
    await send(tick)
    waiting.shift()
    for (const later of waiting) show(later, later.isDone)
  }
  isSending = false
}

async function send(tick: Tick): Promise<void> {
  const { formId, name, isDone } = tick
  const form = document.getElementById(formId)
  if (!(form instanceof HTMLFormElement)) return
  const body = new URLSearchParams([...new FormData(form)].map(([field, value]): [string, string] => [field, String(value)]))
  body.set("task", `${isDone ? 1 : 0}.${name}`)
  form.dataset["busy"] = ""
  try {
    const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin", headers: { accept: "text/html" } })
    if (answer.headers.get("content-type")?.startsWith("text/html") !== true) throw new TypeError(`ticking a box answered ${answer.status}`)
    put(tick, fragmentOf(await answer.text()), answer.ok)
  } catch {
    show(tick, !isDone)
    say(formId, t("The site can’t be reached. The box is as it was."))
  } finally {
    delete form.dataset["busy"]
  }
}

/** Puts the text as it is now in place; the focus stays at its box. */
function put(tick: Tick, page: DocumentFragment, isTicked: boolean): void {
  const { formId } = tick
  const [old, now] = [document, page].map((each) => each.getElementById(formId)?.closest(".prose"))
  const at = boxesOf(formId).findIndex((box) => box.matches(":focus"))
  const focused = boxesOf(formId)[at]
  if (old && now) {
    old.replaceWith(document.adoptNode(now))
    document.dispatchEvent(new CustomEvent("hearth:shown", { detail: now }))
    const others = boxesOf(formId)
    if (focused) (others.find((box) => nameOf(box) === nameOf(focused)) ?? others[at])?.focus({ preventScroll: true })
  } else if (!isTicked) show(tick, !tick.isDone)
  const [header, newer] = [document, page].map((each) => each.getElementById("conversation-header"))
  if (header && newer && !header.contains(document.activeElement)) header.replaceWith(document.adoptNode(newer))
  const why = page.querySelector("main .notice.bad")?.textContent?.trim()
  if (!isTicked) say(formId, why || t("The box could not be ticked. The text is shown as it is now."))
}

/** Says above the text why nothing was done, until the next try. */
function say(formId: string, words: string): void {
  unsay()
  const line = document.createElement("p")
  line.className = "notice bad task-problem"
  line.setAttribute("role", "alert")
  document.getElementById(formId)?.closest(".prose")?.before(line)
  line.textContent = words
}

function unsay(): void {
  for (const before of document.querySelectorAll(".task-problem")) before.remove()
}

document.addEventListener("click", (event) => {
  const box = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("button.task[form]") : null
  if (!box) return
  event.preventDefault()
  unsay()
  const tick = { formId: box.getAttribute("form") ?? "", name: nameOf(box), isDone: box.getAttribute("aria-checked") !== "true" }
  show(tick, tick.isDone)
  waiting.push(tick)
  void sendAll()
})
