import { openedBefore, rememberOpened } from "./opened.ts"

/** Going to a file by some letters of its path: `t` or the button opens a dialog. What it needs is loaded when it is opened. */

const opener = document.querySelector<HTMLElement>("[data-finder]")

if (opener) {
  const { finder: list = "", at = "", repository = "", opened: path } = opener.dataset
  const before = openedBefore(repository)
  if (path) rememberOpened(repository, path)
  // The file that is open is where one comes from.
  const options = { list, at, opened: before.filter((each) => each !== path) }
  if (opener instanceof HTMLAnchorElement)
    opener.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      void import("./file-finder.ts").then(({ openFinder }) => openFinder({ ...options, page: opener.href }))
    })
  else void import("./file-finder.ts").then(({ findIn }) => findIn(opener, { ...options, page: location.pathname }))
}
