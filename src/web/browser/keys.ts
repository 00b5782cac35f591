/** Keys that press what is on the page, and their list (`?`), by the record of all of them. Loaded with the first key that is pressed. */

import { FILES, SHORTCUTS, type Shortcut, type ShortcutGroup } from "../shortcuts.ts"
import { element } from "./element.ts"
import { said, t } from "./words.ts"

const SEQUENCE_MS = 1_500

let begun = ""
let begunAt = 0

/** A key that was pressed outside of fields, with nothing held. */
export function pressed(key: string): void {
  if (key === "?") list()
  else if (document.querySelector("dialog[open]")) return
  else if (key === "j" || key === "k") move(key === "j" ? 1 : -1)
  else follow(key)
}

const known: readonly ShortcutGroup[] = SHORTCUTS
const everyKey = known.flatMap(({ keys }) => keys)

/** What these keys press on this page. */
const pressedBy = (keys: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>("[aria-keyshortcuts]")].find(
    (element) => element.getAttribute("aria-keyshortcuts") === keys && isAtHand(element),
  )

/** Whether it can be seen, or stands in a menu that can. */
function isAtHand(element: HTMLElement): boolean {
  const menu = element.closest<HTMLElement>("details.menu:not([open])")
  const isIn = menu !== null && menu.querySelector(":scope > summary") !== element
  return !element.hidden && (isIn ? menu : element).getClientRects().length > 0
}

function follow(key: string): void {
  const now = performance.now()
  const keys = begun !== "" && now - begunAt < SEQUENCE_MS ? `${begun} ${key}` : key
  begun = key
  begunAt = now
  const find = (wanted: string) => pressedBy(everyKey.find((each) => each.keys === wanted)?.like ?? wanted)
  // A key that begins nothing with the one before stands for itself.
  const target = find(keys) ?? find(key)
  const elsewhere = target ? null : document.querySelector<HTMLElement>(FILES)
  if (elsewhere && key === "t") void import("./file-finder.ts").then(({ openFinderOf }) => openFinderOf(elsewhere.dataset))
  if (!target) return
  begun = ""
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) target.focus()
  else target.click()
}

/** To the next row of a list, or the one before. */
function move(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("main .rows > li")].flatMap(
    (row) => row.querySelector<HTMLElement>(".title a[href], a[href].title, .main a[href]") ?? [],
  )
  const { activeElement } = document
  const at = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1
  links[at < 0 && by < 0 ? links.length - 1 : at + by]?.focus()
}

/** Whether the page has what the keys need. */
const isHere = ({ keys, where, like }: Shortcut): boolean =>
  where === undefined ? pressedBy(like ?? keys) !== undefined : document.querySelector(where) !== null

function list(): void {
  const open = document.querySelector<HTMLDialogElement>("dialog.keys")
  if (open) {
    open.close()
    return
  }
  const dialog = element("dialog", { className: "keys", ariaLabel: t("Keyboard shortcuts") })
  const close = element("button", { textContent: t("Close|dialog") })
  close.addEventListener("click", () => dialog.close())
  dialog.append(element("h2", { textContent: t("Keyboard shortcuts of this page") }), ...groups(isHere), elsewhere(), close)
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

/** The keys of other pages, on demand. */
function elsewhere(): HTMLElement {
  const details = element("details")
  details.append(element("summary", { textContent: t("Other pages have more") }), ...groups((each) => !isHere(each)))
  return details
}

/** Those keys that are wanted, under the titles of their groups. */
const groups = (isWanted: (each: Shortcut) => boolean): readonly HTMLElement[] =>
  known.flatMap(({ title, keys }) => {
    const wanted = keys.filter(isWanted)
    return wanted.length === 0 ? [] : [element("h3", { textContent: said(title) }), terms(wanted)]
  })

function terms(shortcuts: readonly Shortcut[]): HTMLElement {
  const all = element("dl")
  for (const { keys, text } of shortcuts) {
    const term = element("dt")
    term.append(...keys.split(" ").map((key) => element("kbd", { textContent: key })))
    all.append(term, element("dd", { textContent: said(text) }))
  }
  return all
}
