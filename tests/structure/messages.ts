import {
  isLiteralElement,
  isPluralElement,
  isPoundElement,
  isSelectElement,
  isTagElement,
  type MessageFormatElement,
  parse,
} from "@formatjs/icu-messageformat-parser"
import { parseAst } from "rolldown/parseAst"
import { messagesOf } from "../../src/core/html.ts"
import { literal } from "../../src/core/language/literal.ts"
import { pluralMessage, taggedMessage } from "../../src/core/language/message.ts"
import { isNode, lineAt, literalText, type Node, nodesIn, templateTexts } from "./syntax.ts"

/** Collects what pages, mails and scripts say: sentences in templates of HTML, and what `t` and `plural` are given. A part of the check of the structure, and of `npm run messages`. */

/** What a catalogue is checked against. */
export interface Messages {
  /** Message → where it stands, and what its holes are. */
  readonly notes: ReadonlyMap<string, string>
  /** Those of `t`. */
  readonly keys: ReadonlySet<string>
  /** Those of modules for the browser. */
  readonly browser: ReadonlySet<string>
  /** Sentences about calls whose message is not a literal, and about what scripts show that is none. */
  readonly refusals: readonly string[]
}

/** Folders whose refusals are said to programs alone, in English. Those of all others are messages, as pages may show them. */
const FOR_PROGRAMS: readonly (readonly [files: RegExp, why: string])[] = [
  [/^command\//, "the command line"],
  [
    /^servers\/(?!web\/|client\/|routing\/|other-sites|api\/answer)/,
    "protocols of git, runners and package managers, and input of the API",
  ],
  [/^git\//, "what git clients are told"],
  [/^core\/(config|database|job-token|outgoing)/, "the start of the server, tokens of jobs and what other servers answer"],
  [/^features\/code\/(lfs\/|pushes\/admission)/, "Git LFS and git clients"],
  [/^features\/packages\/(npm\/|generic\/|packages\/(blobs|publish|usage))/, "package managers"],
  [
    /^features\/actions\/((cache|uploads|oidc|files|tasks)\/|artifacts\/(of-jobs|files-of-jobs|zip)|runs\/(summaries|job-operations))/,
    "runners",
  ],
  [/^features\/code\/(contents\/(patch|objects|raw|read-operations|write-operations)|statuses\/|tags\/operations)/, "no form calls these"],
]

/** Where refusals take their message: `refuse.invalid(field, reason)`, `new Refusal(kind, message)`. */
function refusalMessage(node: Node): unknown {
  const { callee } = node
  const given = Array.isArray(node["arguments"]) ? node["arguments"] : []
  if (!isNode(callee)) return undefined
  if (node.type === "NewExpression") return nameOf(callee) === "Refusal" ? given[1] : nameOf(callee) === "Unsent" ? given[0] : undefined
  if (node.type !== "CallExpression" || callee.type !== "MemberExpression" || nameOf(callee["object"]) !== "refuse") return undefined
  return nameOf(callee["property"]) === "invalid" ? given[1] : given[0]
}

/** The values that an expression may have. */
const branchesOf = (value: unknown): readonly Node[] =>
  !isNode(value)
    ? []
    : value.type === "ConditionalExpression"
      ? [...branchesOf(value["consequent"]), ...branchesOf(value["alternate"])]
      : value.type === "LogicalExpression"
        ? [...branchesOf(value["left"]), ...branchesOf(value["right"])]
        : [value]

const nameOf = (value: unknown): string => (isNode(value) && value.type === "Identifier" ? String(value["name"]) : "")

/** The messages of files, by their paths below src. */
export function messagesIn(texts: readonly (readonly [file: string, text: string])[]): Messages {
  const notes = new Map<string, string>()
  const keys = new Set<string>()
  const browser = new Set<string>()
  const refusals: string[] = []
  for (const [file, text] of texts) {
    const says = /import [^;]*?\b(?:t|key)\b[^;]*?from "[^"]*(language\/message|\/words)\.ts"/.test(text)
    const inBrowser = file.startsWith("web/browser/") || file === "web/shortcuts.ts"
    const isForPages = !FOR_PROGRAMS.some(([files]) => files.test(file))
    const add = (message: string, note = ""): void => {
      if (!notes.has(message)) notes.set(message, note === "" ? file : `${file}; ${note}`)
      if (inBrowser) browser.add(message)
    }
    const addTemplate = (quasi: Node): void => {
      const strings = templateTexts(quasi)
      const holes = nodesIn(quasi["expressions"]).map(({ start, end }) => text.slice(start, end).replace(/\s+/g, " "))
      for (const { message, values } of messagesOf(strings))
        add(message, values.map((hole, index) => `{${index}} ${shortened(holes[hole] ?? "")}`).join(", "))
    }
    const addTagged = (quasi: Node): void => {
      const holes = nodesIn(quasi["expressions"]).map(({ start, end }) => text.slice(start, end).replace(/\s+/g, " "))
      add(taggedMessage(templateTexts(quasi)), holes.map((hole, index) => `{${index}} ${shortened(hole)}`).join(", "))
    }
    const addRefusal = (message: Node): void => {
      const said = literalText(message) ?? (message.type === "TemplateLiteral" ? templateTexts(message).join("{}") : undefined)
      if (said === undefined || said === "") return
      if (message.type === "Literal") add(literal(said))
      else refusals.push(`${file}:${lineAt(text, message.start)} refuses in a template that is no message: put t before it.`)
    }
    /** What a pattern's description says is accepted, see core/check.ts. */
    const addPattern = (keywords: Node): void => {
      const members = new Map(nodesIn(keywords["properties"]).map((each) => [nameOf(each["key"]), each["value"]]))
      const description = members.has("pattern") ? literalText(members.get("description")) : undefined
      if (description !== undefined && description !== "") add(literal(description), "after “must be: ”")
    }
    /** In the browser, what is put on the page is a message, and a class is none. */
    const checkShown = (member: string, right: unknown, start: number): void => {
      const line = lineAt(text, start)
      for (const value of branchesOf(right)) {
        const isMessage = value.type === "CallExpression" && nameOf(value["callee"]) === "t"
        if (member === "className" && isMessage)
          refusals.push(`${file}:${line} gives t the names of classes: they are the same in every language.`)
        const words = value.type === "TemplateLiteral" ? templateTexts(value).join("{}") : (literalText(value) ?? "")
        if (/^(textContent|innerText|title|placeholder|ariaLabel)$/.test(member) && /\p{L}{2,}/u.test(words))
          refusals.push(`${file}:${line} shows ${JSON.stringify(words)}, which is no message: give it to t.`)
      }
    }
    const addCall = (name: string, call: Node): void => {
      const [first, ...others] = Array.isArray(call["arguments"]) ? call["arguments"] : []
      const line = lineAt(text, call.start)
      if (name !== "plural") {
        const message = literalText(first)
        if (message === undefined)
          refusals.push(`${file}:${line} gives t a message that is no literal: name each message where it is chosen.`)
        else {
          add(message)
          if (!inBrowser) keys.add(message)
        }
      } else {
        const [one, more] = others.map(literalText)
        if (one === undefined || (others.length > 1 && more === undefined))
          refusals.push(`${file}:${line} gives plural words that are no literals: use t with a plural for each.`)
        else add(pluralMessage(one, more))
      }
    }
    const visit = (value: unknown): void => {
      if (Array.isArray(value)) for (const each of value) visit(each)
      else if (isNode(value)) {
        if (value.type === "TaggedTemplateExpression" && nameOf(value["tag"]) === "html" && isNode(value["quasi"]))
          addTemplate(value["quasi"])
        if (value.type === "TaggedTemplateExpression" && nameOf(value["tag"]) === "t" && says && isNode(value["quasi"]))
          addTagged(value["quasi"])
        if (file === "core/errors.ts" && value.type === "Property" && nameOf(value["key"]) === "title" && isNode(value["value"]))
          addRefusal(value["value"])
        if (inBrowser && value.type === "AssignmentExpression" && isNode(value["left"]))
          checkShown(nameOf(value["left"]["property"]), value["right"], value.start)
        // What `element` is given is assigned by it.
        if (inBrowser && value.type === "CallExpression" && nameOf(value["callee"]) === "element")
          for (const { key, value: given, start } of nodesIn(value["arguments"]).flatMap((each) => nodesIn(each["properties"])))
            checkShown(nameOf(key), given, start)
        if (isForPages && value.type === "ObjectExpression") addPattern(value)
        if (isForPages) for (const message of branchesOf(refusalMessage(value))) addRefusal(message)
        const called = value.type === "CallExpression" ? nameOf(value["callee"]) : ""
        if (((called === "t" || called === "key") && says) || called === "plural" || (called === "message" && file === "web/shortcuts.ts"))
          addCall(called, value)
        for (const [name, inside] of Object.entries(value)) if (name !== "type") visit(inside)
      }
    }
    visit(parseAst(text, { lang: "ts" }).body)
  }
  return { notes, keys, browser, refusals }
}

const shortened = (expression: string): string => (expression.length > 60 ? `${expression.slice(0, 57)}…` : expression)

/** A catalogue: message → translation. */
export type Catalogue = Readonly<Record<string, string>>

/** What a message takes: its holes and elements, each as often as it has it. */
function partsOf(elements: readonly MessageFormatElement[]): readonly string[] {
  return elements.flatMap((element): readonly string[] => {
    if (isLiteralElement(element) || isPoundElement(element)) return []
    if (isTagElement(element)) return [`<${element.value}>`, ...partsOf(element.children)]
    if (isPluralElement(element) || isSelectElement(element))
      return [`{${element.value}, plural}`, ...new Set(Object.values(element.options).flatMap(({ value }) => partsOf(value)))]
    return [`{${element.value}}`]
  })
}

function faultOf(message: string, translation: string): string | undefined {
  try {
    const [own, other] = [message, translation].map((text) => [...new Set(partsOf(parse(text)))].sort().join(" "))
    return own === other ? undefined : `takes ${other || "nothing"}, and the message takes ${own || "nothing"}`
  } catch (error) {
    return `can't be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A sentence for each message that a catalogue lacks, has too many, or translates in a wrong form. */
export function messageRefusals(
  { notes, refusals }: Messages,
  english: Catalogue,
  others: Readonly<Record<string, Catalogue>>,
): readonly string[] {
  const missing = [...notes.keys()].filter((message) => !(message in english))
  const unused = Object.keys(english).filter((message) => !notes.has(message))
  return [
    ...refusals,
    ...missing.map((message) => `${notes.get(message)}: ${JSON.stringify(message)} is not in assets/locales/en.json: npm run messages.`),
    ...unused.map((message) => `assets/locales/en.json has ${JSON.stringify(message)}, which nothing says: npm run messages.`),
    ...Object.entries(others).flatMap(([code, catalogue]) => [
      ...Object.keys(english).flatMap((message) =>
        message in catalogue ? [] : [`assets/locales/${code}.json lacks ${JSON.stringify(message)}: translate it.`],
      ),
      ...Object.entries(catalogue).flatMap(([message, translation]) => {
        const fault = message in english ? faultOf(message, translation) : "translates nothing: npm run messages"
        return fault === undefined ? [] : [`assets/locales/${code}.json: ${JSON.stringify(translation)} ${fault}.`]
      }),
    ]),
  ]
}
