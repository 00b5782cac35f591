/** MathML that may stay: the elements and attributes of presentation that formulas need, without links, annotations, events and styles. */

export const MATHML_ELEMENTS: readonly string[] = [
  ...["math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "mpadded", "mphantom", "menclose"],
  ...["msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mtd"],
]

const WORDS: Readonly<Record<string, RegExp>> = {
  display: /^block$/,
  mathvariant: /^normal$/,
  form: /^(?:pre|in|post)fix$/,
  notation: /^[a-z ]{1,60}$/,
  mathcolor: /^#[0-9a-f]{3,8}$/i,
  mathbackground: /^(?:#[0-9a-f]{3,8}|black)$/i,
  scriptlevel: /^[+-]?\d$/,
  columnspan: /^\d{1,2}$/,
  rowspan: /^\d{1,2}$/,
}
const SWITCHES = ["stretchy", "fence", "separator", "symmetric", "largeop", "movablelimits", "accent", "accentunder", "displaystyle"]
const LENGTHS = ["width", "height", "depth", "lspace", "rspace", "voffset", "minsize", "maxsize", "linethickness"]

export const MATHML_ATTRIBUTES: readonly string[] = [...Object.keys(WORDS), ...SWITCHES, ...LENGTHS]

const CLASS =
  /^(?:tml-(?:display|jot|left|right|(?:sml|med|lrg)-pad|vec|prime|cancel|xcancel|overline|underline|fbox|tag|tageqn)|(?:up|down)strike|sout|mathcal|mathscr|special-fraction)$/

/** Far more than a formula needs, and too little to stand over other parts of a page. */
const MOST_EM = 20
const LENGTH = /^([+-]?\d{0,4}(?:\.\d{1,6})?)(em|ex|pt|px|%|)$/
const EM: Readonly<Record<string, number>> = { em: 1, ex: 0.5, pt: 1 / 12, px: 1 / 16, "%": 0.01, "": 1 }

function isLength(value: string): boolean {
  const [, number = "", unit = ""] = LENGTH.exec(value) ?? []
  return number !== "" && Math.abs(Number(number) * (EM[unit] ?? 1)) <= MOST_EM
}

/** What styles say, as classes and attributes: a page has no styles in its elements. */
const STYLES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|;)border-top:0/, "maths-top"],
  [/(?:^|;)border-bottom:0/, "maths-bottom"],
  [/(?:^|;)border-left:0/, "maths-left"],
  [/(?:^|;)border-right:0/, "maths-right"],
  [/(?:^|;)border:/, "maths-box"],
  [/(?:^|;)width:100%/, "maths-wide"],
  [/(?:^|;)width:50%/, "maths-side"],
  [/(?:^|;)padding-left:0(?:em|pt)?;/, "maths-start"],
  [/(?:^|;)padding-right:0(?:em|pt)?;/, "maths-end"],
]
const COLOUR = /(?:^|;)color:(#[0-9a-f]{3,8});/i

/** The attributes of an element of a formula as they may stand. */
export function mathmlAttributes({ class: classes = "", style = "", ...given }: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {}
  const all = [
    ...classes.split(/\s+/).filter((name) => CLASS.test(name)),
    ...STYLES.flatMap(([pattern, name]) => (pattern.test(style) ? [name] : [])),
  ]
  if (all.length > 0) kept["class"] = all.join(" ")
  for (const [name, value] of Object.entries(given))
    if (
      WORDS[name]?.test(value) ||
      (SWITCHES.includes(name) && /^(?:true|false)$/.test(value)) ||
      (LENGTHS.includes(name) && isLength(value))
    )
      kept[name] = value
  const colour = COLOUR.exec(style)?.[1]
  if (colour !== undefined) kept["mathcolor"] = colour
  return kept
}
