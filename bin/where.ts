// Prints the file that answers an address, and the id of its record: `npm run where -- /acme/rocket/issues/5`, `npm run where -- POST /api/v1/user/repos`.
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onFirstUse } from "../src/core/memoize.ts"
import type { Method } from "../src/core/operation.ts"
import { files } from "../src/files.ts"
import { operations } from "../src/operations.ts"
import { pages } from "../src/pages.ts"
import { type DeclaredRoute, routeTable } from "../src/servers/routing/routes.ts"

const HELP = `Usage: npm run where -- [METHOD] ADDRESS

Prints the source in which a page, a form, a file or an operation of the API is declared.

Examples:
  npm run where -- /acme/rocket/issues/5
  npm run where -- POST /acme/rocket/settings
  npm run where -- PATCH /api/v1/repos/acme/rocket`

const API = "/api/v1"
const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const unused = (): never => {
  throw new Error("nothing is answered here")
}

const route = (method: Method, path: string, id: string): DeclaredRoute => ({
  method,
  path,
  operation: id,
  body: "collected",
  handle: unused,
  fail: unused,
})
const table = routeTable([
  ...[...pages, ...files].map(({ method, address, id }) => route(method, address, id)),
  ...operations.map(({ method, path, id }) => route(method, API + path, id)),
])

interface Source {
  readonly file: string
  readonly text: string
  /** What ids look like that are made for several records, such as `organization.${kind}`, and how many of their characters are always the same. */
  readonly made: readonly { readonly pattern: RegExp; readonly fixed: number }[]
}

/** The files that declare records. */
const sourcesIn = (folder: string): readonly Source[] =>
  readdirSync(join(home, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => {
      const text = readFileSync(join(home, folder, file), "utf8")
      const made = [...text.matchAll(/\bid: `([^`]*)`/g)].map(([, form = ""]) => {
        const parts = form.split(/\$\{[^}]*\}/)
        return { pattern: new RegExp(`^${parts.map(RegExp.escape).join(".+")}$`), fixed: parts.join("").length }
      })
      return { file: join(folder, file), text, made }
    })
const idsOfOperations = new Set(operations.map(({ id }) => id))
const sources = { "src/features": onFirstUse(() => sourcesIn("src/features")), "src/pages": onFirstUse(() => sourcesIn("src/pages")) }

/** How well a file names a record: by its id, by one that is made for several, or by what a function makes its id of. */
function matchOf({ text, made }: Source, id: string): number {
  if (text.includes(`id: "${id}"`)) return id.length + 1
  const fitting = made.flatMap(({ pattern, fixed }) => (pattern.test(id) ? fixed : []))
  return Math.max(text.includes(`"${id}"`) ? 1 : 0, ...fitting)
}

/** The source that declares the record of this id; undefined where none names it. */
export function fileOf(id: string, folder: keyof typeof sources): string | undefined {
  const [best] = sources[folder]()
    .map((source) => ({ file: source.file, match: matchOf(source, id) }))
    .toSorted((a, b) => b.match - a.match)
  return best && best.match > 0 ? best.file : undefined
}

/** The file, the declared address and the id of what answers a request; undefined where nothing is declared. */
export function answerAt(method: string, url: string): string | undefined {
  const found = table.find(method, url)
  if (!found) return undefined
  const { operation: id, path } = found.route
  const file = fileOf(id, idsOfOperations.has(id) ? "src/features" : "src/pages")
  return `${file ?? "in src"}\n${found.route.method} ${path}  ${id}`
}

if (import.meta.main) {
  const [first = "", second] = process.argv.slice(2)
  if (first === "" || first === "--help") {
    console.log(HELP)
    process.exit(first === "" ? 2 : 0)
  }
  const [method, address] = second === undefined ? ["GET", first] : [first.toUpperCase(), second]
  const url = address.replace(/^https?:\/\/[^/]+/, "")
  const methods = table.methodsAt(url)
  const words = answerAt(method, url)
  if (words !== undefined) console.log(words)
  else {
    const others = `Nothing is declared for ${method} ${url}; there is ${methods.join(", ")}.`
    const none = `Nothing is declared at ${url}. What protocols answer (git, LFS, runners, packages) is listed in src/servers/protocols.ts.`
    console.error(methods.length > 0 ? others : none)
    process.exitCode = 1
  }
}
