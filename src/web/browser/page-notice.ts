import { t } from "./words.ts"

/** A quiet line at the foot of the window that says how true an open page still is. */

let line: HTMLElement | undefined

/** Says it in place of what was said before; with the address that mends it. */
export function showNotice(words: string, link?: { readonly text: string; readonly href: string }): void {
  if (!line) {
    line = document.createElement("div")
    line.className = "notice warn standing"
    line.setAttribute("role", "status")
    document.querySelector("main")?.append(line)
  }
  if (line.firstChild?.textContent === words) return
  const text = document.createElement("span")
  text.textContent = words
  const anchor = document.createElement("a")
  if (link) {
    anchor.href = link.href
    anchor.textContent = link.text
  }
  line.replaceChildren(text, ...(link ? [" ", anchor] : []))
}

/** There is nothing to be said any more. */
export function hideNotice(): void {
  line?.remove()
  line = undefined
}

/** To the sign-in, and back to this page. */
export function showSignedOut(): void {
  const here = encodeURIComponent(location.pathname + location.search)
  showNotice(t("You are no longer signed in. Your text is still here: sign in in another tab, then continue."), {
    text: t("Sign in"),
    href: `/user/login?redirect_to=${here}`,
  })
}
