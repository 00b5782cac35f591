import { hideNotice, showSignedOut } from "./page-notice.ts"
import { t } from "./words.ts"

/** The count of unread notifications in the header, asked for once a minute while the page is seen, or when its stream says that it is another. */

const MINUTE_MS = 60_000
const numbers = new Intl.NumberFormat("en", { notation: "compact" })
let askedAt = 0
let isSignedOut = false

export async function look(): Promise<void> {
  askedAt = Date.now()
  try {
    const answer = await fetch("/notifications/new", { credentials: "same-origin", headers: { accept: "application/json" } })
    const isSignedIn = !answer.redirected && answer.status !== 401
    if (!isSignedIn) showSignedOut()
    else if (isSignedOut) hideNotice()
    isSignedOut = !isSignedIn
    if (!isSignedIn || !answer.ok) return
    const { new: unread }: { readonly new: number } = await answer.json()
    show(unread)
  } catch {
    // It is asked for again.
  }
}

function show(unread: number): void {
  const bell = document.querySelector(".bell")
  const count = bell?.querySelector(".count")
  const words = numbers.format(unread)
  if (!bell || (unread === 0 && !count) || count?.firstChild?.textContent === words) return
  if (unread === 0) {
    count?.remove()
    return
  }
  const shown = document.createElement("span")
  shown.className = "count loud"
  const rest = document.createElement("span")
  rest.className = "hidden-text"
  rest.textContent = ` ${t("unread")}`
  shown.append(words, rest)
  if (count) count.replaceWith(shown)
  else bell.append(shown)
}

/** The page that is not seen asks nothing. */
function lookIfDue(): void {
  if (document.visibilityState === "visible" && Date.now() - askedAt >= MINUTE_MS) void look()
}

export function watch(): void {
  lookIfDue()
  setInterval(lookIfDue, MINUTE_MS)
  document.addEventListener("visibilitychange", lookIfDue)
}
