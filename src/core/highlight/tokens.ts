/**
 * The classes of highlighted code, by what highlight.js calls a piece (`title.function`, `selector-class`). Two letters each, because a page of code has
 * tens of thousands. What is not listed has no colour of its own.
 */
const CLASSES = {
  addition: "ad",
  attr: "at",
  attribute: "at",
  built_in: "bi",
  bullet: "bu",
  "char.escape": "es",
  code: "cd",
  comment: "co",
  deletion: "de",
  doctag: "dt",
  emphasis: "em",
  formula: "cd",
  keyword: "kw",
  link: "ln",
  literal: "li",
  meta: "me",
  name: "ta",
  number: "nu",
  property: "at",
  quote: "qu",
  regexp: "re",
  section: "se",
  "selector-attr": "at",
  "selector-class": "sl",
  "selector-id": "sl",
  "selector-pseudo": "sl",
  "selector-tag": "ta",
  string: "st",
  strong: "sr",
  subst: "su",
  symbol: "sy",
  "template-tag": "me",
  "template-variable": "va",
  title: "ti",
  "title.class": "ty",
  "title.function": "ti",
  type: "ty",
  variable: "va",
  "variable.constant": "li",
  "variable.language": "li",
} as const satisfies Readonly<Record<string, string>>

type Scope = keyof typeof CLASSES

export type TokenClass = (typeof CLASSES)[Scope] | typeof INVISIBLE_CLASS

/** Of characters that can't be seen: see `invisible.ts`. */
export const INVISIBLE_CLASS = "iv"

/** All classes that highlighted code may have, for the style sheet and the sanitiser. */
export const TOKEN_CLASSES: readonly TokenClass[] = [...new Set([...Object.values(CLASSES), INVISIBLE_CLASS] as const)].sort()

const isScope = (name: string): name is Scope => Object.hasOwn(CLASSES, name)

/** The class of a scope, or of the more general one that it belongs to. */
export function classOf(scope: string): TokenClass | undefined {
  for (let name = scope; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) if (isScope(name)) return CLASSES[name]
  return undefined
}
