/** What a browser has to complain about on a page. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { CDPSession, Page } from "playwright-core"

/** Collects errors of scripts and of the policy, which browsers write to the console, and requests to other sites, from now on. */
export function complaintsOf(page: Page, root: string): string[] {
  const complaints: string[] = []
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`))
  page.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith(root) && !url.startsWith("data:")) complaints.push(`elsewhere: ${url}`)
  })
  return complaints
}

let source: Promise<string> | undefined
const axe = (): Promise<string> => {
  source ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
  return source
}

/** Has the browser keep axe for all documents of a page that come from now on: to send it to each and to compile it there takes as long as to load the page. */
export async function giveAxe(client: CDPSession): Promise<void> {
  await client.send("Page.enable")
  await client.send("Page.addScriptToEvaluateOnNewDocument", { source: await axe() })
}

/** The rules, of those that are asked, that theme and width have a say in; all others say the same in every look. */
const OF_LOOKS = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
  "css-orientation-lock",
  "meta-viewport",
  "target-size",
]

/** Rules that axe asks only where it is told to: targets of 24 by 24 pixels, or with as much room around them (WCAG 2.2, AA). */
const ALSO = { "target-size": { enabled: true } }

/**
 * What axe finds, a line for each rule. Once all rules were asked, `looks` asks those that theme and width have a say in. The page's policy allows no
 * script but its own: `client`, a session of the tools, evaluates without it.
 */
export async function axeFindings(client: CDPSession, rules: "all" | "looks" = "all"): Promise<readonly string[]> {
  const { result: there } = await client.send("Runtime.evaluate", { expression: "typeof axe" })
  if (there.value !== "object") await client.send("Runtime.evaluate", { expression: await axe() })
  const asked = rules === "looks" ? `runOnly: ${JSON.stringify(OF_LOOKS)}` : `rules: ${JSON.stringify(ALSO)}`
  const { result } = await client.send("Runtime.evaluate", {
    expression: `axe.run({ resultTypes: ["violations"], ${asked} }).then(({violations}) => violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target + " " + n.html.slice(0, 160)).join(" | ")))`,
    awaitPromise: true,
    returnByValue: true,
  })
  const findings: unknown = result.value
  return Array.isArray(findings) ? findings.map((finding) => `axe: ${finding}`) : ["axe: did not run"]
}
