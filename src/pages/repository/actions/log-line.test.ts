import { describe, expect, test } from "vitest"
import { readLine } from "./log-line.ts"
import { partsOfLog } from "./log-parts.ts"

const ESC = String.fromCharCode(27)
const BEL = String.fromCharCode(7)
const partsOf = (text: string) => readLine(`2026-11-22T14:02:44.3178376Z ${text}`).parts

describe("a line of a log", () => {
  test.each([
    ["plain <b>text</b>", [["", "plain <b>text</b>"]]],
    [
      `${ESC}[1;31mred${ESC}[0m after`,
      [
        ["ansi-b ansi-1", "red"],
        ["", " after"],
      ],
    ],
    [
      `${ESC}[38;5;196mx${ESC}[39m${ESC}[48;2;10;200;10my`,
      [
        ["ansi-9", "x"],
        ["ansi-on-10", "y"],
      ],
    ],
    [`${ESC}]8;;javascript:alert(1)${BEL}click${ESC}]8;;${BEL}`, [["", "click"]]],
    [`${ESC}]0;a title${ESC}\\shown`, [["", "shown"]]],
    [`up${ESC}[2A${ESC}[K${ESC}[10;20Hhere`, [["", "uphere"]]],
    ["10 %\r50 %\rdone\r", [["", "done"]]],
    [`bell${BEL} nul${String.fromCharCode(0)} c1${String.fromCharCode(0x9b)}31m`, [["", "bell nul c131m"]]],
    [`${ESC}[31`, [["", "[31"]]],
    [`${ESC}]8;;never ends`, [["", "8;;never ends"]]],
    [ESC, []],
  ])("%j", (text, parts) => expect(partsOf(text)).toEqual(parts))

  test.each([
    ["::group::Run make", "group", "Run make"],
    ["##[endgroup]", "endgroup", ""],
    ["::error file=a.ts,line=3::It broke", "error", "It broke"],
    ["##[warning]Old", "warning", "Old"],
    ["::group of things", "", "::group of things"],
  ])("%j is a command", (text, kind, rest) => {
    const line = readLine(`2026-11-22T14:02:44.3178376Z ${text}`)
    expect(line.kind).toBe(kind)
    expect(line.time).toBe("2026-11-22T14:02:44.3178376Z")
    expect(line.parts.map(([, each]) => each).join("")).toBe(rest)
  })

  test("is bounded in length and in changes of style", () => {
    const long = partsOf("x".repeat(10_000_000))
    expect(long.map(([, text]) => text).join("").length).toBeLessThan(5_000)
    expect(partsOf(`${ESC}[31mx`.repeat(100_000)).length).toBeLessThan(210)
    expect(partsOf(`${ESC}]${"a".repeat(1_000_000)}`).length).toBeLessThan(3)
  })
})

test("each line of a log belongs to one part", () => {
  const steps = [
    { number: 0, firstLine: 3, lines: 4 },
    { number: 1, firstLine: 0, lines: 0 },
    { number: 2, firstLine: 9, lines: 2 },
  ]
  expect(partsOfLog(steps, 14, true)).toEqual([
    { from: 0, to: 3 },
    { from: 3, to: 9 },
    { from: 11, to: 11 },
    { from: 9, to: 11 },
    { from: 11, to: 14 },
  ])
  expect(partsOfLog(steps, 14, false).at(3)).toEqual({ from: 9, to: 14 })
  expect(partsOfLog([], 5, false)).toEqual([
    { from: 0, to: 5 },
    { from: 5, to: 5 },
  ])
})
