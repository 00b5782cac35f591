import { describe, expect, test } from "vitest"
import { filterText, filterWord, parseFilter, wordsOf } from "./filter-words.ts"

const names = { label: (id: number) => (id === 1 ? "good first issue" : undefined), milestone: () => "0.3", project: () => undefined }

describe("the words of a filter", () => {
  test.each([
    ["is:open label:bug", "is:open label:bug"],
    ['label:"good first issue",bug -label:x', 'label:"good first issue",bug -label:x'],
    ["  crash   on\tstart  ", "crash on start"],
    ['is:open "exact words" rest', 'is:open rest "exact words"'],
    ["Author:Ann IS:Open", "author:Ann is:Open"],
    // What other forges call them.
    ["poster:ann state:closed labels:bug", "author:ann is:closed label:bug"],
    ["created:2026-01-01..2026-02-01 comments:>=5", "created:2026-01-01..2026-02-01 comments:>=5"],
    ["see https://example.com/a at 12:30", "see https://example.com/a at 12:30"],
    ["label:a,,b", "label:a,b"],
    ['label:"unfinished', 'label:"unfinished'],
    ["", ""],
  ])("%s", (text, expected) => {
    const { words, ...rest } = parseFilter(text)
    const again = filterText({ words, ...rest })
    if (text !== 'label:"unfinished') expect(again).toBe(expected)
    // A filter that is written down reads the same.
    expect(filterText(parseFilter(again))).toBe(again)
  })

  test("what is not known is a hint, and never an error", () => {
    expect(parseFilter("foo:bar is:open").hints).toEqual(["“foo:” is not known, and passed over."])
    expect(parseFilter("label:").hints).toEqual(["“label:” needs a value."])
    expect(parseFilter("constructor:x __proto__:y").hints.length).toBeGreaterThan(0)
    expect(parseFilter("a ".repeat(100)).hints).toEqual(["Only the first 20 words of the filter are read."])
    expect(parseFilter("x".repeat(5000)).hints).toEqual(["Only the first 1000 characters of the filter are read."])
  })

  test("hostile texts take no long time", () => {
    for (const text of ['"'.repeat(1000), ":".repeat(1000), "a:".repeat(500), 'a:"'.repeat(330), "-".repeat(1000), 'is:","'.repeat(160)]) {
      const { words, text: sought, phrases } = parseFilter(text)
      expect(words.length + sought.length + phrases.length).toBeLessThanOrEqual(20)
    }
  })

  test.each([
    [{ state: "closed" }, "is:closed"],
    [{ type: "assigned" }, "is:open assignee:@me"],
    [{ type: "toString" }, "is:open"],
    [{ labels: "1,-2" }, 'is:open label:"good first issue" -label:2'],
    [{ labels: "0" }, "is:open no:label"],
    [{ milestone: "-1", project: "-1" }, "is:open no:milestone no:project"],
    [{ milestone: "7", project: "8" }, "is:open milestone:0.3 project:8"],
    [{ assignee: "(none)" }, "is:open no:assignee"],
    [{ assignee: "(any)" }, "is:open -no:assignee"],
    [{ assignee: "ann", poster: "ben", sort: "recentupdate" }, "is:open assignee:ann author:ben sort:updated-desc"],
    [{ sort: "nearduedate", state: "all" }, "is:all sort:due-asc"],
    [{ sort: "scope-my severity" }, 'is:open sort:"scope-my severity-asc"'],
    [{ labels: "x,9e99,1.5", milestone: "NaN", sort: "constructor" }, "is:open"],
  ])("older parameters %j", (old, expected) => expect(filterText({ words: wordsOf(old, names), text: [], phrases: [] })).toBe(expected))

  test("a value keeps its quotes out of the text", () =>
    expect(filterText({ words: [filterWord("label", 'a"b c')], text: [], phrases: [] })).toBe('label:"ab c"'))
})
