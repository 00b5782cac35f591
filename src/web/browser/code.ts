/** Lines of a file: a click on a number marks it, with Shift a range; the address follows. */

const lineOf = (hash: string): readonly [number, number] | undefined => {
  // Other forges write #L5-9, and columns too: #L5C1-L9C3.
  const [, from, to] = /^#L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$/.exec(hash) ?? []
  return from === undefined ? undefined : [Number(from), Number(to ?? from)]
}

function mark(isNew = true): void {
  for (const marked of document.querySelectorAll(".code .marked")) marked.classList.remove("marked")
  const range = lineOf(location.hash)
  if (!range) return
  const [from, to] = range[0] <= range[1] ? range : [range[1], range[0]]
  // Of a large file, a page has some of the lines.
  if (document.querySelector(".code[data-part]") && !document.getElementById(`L${from}`)) {
    const asked = new URL(location.href)
    if (asked.searchParams.get("from") === String(from)) return
    asked.searchParams.set("from", String(from))
    location.replace(asked)
    return
  }
  for (let line = from; line <= to && line - from < 5000; line++) document.getElementById(`L${line}`)?.classList.add("marked")
  const first = document.getElementById(`L${from}`)
  if (isNew) first?.scrollIntoView({ block: "center" })
  const file = first?.closest<HTMLElement>("[data-permalink]")
  if (first && file) void import("./line-menu.ts").then(({ offer }) => offer(file, first, from, to))
}

document.addEventListener("click", (event) => {
  const line = event.target
  // The numbers are generated content: a click on one is a click on the line, left of its text.
  if (!(line instanceof HTMLElement) || line.dataset["n"] === undefined || !line.closest(".code")) return
  if (event.clientX - line.getBoundingClientRect().left > 72) return
  const number = Number(line.dataset["n"])
  const range = lineOf(location.hash)
  const hash = event.shiftKey && range ? `#L${Math.min(range[0], number)}-L${Math.max(range[0], number)}` : `#L${number}`
  history.replaceState(null, "", hash)
  mark()
})

/** A name leads to where it is defined. */
document.addEventListener("click", (event) => {
  const file =
    event.target instanceof Element &&
    event.target.closest<HTMLElement>("[data-names] .code [data-n]")?.closest<HTMLElement>("[data-names]")
  if (file && getSelection()?.isCollapsed !== false)
    void import("./definitions.ts").then(({ showDefinitions }) => showDefinitions(event, file.dataset["names"] ?? ""))
})

/** Links to the same file elsewhere keep the line. */
document.addEventListener("click", ({ target }) => {
  const link = target instanceof Element && target.closest<HTMLAnchorElement>("a[data-keeps-line]")
  if (link && lineOf(location.hash)) link.hash = location.hash
})

/** The whole file is fetched only when it is to be copied. */
async function copyFrom(button: HTMLElement): Promise<void> {
  const text = async () => {
    const response = await fetch(button.dataset["copyFrom"] ?? "", { credentials: "same-origin", redirect: "error" })
    if (!response.ok) throw new TypeError("the file can't be fetched")
    return new Blob([await response.text()], { type: "text/plain" })
  }
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": text() })])
  button.setAttribute("data-copied", "")
}

for (const button of document.querySelectorAll<HTMLElement>("[data-copy-from]"))
  button.addEventListener("click", () => void copyFrom(button).catch(() => undefined))

for (const button of document.querySelectorAll<HTMLElement>("[data-go-to-line]")) {
  button.hidden = document.querySelector(".code") === null
  button.addEventListener("click", () => void import("./line-menu.ts").then(({ askForLine }) => askForLine()))
}

/** A document is framed only where the browser has a reader for it: others would download it. */
const documentPlace = document.querySelector<HTMLElement>("[data-document]")
if (documentPlace && navigator.pdfViewerEnabled) {
  const frame = document.createElement("iframe")
  frame.src = documentPlace.dataset["document"] ?? ""
  frame.title = documentPlace.dataset["name"] ?? ""
  documentPlace.replaceChildren(frame)
}

window.addEventListener("hashchange", () => mark())
// Lines that came again, with colours or who wrote them.
document.addEventListener("hearth:shown", () => mark(false))
mark()
