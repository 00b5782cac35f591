import { describe, expect, test } from "vitest"
import { readRange } from "./conditions.ts"

describe("a Range header", () => {
  test.each([
    ["bytes=0-0", { start: 0, end: 0 }],
    ["bytes=2-4", { start: 2, end: 4 }],
    ["bytes=2-", { start: 2, end: 9 }],
    ["bytes=2-99", { start: 2, end: 9 }],
    ["bytes=-3", { start: 7, end: 9 }],
    ["bytes=-99", { start: 0, end: 9 }],
  ])("%s asks for a part of ten bytes", (header, part) => expect(readRange(header, 10)).toEqual(part))

  test.each(["bytes=10-", "bytes=10-12", "bytes=-0"])("%s asks for nothing that is there", (header) =>
    expect(readRange(header, 10)).toBe("none"),
  )

  test.each([undefined, "", "bytes=", "bytes=-", "bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b", `bytes=${"9".repeat(30)}-`])(
    "%s means the whole",
    (header) => expect(readRange(header, 10)).toBeUndefined(),
  )

  test("of an empty file can't be given", () => {
    expect(readRange("bytes=0-", 0)).toBe("none")
    expect(readRange("bytes=-1", 0)).toBe("none")
  })
})
