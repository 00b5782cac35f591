/** What every page gets: the reader's own time zone, keys, and menus that close. Nothing here is needed to use a page. */

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" })

function localTimes(inside: ParentNode): void {
  for (const element of inside.querySelectorAll("time[datetime]")) {
    const text = element.getAttribute("datetime") ?? ""
    if (text.includes("T")) element.setAttribute("title", exact.format(new Date(text)))
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) menu.open = false
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  if (event.key === "/") {
    const search = document.querySelector<HTMLInputElement>("main input[type=search], .site-search input")
    if (search) {
      event.preventDefault()
      search.focus()
    }
  } else if (event.key.length === 1 && event.key !== " ") void import("./keys.ts").then(({ pressed }) => pressed(event.key))
})

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
    if (!menu.contains(event.target) || event.target.closest('a[href^="#"]')) menu.open = false
})

/** A running stopwatch counts on. */
const stopwatch = document.querySelector<HTMLElement>("[data-since]")
if (stopwatch)
  setInterval(() => {
    const seconds = Math.max(0, Math.floor(Date.now() / 1000) - Number(stopwatch.dataset["since"]))
    const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"))
    stopwatch.textContent = [Math.floor(seconds / 3600), ...parts].join(":")
  }, 1000)

function dress(inside: ParentNode): void {
  localTimes(inside)
  if (inside.querySelector("[data-copy]")) void import("./copy.ts")
  if (inside.querySelector(".prose pre")) void import("./prose.ts").then((prose) => prose.dress(inside))
}
dress(document)
document.addEventListener("hearth:shown", (event) => {
  if (event instanceof CustomEvent && event.detail instanceof Element) dress(event.detail)
})

/** A form on its way is not sent again: its buttons rest until the next page is there, or it is clear that none comes. */
const SENDING_MS = 10_000

const encodingOf = (form: HTMLFormElement, submitter: HTMLElement | null): string => submitter?.getAttribute("formenctype") ?? form.enctype

/** Says who was signed in on this page: what they wrote is not sent as somebody else, who has signed in since in another tab. */
document.addEventListener(
  "submit",
  ({ target: form, submitter }) => {
    const name = document.querySelector<HTMLElement>(".site-header")?.dataset["viewer"]
    if (!(form instanceof HTMLFormElement) || name === undefined || form.method !== "post") return
    if (encodingOf(form, submitter) === "multipart/form-data") return
    if (form.querySelector('input[name="sign_in_person"]')) return
    const field = document.createElement("input")
    field.type = "hidden"
    field.name = "sign_in_person"
    field.value = name
    form.append(field)
  },
  true,
)

/** Forms with files, which the server can't hold while their sender signs in: it is asked first whether the session has ended. */
const checked = new WeakSet<HTMLFormElement>()

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented || encodingOf(form, submitter) !== "multipart/form-data") return
  if (checked.delete(form) || document.querySelector<HTMLElement>(".site-header")?.dataset["viewer"] === undefined) return
  event.preventDefault()
  const asked = import("./sign-in-again.ts").then(({ wentOn }) => wentOn())
  // Without a connection the browser says so once it sends.
  void asked
    .catch(() => "offline" as const)
    .then((went) => {
      if (went === "not") return
      checked.add(form)
      form.requestSubmit(submitter)
    })
})

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented || form.method !== "post") return
  if (form.target === "_blank" || (submitter instanceof HTMLButtonElement && submitter.formTarget === "_blank")) return
  const buttons = [...form.querySelectorAll<HTMLButtonElement>("button:not([disabled], [type=button])")]
  const rest = (isResting: boolean): void => {
    for (const button of buttons) button.disabled = isResting
  }
  // Only once the form is sent: a disabled button's value is not. What another module sends, it cares for.
  setTimeout(() => event.defaultPrevented || rest(true), 0)
  setTimeout(rest, SENDING_MS, false)
  addEventListener("pageshow", () => rest(false), { once: true })
})

/** Drafts that were sent are forgotten by the page that the form led to; they are kept where it led nowhere, or to a page that says that it failed. */
function forgetSent(): void {
  const noted = sessionStorage.getItem("hearth-sent")
  if (noted === null) return
  sessionStorage.removeItem("hearth-sent")
  const [from, ...keys]: readonly string[] = JSON.parse(noted)
  const [entry] = performance.getEntriesByType("navigation")
  const isNew = entry instanceof PerformanceNavigationTiming && entry.type === "navigate"
  const isLedTo = document.referrer !== "" && new URL(document.referrer).pathname === from
  if (isNew && isLedTo && !document.querySelector(".error-page, .held")) for (const key of keys) localStorage.removeItem(key)
}

/** The count of notifications is asked for again, where people are signed in. */
if (document.querySelector(".bell")) setTimeout(() => void import("./bell.ts").then(({ watch }) => watch()), 60_000)

try {
  forgetSent()
} catch {
  // A browser that keeps nothing.
}
