import { describe, expect, test } from "vitest"
import { identityOf, withoutIdentity } from "./identity.ts"

describe("the identity of a change", () => {
  const of = (message: string, changeId?: string) => identityOf({ message, changeId })
  const jujutsu = "lqrtxwmrporxuruwwxmtwxwsvnzuvnlk"

  test("is the trailer, or what Jujutsu's header says", () => {
    expect(of("Subject\n\nText\n\nSigned-off-by: A\nchange-id: Iab12\n")).toEqual({ kind: "one", id: "Iab12" })
    expect(of("Subject\n\nChange-Id: Iab\n(cherry picked from commit 12)\n")).toEqual({ kind: "one", id: "Iab" })
    expect(of("Subject\n\nText", jujutsu)).toEqual({ kind: "one", id: "Ie98623d8ab82585332d632374c054cef6a6a6964" })
    // The trailer that `jj gerrit upload` writes for the same header.
    expect(of("S\n\nChange-Id: Ie98623d8ab82585332d632374c054cef6a6a6964", jujutsu)).toEqual(of("S", jujutsu))
  })

  test("is nowhere else, and nothing odd", () => {
    for (const message of ["Change-Id: I1", "S\n\nChange-Id: I1\n\nmore text", "S\n\nin a text\nChange-Id: I1", ""])
      expect(of(message)).toEqual({ kind: "none" })
    for (const header of ["", "abc", "z".repeat(31), "Z".repeat(32), "../../zz"]) expect(of("S", header)).toEqual({ kind: "none" })
    for (const odd of ["a b", "refs/heads/main", "<script>", "é", "-x", "I".repeat(101), "x.lock", "@{0}", "%00", "", "a\u0000"])
      expect(of(`S\n\nChange-Id: ${odd}`)).toEqual({ kind: "odd" })
    expect(of("S\n\nChange-Id: I1\nChange-Id: I2")).toEqual({ kind: "several" })
    expect(of("S\n\nChange-Id: I1\nChange-Id: I1")).toEqual({ kind: "one", id: "I1" })
    expect(withoutIdentity("Text\n\nChange-Id: I1")).toBe("Text")
  })
})
