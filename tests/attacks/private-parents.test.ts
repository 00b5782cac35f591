/**
 * Someone forks a public repository and keeps the fork. When the original has become private, the fork's records went on to carry the original's live
 * record (its new name, its description, how many issues it has) in eleven answers, and in what the fork's webhooks were told, because its owner
 * administers the fork. Now nothing is told of a parent but to those who may see it.
 */
import { expect } from "vitest"
import { operations } from "../../src/operations.ts"
import { pages } from "../../src/pages.ts"
import { withHearth } from "../support/fixture.ts"
import { visit } from "../support/visitor.ts"

withHearth("a parent that has become private", { people: ["ann", "ben"] }, ({ test, forge, call, status, settle, ann, ben }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
    await call(ben, "POST /repos/ann/tool/forks", { name: "copy" })
    await call(ben, "PATCH /repos/ben/copy", { has_issues: true })
    await call(ben, "POST /repos/ben/copy/issues", { title: "An issue" })
    const { body } = await call(ben, "GET /repos/ben/copy")
    expect(body.parent.full_name).toBe("ann/tool")
    await call(ann, "PATCH /repos/ann/tool", { name: "zephyr", description: "Plans of zephyr", private: true })
    await call(ben, "POST /repos/ben/copy/hooks", {
      type: "gitea",
      config: { url: "http://127.0.0.1:9/", content_type: "json" },
      events: ["issues"],
      active: true,
    })
    await call(ben, "PATCH /repos/ben/copy/issues/1", { state: "closed" })
    await settle()
  })

  const values: Readonly<Record<string, string>> = {
    owner: "ben",
    repo: "copy",
    username: "ben",
    branch: "main",
    basehead: "main...ann:main",
  }
  const filled = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "1")

  test("is not told of in any answer to the fork's owner", async () => {
    const told: string[] = []
    let answered = 0
    for (const { method, path } of operations.filter((each) => each.method === "GET")) {
      const { status: code, body } = await call(ben, `GET ${filled(path)}`)
      if (code === 200) answered++
      if (/zephyr|ann\/tool/.test(JSON.stringify(body))) told.push(`${method} ${path}`)
    }
    for (const route of ["PATCH /repos/ben/copy", "POST /repos/ben/copy/transfer", "PUT /user/starred/ben/copy"]) {
      const { body } = await call(ben, route, { description: "Mine", new_owner: "ann" })
      if (/zephyr|ann\/tool/.test(JSON.stringify(body))) told.push(route)
    }
    expect(told).toEqual([])
    expect(answered).toBeGreaterThan(60)
  })

  test("is not told of on any page, among them the ones that show what webhooks were told", async () => {
    const reader = await visit(forge, "ben")
    const told: string[] = []
    let shown = 0
    for (const { address } of pages.filter((page) => page.method === "GET")) {
      const { status: code, html } = await reader.get(filled(address))
      if (code === 200) shown++
      if (/zephyr|ann\/tool/.test(html)) told.push(address)
    }
    expect(told).toEqual([])
    expect(shown).toBeGreaterThan(60)
    const { status: code, html } = await reader.get("/ben/copy/settings/hooks/1/deliveries/1")
    expect([code, html.includes("An issue")]).toEqual([200, true])
  })

  test("the fork stays a fork, and its parent is shown to those who may see it", async () => {
    const { body } = await call(ben, "GET /repos/ben/copy")
    expect([body.fork, body.private, "parent" in body]).toEqual([true, true, false])
    expect(await status(ann, "PUT /repos/ann/zephyr/collaborators/ben", { permission: "read" })).toBe(204)
    const after = await call(ben, "GET /repos/ben/copy")
    expect(after.body.parent.full_name).toBe("ann/zephyr")
  })
})
