import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../../tests/support/hearth.ts"
import { openSignInWorld } from "../testing.ts"

const TOKENS = "/user/settings/applications"

async function open() {
  const world = await openSignInWorld("memory")
  await world.person("ann")
  const browser = world.browser()
  await browser.signIn("ann", PASSWORD)
  return { ...world, ann: browser }
}

withWorld("tokens for one task on pages", { open }, ({ test, world }) => {
  test("are made with lines of patterns and operations, and say what they are held to and what they did", async () => {
    const { ann, call } = world
    await call(basic("ann", PASSWORD), "POST /user/repos", { name: "tool" })
    const asked = await ann.get(`${TOKENS}/new`)
    const fields = {
      name: "robot",
      days: "7",
      issue: "write:issue",
      branches: "bot/*\nrefs/tags/v*",
      operations: "read, issueCreateIssue",
      writes: "3",
    }
    const lacking = await ann.submit(asked, fields)
    expect(lacking.text).toContain("is required for a token for one task")
    const made = await ann.submit(lacking, { ...fields, repositories: "ann/tool" })
    expect(made.status).toBe(200)
    const { body } = await call(basic("ann", PASSWORD), "GET /users/ann/tokens")
    expect(body).toMatchObject([
      {
        name: "robot",
        is_task: true,
        branches: ["bot/*", "refs/tags/v*"],
        operations: ["read", "issueCreateIssue"],
        writes: 3,
        writes_left: 3,
      },
    ])
    const list = await ann.get(TOKENS)
    expect(list.text).toContain("<code>bot/* refs/tags/v*</code>")
    expect(list.text).toContain("Changes left: 3 of 3")
    const deeds = await ann.get(`${TOKENS}/${body[0].id}/deeds`)
    expect([deeds.status, deeds.text.includes("What was done with"), deeds.text.includes("No changes yet")]).toEqual([200, true, true])
    expect((await ann.get(`${TOKENS}/9999/deeds`)).status).toBe(404)
  })
})
