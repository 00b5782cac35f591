import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { coloursIn, contrast } from "../../../tests/support/contrast.ts"
import { assetPath } from "../program/assets.ts"
import { TOKEN_CLASSES } from "./tokens.ts"

const css = (name: string) => readFileSync(assetPath(`web/${name}.css`), "utf8")
const [base, colours] = [css("1-base"), css("6-highlight")]

test("every class of code is styled", () => {
  expect(TOKEN_CLASSES.filter((name) => !new RegExp(`^\\.${name}\\b`, "m").test(colours))).toEqual([])
})

test("code can be read on every ground in both themes", () => {
  const grounds = coloursIn(base)
  const low: string[] = []
  for (const [name, themes] of coloursIn(colours))
    for (const ground of ["surface", "subtle", "added", "added-word", "removed", "removed-word", "mark"])
      for (const theme of [0, 1] as const) {
        const ratio = contrast(themes[theme], grounds.get(ground)?.[theme] ?? "")
        if (!(ratio >= 4.5)) low.push(`${name} on ${ground}: ${ratio.toFixed(2)}`)
      }
  expect(low).toEqual([])
  expect(coloursIn(colours).size).toBeGreaterThan(5)
})
