import { fetchFragment } from "./fragment.ts"

/** An element with an id and `data-again` is asked for again after so many seconds, for as long as it says so: for what no one announces. */

const address = new URL(location.href)
address.hash = ""

function wait(element: HTMLElement): void {
  const seconds = Number(element.dataset["again"])
  if (seconds > 0) setTimeout(() => void look(element), seconds * 1000)
}

async function look(element: HTMLElement): Promise<void> {
  if (document.visibilityState !== "visible" || element.contains(document.activeElement)) return wait(element)
  try {
    const now = (await fetchFragment(address.href)).getElementById(element.id)
    if (!now) return
    // The element itself stays, so that what changes in it is read out.
    element.replaceChildren(...now.childNodes)
    document.dispatchEvent(new CustomEvent("hearth:shown", { detail: element }))
    const again = now.dataset["again"]
    if (again === undefined) delete element.dataset["again"]
    else element.dataset["again"] = again
  } catch {
    // What can't be had now is asked for again.
  }
  wait(element)
}

for (const element of document.querySelectorAll<HTMLElement>("[data-again][id]")) wait(element)
