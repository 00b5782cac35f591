import { t } from "./words.ts"

/**
 * Nothing that is typed into a long form is lost: its fields are kept in the browser until they were sent, and the form is sent so that the page stays where
 * it can't be. Long forms are those with a composer, and those that say so (`data-long`).
 */

type Field = HTMLTextAreaElement | HTMLInputElement

const DRAFT = "hearth-draft "
const KINDS = ["text", "search", "url", "email", "number", "date", "tel"]
/** After this, a draft is forgotten. */
const LONGEST_MS = 60 * 86_400_000
/** After this, the page says that it could not be sent. */
const PATIENCE_MS = 60_000
/** See `core/forms/once.ts`. */
const SENT_AS = "sent_as"
const MOVED = "application/vnd.hearth.moved+json"

const isLong = (form: HTMLFormElement | null): form is HTMLFormElement =>
  form?.method === "post" && (form.dataset["long"] !== undefined || form.querySelector(".composer") !== null)

const isKept = (target: EventTarget | null): target is Field =>
  ((target instanceof HTMLTextAreaElement && !target.readOnly) || (target instanceof HTMLInputElement && KINDS.includes(target.type))) &&
  target.name !== "confirm" &&
  isLong(target.form)

/** Not the property, which may be a button of this name. */
const addressOf = (form: HTMLFormElement): string => {
  const url = new URL(form.getAttribute("action") ?? "", location.href)
  return url.pathname + url.search
}

const fieldsIn = (inside: ParentNode): readonly Field[] => [...inside.querySelectorAll("textarea, input")].filter(isKept)

// --- kept in the browser ----------------------------------------------------------------------------------------------------------------

interface Draft {
  /** What the page had in the field, or what names it (`data-base`): a draft of another text is not shown. */
  readonly base: string
  readonly text: string
  readonly at: number
}

/** By the form's address: the page that shows it again after a refusal has another. */
const keyOf = (field: Field): string => `${DRAFT}${field.form ? addressOf(field.form) : ""} ${field.id || field.name}`

function draftAt(key: string): Draft | undefined {
  const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "null")
  if (typeof kept !== "object" || kept === null || !("base" in kept) || !("text" in kept)) return undefined
  const at = "at" in kept && typeof kept.at === "number" ? kept.at : 0
  return typeof kept.base === "string" && typeof kept.text === "string" ? { base: kept.base, text: kept.text, at } : undefined
}

const baseOf = (field: Field): string => field.dataset["base"] ?? field.defaultValue

/** Whether the field has nothing that is not stored; where a form is shown again, what was typed is what the page has. */
const isClean = (field: Field): boolean => field.value === field.defaultValue && field.dataset["typed"] === undefined

/** What is kept of a field, whatever the page has in it now. */
export function keptOf(field: Field): Draft | undefined {
  try {
    return draftAt(keyOf(field))
  } catch {
    return undefined
  }
}

/** Forgets what was typed into a form. */
export function forget(form: HTMLFormElement): void {
  unkept.clear()
  try {
    for (const field of fieldsIn(form)) localStorage.removeItem(keyOf(field))
  } catch {
    // A browser that keeps nothing.
  }
}

/** Fields that the browser has no room for. */
const unkept = new Set<Field>()

function keep(field: Field): void {
  unkept.delete(field)
  try {
    if (isClean(field)) localStorage.removeItem(keyOf(field))
    else localStorage.setItem(keyOf(field), JSON.stringify({ base: baseOf(field), text: field.value, at: Date.now() } satisfies Draft))
  } catch {
    unkept.add(field)
  }
}

function restore(inside: ParentNode): void {
  for (const field of fieldsIn(inside)) {
    const draft = draftAt(keyOf(field))
    const isOfThis = draft && (draft.base === baseOf(field) || (field.defaultValue === "" && field.dataset["base"] === undefined))
    // A file that was on its way is not any more.
    if (isOfThis && field.value === field.defaultValue) field.value = draft.text.replaceAll(/\[Sending [^\]\n]*…\]\(\)\n?/g, "")
  }
}

function forgetOld(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(DRAFT) && (draftAt(key)?.at ?? 0) < Date.now() - LONGEST_MS) localStorage.removeItem(key)
}

document.addEventListener("input", ({ target }) => isKept(target) && keep(target))

addEventListener("beforeunload", (event) => {
  if ([...unkept].some((field) => field.isConnected && !isClean(field))) event.preventDefault()
})

// --- sending ----------------------------------------------------------------------------------------------------------------------------

/** Names what is sent, so that it is done once even where the answer to it was lost. */
function nameOf(form: HTMLFormElement): void {
  const known = form.querySelector<HTMLInputElement>(`input[name=${SENT_AS}]`)
  const field = known ?? document.createElement("input")
  field.type = "hidden"
  field.name = SENT_AS
  const key = `hearth-as ${addressOf(form)}`
  try {
    field.value = sessionStorage.getItem(key) ?? (field.value || newName())
    sessionStorage.setItem(key, field.value)
  } catch {
    field.value ||= newName()
  }
  if (!known) form.append(field)
}

/** Not by `randomUUID`, which there is under https alone. */
const newName = (): string => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("")

const isOwn = (submitter: HTMLElement | null): boolean =>
  !(submitter instanceof HTMLButtonElement) || !["formaction", "formtarget", "formenctype"].some((name) => submitter.hasAttribute(name))

/** Forms that are sent the way that browsers send them: the answer is a page. */
const asPage = new WeakSet<HTMLFormElement>()

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented || !isLong(form) || !isOwn(submitter)) return
  if (asPage.has(form)) return noteSent(form)
  event.preventDefault()
  if (form.getAttribute("aria-busy") !== "true") void send(form, submitter)
})

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  nameOf(form)
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === "string") body.append(name, value)
  const buttons = [...form.querySelectorAll<HTMLButtonElement>("button:not([disabled])")]
  const rest = (isResting: boolean): void => {
    form.setAttribute("aria-busy", String(isResting))
    for (const button of buttons) button.disabled = isResting
  }
  for (const line of form.querySelectorAll(".unsent")) line.remove()
  rest(true)
  const answer = await answerTo(form, body)
  if ("to" in answer) return follow(form, answer.to)
  rest(false)
  if (answer.why !== undefined) return say(form, answer.why)
  asPage.add(form)
  form.requestSubmit(submitter)
}

/** Where the form leads, or why it could not be sent; neither where the answer is a page that says more. */
async function answerTo(
  form: HTMLFormElement,
  body: URLSearchParams,
): Promise<{ readonly to: string } | { readonly why: string | undefined }> {
  try {
    const headers = { accept: MOVED }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const answer = await fetch(addressOf(form), { method: "POST", body, headers, redirect: "manual", signal })
    if (answer.status >= 500) return { why: t("The server can't answer now.") }
    if (answer.headers.get("content-type")?.startsWith(MOVED) !== true) return { why: undefined }
    const said: unknown = await answer.json()
    return typeof said === "object" && said !== null && "to" in said && typeof said.to === "string" ? { to: said.to } : { why: undefined }
  } catch {
    return { why: t("It could not be sent: the connection is lost.") }
  }
}

function say(form: HTMLFormElement, why: string): void {
  const line = document.createElement("p")
  line.className = "notice bad unsent"
  line.setAttribute("role", "alert")
  line.textContent = t("{why} Your text is kept: send it again in a moment.", { why })
  form.append(line)
  line.scrollIntoView({ block: "nearest" })
}

/** Another module may put in place what was sent (`hearth:sent`); then the page stays. */
function follow(form: HTMLFormElement, to: string): void {
  forget(form)
  try {
    sessionStorage.removeItem(`hearth-as ${addressOf(form)}`)
  } catch {
    // A browser that keeps nothing.
  }
  // Neither this page, when someone comes back to it, nor the next has it any more.
  form.reset()
  if (!form.dispatchEvent(new CustomEvent("hearth:sent", { bubbles: true, cancelable: true }))) return
  const url = new URL(to, location.href)
  const isHere = url.pathname === location.pathname && url.search === location.search
  if (isHere) {
    history.pushState(undefined, "", url)
    location.reload()
  } else location.assign(url)
}

/** The page that comes next forgets the drafts, see `page.ts`. */
function noteSent(form: HTMLFormElement): void {
  asPage.delete(form)
  unkept.clear()
  try {
    sessionStorage.setItem("hearth-sent", JSON.stringify([location.pathname, ...fieldsIn(form).map(keyOf)]))
  } catch {
    // A browser that keeps nothing.
  }
}

// --- what is on the page ----------------------------------------------------------------------------------------------------------------

document.addEventListener("hearth:shown", (event) => {
  if (event instanceof CustomEvent && event.detail instanceof Element) restore(event.detail)
})

try {
  forgetOld()
  restore(document)
} catch {
  // A browser that keeps nothing.
}
