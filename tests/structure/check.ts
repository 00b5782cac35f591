/** Checks the structure of src: imports against directions.ts, queries, writers of tables and lengths: `node tests/structure/check.ts`, a part of `npm run check`. Prints a line for each that is refused. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { GROUPS, INSTEAD, MAKES_HTML, OF_PAGES, PARTS } from "./directions.ts"
import { lengthRefusals } from "./lengths.ts"
import { type Catalogue, messageRefusals, messagesIn } from "./messages.ts"
import { queryRefusals, readRefusals, type Texts, writeRefusals } from "./queries.ts"
import { routeRefusals } from "./routes.ts"
import { classesIn, wordRefusals } from "./words.ts"

export interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
}

const IMPORT = /^(?:import|export)\s+(type\s)?[^"']*?from\s+"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm
const ONLY_TYPES = /\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?\s*,?)+\s*\}/

/** The imports of a file, by paths below src. Dynamic imports count like static ones. */
export function importsOf(file: string, text: string): readonly Import[] {
  return [...text.matchAll(IMPORT)].map(([words, type, named, onDemand]) => ({
    from: file,
    to: join(dirname(file), named ?? onDemand ?? ""),
    isType: type !== undefined || ONLY_TYPES.test(words),
  }))
}

const partOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? "") : "root")
/** A file at the root is a part of its own: main.ts is above the command line, the lists below it. */
const folderOf = (file: string): string => (file.includes("/") ? dirname(file) : file)
const groupOf = (file: string): string | undefined => /^features\/(\w+)\//.exec(file)?.[1]

/** Why an import is not allowed, or undefined. */
function refusalOf({ from, to }: Import): string | undefined {
  const [part, other] = [partOf(from), partOf(to)]
  if (part !== other && PARTS[part]?.includes(other) !== true) return `${from} imports ${to}: ${part} knows nothing of ${other}. ${INSTEAD}`
  if (part === "features" && OF_PAGES.some((path) => to.startsWith(path)) && !(from in MAKES_HTML))
    return `${from} imports ${to}: features know nothing of HTML. Give the page in src/pages what it needs to show.`
  const [group, target] = [groupOf(from), groupOf(to)]
  if (group === undefined || target === undefined || GROUPS.indexOf(target) <= GROUPS.indexOf(group)) return undefined
  return `${from} imports ${to}: features/${group} knows nothing of features/${target}. ${INSTEAD}`
}

/** The circles in a graph: sets of nodes that reach each other (Tarjan's algorithm). */
function circlesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const found: string[][] = []
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (node: string): void => {
    index.set(node, index.size)
    low.set(node, index.get(node) ?? 0)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(node) === index.get(node)) found.push(stack.splice(stack.indexOf(node)))
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return found.filter((circle) => circle.length > 1)
}

function graphOf(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of pairs) if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  return graph
}

/** A sentence for each import that is not allowed, and for each circle: of files also by type, of folders by value. */
export function refusals(imports: readonly Import[]): readonly string[] {
  const files = circlesIn(graphOf(imports.map(({ from, to }) => [from, to])))
  const byValue = imports.filter(({ isType }) => !isType)
  const folders = circlesIn(graphOf(byValue.map(({ from, to }) => [folderOf(from), folderOf(to)])))
  return [
    ...imports.flatMap((each) => refusalOf(each) ?? []),
    ...files.map(
      (circle) => `these files import each other in a circle: ${circle.join(", ")}. Move what they share into a file below both.`,
    ),
    ...folders.map((circle) => `these folders import each other in a circle: ${circle.join(", ")}. ${INSTEAD}`),
  ]
}

const KIND = /(?:Happened|Undated)<([^<>]*)>/g

/** A sentence for each file of the core that names an event of a feature. */
export function eventRefusals(texts: Texts): readonly string[] {
  const kinds = texts.flatMap(([, text]) => [...text.matchAll(KIND)].flatMap(([, list = ""]) => list.match(/"\w+\.\w+"/g) ?? []))
  return texts.flatMap(([file, text]) =>
    kinds.flatMap((kind) => (file.startsWith("core/") && text.includes(kind) ? [`${file} names ${kind}: core knows no feature.`] : [])),
  )
}

/** The files of the product: tests and their helpers may import anything. */
const isProduct = (file: string): boolean => file.endsWith(".ts") && !/(\.test|\.fixture|\/testing|\.d)\.ts$/.test(file)

if (import.meta.main) {
  const src = join(import.meta.dirname, "../../src")
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(isProduct)
  const texts = files.map((file) => [relative(".", file), readFileSync(join(src, file), "utf8")] as const)
  const locales = join(src, "../assets/locales")
  const catalogues = readdirSync(locales).map((name): readonly [string, Catalogue] => [
    name.replace(".json", ""),
    JSON.parse(readFileSync(join(locales, name), "utf8")),
  ])
  const { en: english = {}, ...translations } = Object.fromEntries(catalogues)
  const found = [
    ...refusals(texts.flatMap(([file, text]) => importsOf(file, text))),
    ...lengthRefusals(texts),
    ...queryRefusals(texts),
    ...writeRefusals(texts),
    ...routeRefusals(texts),
    ...readRefusals(texts),
    ...eventRefusals(texts),
    ...wordRefusals(texts, classesIn(join(src, "../assets/web"))),
    ...messageRefusals(messagesIn(texts), english, translations),
  ]
  for (const sentence of found) console.error(sentence)
  if (found.length > 0) process.exitCode = 1
}
