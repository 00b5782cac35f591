import { describe, expect, test } from "vitest"
import { readTable, TABLE_LIMITS } from "./csv.ts"

describe("a table", () => {
  test.each([
    [
      "a,b\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ['"a ""b"", c",d\r\n', [['a "b", c', "d"]]],
    ["<script>,=1+1\n", [["<script>", "=1+1"]]],
    ['"open\nrest', [["open\nrest"]]],
    ["", []],
  ])("%j", (text, rows) => expect(readTable(text, ",")).toEqual({ rows, isCut: false }))

  test("is cut at its limits", () => {
    const { rows, columns, length } = TABLE_LIMITS
    expect(readTable("a\n".repeat(rows + 1), ",")).toMatchObject({ isCut: true, rows: { length: rows } })
    expect(readTable("a,".repeat(columns), ",")).toMatchObject({ isCut: true, rows: [{ length: columns }] })
    expect(readTable("a".repeat(length + 1), ",")).toMatchObject({ isCut: true, rows: [["a".repeat(length)]] })
    expect(readTable(`"${"x,\n".repeat(500_000)}`, ",").isCut).toBe(true)
  })
})
