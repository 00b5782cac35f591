import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { writeKnot } from "../../../git/testing.ts"
import { type Clone, openStage } from "../releases/testing.ts"
import { licenseText } from "../repositories/templates/licenses.ts"
import { surveyJob } from "./survey.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

withWorld("languages and licences of a repository", { open: openStage }, ({ test, world: stage }) => {
  const repository = async (name: string, options: object = {}): Promise<string> => {
    await stage.must(stage.ann, "POST /user/repos", { name, ...options })
    return `/repos/ann/${name}`
  }
  const write = async ({ folder }: Clone, files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
  }
  const push = async (clone: Clone, ...args: readonly string[]): Promise<void> => {
    await clone.git("add", "-A")
    await clone.git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "--allow-empty", "-m", "More")
    expect(await clone.push(...(args.length > 0 ? args : ["HEAD:main"]))).toMatchObject({ code: 0 })
  }
  const languages = (at: string) => stage.must(undefined, `GET ${at}/languages`)
  const told = async (at: string) => {
    const { language, licenses } = await stage.must(undefined, `GET ${at}`)
    return { language, licenses }
  }

  test("are in lists after a push, without reading git", async () => {
    const at = await repository("plain")
    expect([await languages(at), await told(at)]).toEqual([{}, { language: "", licenses: [] }])
    const clone = await stage.clone("ann/plain")
    await write(clone, {
      "a.go": "x".repeat(50),
      "src/b.ts": "x".repeat(100),
      "src/deep/c.ts": "x".repeat(10),
      "vendor/lib.js": "x".repeat(1000),
      ".hidden/d.js": "x".repeat(1000),
      "README.md": "# words",
      LICENSE: (await licenseText("MIT")) ?? "",
    })
    await push(clone)
    const spawned = stage.hearth.services.git.spawned()
    const answer = await stage.call(undefined, `GET ${at}/languages`)
    expect(Object.entries(answer.body)).toEqual([
      ["TypeScript", 110],
      ["Go", 50],
    ])
    expect(await told(at)).toEqual({ language: "TypeScript", licenses: ["MIT"] })
    expect(await stage.must(undefined, `GET ${at}/licenses`)).toEqual(["MIT"])
    const found = await stage.must(undefined, "GET /repos/search?q=plain")
    expect(found.data[0]).toMatchObject({ language: "TypeScript", licenses: ["MIT"] })
    expect(stage.hearth.services.git.spawned()).toBe(spawned)
  })

  test("follow every push to the default branch, and no other", async () => {
    const at = await repository("moving")
    const clone = await stage.clone("ann/moving")
    await write(clone, { "a.go": "x".repeat(50), "b/c.py": "x".repeat(20), "b/d.py": "x".repeat(20) })
    await push(clone)
    expect(await languages(at)).toEqual({ Go: 50, Python: 40 })
    await write(clone, { "b/c.py": "x".repeat(70), "e.rs": "x" })
    await push(clone)
    expect([await languages(at), (await told(at)).language]).toEqual([{ Python: 90, Go: 50, Rust: 1 }, "Python"])
    await rm(join(clone.folder, "b"), { recursive: true })
    await clone.git("mv", "e.rs", "e.go")
    await push(clone)
    expect(await languages(at)).toEqual({ Go: 51 })
    await write(clone, { "z.js": "x".repeat(500) })
    await push(clone, "HEAD:other")
    expect(await languages(at)).toEqual({ Go: 51 })
    await stage.must(stage.ann, `POST ${at}/contents/more.go`, { content: base64("12345") })
    expect(await languages(at)).toEqual({ Go: 56 })

    await stage.must(stage.ann, `PATCH ${at}`, { default_branch: "other" })
    await stage.settle()
    expect([await languages(at), (await told(at)).language]).toEqual([{ JavaScript: 500, Go: 51 }, "JavaScript"])
  })

  test("are copied to forks and generated repositories", async () => {
    const at = await repository("origin", { template: true })
    await stage.must(stage.ann, `POST ${at}/contents/a.go`, { content: base64("12345") })
    await stage.must(stage.cal, `POST ${at}/forks`, {})
    expect([await languages("/repos/cal/origin"), (await told("/repos/cal/origin")).language]).toEqual([{ Go: 5 }, "Go"])
    await stage.must(stage.cal, `POST ${at}/generate`, { owner: "cal", name: "made", git_content: true })
    await stage.settle()
    expect([await languages("/repos/cal/made"), (await told("/repos/cal/made")).language]).toEqual([{ Go: 5 }, "Go"])
  })

  test("of a large push are counted by a job", async () => {
    const at = await repository("large")
    const clone = await stage.clone("ann/large")
    await write(clone, Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`${index % 30}/${index}.c`, "12345"])))
    await push(clone)
    await stage.settle()
    expect([await languages(at), (await told(at)).language]).toEqual([{ C: 6000 }, "C"])
  })

  test("are recounted when the counted tree is gone", async () => {
    const at = await repository("restored")
    await stage.must(stage.ann, `POST ${at}/contents/a.go`, { content: base64("12345") })
    const { database, jobs } = stage.hearth.services
    await database.write(async (tx) => {
      const { id } = await tx.selectFrom("repositories").select("id").where("lower_name", "=", "restored").executeTakeFirstOrThrow()
      await tx
        .updateTable("repository_languages")
        .set({ tree_id: "1".repeat(40), bytes: '{"Ada":7}' })
        .where("repository_id", "=", id)
        .execute()
      await jobs.enqueue(tx, surveyJob, { repositoryId: id })
    })
    await stage.settle()
    expect(await languages(at)).toEqual({ Go: 5 })
    await stage.must(stage.ann, `POST ${at}/contents/b.go`, { content: base64("1") })
    expect(await languages(at)).toEqual({ Go: 6 })
  })

  test("are counted within the limits however deeply trees are shared", async () => {
    const at = await repository("knot")
    const clone = await stage.clone("ann/knot")
    const commit = await writeKnot(clone.folder, { levels: 300, width: 4, file: "a.c" })
    expect(await clone.push(`${commit}:refs/heads/main`)).toMatchObject({ code: 0 })
    expect((await told(at)).language).toBe("C")
    expect(Object.values(await languages(at))).toEqual([Number.MAX_SAFE_INTEGER])
  })

  // --- licences -------------------------------------------------------------------------------------------------------------------

  test.each([
    ["MIT", "Copyright (c) 2024 Ann\n"],
    ["Apache-2.0", ""],
    ["BSD-2-Clause", "Copyright 2020, Someone Else. All rights reserved.\n"],
    ["BSD-3-Clause", ""],
    ["MPL-2.0", ""],
    ["ISC", ""],
    ["Unlicense", ""],
  ])("a licence is known by its text: %s", async (name, more) => {
    const at = await repository(`by-${name}`)
    const content = base64(more + ((await licenseText(name)) ?? "").replaceAll("\n", "\r\n"))
    await stage.must(stage.ann, `POST ${at}/contents/LICENSE.txt`, { content })
    expect((await told(at)).licenses).toEqual([name])
  })

  test("licences of all files are listed, and no text that is none", async () => {
    const at = await repository("several", { auto_init: true, license: "GPL-3.0-or-later" })
    expect((await told(at)).licenses).toEqual(["GPL-3.0-or-later"])
    // Two licences have this text; the chosen one is kept.
    await stage.must(stage.ann, `POST ${at}/contents/a.txt`, { content: base64("a") })
    expect((await told(at)).licenses).toEqual(["GPL-3.0-or-later"])
    await stage.must(stage.ann, `POST ${at}/contents/LICENSE-MIT`, { content: base64((await licenseText("MIT")) ?? "") })
    await stage.must(stage.ann, `POST ${at}/contents/COPYING.md`, { content: base64("All rights reserved. Ask me.\n") })
    await stage.must(stage.ann, `POST ${at}/contents/license.js`, { content: base64((await licenseText("ISC")) ?? "") })
    expect((await told(at)).licenses).toEqual(["GPL-3.0-or-later", "MIT"])
    const named = base64("SPDX-License-Identifier: CC-BY-NC-4.0\n")
    await stage.must(stage.ann, `POST ${at}/contents/UNLICENSE`, { content: named })
    expect((await told(at)).licenses).toEqual(["GPL-3.0-or-later", "MIT", "CC-BY-NC-4.0"])
  })

  test("licences of what is hidden are hidden", async () => {
    expect(await stage.status(stage.cal, "GET /repos/ann/hush/licenses")).toBe(404)
    expect(await stage.status(stage.ben, "GET /repos/ann/hush/licenses")).toBe(200)
  })

  test("a licence that was stored wrong is read again when an administrator asks for it", async () => {
    const at = await repository("licensed", { auto_init: true, readme: "Default", license: "MIT" })
    const { database, jobs } = stage.hearth.services
    const licensesOf = async () => (await told(at)).licenses
    expect(await licensesOf()).toEqual(["MIT"])
    await database.write((tx) => tx.updateTable("repositories").set({ licenses: '["Zed"]' }).where("lower_name", "=", "licensed").execute())
    expect(await jobs.tasks.run("sync_repo_licenses")).toBe("ok")
    expect(await licensesOf()).toEqual(["MIT"])
    const task = (await jobs.tasks.list()).find(({ name }) => name === "sync_repo_licenses")
    expect(task?.lastMessage).toMatch(/^\d+ looked at, [1-9]\d* corrected$/)
  })
})
