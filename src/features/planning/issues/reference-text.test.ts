import { describe, expect, test } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { prose, readMentions, readReferences } from "./reference-text.ts"

const ROOT = "https://forge.example"
const found = (text: string) =>
  readReferences(ROOT, text).map(({ owner, repository, number, action }) => [
    owner === undefined ? "" : `${owner}/${repository}`,
    number,
    action,
  ])

describe("references", () => {
  test.each([
    ["#1", [["", 1, "none"]]],
    [
      "see #12, (#3) and [#4].",
      [
        ["", 12, "none"],
        ["", 3, "none"],
        ["", 4, "none"],
      ],
    ],
    ["!7", [["", 7, "none"]]],
    [
      "ann/box#5 or ann/my.box!6",
      [
        ["ann/box", 5, "none"],
        ["ann/my.box", 6, "none"],
      ],
    ],
    [
      `${ROOT}/ann/box/issues/8 and ${ROOT}/ann/box/pulls/9.`,
      [
        ["ann/box", 8, "none"],
        ["ann/box", 9, "none"],
      ],
    ],
    [`closes ${ROOT}/ann/box/issues/8`, [["ann/box", 8, "closes"]]],
    [
      "Fixes #1, closes: #2, RESOLVED ann/box#3",
      [
        ["", 1, "closes"],
        ["", 2, "closes"],
        ["ann/box", 3, "closes"],
      ],
    ],
    ["close #1 closed #2 fix #3 fixed #4 resolve #5 resolves #6", [1, 2, 3, 4, 5, 6].map((number) => ["", number, "closes"])],
    ["reopen #1 reopens #2 reopened: #3", [1, 2, 3].map((number) => ["", number, "reopens"])],
  ])("in %j", (text, expected) => expect(found(text)).toEqual(expected))

  test.each([
    "",
    "no",
    "#",
    "#0",
    "#x",
    "#01",
    "a#1",
    "#1a",
    "##1",
    "&#39;",
    "https://other.example/ann/box/issues/1",
    "a/b/c#1",
    "`#1`",
    "``#1 ` #2``",
    "```\n#1\n```",
    "~~~js\n#1\n~~~",
    "> #1",
    "#1234567890123456",
  ])("none in %j", (text) => expect(found(text)).toEqual([]))

  test("a word counts only directly before its reference", () => {
    expect(found("closes  #1 prefix #2 closes, #3 disclose #4")).toEqual([1, 2, 3, 4].map((number) => ["", number, "none"]))
  })

  test.each([
    ["closes #1 @1h30m", 5400],
    ["closes #1 @2d", 57_600],
    ["closes #1 @1mo1w", 720_000],
    ["closes #1 @ann", 0],
    ["closes #1 @1x", 0],
    ["closes #1@1h", 0],
  ])("the time that %j books", (text, seconds) => expect(readReferences(ROOT, text)[0]?.spent).toBe(seconds))

  test.each(["a", "a/", "#", "`", "@a", "a#", "``a`", ROOT, "close "])(
    "a long hostile text of %j is read with little effort",
    async (part) => {
      const text = part.repeat(200_000 / part.length)
      const effort = await effortOf(() => {
        readReferences(ROOT, text)
        readMentions(text)
      })
      expect(effort).toBeLessThan(1)
    },
  )
})

describe("mentions", () => {
  test.each([
    ["@Ann", ["ann"], []],
    ["hello @ann, @ben. (@cy-d) @ann", ["ann", "ben", "cy-d"], []],
    ["cc @crew/makers", [], [{ organization: "crew", team: "makers" }]],
    ["mail ann@ben.example", [], []],
    ["`@ann` and\n> @ben\n\n```\n@cy\n```", [], []],
    ["@", [], []],
  ])("in %j", (text, people, teams) => expect(readMentions(text)).toEqual({ people, teams }))
})

describe("prose", () => {
  test.each([
    ["a `b` c", "a   c"],
    ["a `b c", "a `b c"],
    ["a ``b ` c`` d", "a   d"],
    ["one\n```\ntwo\n```\nthree", "one\nthree"],
    ["one\n````\n```\ntwo\n````\nthree", "one\nthree"],
    ["one\n```\ntwo", "one"],
  ])("of %j", (text, expected) => expect(prose(text)).toBe(expected))
})
