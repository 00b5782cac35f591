import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { withRunner } from "./support/fixture.ts"

/** The project's own workflow, with a repository of a few files in the place of the project. */
const WORKFLOW = ".gitea/workflows/ci.yaml"
const files = {
  [WORKFLOW]: readFileSync(join(import.meta.dirname, "../..", WORKFLOW), "utf8"),
  "package.json": JSON.stringify({ name: "tiny", version: "1.0.0", private: true, scripts: { check: "echo checked-$(cat word.txt)" } }),
  "package-lock.json": JSON.stringify({
    name: "tiny",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: { "": { name: "tiny", version: "1.0.0" } },
  }),
  "word.txt": "main",
  ".ci/run": "echo built-$(cat word.txt)\n",
}

withRunner("the project's own workflow", { machines: [{ name: "one" }] }, ({ site, test }) => {
  test("checks a pull request of a private repository, and tests what comes to main in full", async () => {
    const repository = await site.repository("hearth", files, { private: true })
    const pushed = await site.ended(repository, { event: "push" })
    expect(pushed.conclusions).toEqual({ check: "success", full: "success" })
    expect(await pushed.log("check")).toContain("checked-main")
    expect(await pushed.log("full")).toContain("built-main")

    await site.commit(repository, { "word.txt": "branch" }, { newBranch: "change" })
    await site.must(site.root, `POST /repos/${repository}/pulls`, { title: "Change", head: "change", base: "main" })
    const asked = await site.ended(repository, { event: "pull_request" })
    expect(asked.conclusions).toEqual({ check: "success", full: "skipped" })
    expect(await asked.log("check")).toContain("checked-branch")
  })

  test("is red where the check is", async () => {
    const script = JSON.stringify({ name: "tiny", version: "1.0.0", private: true, scripts: { check: "exit 3" } })
    const repository = await site.repository("red", { ...files, "package.json": script })
    expect((await site.ended(repository)).conclusions).toEqual({ check: "failure", full: "skipped" })
  })
})
