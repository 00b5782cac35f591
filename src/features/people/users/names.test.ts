import { describe, expect, test } from "vitest"
import { requireAccountName } from "./names.ts"

describe("account names", () => {
  test.each(["a", "A1", "jane.doe", "jane-doe", "jane_doe", "x-1.y_2", "a".repeat(40), "admin", "keys", "apis"])("%s is one", (name) => {
    expect(() => requireAccountName(name, "username")).not.toThrow()
  })

  test.each([
    ["", "is required"],
    ["a".repeat(41), "at most 40"],
    ["-a", "letters and digits"],
    ["a-", "letters and digits"],
    ["a..b", "letters and digits"],
    ["a_-b", "letters and digits"],
    ["two words", 'must not contain " "'],
    ["jürgen", 'must not contain "ü"'],
    ["a/b", 'must not contain "/"'],
    ["a\n", 'must not contain "\\n"'],
    ["Explore", "reserved"],
    ["ghost", "reserved"],
    ["Swagger.v1.json", "reserved"],
    ["jane.keys", "must not end in .keys"],
    ["jane.PNG", "must not end in .png"],
  ])("%j is refused: %s", (name, reason) => {
    expect(() => requireAccountName(name, "new_name")).toThrow(reason)
    expect(() => requireAccountName(name, "new_name")).toThrow(/^\[new_name\]: /)
  })
})
