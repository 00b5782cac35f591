/** How readers want differences: what they can choose, and the text in which a browser keeps it. */

export const CHOICES = {
  style: ["unified", "split"],
  whitespace: ["show-all", "ignore-change", "ignore-all", "ignore-eol"],
  lines: ["wrap", "long"],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The first of each list is what holds without a choice. */
export type DiffChoices = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] }

/** Where the buttons post to, see `servers/web/pages/remembered.ts`. */
export const DIFF_CHOICES_PATH = "/-/diffs"
export const DIFF_CHOICE_NAMES = ["style", "whitespace", "lines"] as const satisfies readonly (keyof DiffChoices)[]

const choose = <W extends string>(words: readonly [W, ...W[]], value: string | undefined): W =>
  words.find((each) => each === value) ?? words[0]

/** What a browser kept, or a form sent, as choices. What can't be read is not chosen. */
export const diffChoices = ({ style, whitespace, lines }: Readonly<Record<string, string | undefined>>): DiffChoices => ({
  style: choose(CHOICES.style, style),
  whitespace: choose(CHOICES.whitespace, whitespace),
  lines: choose(CHOICES.lines, lines),
})

/** The same as the text that a browser keeps, such as `split.show-all.wrap`, and what such a text says. */
export const writeDiffChoices = (choices: DiffChoices): string => DIFF_CHOICE_NAMES.map((name) => choices[name]).join(".")
export function readDiffChoices(text: string | undefined): DiffChoices {
  const [style, whitespace, lines] = text?.split(".") ?? []
  return diffChoices({ style, whitespace, lines })
}
