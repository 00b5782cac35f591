import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

/** What `npm ci` would warn of, were it not silent (`.npmrc`). */

/** What runs on the Node.js that Hearth brings, or in browsers, and never on the one that runs npm. */
const NEED_MORE = ["@mermaid-js/parser", "chevrotain", "commander", "ldapts", "mermaid", "sanitize-html"]
/** The oldest Node.js that the README allows for running npm. */
const OLDEST = 20

interface Locked {
  readonly optional?: boolean
  readonly deprecated?: string
  readonly engines?: { readonly node?: string }
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8"),
)
const packages = Object.entries(lock.packages).map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ""), ...locked }))

function runsOnOldest(range: string): boolean {
  return range.split("||").some((part) => {
    const [, operator = "", major = ""] = /^\s*(>=?|\^|~)?\s*v?(\d+|\*)/.exec(part) ?? []
    if (major === "*") return true
    return operator.startsWith(">") ? Number(major) <= OLDEST : Number(major) === OLDEST
  })
}

test(`packages install with Node.js ${OLDEST}, but for those that only run on our own`, () => {
  const tooNew = packages.filter(({ optional, engines }) => optional !== true && engines?.node && !runsOnOldest(engines.node))
  expect(tooNew.map(({ name }) => name)).toEqual(NEED_MORE)
})

test("no package is deprecated", () => {
  expect(packages.filter(({ deprecated }) => deprecated !== undefined).map(({ name }) => name)).toEqual([])
})
