/**
 * Every link on every page that someone can reach leads somewhere, for anyone who sees it; and every page is what browsers expect: no errors in
 * its HTML, one main heading, names that are there once, nothing that the policy forbids.
 *
 * Slow: four visitors see 2,700 pages, each of which is parsed.
 */
import { parse } from "parse5"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sweep } from "../support/sample.ts"
import { entriesOf } from "./addresses.ts"
import { crawl, type Visited } from "./crawl.ts"
import { type DemoWorld, openDemoWorld, VISITORS } from "./world.ts"

describe.each(sweep(VISITORS))("from link to link on $kind", ({ kind, parts: visitors }) => {
  let world: DemoWorld
  beforeAll(async () => {
    world = await openDemoWorld(kind)
  })
  afterAll(() => world.close())

  test.each(visitors)("as %s", async (visitor) => {
    const cookie = await world.signIn(visitor)
    const visited = await crawl({ url: world.url, cookie, entries: entriesOf(visitor), most: 1500 })
    const wrong = visited.filter(({ status }) => ![200, 302, 303].includes(status))
    expect(wrong.map(({ status, path, from }) => `${status} ${path} (on ${from})`)).toEqual([])
    expect(visited.flatMap(faultsOf)).toEqual([])
    expect(visited.length).toBeGreaterThan(50)
  })
})

/** What is wrong with a page's HTML. */
function faultsOf({ path, html, status }: Visited): readonly string[] {
  if (html === "" || status !== 200) return []
  const faults: string[] = []
  parse(html, {
    onParseError: ({ code, startOffset }) => faults.push(`${code}: ${html.slice(Math.max(0, startOffset - 60), startOffset + 40)}`),
  })
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
  const doubled = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (doubled.length > 0) faults.push(`ids that are there twice: ${[...new Set(doubled)].slice(0, 5).join(" ")}`)
  const headings = html.match(/<h1\b/g)?.length ?? 0
  // Texts of people have headings of their own.
  const ours =
    headings -
    (html
      .match(/<div class="prose"[\s\S]*?<\/div>/g)
      ?.join("")
      .match(/<h1\b/g)?.length ?? 0)
  if (ours !== 1) faults.push(`${ours} main headings`)
  if (/<[a-z][^>]*\s(?:style|on\w+)="/i.test(html.replaceAll(/<code[\s\S]*?<\/code>/g, "")))
    faults.push("an attribute that the policy forbids")
  if (!/<title>[^<]+<\/title>/.test(html)) faults.push("no title")
  return faults.map((fault) => `${path}: ${fault}`)
}
