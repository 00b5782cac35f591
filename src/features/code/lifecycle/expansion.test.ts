import { describe, expect, test } from "vitest"
import { expandPath, expandText, pathMatcher, variablesOf } from "./expansion.ts"

describe("variables of templates", () => {
  const side = { name: "my-tool", owner: "ada", description: "It works", htmlUrl: "https://h/ada/my-tool", sshUrl: "git@h:ada/my-tool.git" }
  const values = variablesOf(side, { ...side, name: "seed" }, new Date("2026-02-03T00:00:00Z"))
  test.each([
    ["$REPO_NAME by ${REPO_OWNER}", "my-tool by ada"],
    ["${REPO_NAME_PASCAL} $REPO_NAME_SNAKE $REPO_NAME_UPPER", "MyTool my_tool MY-TOOL"],
    ["${TEMPLATE_NAME}: $REPO_DESCRIPTION", "seed: It works"],
    ["$YEAR-$MONTH-$DAY", "2026-02-03"],
    ["$HOME ${PATH} $100 $", "$HOME ${PATH} $100 $"],
  ])("%s", (text, expected) => expect(expandText(text, values)).toBe(expected))
  test.each([
    ["src/$REPO_NAME_SNAKE/$REPO_OWNER.ts", "src/my_tool/ada.ts"],
    ["$REPO_LINK.txt", "https___h_ada_my-tool.txt"],
    ["$REPO_NOTHING/a", "$REPO_NOTHING/a"],
  ])("the path %s", (path, expected) => expect(expandPath(path, values)).toBe(expected))
  test("what is empty leaves no folder, and no file without a name", () => {
    const empty = new Map([["REPO_DESCRIPTION", ""]])
    expect(expandPath("$REPO_DESCRIPTION/a", empty)).toBe("a")
    expect(expandPath("a/$REPO_DESCRIPTION", empty)).toBe("a/$REPO_DESCRIPTION")
  })
  test("a star stays within a folder, two don't", () => {
    const matches = pathMatcher("# a comment\n\n*.txt\r\ndocs/**/*.md\na.b\n")
    expect(["x.txt", "docs/a.md", "docs/x/y.md", "a.b"].every(matches)).toBe(true)
    expect(["docs/x.txt", "a.md", "axb", "# a comment"].some(matches)).toBe(false)
  })
})
