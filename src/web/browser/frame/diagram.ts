/**
 * Runs in the frame of a diagram, which has no part in the site: it may run scripts of ours and nothing else, loads nothing, and belongs to no site. The
 * page hands over a text, and learns how large the drawing is, or why there is none.
 */

import mermaid from "mermaid"

const LONGEST = 20_000
const MOST_EDGES = 500
/** Drawings are not made smaller than this, so that they can be read; wider ones scroll. */
const SMALLEST = 0.65

interface Order {
  readonly text: string
  readonly theme: "light" | "dark"
}

const isOrder = (data: unknown): data is Order =>
  typeof data === "object" && data !== null && "text" in data && typeof data.text === "string" && "theme" in data

const tell = (message: Readonly<Record<string, string | number>>): void => parent.postMessage(message, "*")

let drawing = Promise.resolve()
let count = 0

async function draw({ text, theme }: Order): Promise<void> {
  document.documentElement.style.colorScheme = theme
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    // The others are loaded only by texts that ask for them: they are large.
    layout: "dagre",
    theme: theme === "dark" ? "dark" : "default",
    darkMode: theme === "dark",
    maxTextSize: LONGEST,
    maxEdges: MOST_EDGES,
    fontFamily: getComputedStyle(document.body).fontFamily,
  })
  try {
    const { svg } = await mermaid.render(`diagram-${count++}`, text)
    document.body.innerHTML = svg
    const [drawn] = document.body.children
    if (drawn instanceof SVGSVGElement) drawn.style.minWidth = `${Math.round(drawn.viewBox.baseVal.width * SMALLEST)}px`
    size()
  } catch (error) {
    tell({ kind: "failed", reason: error instanceof Error ? error.message : String(error) })
  }
}

function size(): void {
  const [drawn] = document.body.children
  const scrollBar = innerHeight - document.documentElement.clientHeight
  if (drawn) tell({ kind: "drawn", height: Math.ceil(drawn.getBoundingClientRect().height + scrollBar) })
}

addEventListener("message", ({ source, data }) => {
  if (source === parent && isOrder(data)) drawing = drawing.then(() => draw(data))
})
addEventListener("resize", size)
tell({ kind: "ready" })
