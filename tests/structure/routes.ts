/** Routes are records, or belong to a protocol that src/servers/protocols.ts names with its reason. */
import { dirname, join } from "node:path"

const LIST = "servers/protocols.ts"
/** The table of the records' routes. */
const TABLE = "servers/routing/routes.ts"
const IMPORT = /^import (?!type\b).*? from "(\.[^"]+)"/gm
/** What is called with an application of Fastify, or is one. */
const APP = /\b(\w+): FastifyInstance\b|\.register\(\s*(?:async\s*)?\(?(\w+)/g
const VERBS = "get|post|put|patch|delete|head|options|all|route"

/** The files, and folders, in which protocols register their routes: those that their list imports. */
function placesIn(list: string): readonly string[] {
  return [...list.matchAll(IMPORT)].map(([, path = ""]) => {
    const file = join(dirname(LIST), path)
    return dirname(file) === dirname(LIST) ? file : `${dirname(file)}/`
  })
}

/** A sentence for each file that registers routes of its own, from the files of src with their texts. */
export function routeRefusals(texts: readonly (readonly [file: string, text: string])[]): readonly string[] {
  const places = placesIn(texts.find(([file]) => file === LIST)?.[1] ?? "")
  return texts.flatMap(([file, text]) => {
    if (file === TABLE || places.some((place) => file === place || (place.endsWith("/") && file.startsWith(place)))) return []
    const names = [...new Set([...text.matchAll(APP)].map(([, declared, registered]) => declared ?? registered ?? ""))]
    const call = names.length > 0 && new RegExp(`\\b(?:${names.join("|")})\\.(?:${VERBS})\\b\\s*[<(]`)
    const at = call && text.includes("FastifyInstance") ? text.split("\n").findIndex((line) => call.test(line)) : -1
    return at < 0
      ? []
      : [
          `${file}:${at + 1} registers a route: declare an operation, a page or a file in its place, or name the protocol and its reason in src/${LIST}.`,
        ]
  })
}
