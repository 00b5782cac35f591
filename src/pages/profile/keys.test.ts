import { readKeys } from "openpgp"
import { afterAll, beforeAll, expect, test } from "vitest"
import { freshKey } from "../../../tests/examples/keys.ts"
import { freshHearth, type TestHearth } from "../../../tests/support/hearth.ts"
import { makeGpgKey } from "../../features/people/keys/testing.ts"

let forge: TestHearth
let ann: string
beforeAll(async () => {
  forge = await freshHearth("sqlite")
  ann = await forge.person("ann")
  await forge.person("hidden", { visibility: "private" })
})
afterAll(() => forge.close())

const get = async (path: string) => {
  const response = await fetch(`${forge.hearth.url}${path}`, { redirect: "manual" })
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    location: response.headers.get("location"),
    text: await response.text(),
  }
}

test("a user's SSH keys are a line each", async () => {
  const keys = [freshKey(), `${freshKey()} with a comment`]
  for (const key of keys) await forge.call(ann, "POST /user/keys", { title: key, key })
  expect(await get("/ann.keys")).toMatchObject({ status: 200, type: "text/plain; charset=utf-8", text: `${keys.join("\n")}\n` })
  expect((await get("/ANN.keys")).text).toContain("ssh-ed25519")
})

test("a user's OpenPGP keys are one block", async () => {
  expect((await get("/ann.gpg")).text).toBe("")
  const keys = [await makeGpgKey({ emails: ["ann@example.com"] }), await makeGpgKey({ emails: ["ann@example.com"] })]
  for (const { armored } of keys) await forge.call(ann, "POST /user/gpg_keys", { armored_public_key: armored })
  const read = await readKeys({ armoredKeys: (await get("/ann.gpg")).text })
  expect(read.map((key) => key.getKeyID().toHex().toUpperCase())).toEqual(keys.map(({ keyId }) => keyId))
})

test("an older name leads on", async () => {
  await forge.person("older")
  await forge.call(forge.root, "POST /admin/users/older/rename", { new_username: "newer" })
  expect(await get("/older.keys")).toMatchObject({ status: 307, location: "/newer.keys" })
})

test.each(["/hidden.keys", "/hidden.gpg", "/nobody.keys", "/ann.keyring", "/%00.keys", "/.keys"])("%s is not there", async (path) => {
  expect((await get(path)).status).toBe(404)
})
