import { describe, expect, test } from "vitest"
import {
  addressOfFile,
  addressOfTitle,
  fileOfTitle,
  filesOfAddress,
  isPageFile,
  isReservedTitle,
  titleOfAddress,
  titleOfFile,
} from "./names.ts"

describe("names of wiki pages", () => {
  test.each([
    ["Home", "Home", "Home.md"],
    ["House rules", "House-rules", "House-rules.md"],
    ["e-mail", "e-mail.-", "e-mail.-.md"],
    ["2024-02-03 stand-up", "2024-02-03+stand-up.-", "2024-02-03 stand-up.-.md"],
    ["north/south", "north%2Fsouth", "north%2Fsouth.md"],
    ["50% off", "50%25-off", "50%25-off.md"],
    ["C++ notes", "C%2B%2B-notes", "C%2B%2B-notes.md"],
    ["Größe", "Gr%C3%B6%C3%9Fe", "Gr%C3%B6%C3%9Fe.md"],
    ["read.md", "read.md.-", "read.md.-.md"],
    ["trail.-", "trail.-.-", "trail.-.-.md"],
    ["Q&A: 100% sure?", "Q%26A%3A-100%25-sure%3F", "Q%26A%3A-100%25-sure%3F.md"],
    ["../up", "..%2Fup", "..%2Fup.md"],
    [".hidden", ".hidden", ".hidden.md"],
    ["dots..", "dots..", "dots...md"],
    ["a.b.c", "a.b.c", "a.b.c.md"],
    ["it's (all) *new*!", "it%27s-%28all%29-%2Anew%2A%21", "it%27s-%28all%29-%2Anew%2A%21.md"],
    ["C++ - notes", "C%2B%2B+-+notes.-", "C%2B%2B - notes.-.md"],
    ["\0", "%00", "%00.md"],
  ])("%j has the address %s and the file %s", (title, address, file) => {
    expect([addressOfTitle(title), fileOfTitle(title)]).toEqual([address, file])
    expect([titleOfAddress(address), titleOfFile(file)]).toEqual([title, title])
    expect(filesOfAddress(address)[0]).toBe(file)
    expect(addressOfFile(file, (name) => name === file)).toBe(address)
  })

  test.each(["", ".", ".."])("%j is unnamed", (title) => {
    expect([addressOfTitle(title), fileOfTitle(title)]).toEqual(["unnamed", "unnamed.md"])
  })

  test.each(["Second-Page", "Second%20Page", "Second+Page", "Second-Page.md"])("%s finds Second-Page.md", (address) => {
    expect(filesOfAddress(address)).toContain("Second-Page.md")
    expect(titleOfAddress(address)).toBe("Second Page")
  })

  test("other letter case and a dash without its mark find nothing else", () => {
    expect(filesOfAddress("home")).not.toContain("Home.md")
    expect(filesOfAddress("e-mail")).not.toContain("e-mail.-.md")
  })

  test.each([
    ["dash-page.md", "dash page"],
    ["By Git.md", "By Git"],
    ["Größe.md", "Größe"],
    ["100%.md", "100%"],
    ["a+b.md", "a+b"],
  ])("a pushed %s is found by its address", (file, title) => {
    const address = addressOfFile(file, (name) => name === file)
    expect(titleOfAddress(address)).toBe(title)
    expect(filesOfAddress(address)).toContain(file)
  })

  test("of two files with one title each has an address", () => {
    const files = ["By Git.md", "By-Git.md"]
    const found = files.map((file) =>
      filesOfAddress(addressOfFile(file, (name) => files.includes(name))).find((name) => files.includes(name)),
    )
    expect(found).toEqual(files)
  })

  test("a malformed escape is text", () => {
    expect(titleOfAddress("100%")).toBe("100%")
    expect(titleOfAddress("%zz")).toBe("%zz")
  })

  test("no file leaves the root", () => {
    for (const address of ["..%2F..%2Fetc", "%2e%2e", "..", ".", "a%2Fb.md", "%2Fetc%2Fpasswd"])
      expect(fileOfTitle(titleOfAddress(address))).not.toContain("/")
  })

  test("files and reserved titles", () => {
    expect(["Home.md", ".md", "Home.MD", "img.png"].filter(isPageFile)).toEqual(["Home.md"])
    expect(["_pages", "_new", "_edit", "raw", "_Sidebar"].filter(isReservedTitle)).toEqual(["_pages", "_new", "_edit", "raw"])
  })
})
