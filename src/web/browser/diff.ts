/** Differences: lines between hunks appear in place, a click on a number is its address, keys go from line to line, the tree of files is filtered. */

import "./diff-parts.ts"
import { lineAtNumber, rowOf, stand } from "./diff-lines.ts"
import { fetchFragment } from "./fragment.ts"
import { t } from "./words.ts"

async function expand(link: HTMLAnchorElement): Promise<void> {
  const place = link.closest(".gap")
  const address = link.dataset["excerpt"]
  if (!place || address === undefined || link.hasAttribute("aria-busy")) return
  link.setAttribute("aria-busy", "true")
  try {
    const fragment = await fetchFragment(address)
    const next = fragment.querySelector<HTMLElement>(".expand")
    const isUp = new URL(address, location.href).searchParams.get("opens") === "up"
    const title = place.querySelector(":scope > span")
    // The line with the hunk's function goes where the hunk now begins.
    const moved = fragment.querySelector(".gap")
    if (isUp && moved && title) moved.append(title)
    place.replaceWith(fragment)
    next?.focus()
  } catch {
    location.assign(link.href)
  }
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
  const link = event.target.closest<HTMLAnchorElement>("a.expand")
  if (link) {
    event.preventDefault()
    void expand(link)
    return
  }
  const number = lineAtNumber(event)
  if (!number) return
  // The browser marks the target; the page stays where it is.
  const [x, y] = [scrollX, scrollY]
  location.replace(`#${number.id}`)
  scrollTo(x, y)
  const row = rowOf(number)
  if (row) stand(row)
})

/** An unchanged line has the address of its new number: one with the old number leads there. */
function findOldLine(): void {
  const [, file = "", old] = /^#(diff-[0-9a-f]+)L(\d+)$/.exec(location.hash) ?? []
  if (old === undefined || document.getElementById(location.hash.slice(1))) return
  const line = document.getElementById(file)?.querySelector(`.diff-lines [data-o="${old}"]`)
  if (line) location.replace(`#${line.id}`)
}

addEventListener("hashchange", findOldLine)
findOldLine()

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

/** The path of a file of the tree, by the names of the folders around it. */
function pathIn(tree: Element, file: Element): string {
  const names = [file.querySelector("bdi")?.textContent ?? ""]
  for (
    let folder = file.closest("details");
    folder && folder.parentElement !== tree;
    folder = folder.parentElement?.closest("details") ?? null
  )
    names.unshift(folder.querySelector("summary bdi")?.textContent ?? "")
  return names.join("/").toLowerCase()
}

/** Leaves those files in the tree whose paths have all the words, and the folders of these. */
function filter(tree: Element, words: readonly string[]): void {
  const files = [...tree.querySelectorAll("li > a")]
  let many = 0
  for (const file of files) {
    const path = pathIn(tree, file)
    const isShown = words.every((word) => path.includes(word))
    if (isShown) many++
    file.parentElement?.toggleAttribute("hidden", !isShown)
  }
  for (const folder of tree.querySelectorAll("li:has(> details)"))
    folder.toggleAttribute("hidden", !folder.querySelector("li:not([hidden]) > a"))
  const said = tree.querySelector("[role=status]")
  if (said) said.textContent = words.length === 0 ? "" : t("{many} of {count} files", { many, count: files.length })
}

const field = document.querySelector<HTMLInputElement>(".tree-filter input")
const tree = field?.closest(".diff-tree")
if (field && tree) {
  const update = () => filter(tree, wordsOf(field.value))
  field.addEventListener("input", update)
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") tree.querySelector<HTMLElement>("li:not([hidden]) > a")?.click()
  })
  // What was typed before is there again when the reader comes back.
  if (field.value !== "") update()
}
