import { renderMarkdown } from "./markup.ts"
import type { Rendering } from "./rendering.ts"

export const ROOT = "https://forge.example.com"

/** A text in the folder `docs` of the branch `main` of ann/box. */
export const IN_FOLDER: Rendering = {
  style: "document",
  rootUrl: ROOT,
  home: { owner: "ann", name: "box" },
  links: { pages: `${ROOT}/ann/box/src/branch/main`, media: `${ROOT}/ann/box/media/branch/main`, folder: "docs" },
}

export const rendered = async (text: string, rendering: Partial<Rendering> = {}): Promise<string> =>
  (await renderMarkdown(text, { ...IN_FOLDER, ...rendering })).trimEnd()
