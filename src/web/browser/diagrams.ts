import { t } from "./words.ts"

/**
 * Diagrams in texts, when they are seen. Each is drawn by a frame that has no part in this site, of which this page learns no more than how high it is.
 * Until then, and where it fails or takes too long, the text stays.
 */

/** A page has no more diagrams than this, and none of a longer text. */
const MOST = 30
const LONGEST = 20_000
/** In pixels. A frame may say a new height as often as that: the window may become narrower. */
const TALLEST = 3000
const MOST_SIZES = 200
const DEADLINE_MS = 20_000

const dark = matchMedia("(prefers-color-scheme: dark)")
const theme = (): "light" | "dark" => {
  const chosen = document.documentElement.dataset["theme"]
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light"
}

interface Told {
  readonly kind: string
  readonly height?: unknown
  readonly reason?: unknown
}

const isTold = (data: unknown): data is Told => typeof data === "object" && data !== null && "kind" in data && typeof data.kind === "string"

const known = new WeakSet<Element>()
let many = 0
/** Of each frame on the page, what is told of it, and its text. */
const frames = new Map<MessageEventSource, { readonly hear: (told: Told) => void; readonly text: string }>()

addEventListener("message", ({ source, data }) => {
  if (source && isTold(data)) frames.get(source)?.hear(data)
})
dark.addEventListener("change", () => {
  for (const [frame, { text }] of frames) frame.postMessage({ text, theme: theme() }, { targetOrigin: "*" })
})

/** One after the other, so that what takes long keeps the machine from nothing else. */
let drawing = Promise.resolve()
const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue
      seen.unobserve(target)
      drawing = drawing.then(() => draw(target))
    }
  },
  { rootMargin: "300px" },
)

/** Watches the diagrams in a part of the page. */
export function findDiagrams(inside: ParentNode): void {
  for (const code of inside.querySelectorAll("pre > code.language-mermaid")) {
    const block = code.parentElement
    if (!block || known.has(block) || many >= MOST || (block.textContent ?? "").length > LONGEST) continue
    known.add(block)
    many++
    seen.observe(block)
  }
}

function draw(block: HTMLElement): Promise<void> {
  const text = block.textContent ?? ""
  const figure = document.createElement("figure")
  figure.className = "diagram waiting"
  figure.dataset["made"] = ""
  const frame = document.createElement("iframe")
  frame.setAttribute("sandbox", "allow-scripts")
  frame.title = t("Diagram")
  frame.src = "/assets/diagram.html"
  figure.append(frame)
  figure.style.width = `${block.clientWidth}px`
  block.before(figure)
  const { contentWindow } = frame
  return new Promise((done) => {
    const end = (why: string): void => {
      clearTimeout(deadline)
      if (contentWindow) frames.delete(contentWindow)
      figure.remove()
      block.hidden = false
      say(block, why)
      done()
    }
    const deadline = setTimeout(() => end(t("The diagram takes too long to draw.")), DEADLINE_MS)
    let sizes = 0
    const hear = ({ kind, height, reason }: Told): void => {
      if (kind === "ready") contentWindow?.postMessage({ text, theme: theme() }, "*")
      else if (kind === "failed") end(t("The diagram can't be drawn: {value}", { value: String(reason).slice(0, 300) }))
      else if (kind === "drawn" && typeof height === "number" && height > 0 && sizes++ < MOST_SIZES) {
        clearTimeout(deadline)
        frame.height = String(Math.min(TALLEST, Math.ceil(height)))
        if (figure.classList.contains("waiting")) show(figure, block)
        done()
      }
    }
    if (contentWindow) frames.set(contentWindow, { hear, text })
    else end(t("The diagram can't be drawn."))
  })
}

/** The drawing in place of the text, which a button brings back. */
function show(figure: HTMLElement, block: HTMLElement): void {
  figure.classList.remove("waiting")
  figure.style.width = ""
  block.hidden = true
  const button = document.createElement("button")
  button.type = "button"
  button.className = "small quiet"
  button.textContent = t("Show the text")
  button.addEventListener("click", () => {
    block.hidden = !block.hidden
    button.textContent = block.hidden ? t("Show the text") : t("Hide the text")
  })
  figure.append(button)
}

function say(block: HTMLElement, why: string): void {
  const line = document.createElement("p")
  line.className = "muted small"
  line.dataset["made"] = ""
  line.textContent = why
  block.after(line)
}
