import { parseAst } from "rolldown/parseAst"
import { lineAt } from "./syntax.ts"

/** How long the lines, functions and files of what makes pages may be: longer ones hide what a reader looks for. A part of the check of the structure. */

const OF_PAGES: readonly RegExp[] = [/^pages\//, /^web\/(?!icon-names)/, /^servers\/web\//]

/** Characters; a single text or pattern may be longer, and so may comments. */
const LONGEST_LINE = 140
/** Lines: a function makes one section of a page. */
const LONGEST_FUNCTION = 60
const LONGEST_FILE = 400

/** Files that have longer functions, or are longer, all the same, with the reason. The list can only shrink. */
const LONG: Readonly<Record<string, string>> = {}

const ONE_TEXT = /^\s*(\w+: )?(["'`]).*\2[,)]*$|^\s*\/.*\/[a-z]*[,)]*$|^\s*<path d="[^"]*"\/>$/
const COMMENT = /^\s*(\/\/|\/?\*)/

interface Long {
  readonly line: number
  readonly lines: number
}

/** The functions of a file that are too long. */
function longFunctions(text: string): readonly Long[] {
  const found: Long[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    if ("type" in node && "start" in node && "end" in node && /Function(Declaration|Expression)$/.test(String(node.type))) {
      const line = lineAt(text, Number(node.start))
      const lines = lineAt(text, Number(node.end)) - line + 1
      if (lines > LONGEST_FUNCTION) found.push({ line, lines })
    }
    for (const inside of Object.values(node)) visit(inside)
  }
  visit(parseAst(text, { lang: "ts" }).body)
  return found
}

function refusalsOf(file: string, text: string, isLong: boolean): readonly string[] {
  const lines = text.split("\n")
  const long = lines.findIndex((line) => line.length > LONGEST_LINE && !COMMENT.test(line) && !ONE_TEXT.test(line))
  const functions = lines.length <= LONGEST_FUNCTION ? [] : longFunctions(text)
  const tooLong = [
    ...functions.map(
      (each) => `${file}:${each.line} begins a function of ${each.lines} lines: make it of one for each section of the page.`,
    ),
    ...(lines.length - 1 > LONGEST_FILE ? [`${file} has ${lines.length - 1} lines: move a part of the page into a file of its own.`] : []),
  ]
  return [
    ...(long < 0
      ? []
      : [
          `${file}:${long + 1} has more than ${LONGEST_LINE} characters: break the template where its HTML would be, and name long values.`,
        ]),
    ...(!isLong
      ? tooLong
      : tooLong.length === 0
        ? [`${file} is short enough by now: take it off LONG in tests/structure/lengths.ts.`]
        : []),
  ]
}

/** A sentence for each line, function and file of pages that is too long, and for each exception that is needed no more. */
export const lengthRefusals = (
  texts: readonly (readonly [file: string, text: string])[],
  exceptions: Readonly<Record<string, string>> = LONG,
): readonly string[] => [
  ...texts.flatMap(([file, text]) => (OF_PAGES.some((pattern) => pattern.test(file)) ? refusalsOf(file, text, file in exceptions) : [])),
  ...Object.keys(exceptions).flatMap((file) =>
    texts.some(([other]) => other === file) ? [] : [`${file} is gone: take it off LONG in tests/structure/lengths.ts.`],
  ),
]
