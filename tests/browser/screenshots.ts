/**
 * Makes the pictures in docs/screenshots from the example: node --disable-warning=ExperimentalWarning tests/browser/screenshots.ts
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { openDemoWorld } from "../pages/world.ts"
import { launchChromium } from "./chromium.ts"

const FOLDER = join(import.meta.dirname, "../../docs/screenshots")

const SHOTS: Readonly<Record<string, string>> = {
  dashboard: "/",
  explore: "/explore/repos",
  repository: "/dewpoint/sprinkle",
  file: "/dewpoint/sprinkle/src/branch/main/src/plan.js",
  blame: "/dewpoint/sprinkle/blame/branch/main/README.md",
  commits: "/dewpoint/sprinkle/commits/branch/main",
  branches: "/dewpoint/sprinkle/branches",
  graph: "/dewpoint/sprinkle/graph",
  releases: "/dewpoint/sprinkle/releases",
  issues: "/dewpoint/sprinkle/issues?q=is%3Aclosed",
  issue: "/dewpoint/sprinkle/issues/2",
  pulls: "/dewpoint/sprinkle/pulls",
  pull: "/dewpoint/sprinkle/pulls/7",
  files: "/dewpoint/sprinkle/pulls/7/files",
  compare: "/dewpoint/sprinkle/compare/main...balcony",
  board: "/dewpoint/sprinkle/projects/1",
  notifications: "/notifications",
  profile: "/mira",
  organization: "/dewpoint",
  activity: "/dewpoint/sprinkle/activity/yearly",
  search: "/search?q=water",
}

await mkdir(FOLDER, { recursive: true })
const world = await openDemoWorld("memory")
const browser = await launchChromium({ fonts: "machine" })
try {
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, colorScheme })
    const [name = "", value = ""] = (await world.signIn("mira")).split("=", 2)
    await context.addCookies([{ name, value, url: world.url }])
    const page = await context.newPage()
    for (const [shot, path] of Object.entries(SHOTS)) {
      if (colorScheme === "dark" && !["repository", "files", "board"].includes(shot)) continue
      const answer = await page.goto(world.url + path)
      if (answer?.status() !== 200) throw new Error(`${path} was answered with ${answer?.status()}`)
      await page.screenshot({ path: join(FOLDER, `${shot}${colorScheme === "dark" ? ".dark" : ""}.png`) })
    }
    await context.close()
  }
} finally {
  await browser.close()
  await world.close()
}
