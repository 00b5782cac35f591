/** Differences that are shown in parts: a part takes the place of the link to it when the reader comes near, or goes to one of its files in the tree. */

import { fetchFragment } from "./fragment.ts"

/** One at a time: a part that came in moves the others away. */
let loading: Promise<void> = Promise.resolve()

async function put(place: HTMLElement): Promise<void> {
  const link = place.querySelector<HTMLAnchorElement>("a[data-part]")
  if (!place.isConnected || !link) return
  place.setAttribute("aria-busy", "true")
  try {
    const part = await fetchFragment(link.dataset["part"] ?? "")
    const files = [...part.querySelectorAll<HTMLElement>("section.diff")]
    const isFocused = place.contains(document.activeElement)
    place.replaceWith(...files)
    for (const file of files) document.dispatchEvent(new CustomEvent("hearth:shown", { detail: file }))
    if (isFocused) files[0]?.querySelector("summary")?.focus()
  } catch {
    // The link stays, and leads there.
    place.removeAttribute("aria-busy")
  }
}

const load = (place: HTMLElement): Promise<void> => {
  loading = loading.then(() => put(place))
  return loading
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue
      // What was passed by on the way is not loaded.
      setTimeout(() => {
        const { top, bottom } = target.getBoundingClientRect()
        if (bottom > -innerHeight && top < 2 * innerHeight) void load(target)
      }, 100)
    }
  },
  { rootMargin: "800px 0px" },
)

const places = (): NodeListOf<HTMLElement> => document.querySelectorAll<HTMLElement>(".diff-more")

for (const place of places()) near.observe(place)

/** The place of the part that an address leads to. */
function placeOf(address: URL): HTMLElement | undefined {
  if (address.pathname !== location.pathname || document.getElementById(address.hash.slice(1))) return undefined
  const start = address.searchParams.get("start") ?? "0"
  return [...places()].find((place) => place.dataset["start"] === start)
}

async function go(place: HTMLElement, hash: string): Promise<void> {
  await load(place)
  location.hash = hash
  document.getElementById(hash.slice(1))?.scrollIntoView()
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return
  const here = event.target.closest<HTMLAnchorElement>(".diff-more a[data-part]")?.closest<HTMLElement>(".diff-more")
  if (here) {
    event.preventDefault()
    void load(here)
    return
  }
  const link = event.target.closest<HTMLAnchorElement>(".diff-tree a")
  if (!link) return
  const address = new URL(link.href)
  const isHere = document.getElementById(address.hash.slice(1)) !== null
  const place = placeOf(address)
  if (!place && !isHere) return
  event.preventDefault()
  if (place) void go(place, address.hash)
  else location.hash = address.hash
})

/** An address of a file or line that isn't shown yet: the tree knows where it is. */
const [wanted] = /^#diff-[0-9a-f]{40}/.exec(location.hash) ?? []
if (wanted !== undefined && places().length > 0 && !document.getElementById(wanted.slice(1))) {
  const link = document.querySelector<HTMLAnchorElement>(`.diff-tree a[href$="${wanted}"]`)
  const place = link && placeOf(new URL(link.href))
  if (place) void go(place, location.hash)
}
