import { describe, expect, test } from "vitest"
import { tickTask } from "./markup.ts"
import { rendered } from "./testing.ts"

/** Boxes of task lists: where they stand, and which one is meant. */

const NAMES = /data-task="([^"]+)" aria-label="([^"]*)"/g

/** The names of the boxes that a page shows of a text, and their labels. */
const boxesIn = async (text: string): Promise<readonly (readonly [name: string, label: string])[]> =>
  [...(await rendered(text, { style: "comment", isForPage: true })).matchAll(NAMES)].map(([, name = "", label = ""]) => [name, label])

/** The text after each box that a page shows of it was changed alone: the others stay. */
async function tickedEach(text: string): Promise<readonly (string | undefined)[]> {
  const boxes = await boxesIn(text)
  return Promise.all(boxes.map(async ([name]) => tickTask(text, name, true)))
}

describe("ticking a box changes its line alone", () => {
  test.each([
    [
      "in lists",
      "- [ ] a\n* [ ] b\n\n1. [ ] c",
      ["- [x] a\n* [ ] b\n\n1. [ ] c", "- [ ] a\n* [x] b\n\n1. [ ] c", "- [ ] a\n* [ ] b\n\n1. [x] c"],
    ],
    [
      "in nested lists",
      "- [ ] a\n  - [ ] a\n\t- [ ] a",
      ["- [x] a\n  - [ ] a\n\t- [ ] a", "- [ ] a\n  - [x] a\n\t- [ ] a", "- [ ] a\n  - [ ] a\n\t- [x] a"],
    ],
    ["in quotations", "> - [ ] a\n> > 1) [ ] a", ["> - [x] a\n> > 1) [ ] a", "> - [ ] a\n> > 1) [x] a"]],
    ["in lists that begin lists", "- - [ ] a", ["- - [x] a"]],
    ["in footnotes", "x[^1]\n\n[^1]: - [ ] a", ["x[^1]\n\n[^1]: - [x] a"]],
    ["with other ends of lines", "- [ ] a\r\n- [ ] a\r\n", ["- [x] a\r\n- [ ] a\r\n", "- [ ] a\r\n- [x] a\r\n"]],
    [
      "with blanks at the end, and lines that follow",
      "- [ ] a  \n  [ ] b \n-   [ ] [ ] c",
      ["- [x] a  \n  [ ] b \n-   [ ] [ ] c", "- [ ] a  \n  [ ] b \n-   [x] [ ] c"],
    ],
  ])("%s", async (_, text, expected) => {
    expect(await tickedEach(text)).toEqual(expected)
  })

  test.each([
    ["code", "```\n- [ ] a\n```\n\n    - [ ] b\n\n`- [ ] c`"],
    ["links, and what is escaped", "- [x](https://example.com) a\n- \\[ ] b\n- [x] c\n\n[x]: https://example.com"],
    [
      "HTML, whatever it says",
      '<ul><li><input type="checkbox" data-task="1.abcdefgh.abcdefgh"> a</li></ul>\n\n- <input type=checkbox data-task=1> b',
    ],
    ["paragraphs", "[ ] a\n\n- a [ ] b\n- [ ]"],
  ])("not in %s", async (_, text) => {
    expect(await boxesIn(text)).toEqual([])
    expect(await tickTask(text, "1", true)).toBeUndefined()
  })
})

test("a box is called by its item, and has a name on pages alone", async () => {
  expect((await boxesIn('- [x] say "**hello**" to <b>@ann</b>')).map(([, label]) => label)).toEqual([
    "say &quot;**hello**&quot; to &lt;b&gt;@ann&lt;/b&gt;",
  ])
  for (const rendering of [{ style: "comment" }, { style: "document", isForPage: true }] as const)
    expect(await rendered("- [ ] a", rendering)).not.toContain("data-task")
})

describe("of a text that was changed meanwhile", () => {
  const shown = "Do it:\n- [ ] a\n- [ ] b\n- [x] b\n"
  const tickedLater = async (now: string, box: number, isDone = true): Promise<string | undefined> => {
    const [name = ""] = (await boxesIn(shown))[box] ?? []
    return tickTask(now, name, isDone)
  }

  test("boxes are found where nothing but states has changed, also the same words twice", async () => {
    expect(await tickedLater("Do it:\n- [x] a\n- [X] b\n- [ ] b\n", 2)).toBe("Do it:\n- [x] a\n- [X] b\n- [x] b\n")
    expect(await tickedLater("Do it:\n- [x] a\n- [X] b\n- [ ] b\n", 1, false)).toBe("Do it:\n- [x] a\n- [ ] b\n- [ ] b\n")
  })

  test("nothing changes where it is so already", async () => {
    expect(await tickedLater("Do it:\n- [X] a\n- [ ] b\n- [x] b\n", 0)).toBe("Do it:\n- [X] a\n- [ ] b\n- [x] b\n")
  })

  test("the box is found by its words, where no other has the same", async () => {
    expect(await tickedLater("Do it now:\n\n- [ ] new\n- [ ] a\n- [ ] b\n- [ ] b", 0)).toBe(
      "Do it now:\n\n- [ ] new\n- [x] a\n- [ ] b\n- [ ] b",
    )
    expect(await tickedLater("Do it now:\n\n- [ ] new\n- [ ] a\n- [ ] b\n- [ ] b", 1)).toBeUndefined()
    expect(await tickedLater("Do it:\n- [ ] b\n", 0)).toBeUndefined()
    expect(await tickedLater("Do it:\n- [ ] another\n- [ ] b\n- [x] b\n", 0)).toBeUndefined()
  })

  test("a line alone names a box as well, and nothing else does", async () => {
    expect(await tickTask(shown, "2", true)).toBe("Do it:\n- [x] a\n- [ ] b\n- [x] b\n")
    for (const name of ["1", "0", "9", "", "2.", "2.abc", "-2", "2.abcdefgh.abcdefgh.", "x".repeat(10_000)])
      expect(await tickTask(shown, name, true)).toBeUndefined()
  })
})
