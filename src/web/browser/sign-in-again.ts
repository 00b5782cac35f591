/** Signing in on a page whose session has ended, so that what was chosen and typed on it goes on. Loaded only then. */

import { element } from "./element.ts"
import { fragmentOf } from "./fragment.ts"
import { t } from "./words.ts"

/** A page that is small and says who sees it. */
const LANDING = "/notifications"
const SIGN_IN = `/user/login?redirect_to=${LANDING}`

const viewerIn = (page: ParentNode): string | undefined => page.querySelector<HTMLElement>(".site-header")?.dataset["viewer"]
const viewer = viewerIn(document)

/** The person of this page is still signed in, or again, or not; or the site can't be reached. */
type Went = "here" | "again" | "not" | "offline"

let asking: Promise<Went> | undefined

export function wentOn(): Promise<Went> {
  asking ??= check().finally(() => {
    asking = undefined
  })
  return asking
}

async function check(): Promise<Went> {
  const page = await pageAt(SIGN_IN)
  if (!page) return "offline"
  // Whoever is signed in is led on.
  return viewerIn(page) === viewer ? "here" : ask(page)
}

async function pageAt(address: string, fields?: URLSearchParams): Promise<DocumentFragment | undefined> {
  try {
    const answer = await fetch(address, { headers: { accept: "text/html" }, ...(fields && { method: "POST", body: fields }) })
    return fragmentOf(await answer.text())
  } catch {
    return undefined
  }
}

interface Asking {
  readonly dialog: HTMLDialogElement
  /** Where what is asked stands. */
  readonly place: HTMLElement
  readonly status: HTMLElement
}

function draw(): Asking {
  const dialog = element("dialog", { className: "keys stack" })
  dialog.setAttribute("aria-labelledby", "again")
  const heading = element("h2", { id: "again", textContent: t("Sign in again") })
  const about = element("p", {
    textContent: t("Your session has ended. What you chose and typed is still here, and goes on once you have signed in."),
  })
  const place = element("div", { className: "stack" })
  const status = element("p", { className: "fault", role: "alert" })
  const bar = element("div", { className: "bar" })
  const other = element("a", { href: SIGN_IN, target: "_blank", textContent: t("Sign in another way, in a new tab") })
  const cancel = element("button", { type: "button", className: "quiet", textContent: t("Cancel") })
  cancel.addEventListener("click", () => dialog.close())
  bar.append(other, cancel)
  dialog.append(heading, about, place, status, bar)
  document.body.append(dialog)
  return { dialog, place, status }
}

/** Takes what a page of the sign-in asks; true where the person of this page is signed in. */
function take({ place, status }: Asking, page: DocumentFragment | undefined): boolean {
  status.textContent = ""
  const name = page && viewerIn(page)
  if (name !== undefined && name === viewer) return true
  if (!page) status.textContent = t("It could not be sent: the connection is lost.")
  else if (name !== undefined)
    status.textContent = t("{name} has signed in. This page was opened by {viewer}.", { name, viewer: viewer ?? "" })
  else {
    const asked = page.querySelector("main form")?.parentElement
    // What else there is, such as passkeys, is on the page itself.
    for (const each of asked?.querySelectorAll("h1, form[data-passkey]") ?? []) each.remove()
    if (asked) place.replaceChildren(...asked.childNodes)
    place.querySelector<HTMLElement>("input:not([type=hidden])")?.focus()
  }
  return false
}

function ask(first: DocumentFragment): Promise<Went> {
  const asking = draw()
  const { dialog, place } = asking
  return new Promise((resolve) => {
    let isDone = false
    const goOn = (page: DocumentFragment | undefined): void => {
      isDone = take(asking, page)
      if (isDone) dialog.close()
    }
    place.addEventListener("submit", (event) => {
      const { target: form, submitter } = event
      if (!(form instanceof HTMLFormElement)) return
      event.preventDefault()
      event.stopPropagation()
      const fields = new URLSearchParams()
      for (const [name, value] of new FormData(form, submitter))
        if (typeof value === "string" && name !== "sign_in_person") fields.append(name, value)
      void pageAt(form.action, fields).then(goOn)
    })
    const returned = (): void => {
      if (document.visibilityState === "visible") void pageAt(SIGN_IN).then((page) => page && viewerIn(page) !== undefined && goOn(page))
    }
    document.addEventListener("visibilitychange", returned)
    dialog.addEventListener("close", () => {
      document.removeEventListener("visibilitychange", returned)
      dialog.remove()
      resolve(isDone ? "again" : "not")
    })
    dialog.showModal()
    goOn(first)
  })
}
