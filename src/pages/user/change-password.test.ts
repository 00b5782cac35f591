import { afterAll, beforeAll, expect, test } from "vitest"
import { basic, freshHearth, type TestHearth } from "../../../tests/support/hearth.ts"

const OLD = "pass-word-1"
const NEW = "another-Pass-9"

let forge: TestHearth
beforeAll(async () => {
  forge = await freshHearth("memory")
  await forge.person("ann", { must_change_password: true })
})
afterAll(() => forge.close())

const given = { login: "ann", password: OLD, new_password: NEW, new_password_again: NEW }

async function change(more: Readonly<Record<string, string>> = {}) {
  const body = new URLSearchParams({ ...given, ...more })
  const response = await fetch(`${forge.hearth.url}/user/change_password`, { method: "POST", body })
  return { status: response.status, text: await response.text() }
}
const status = async (password: string) => (await forge.call(basic("ann", password), "GET /user")).status

test.each([
  ["a wrong password", { password: "wrong-pass-1" }, 401, "Invalid username, password or token."],
  ["a token for a password", { password: "0123456789abcdef0123456789abcdef01234567" }, 401, "Invalid username, password or token."],
  ["nobody", { login: "nobody" }, 401, "Invalid username, password or token."],
  ["new passwords that differ", { new_password_again: "x" }, 422, "The two new passwords differ."],
  ["the same password again", { new_password: OLD, new_password_again: OLD }, 422, "New password must differ from the current password."],
  ["a short password", { new_password: "short", new_password_again: "short" }, 400, "Password must have at least 8 characters."],
])("a password is not changed by %s", async (_, more, refused, problem) => {
  expect(await change(more)).toEqual({ status: refused, text: expect.stringContaining(`role="alert">${problem}</div>`) })
  expect(await status(OLD)).toBe(403)
})

test("a password is changed with the present one, and who had to change it has", async () => {
  const page = await (await fetch(`${forge.hearth.url}/user/change_password`)).text()
  for (const name of Object.keys(given)) expect(page).toContain(`name="${name}"`)
  expect(page).toContain('href="/user/forgot_password"')
  expect(await change()).toEqual({ status: 200, text: expect.stringContaining("Password changed") })
  expect([await status(OLD), await status(NEW)]).toEqual([401, 200])
})

test("what was typed as a name is text on the page", async () => {
  expect((await change({ login: `"><script>alert(1)</script>`, password: "x" })).text).not.toContain("<script>alert")
})
