/*
 * Someone pushes what is small as a file and large as a page: two million empty lines, characters that can't be seen and are shown by their numbers, a folder of a hundred thousand
 * names, messages of a megabyte. A file's page had 80 MB, and 28 readers without an account waited for a minute; the API's list of the folder had 131 MB. Now files of many lines are shown in
 * parts, folders in pages or refused where the API has none, and messages and their first lines are cut in lists.
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { LONGEST_ALLOWED_MS, longestTickOf } from "../support/ticks.ts"
import { commitFile, MIB } from "./repositories.ts"

const NAMES = 6000
const MESSAGE = MIB / 8

withHearth("pages of what is small as a file", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  const page = async (path: string) => {
    const answer = await fetch(`${forge.hearth.url}${path}`, { headers: { accept: "text/html" } })
    return { status: answer.status, html: await answer.text() }
  }
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
    await commitFile(call, ann, "ann/tool", "empty.txt", "\n".repeat(1.9 * MIB))
    await commitFile(call, ann, "ann/tool", "hidden.txt", `${"\u202e".repeat(250_000)}\n`)
    await commitFile(call, ann, "ann/tool", "spread.txt", `${"\u202e".repeat(30)}\n`.repeat(19_000))
    for (let from = 0; from < NAMES; from += 1000) {
      const files = Array.from({ length: 1000 }, (_, index) => ({ operation: "create", path: `many/${from + index}.txt`, content: "" }))
      await call(ann, "POST /repos/ann/tool/contents", { files, message: `one\n\n${"m".repeat(MESSAGE)}` })
    }
    await call(ann, "POST /repos/ann/tool/contents/last.txt", { content: "", message: "s".repeat(MESSAGE) })
  })

  test("files of many lines, and of characters that can't be seen, are shown in parts that block no caller", async () => {
    const pages: string[] = []
    const longest = await longestTickOf(async () => {
      for (const path of ["empty.txt", "hidden.txt", "spread.txt"]) pages.push((await page(`/ann/tool/src/branch/main/${path}`)).html)
      for (const path of ["empty.txt", "spread.txt"]) pages.push((await page(`/ann/tool/blame/branch/main/${path}`)).html)
    })
    const [empty = "", hidden = "", ...others] = pages
    for (const { length } of others) expect(length).toBeLessThan(7 * MIB)
    expect([empty.length < MIB, empty.includes("Lines 1 to 5,000"), empty.includes("Lines after")]).toEqual([true, true, true])
    expect([hidden.length < MIB, hidden.includes("U+202E")]).toEqual([true, true])
    expect(longest).toBeLessThan(LONGEST_ALLOWED_MS)
  })

  test("folders are shown in pages, and refused by the API where it has none, with the way that has", async () => {
    const first = await page("/ann/tool/src/branch/main/many")
    const rows = (html: string) => html.split('<td class="name">').length - 1
    // The first row leads to the folder above.
    expect([rows(first.html) - 1, first.html.includes("Page 1 of 6"), first.html.length < 2 * MIB]).toEqual([1000, true, true])
    expect((await page("/ann/tool/src/branch/main/many?page=6")).html.includes("9.txt")).toBe(true)
    const { status, body } = await call(ann, "GET /repos/ann/tool/contents/many")
    expect(status).toBe(413)
    const [, way = ""] = /(\/repos\/ann\/tool\/git\/trees\/\w+)\?page=1/.exec(body.message) ?? []
    expect((await call(ann, `GET ${way}?per_page=1000`)).body).toMatchObject({ total_count: NAMES, truncated: true })
  })

  test("messages are cut in lists, and whole on their own", async () => {
    const listed = await call(ann, "GET /repos/ann/tool/commits?stat=false&files=false&verification=false")
    expect(JSON.stringify(listed.body).length).toBeLessThan(MIB / 4)
    const [newest] = listed.body
    const { body } = await call(ann, `GET /repos/ann/tool/git/commits/${newest.sha}`)
    expect(body.commit.message).toHaveLength(MESSAGE + 1)
    const { html } = await page("/ann/tool/commits/branch/main")
    expect([html.length < MIB / 4, html.includes(`${"s".repeat(254)}…`)]).toEqual([true, true])
    expect((await page("/ann/tool")).html.length).toBeLessThan(MIB / 4)
  })
})
