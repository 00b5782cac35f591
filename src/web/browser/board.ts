import { t } from "./words.ts"

/**
 * Boards: cards are dragged, or moved with Alt and the arrow keys while their title has the focus. The order is kept by the server. Until that has
 * it, the card is marked as busy: what others do is put in place afterwards.
 */

let dragged: HTMLElement | undefined
const isSending = new Set<HTMLElement>()

const cardsIn = (list: Element): readonly HTMLElement[] => [...list.querySelectorAll<HTMLElement>(":scope > [data-move]")]
const placeOf = (card: HTMLElement | undefined): number | undefined => (card ? Number(card.dataset["sorting"]) : undefined)

function say(words: string): void {
  const place = document.getElementById("board-said")
  if (place) place.textContent = words
}

async function send(card: HTMLElement, column: string, sorting: number | undefined): Promise<void> {
  const body = new URLSearchParams({ column_id: column })
  if (sorting !== undefined) body.set("sorting", String(sorting))
  const answer = await fetch(card.dataset["move"] ?? "", { method: "POST", body, redirect: "manual", credentials: "same-origin" })
  if (answer.type !== "opaqueredirect") throw new TypeError(`moving a card answered ${answer.status}`)
  if (sorting !== undefined) card.dataset["sorting"] = String(sorting)
}

/** Puts a card before another one, or at the end, and tells the server. What it refuses is undone by the page as it is there. */
async function put(card: HTMLElement, list: Element, before: HTMLElement | undefined): Promise<void> {
  const column = list.closest<HTMLElement>("[data-column]")?.dataset["column"]
  if (column === undefined || before === card) return
  const others = cardsIn(list).filter((each) => each !== card)
  const last = others.at(-1)
  if (before) list.insertBefore(card, before)
  else if (last) last.after(card)
  else list.prepend(card)
  say(
    t("{value} is in {value2}.", {
      value: card.querySelector(".title")?.textContent?.trim() ?? "The card",
      value2: list.closest("section")?.querySelector("h2")?.textContent?.trim() ?? "",
    }),
  )
  card.dataset["busy"] = ""
  isSending.add(card)
  try {
    const at = before ? others.indexOf(before) : others.length
    const above = placeOf(others[at - 1])
    const below = placeOf(before)
    if (above === undefined) return await send(card, column, below === undefined ? undefined : below - 1)
    let sorting = above + 1
    await send(card, column, sorting)
    // The cards behind it make room, as far as they have to.
    for (const next of others.slice(at)) {
      if ((placeOf(next) ?? 0) > sorting) break
      sorting += 1
      await send(next, column, sorting)
    }
  } catch {
    location.reload()
  } finally {
    isSending.delete(card)
    delete card.dataset["busy"]
  }
}

const onBoard = (target: EventTarget | null): Element | null => (target instanceof Element && target.closest(".board") ? target : null)

/** The card before which one would be dropped at this height. */
const under = (list: Element, y: number): HTMLElement | undefined =>
  cardsIn(list).find((card) => {
    const { top, height } = card.getBoundingClientRect()
    return card !== dragged && y < top + height / 2
  })

document.addEventListener("dragstart", (event) => {
  const card = onBoard(event.target)?.closest<HTMLElement>("[data-move]")
  if (!card) return
  dragged = card
  card.dataset["busy"] = ""
  card.classList.add("dragged")
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "move"
})
document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged")
  // A card that was dropped elsewhere is still on its way.
  if (dragged && !isSending.has(dragged)) delete dragged.dataset["busy"]
  dragged = undefined
})
document.addEventListener("dragover", (event) => {
  if (dragged && onBoard(event.target)?.closest("[data-column]")) event.preventDefault()
})
document.addEventListener("drop", (event) => {
  const list = onBoard(event.target)?.closest("[data-column]")?.querySelector(".cards")
  if (!dragged || !list) return
  event.preventDefault()
  void put(dragged, list, under(list, event.clientY))
})

document.addEventListener("keydown", (event) => {
  const card = onBoard(event.target)?.closest(".title")?.closest<HTMLElement>("[data-move]")
  const list = card?.parentElement
  if (!event.altKey || !card || !list || !/^Arrow(Up|Down|Left|Right)$/.test(event.key)) return
  event.preventDefault()
  const focused = document.activeElement
  const cards = cardsIn(list)
  const at = cards.indexOf(card)
  if (event.key === "ArrowUp" && at > 0) void put(card, list, cards[at - 1])
  if (event.key === "ArrowDown" && at < cards.length - 1) void put(card, list, cards[at + 2])
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const columns = [...document.querySelectorAll("[data-column]")]
    const section = list.closest("[data-column]")
    const next = section && columns[columns.indexOf(section) + (event.key === "ArrowLeft" ? -1 : 1)]?.querySelector(".cards")
    if (next) void put(card, next, undefined)
  }
  if (focused instanceof HTMLElement) focused.focus()
})
