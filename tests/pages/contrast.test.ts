import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { coloursIn, contrast } from "../support/contrast.ts"

/** The colours of pages are custom properties: which of them stand on which is known, so that the contrast of all is counted. */

const folder = join(import.meta.dirname, "../../assets/web")
const css = ["1-base.css", "6-highlight.css"].map((name) => readFileSync(join(folder, name), "utf8")).join("\n")
const MORE = /@media \(prefers-contrast: more\) \{\n {2}:root \{\n([^}]*)\}/g

const ordinary = coloursIn(css.replaceAll(MORE, ""))
const more = new Map([...ordinary, ...coloursIn(Array.from(css.matchAll(MORE), ([block]) => block).join("\n"))])

const HUES = ["green", "red", "purple", "yellow", "blue"]
const CODE = ["comment", "keyword", "string", "number", "title", "type", "name", "meta"].map((name) => `c-${name}`)
const SURFACES = ["page", "surface", "subtle"]

/** What stands on what. */
const TEXTS: readonly (readonly [text: string, on: string])[] = [
  ...["text", "muted", "link", ...HUES].flatMap((text) => SURFACES.map((on) => [text, on] as const)),
  ...HUES.map((hue) => [hue, `${hue}-soft`] as const),
  ...["accent", ...HUES].map((hue) => ["text", `${hue}-soft`] as const),
  ...["added", "added-word", "removed", "removed-word", "mark", "selected"].map((on) => ["text", on] as const),
  ...CODE.flatMap((text) =>
    ["surface", "added", "added-word", "removed", "removed-word", "mark", "selected"].map((on) => [text, on] as const),
  ),
  ["on-accent", "accent"],
]

describe.each([
  ["as they are", ordinary, 4.5],
  ["with more contrast", more, 7],
] as const)("colours %s", (_name, colours, least) => {
  test.each([
    ["light", 0],
    ["dark", 1],
  ] as const)("of the %s theme can be read", (_theme, index) => {
    const of = (name: string): string => colours.get(name)?.[index] ?? `no --${name}`
    const weak = (pairs: typeof TEXTS, ratio: number) =>
      pairs
        .map(([text, on]) => [text, on, contrast(of(text), of(on))] as const)
        .filter(([, , found]) => !(found >= ratio))
        .map(([text, on, found]) => `${text} on ${on}: ${found.toFixed(2)}`)
    expect(weak(TEXTS, least)).toEqual([])
    // What shows where a field is.
    const edges = SURFACES.map((on) => ["line-strong", on] as const)
    expect(weak(edges, 3)).toEqual([])
  })
})
