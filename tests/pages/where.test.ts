import { execFile } from "node:child_process"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { answerAt, fileOf } from "../../bin/where.ts"
import { files } from "../../src/files.ts"
import { operations } from "../../src/operations.ts"
import { pages } from "../../src/pages.ts"

const run = promisify(execFile)
const where = (...args: readonly string[]) =>
  run(process.execPath, ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "../../bin/where.ts"), ...args])

async function lost(records: readonly { readonly id: string }[], folder: "src/features" | "src/pages"): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { id } of records) {
    if (fileOf(id, folder) === undefined) ids.push(id)
    await setImmediate()
  }
  return ids
}

describe("npm run where", () => {
  test("finds the source of every page, file and operation", async () => {
    expect([await lost([...pages, ...files], "src/pages"), await lost(operations, "src/features")]).toEqual([[], []])
  })

  test("knows addresses of pages, forms, files and operations", () => {
    const issue = "src/pages/repository/issues/page.ts\nGET /{owner}/{repo}/issues/{index}  issue.show"
    expect(answerAt("GET", "/acme/rocket/issues/5?all=1")).toBe(issue)
    expect(answerAt("POST", "/acme/rocket/settings")).toContain("src/pages/repository/settings/general.ts\n")
    expect(answerAt("PATCH", "/api/v1/repos/acme/rocket")).toContain("src/features/code/lifecycle/edit-operations.ts\n")
    expect(answerAt("GET", "/acme/rocket/raw/branch/main/a.txt")).toContain("src/pages/repository/code/raw.ts\n")
    expect(answerAt("GET", "/api/v1/repos/a/b/actions/artifacts/1/zip/raw")).toContain("src/pages/repository/actions/files.ts\n")
    expect(answerAt("GET", "/acme/rocket/nothing/at/all")).toBeUndefined()
  })

  test("prints it, or says where else to look", async () => {
    expect((await where("http://localhost:3000/acme/rocket/issues/5")).stdout).toMatch(/^src\/pages\/repository\/issues\/page\.ts\n/)
    await expect(where("delete", "/acme/rocket/settings")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is GET, HEAD, POST"),
    })
  })
})
