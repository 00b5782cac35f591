/** Going to a file by some letters of its path: `t` or the button opens a dialog. What it needs is loaded when it is opened. */

const opener = document.querySelector<HTMLElement>("[data-finder]")

/** The files that were opened last, newest first, are kept for each repository. */
const MOST_OPENED = 12
const keyOf = (element: HTMLElement): string => `hearth-opened ${element.dataset["repository"]}`

function openedBefore(element: HTMLElement): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(element)) ?? "[]")
    return Array.isArray(kept) ? kept.filter((path) => typeof path === "string") : []
  } catch {
    return []
  }
}

function remember(element: HTMLElement, path: string): void {
  const others = openedBefore(element).filter((each) => each !== path)
  try {
    localStorage.setItem(keyOf(element), JSON.stringify([path, ...others].slice(0, MOST_OPENED)))
  } catch {
    // A browser that keeps nothing.
  }
}

if (opener) {
  const path = opener.dataset["opened"]
  const before = openedBefore(opener)
  if (path) remember(opener, path)
  const options = () => ({
    list: opener.dataset["finder"] ?? "",
    at: opener.dataset["at"] ?? "",
    page: opener instanceof HTMLAnchorElement ? opener.href : location.pathname,
    // The file that is open is where one comes from.
    opened: before.filter((each) => each !== path),
  })
  if (opener instanceof HTMLAnchorElement)
    opener.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      void import("./file-finder.ts").then(({ openFinder }) => openFinder(options()))
    })
  else void import("./file-finder.ts").then(({ findIn }) => findIn(opener, options()))
}
