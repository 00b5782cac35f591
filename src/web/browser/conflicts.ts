import { t } from "./words.ts"

/** Texts with marks of conflicts get buttons, which take one side of each conflict, or both. */

const CONFLICT = /^<{7} .*\n([\s\S]*?)^={7}\n([\s\S]*?)^>{7} (.*)(?:\n|$)/gm

for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-conflict]")) {
  const list = document.createElement("ul")
  list.className = "plain stack tight"
  area.after(list)
  area.addEventListener("input", () => draw(area, list))
  draw(area, list)
}

function draw(area: HTMLTextAreaElement, list: HTMLElement): void {
  const found = [...area.value.matchAll(CONFLICT)]
  list.replaceChildren(
    ...found.map((match) => {
      const [whole, ours = "", theirs = ""] = match
      const line = area.value.slice(0, match.index).split("\n").length
      const names = [/^<{7} (.*)/.exec(whole)?.[1] ?? "", match[3] ?? ""]
      const item = document.createElement("li")
      item.className = "bar small"
      const where = document.createElement("button")
      where.type = "button"
      where.className = "small quiet"
      where.textContent = t("Line {line}", { line })
      where.addEventListener("click", () => {
        area.focus()
        area.setSelectionRange(match.index, match.index + whole.length)
      })
      const take = (words: string, text: string): HTMLButtonElement => {
        const button = document.createElement("button")
        button.type = "button"
        button.className = "small"
        button.textContent = words
        button.setAttribute("aria-label", t("Line {line}: {value}", { line, value: words.toLowerCase() }))
        button.addEventListener("click", () => {
          area.setRangeText(text, match.index, match.index + whole.length, "start")
          area.dispatchEvent(new Event("input", { bubbles: true }))
          const next = list.querySelector("button")
          if (next) next.focus()
          else area.focus()
        })
        return button
      }
      item.append(
        where,
        take(t("Take {side}", { side: names[0] ?? "" }), ours),
        take(t("Take {side}", { side: names[1] ?? "" }), theirs),
        take(t("Take both"), ours + theirs),
      )
      return item
    }),
  )
}
