import { element } from "./element.ts"
import { fetchFragment, fragmentOf } from "./fragment.ts"

/**
 * Menus of labels, people, milestones and projects: the boxes of a form, with a search above them. Arrows move, Enter and Space tick, Escape closes. One beside
 * an issue saves what was changed when it is closed; one within a longer form says in its summary what was chosen.
 */

const COLOURS = ["b60205", "d93f0b", "a97e00", "0e8a16", "006b75", "0b63ce", "5319e7", "8a3ba6"]

const menuAt = (target: EventTarget | null): HTMLDetailsElement | null =>
  target instanceof Element ? target.closest<HTMLDetailsElement>("details[data-picker]") : null
const boxesIn = (menu: ParentNode): readonly HTMLInputElement[] => [...menu.querySelectorAll<HTMLInputElement>(".check > input")]
const textOf = (box: HTMLInputElement): string => box.parentElement?.querySelector("label")?.textContent?.trim() ?? ""
const isShown = (element: Element): boolean => element.getClientRects().length > 0
const searchIn = (menu: ParentNode): HTMLInputElement | null => menu.querySelector<HTMLInputElement>(".picker-search")

document.documentElement.classList.add("picks")

function begin(menu: HTMLDetailsElement): void {
  for (const other of document.querySelectorAll<HTMLDetailsElement>("details[data-picker][open]")) if (other !== menu) other.open = false
  const list = menu.querySelector("fieldset")
  if (!list) return
  if (!searchIn(menu)) {
    const words = menu.dataset["search"] ?? ""
    const search = element("input", {
      type: "search",
      className: "picker-search",
      autocomplete: "off",
      maxLength: 50,
      placeholder: words,
      ariaLabel: words,
    })
    const none = element("p", { className: "picker-none muted small", role: "status" })
    list.querySelector("legend")?.after(search)
    list.append(none)
    search.addEventListener("input", () => filter(menu))
  }
  searchIn(menu)?.focus()
}

/** Shows what has the words that were typed in its name or in what is said about it. */
function filter(menu: HTMLDetailsElement): void {
  const typed = searchIn(menu)?.value.trim() ?? ""
  const words = typed.toLowerCase().split(/\s+/)
  let some = false
  let isThere = false
  for (const box of boxesIn(menu)) {
    const row = box.parentElement
    const text = row?.textContent?.toLowerCase() ?? ""
    const fits = words.every((word) => text.includes(word))
    if (row) row.hidden = !fits
    some ||= fits
    isThere ||= textOf(box).toLowerCase() === typed.toLowerCase()
  }
  const none = menu.querySelector(".picker-none")
  if (none) none.textContent = some || typed === "" ? "" : (menu.dataset["nothing"] ?? "")
  menu.querySelector(".picker-create")?.remove()
  if (typed === "" || isThere || menu.dataset["create"] === undefined) return
  const create = element("button", {
    type: "button",
    className: "picker-create small",
    textContent: (menu.dataset["createWords"] ?? "").replace("{name}", typed),
  })
  create.addEventListener("click", () => void make(menu, typed))
  none?.before(create)
}

/** Makes a label of this name in a colour that follows from it, and ticks it. */
async function make(menu: HTMLDetailsElement, name: string): Promise<void> {
  const color = COLOURS[[...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % COLOURS.length] ?? ""
  const [some] = boxesIn(menu)
  const list = menu.querySelector("fieldset")
  const field = some?.name ?? "labels"
  menu.dataset["busy"] = ""
  try {
    const answer = await fetch(menu.dataset["create"] ?? "", {
      method: "POST",
      body: new URLSearchParams({ name, color }),
      credentials: "same-origin",
      headers: { accept: "text/html" },
    })
    const said = fragmentOf(await answer.text())
      .querySelector("main :is(.notice.bad, .fault)")
      ?.textContent?.trim()
    if (!answer.ok) throw new Error(said ?? `${answer.status}`)
    const page = await fetchFragment(location.href)
    const made = [...page.querySelectorAll<HTMLInputElement>(`.check > input[name="${field}"]`)].find((box) => textOf(box) === name)
    const row = made?.parentElement
    if (!made || !row || !list) throw new Error(name)
    made.checked = true
    made.defaultChecked = false
    // The others keep their ids.
    made.id = `${made.id}-${made.value}`
    row.querySelector("label")?.setAttribute("for", made.id)
    const first = list.querySelector(".check")
    if (first) first.before(document.adoptNode(row))
    else list.append(document.adoptNode(row))
    const search = searchIn(menu)
    if (search) {
      search.value = ""
      filter(menu)
      search.focus()
    }
    sum(menu)
  } catch (error) {
    const none = menu.querySelector(".picker-none")
    if (none && error instanceof Error) none.textContent = error.message
  } finally {
    delete menu.dataset["busy"]
  }
}

/** What is chosen, beside the name of a field of a longer form. */
function sum(menu: HTMLDetailsElement): void {
  const chosen = menu.querySelector(".chosen")
  if (!chosen) return
  const boxes = boxesIn(menu).filter(({ checked, value }) => checked && value !== "0")
  chosen.textContent = boxes.map(textOf).join(", ")
}

const isChanged = (menu: HTMLDetailsElement): boolean => boxesIn(menu).some(({ checked, defaultChecked }) => checked !== defaultChecked)

/** Sends the form, and puts the section in place as the server answers with it, also where it refuses. */
async function save(menu: HTMLDetailsElement): Promise<void> {
  const form = menu.querySelector("form")
  const section = menu.closest<HTMLElement>("section[id]")
  if (!form || !section || menu.dataset["busy"] !== undefined) return
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]))
  menu.dataset["busy"] = ""
  const hadFocus = menu.contains(document.activeElement)
  try {
    const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin", headers: { accept: "text/html" } })
    const now = fragmentOf(await answer.text()).getElementById(section.id)
    if (!now) throw new TypeError(`saving answered ${answer.status}`)
    section.replaceWith(document.adoptNode(now))
    document.dispatchEvent(new CustomEvent("hearth:shown", { detail: now }))
    if (hadFocus) now.querySelector<HTMLElement>("details[data-picker] > summary")?.focus({ preventScroll: true })
  } catch {
    // The browser says by itself what it can't do.
    form.requestSubmit()
  } finally {
    delete menu.dataset["busy"]
  }
}

function close(menu: HTMLDetailsElement): void {
  menu.open = false
  menu.querySelector<HTMLElement>("summary")?.focus({ preventScroll: true })
}

// The event of opening comes later than keys that are pressed at once: what is typed then belongs into the search.
document.addEventListener("click", (event) => {
  const menu = menuAt(event.target)
  if (!menu || !(event.target instanceof Element) || !event.target.closest("summary")) return
  event.preventDefault()
  menu.open = !menu.open
  if (menu.open) begin(menu)
})

document.addEventListener(
  "toggle",
  ({ target }) => {
    const menu = menuAt(target)
    if (!menu || menu !== target) return
    if (menu.open) {
      if (!menu.querySelector("fieldset")?.contains(document.activeElement)) begin(menu)
    } else if (menu.dataset["picker"] === "save" && isChanged(menu)) void save(menu)
  },
  true,
)

document.addEventListener("keydown", (event) => {
  const menu = menuAt(event.target)
  const { target, key } = event
  if (!menu?.open || event.isComposing || !(target instanceof HTMLElement) || target.tagName === "SUMMARY") return
  const places = [searchIn(menu), ...boxesIn(menu), menu.querySelector<HTMLElement>(".picker-create")].filter(
    (each): each is HTMLElement => each instanceof HTMLElement && isShown(each),
  )
  if (key === "Escape") close(menu)
  else if (key === "ArrowDown" || key === "ArrowUp") places[places.indexOf(target) + (key === "ArrowDown" ? 1 : -1)]?.focus()
  else if (key === "Enter" && target instanceof HTMLInputElement) {
    const box = target === searchIn(menu) ? places[1] : target
    box?.click()
    if (target === searchIn(menu)) searchIn(menu)?.select()
  } else return
  event.preventDefault()
  event.stopPropagation()
})

document.addEventListener("change", ({ target }) => {
  const menu = menuAt(target)
  if (!menu || !(target instanceof HTMLInputElement)) return
  sum(menu)
  // Of several there is one to choose.
  if (target.type === "radio" && menu.open) close(menu)
})

document.addEventListener("pointerdown", ({ target }) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details[data-picker][open]"))
    if (target instanceof Node && !menu.contains(target)) menu.open = false
})

document.addEventListener("focusout", ({ target, relatedTarget }) => {
  const menu = menuAt(target)
  if (menu?.open && relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.open = false
})

for (const menu of document.querySelectorAll<HTMLDetailsElement>("details[data-picker]")) sum(menu)
