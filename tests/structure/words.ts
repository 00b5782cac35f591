import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAst } from "rolldown/parseAst"
import { isNode, lineAt, literalText, type Node, templateTexts } from "./syntax.ts"

/** Words of pages that are no message: texts for people have to be in a template or in `t`, see docs/languages.md. A part of the check of the structure. */

const OF_PAGES = /^(pages|web|servers\/web)\//
/** What is no page, or is for programs. */
const NOT_FOR_PEOPLE: readonly RegExp[] = [
  /^web\/(browser\/|icon-names|language-colors|feed\.ts|assets\.ts)/,
  /^pages\/profile\/feeds\.ts$/,
  /\/go-get\.ts$/,
  /pages\/policy\.ts$/,
  /^pages\/site\/(page|style)\.ts$/,
]

/** Functions whose texts are not shown: refusals are said by the API in the same words, the others take names. */
const NOT_SHOWN =
  /^(refuse\.\w+|message|key|said|attribute|flagged|t|plural|named|does|onBoard|sentText|madeDownload|logFault|asProblem|oneOf|declaredOnce|html|sql|Type\.\w+|.*\.(includes|startsWith|endsWith|split|test|replace|replaceAll|indexOf|match|has|get|set|append|headers?|localeCompare|padStart))$/
/** Members whose texts are not shown. */
const NAMES =
  /^(caching|cache-control|location|q|usual|class|id|address|type|description|kind|name|scope|route|method|headers?|accept|pattern|value|field|keys?|event|path|href|missing|summary|example|language|extension|query|modules?|icon|since|form)$/

/** Texts that are written into the repository, the database or the log, and are English there; and names. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  "pages/parts/code/commits-view.ts": ["(no message)"],
  "pages/repository/code/commit/view.ts": ["(no message)"],
  "pages/parts/conversation/side.ts": ["Off-topic", "Too heated", "Resolved", "Spam"],
  "pages/repository/pulls/page.ts": ["Reverts #{}", 'Revert "{}"'],
  "pages/repository/wiki/page.ts": ["Home"],
  "pages/repository/code/browse/notebook.ts": ["Error"],
  "servers/web/pages/surroundings.ts": ["Hearth"],
  "servers/web/pages/held.ts": ["secrets of a held form"],
  "servers/web/pages/server.ts": ["a page failed"],
  "pages/repository/releases/edit.ts": ["The first release.", "No commits since {}."],
}

const memberOf = (node: Node, name: string): Node | undefined => {
  const member = node[name]
  return isNode(member) ? member : undefined
}

/** Two words, or one that begins as a sentence does. */
const isSaid = (text: string): boolean =>
  /\p{L}{2,}/u.test(text) && (/^[A-Z“][a-z’]+/.test(text) || /^[A-Z] [a-z]/.test(text) || /\p{L}+[,;.]? \p{L}+/u.test(text))

/** Code, addresses and commands. */
const isCode = (text: string): boolean =>
  /\n|^<|^[KMGT]iB$|^\.composer|^-----BEGIN|^max-age|no-cache|HttpOnly|^on: |git [a-z]+ |gitea-runner|rem$|^hearth |^npm |^ --local|username webauthn|^[\w-]+\{\}$|^\/|:\/\/|[?&]\w+=|^#|^\{\}[/:@.#-]/.test(
    text,
  )

/** The text of a literal or a template, with `{}` for each hole. */
const textOf = (node: Node): string | undefined => (node.type === "TemplateLiteral" ? templateTexts(node).join("{}") : literalText(node))

/** Whether the text at the end of the path is shown, by the nearest call or member around it. */
function isShown(path: readonly Node[], source: string): boolean {
  for (const node of path.slice(0, -1).reverse()) {
    if (node.type === "Property") {
      const key = memberOf(node, "key")
      return !NAMES.test(String(key?.["name"] ?? key?.["value"]))
    }
    if (node.type === "CallExpression") {
      const callee = memberOf(node, "callee")
      return !NOT_SHOWN.test(source.slice(callee?.start, callee?.end).replace(/\s+/g, ""))
    }
    if (node.type === "NewExpression" || node.type === "ExpressionStatement" || node.type === "ThrowStatement") return false
    if (node.type === "TaggedTemplateExpression") return String(memberOf(node, "tag")?.["name"]) === "html"
    if (/^(ArrowFunctionExpression|FunctionDeclaration|VariableDeclarator)$/.test(node.type)) return true
  }
  return true
}

/** A sentence for each text of a page that people see and that is no message. `classes` are the names of classes in the styles. */
export function wordRefusals(texts: readonly (readonly [file: string, text: string])[], classes: ReadonlySet<string>): readonly string[] {
  const refusals: string[] = []
  for (const [file, source] of texts) {
    if (!OF_PAGES.test(file) || NOT_FOR_PEOPLE.some((pattern) => pattern.test(file))) continue
    const visit = (value: unknown, path: readonly Node[]): void => {
      if (Array.isArray(value)) for (const each of value) visit(each, path)
      if (!isNode(value)) return
      if (value.type.startsWith("TS") && !/^TS(AsExpression|SatisfiesExpression|NonNullExpression)$/.test(value.type)) return
      if (/^(ImportDeclaration|ExportAllDeclaration|ImportExpression)$/.test(value.type)) return
      if (value.type === "BinaryExpression" && /[=<>]/.test(String(value["operator"]))) return
      const here = [...path, value]
      const isTemplate = path.at(-1)?.type === "TaggedTemplateExpression"
      const text = isTemplate ? undefined : textOf(value)
      if (text !== undefined) {
        const isClasses = text
          .trim()
          .split(/\s+/)
          .every((word) => classes.has(word))
        if (
          isSaid(text.replaceAll("{}", "X")) &&
          isSaid(text.replaceAll("{}", " ").trim()) &&
          !isClasses &&
          KEPT[file]?.includes(text) !== true &&
          !isCode(text) &&
          isShown(here, source)
        )
          refusals.push(
            `src/${file}:${lineAt(source, value.start)} shows ${JSON.stringify(text)}, which is no message: give it to t, see docs/languages.md.`,
          )
        return
      }
      for (const [name, inside] of Object.entries(value)) {
        const isName =
          (value.type === "Property" && name === "key") ||
          (value.type === "MemberExpression" && name === "property") ||
          (value.type === "SwitchCase" && name === "test")
        if (name !== "type" && !isName) visit(inside, here)
      }
    }
    visit(parseAst(source, { lang: "ts" }).body, [])
  }
  return refusals
}

/** The names of classes in the styles of a folder. */
export const classesIn = (folder: string): ReadonlySet<string> =>
  new Set(
    readdirSync(folder)
      .filter((name) => name.endsWith(".css"))
      .flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(/\.([a-z][\w-]*)/g)].flatMap(([, found]) => found ?? [])),
  )
