import { afterAll, expect } from "vitest"
import { freshHearth, type TestHearth } from "../support/hearth.ts"
import { test } from "./browser.ts"
import { axeFindings } from "./inspect.ts"

const PHONE = { width: 320, height: 640 }
/** What a finger hits (WCAG 2.5.8), in pixels. */
const TARGET = 24
/** Two lines of a label's name; more is a column of letters. */
const TWO_LINES = 60

let forge: TestHearth
test.beforeAll(async () => {
  forge = await freshHearth("sqlite")
  const ann = await forge.person("ann")
  await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true })
  const labels: number[] = []
  for (const name of ["bug", "i", "good first issue", "kind/enhancement-of-what-is-there", "help wanted", "priority/high", "x", "y"]) {
    const { body } = await forge.call(ann, "POST /repos/ann/lamp/labels", { name, color: "#00aabb", description: "One of many" })
    labels.push(body.id)
  }
  for (const title of ["Short", "A title that is long enough to go on in a second line on every phone"])
    await forge.call(ann, "POST /repos/ann/lamp/issues", { title, labels })
})
afterAll(() => forge?.close())

test.for(["/ann/lamp/issues", "/ann/lamp/issues/1", "/ann/lamp/labels"])(
  "a finger hits the labels of %s on a phone",
  async (path, { browser }) => {
    const context = await browser.newContext({ viewport: PHONE, hasTouch: true, isMobile: true })
    const page = await context.newPage()
    await page.goto(forge.hearth.services.site.rootUrl + path)
    expect(await axeFindings(await context.newCDPSession(page), "looks")).toEqual([])
    const links = await page.locator("a.chip, .rows.labels .meta > a").all()
    const sizes = await Promise.all(links.map(async (link) => ({ text: await link.innerText(), box: await link.boundingBox() })))
    expect(sizes.length).toBeGreaterThan(7)
    const isFit = ({ width = 0, height = 0 } = {}) => width >= TARGET && height >= TARGET && height <= TWO_LINES
    expect(sizes.filter(({ box }) => !isFit(box ?? undefined))).toEqual([])
    await context.close()
  },
)
