/** Walks a site from link to link, as a reader without scripts would. */
import { exchange } from "../support/http.ts"

export interface Visited {
  readonly path: string
  readonly status: number
  readonly type: string
  readonly html: string
  /** The page on which the link was found first. */
  readonly from: string
}

export interface CrawlOptions {
  readonly url: string
  readonly cookie: string
  readonly entries: readonly string[]
  /** The most pages. */
  readonly most: number
  /** Pages of one shape are visited this many times: the tenth folder shows nothing new. */
  readonly ofOneShape?: number
}

/** What a crawl leaves out: other formats and long answers have tests of their own. */
const LEFT_OUT = /^\/(?:api\/|assets\/|avatars\/|user\/logout)|\/archive\/|\/(?:raw|media)\//

const shapeOf = (path: string): string =>
  path
    .replace(/\?(.*)/, (_, query: string) => `?${[...new URLSearchParams(query).keys()].sort().join("&")}`)
    .replace(/\b[0-9a-f]{7,64}\b/g, "ID")
    .replace(/\/\d+\b/g, "/N")
    .replace(/(\/src\/\w+|\/blame\/\w+|\/commits\/\w+)\/.*/, "$1/…")

/** The combinations of parameters with which one page is visited. */
const MOST_COMBINATIONS = 12

export async function crawl({ url, cookie, entries, most, ofOneShape = 6 }: CrawlOptions): Promise<readonly Visited[]> {
  const visited: Visited[] = []
  const seen = new Set<string>(entries)
  const shapes = new Map<string, number>()
  const queries = new Map<string, Set<string>>()
  const waiting = entries.map((path) => ({ path, from: "" }))
  for (let next = waiting.shift(); next && visited.length < most; next = waiting.shift()) {
    const { path, from } = next
    const answer = await exchange(url + path, { headers: { accept: "text/html", ...(cookie === "" ? {} : { cookie }) } })
    const type = answer.headers.get("content-type") ?? ""
    const html = answer.text
    visited.push({ path, from, status: answer.status, type, html: type.startsWith("text/html") ? html : "" })
    const links =
      answer.status >= 300 && answer.status < 400
        ? [answer.headers.get("location") ?? ""]
        : type.startsWith("text/html")
          ? linksOf(html)
          : []
    for (const link of links) {
      const target = URL.parse(link, url + path)
      if (target?.origin !== new URL(url).origin) continue
      const to = target.pathname + target.search
      if (seen.has(to) || LEFT_OUT.test(to)) continue
      seen.add(to)
      const shape = shapeOf(to)
      const many = (shapes.get(shape) ?? 0) + 1
      shapes.set(shape, many)
      // Filters combine without end: of one page, a few combinations.
      const plain = shape.split("?", 1)[0] ?? ""
      const combinations = queries.get(plain) ?? new Set<string>()
      queries.set(plain, combinations.add(shape))
      if (many <= ofOneShape && combinations.size <= MOST_COMBINATIONS) waiting.push({ path: to, from: path })
    }
  }
  return visited
}

/** The addresses of links, pictures and GET forms. */
const linksOf = (html: string): readonly string[] =>
  [...html.matchAll(/<(?:a|img|link|video|source)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'"),
  )
