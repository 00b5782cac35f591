import { t } from "./words.ts"

/**
 * Buttons that copy: `data-copy` is what they copy; without a value it is the block of code that follows. Where no scripts run, styles hide
 * them: shown by a script, they would move what is beside them. Loaded where there is one.
 */

const SAID_MS = 2_000

/** Where it is said that something was copied, for those who don't see it. */
const status = document.createElement("p")
status.className = "hidden-text"
status.setAttribute("role", "status")
document.body.append(status)

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null
  if (button) void copy(button)
})

async function copy(button: HTMLElement): Promise<void> {
  const done = await write(textOf(button))
  const words = done ? t("Copied") : t("Can't be copied here")
  button.dataset["copied"] = words
  // The same sentence again is only read when it has been away.
  status.textContent = ""
  setTimeout(() => {
    status.textContent = words
  }, 50)
  setTimeout(() => delete button.dataset["copied"], SAID_MS)
}

function textOf(button: HTMLElement): string {
  const text = button.dataset["copy"] ?? ""
  if (text !== "") return text
  let next = button.parentElement?.nextElementSibling
  while (next && next.tagName !== "PRE") next = next.nextElementSibling
  return (next?.textContent ?? "").replace(/\n$/, "")
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeByHand(text)
  }
}

/** Browsers have no clipboard for scripts of sites that are reached by http. */
function writeByHand(text: string): boolean {
  const { activeElement } = document
  const field = document.createElement("textarea")
  field.value = text
  field.readOnly = true
  field.className = "hidden-text"
  document.body.append(field)
  field.select()
  const done = document.execCommand("copy")
  field.remove()
  if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
  return done
}
