import { describe, expect, test } from "vitest"
import { cleanMessage, joinMessage, withTrailer } from "./message.ts"

describe("messages", () => {
  test.each([
    ["One", "One\n"],
    ["  One  \r\n\r\n\r\n\r\nTwo \n\n", "  One\n\nTwo\n"],
    ["\n\nOne\n  kept in\n", "One\n  kept in\n"],
    ["# not a comment", "# not a comment\n"],
  ])("%j is kept as %j", (text, kept) => {
    expect(cleanMessage(text)).toBe(kept)
  })

  test("have a line between title and body", () => {
    expect(joinMessage({ title: "One", body: "" })).toBe("One\n")
    expect(joinMessage({ title: "One", body: "\nTwo\n" })).toBe("One\n\nTwo\n")
  })

  test.each([
    ["One\n", "One\n\nSeen-by: me\n"],
    ["Fix: one\n", "Fix: one\n\nSeen-by: me\n"],
    ["One\n\nTwo\n", "One\n\nTwo\n\nSeen-by: me\n"],
    ["One\n\nTwo\n\nCo-authored-by: you <you@example.com>\n", "One\n\nTwo\n\nCo-authored-by: you <you@example.com>\nSeen-by: me\n"],
  ])("%j gets its trailer where trailers stand", (text, kept) => {
    expect(withTrailer(text, "Seen-by", "me")).toBe(kept)
  })
})
