/**
 * Takes screenshots of pages, to look at while building them:
 *   node --disable-warning=ExperimentalWarning tests/browser/look.ts http://localhost:3000 /path [/path …] [--as name:password] [--to folder] [--width 1280] [--dark] [--plain]
 * With --plain the browser runs no scripts. Prints what the browser had to complain about: errors, reports of the policy, requests elsewhere, axe's findings.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { launchChromium } from "./chromium.ts"
import { axeFindings, complaintsOf } from "./inspect.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    as: { type: "string" },
    to: { type: "string", default: "/tmp/looks" },
    width: { type: "string", default: "1280" },
    dark: { type: "boolean", default: false },
    plain: { type: "boolean", default: false },
  },
})
const [root = "", ...paths] = positionals
await mkdir(values.to, { recursive: true })
const browser = await launchChromium({ fonts: "machine" })
const context = await browser.newContext({
  viewport: { width: Number(values.width), height: 900 },
  colorScheme: values.dark ? "dark" : "light",
  javaScriptEnabled: !values.plain,
})
const page = await context.newPage()
const complaints = complaintsOf(page, root)
if (values.as !== undefined) {
  const [name = "", password = ""] = values.as.split(":", 2)
  await page.goto(`${root}/user/login`)
  await page.fill("[name=login]", name)
  await page.fill("[name=password]", password)
  await page.press("[name=password]", "Enter")
  await page.waitForLoadState()
}
for (const path of paths) {
  const response = await page.goto(root + path)
  const file = join(values.to, `${path.replace(/\W+/g, "_") || "_"}${values.dark ? ".dark" : ""}.${values.width}.png`)
  await page.screenshot({ path: file, fullPage: true, caret: "initial" })
  console.log(`${response?.status()} ${path} ${JSON.stringify(await page.title())} → ${file}`)
  const findings = values.plain ? [] : await axeFindings(await context.newCDPSession(page))
  for (const line of [...complaints.splice(0), ...findings]) console.log(`  ${line}`)
}
await browser.close()
