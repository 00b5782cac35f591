import { createMessage, generateKey, sign as openpgpSign } from "openpgp"
import { expect } from "vitest"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { basic, PASSWORD } from "../../../../tests/support/hearth.ts"
import { openSignInWorld } from "../../../pages/user/testing.ts"

/** What people do with the pages of their own settings. */

async function open(kind: FreshKind) {
  const world = await openSignInWorld(kind)
  for (const name of ["ann", "ben"]) await world.person(name)
  const ann = world.browser()
  const ben = world.browser()
  await ann.signIn("ann", PASSWORD)
  await ben.signIn("ben", PASSWORD)
  // Untyped, for tests.
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds
  const record = async (path: string, name = "ann"): Promise<any> => (await world.call(basic(name, PASSWORD), `GET ${path}`)).body
  return { ...world, ann, ben, record }
}

const SETTINGS = "/user/settings"
const ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKUxwFnYDLJrjlcHvcu2dreUmlfLNAT/O/ipyS2HC9Ro"
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64")

withWorld("one's own settings", { open }, ({ test, world }) => {
  test("a profile is changed, and shown again with what was typed when it is refused", async () => {
    const { ann, ben, record } = world
    const done = await ann.post(SETTINGS, { full_name: "Ann A.", description: "Hello", website: "https://ann.example", hide_email: "true" })
    expect([done.status, done.location]).toEqual([303, SETTINGS])
    expect(await record("/user/settings")).toMatchObject({
      full_name: "Ann A.",
      description: "Hello",
      hide_email: true,
      hide_activity: false,
    })
    const refused = await ann.post(SETTINGS, { full_name: "Typed", website: "javascript:alert(1)" })
    expect([refused.status, refused.text.includes('value="Typed"')]).toEqual([422, true])
    expect(refused.text).toContain('aria-invalid="true"')
    expect((await record("/user/settings")).full_name).toBe("Ann A.")
    expect((await record("/user/settings", "ben")).full_name).toBe("")
    expect((await world.browser().get(SETTINGS)).location).toContain("/user/login")
    expect((await ben.get(SETTINGS)).text).not.toContain("Ann A.")
  })

  test("a picture is shown, and dropped again", async () => {
    const { ann, url, record } = world
    const before = (await record("/user")).avatar_url
    const send = async (bytes: Buffer) => {
      const body = new FormData()
      body.append("image", new Blob([new Uint8Array(bytes)], { type: "image/png" }), "me.png")
      const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const headers = { cookie, accept: "text/html", "sec-fetch-site": "same-origin" }
      return (await fetch(`${url}${SETTINGS}/avatar`, { method: "POST", redirect: "manual", headers, body })).status
    }
    expect(await send(PIXEL)).toBe(303)
    expect((await record("/user")).avatar_url).not.toBe(before)
    expect(await send(Buffer.from("no picture"))).toBeGreaterThanOrEqual(400)
    expect((await ann.post(`${SETTINGS}/avatar/delete`, {})).status).toBe(303)
    expect((await record("/user")).avatar_url).toBe(before)
  })

  test("an SSH key is added and removed; one that can't be used is shown again, and no one removes another's", async () => {
    const { ann, ben, record } = world
    const keys = `${SETTINGS}/keys`
    expect((await ann.get(`${keys}/new`)).status).toBe(200)
    const refused = await ann.post(`${keys}/new`, { title: "Laptop <1>", key: "ssh-ed25519 AAAA" })
    expect([refused.status, refused.text.includes('value="Laptop &lt;1&gt;"'), refused.text.includes("-key-fault")]).toEqual([
      422,
      true,
      true,
    ])
    const done = await ann.post(`${keys}/new`, { title: "Laptop <1>", key: `${ED25519} ann@laptop`, read_only: "true" })
    expect([done.status, done.location]).toEqual([303, keys])
    const [key] = await record("/user/keys")
    expect(key).toMatchObject({ title: "Laptop <1>", read_only: true })
    const list = (await ann.get(keys)).text
    for (const text of ["Laptop &lt;1&gt;", key.fingerprint, "never used", "Read-only"]) expect(list).toContain(text)
    expect((await ben.post(`${keys}/${key.id}/delete`, {})).status).toBe(403)
    expect(await record("/user/keys")).toHaveLength(1)
    expect((await ann.post(`${keys}/${key.id}/delete`, {})).location).toBe(keys)
    expect(await record("/user/keys")).toEqual([])
  })

  test("a GPG key without an address of the account is asked for a signature, and is verified and removed", async () => {
    const { ann, record } = world
    const keys = `${SETTINGS}/keys/gpg`
    const { privateKey, publicKey } = await generateKey({ userIDs: [{ email: "elsewhere@example.org" }], format: "object" })
    const sign = async (page: string) => {
      const [, token = ""] = /echo ([0-9a-f]{64}) \|/.exec(page) ?? []
      const signing = {
        message: await createMessage({ binary: Buffer.from(`${token}\n`) }),
        signingKeys: privateKey,
        detached: true,
      } as const
      return String(await openpgpSign(signing))
    }
    const asked = await ann.post(`${keys}/new`, { armored_public_key: publicKey.armor(), armored_signature: "" })
    expect([asked.status, asked.text.includes("BEGIN PGP PUBLIC KEY BLOCK")]).toEqual([404, true])
    const given = { armored_public_key: publicKey.armor(), armored_signature: await sign(asked.text) }
    expect((await ann.post(`${keys}/new`, given)).location).toBe(keys)
    const [key] = await record("/user/gpg_keys")
    expect((await ann.get(keys)).text).toContain(key.key_id)
    const verifying = await ann.get(`${keys}/verify?key_id=${key.key_id}`)
    const wrong = await ann.post(`${keys}/verify`, { key_id: key.key_id, armored_signature: "none" })
    expect([wrong.status, wrong.text.includes(key.key_id)]).toEqual([422, true])
    const verified = await ann.post(`${keys}/verify`, { key_id: key.key_id, armored_signature: await sign(verifying.text) })
    expect(verified.location).toBe(keys)
    expect((await ann.post(`${keys}/${key.id}/delete`, {})).status).toBe(303)
    expect(await record("/user/gpg_keys")).toEqual([])
  })

  test("keys are added only in a session that was confirmed lately", async () => {
    const { ben, clock } = world
    clock.now += 1000
    const keys = `${SETTINGS}/keys`
    for (const path of [`${keys}/new`, `${keys}/gpg/new`]) {
      expect((await ben.get(path)).location).toBe(`/user/confirm?redirect_to=${encodeURIComponent(path)}`)
      const held = await ben.post(path, { title: "a", key: ED25519 })
      expect([held.status, held.text.includes("Confirm access")]).toEqual([403, true])
    }
    expect(await world.record("/user/keys", "ben")).toEqual([])
    clock.now -= 1000
  })

  test("a token is made with chosen scopes, shown once, listed and deleted", async () => {
    const { ann, ben, call, record } = world
    const tokens = `${SETTINGS}/applications`
    const none = await ann.post(`${tokens}/new`, { name: "backup <b>", repository: "" })
    expect([none.status, none.text.includes('value="backup &lt;b&gt;"')]).toEqual([400, true])
    expect(none.text).toContain("Access token must have a scope.")
    const made = await ann.post(`${tokens}/new`, {
      name: "backup <b>",
      repository: "read:repository",
      user: "write:user",
      "public-only": "true",
    })
    const [, token = ""] = /<code class="break">([0-9a-f]{40})<\/code>/.exec(made.text) ?? []
    expect([made.status, made.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect((await call(`token ${token}`, "GET /token")).body).toMatchObject({ scopes: ["public-only", "read:repository", "write:user"] })
    const list = (await ann.get(tokens)).text
    for (const text of ["backup &lt;b&gt;", token.slice(-8), "Read repositories with their code"]) expect(list).toContain(text)
    expect(list).not.toContain(token)
    const [{ id }] = await record("/users/ann/tokens")
    expect((await ben.post(`${tokens}/${id}/delete`, {})).status).toBe(404)
    expect((await ann.post(`${tokens}/${id}/delete`, {})).location).toBe(tokens)
    expect(await record("/users/ann/tokens")).toEqual([])
  })

  test("an application is added, edited with its secret kept, given a new one, and deleted", async () => {
    const { ann, ben, services, record } = world
    const all = `${SETTINGS}/applications/oauth2`
    const refused = await ann.post(`${all}/new`, { name: "Client", redirect_uris: "https://one.example/\r\nnowhere" })
    expect([refused.status, /one\.example\/\r?\nnowhere/.test(refused.text)]).toEqual([400, true])
    const given = { name: "Client", redirect_uris: "https://one.example/\r\n\r\nhttps://two.example/", confidential_client: "true" }
    const made = await ann.post(`${all}/new`, given)
    expect([made.status, made.headers.get("cache-control")]).toEqual([200, "no-store"])
    const [app] = await record("/user/applications/oauth2")
    expect(app).toMatchObject({
      name: "Client",
      redirect_uris: ["https://one.example/", "https://two.example/"],
      confidential_client: true,
    })
    const stored = services.database.read.selectFrom("oauth2_applications").select("secret_digest").where("id", "=", app.id)
    const digest = async () => (await stored.executeTakeFirstOrThrow()).secret_digest
    const before = await digest()
    const at = `${all}/${app.id}`
    expect((await ann.get(at)).text).toContain(app.client_id)
    for (const path of ["", "/secret", "/delete"]) expect((await ben.post(at + path, given)).status).toBe(404)
    expect((await ben.get(at)).status).toBe(404)
    expect((await ann.post(at, { ...given, name: "Renamed" })).location).toBe(at)
    expect([(await record("/user/applications/oauth2"))[0].name, await digest()]).toEqual(["Renamed", before])
    const form = (await ann.get(at)).forms.find(({ action }) => action === `${at}/secret`)
    const renewed = await ann.post(`${at}/secret`, form?.fields ?? {})
    expect([renewed.status, (await digest()) === before, (await record("/user/applications/oauth2"))[0]]).toMatchObject([
      200,
      false,
      { name: "Renamed", redirect_uris: app.redirect_uris, confidential_client: true },
    ])
    expect((await ann.post(`${at}/delete`, {})).location).toBe(all)
    expect(await record("/user/applications/oauth2")).toEqual([])
  })

  test("what was granted to applications is listed and revoked", async () => {
    const { ann, ben, services, userOf, record } = world
    const grants = `${SETTINGS}/applications/grants`
    await ben.post(`${SETTINGS}/applications/oauth2/new`, { name: "Reader", redirect_uris: "https://reader.example/" })
    const [{ id: application_id }] = await record("/user/applications/oauth2", "ben")
    const values = { application_id, user_id: (await userOf("ann")).id, scopes: "read:user", created_at: 1, last_used_at: 0 }
    const { id } = await services.database.write((tx) =>
      tx.insertInto("oauth2_grants").values(values).returning("id").executeTakeFirstOrThrow(),
    )
    const list = (await ann.get(grants)).text
    for (const text of ["Reader", 'href="/ben"', "Read your account"]) expect(list).toContain(text)
    expect((await ben.post(`${grants}/${id}/revoke`, {})).status).toBe(404)
    expect((await ann.post(`${grants}/${id}/revoke`, {})).location).toBe(grants)
    expect((await ann.get(grants)).text).not.toContain("Reader")
  })

  test("addresses are added, made the primary one and removed", async () => {
    const { ann, ben, services, record } = world
    const account = `${SETTINGS}/account`
    const refused = await ann.post(`${account}/emails`, { emails: "ben@example.com" })
    expect([refused.status, refused.text.includes('value="ben@example.com"')]).toEqual([422, true])
    expect((await ann.post(`${account}/emails`, { emails: "ann@elsewhere.example" })).location).toBe(account)
    const { id } = await services.database.read
      .selectFrom("emails")
      .select("id")
      .where("lower_email", "=", "ann@elsewhere.example")
      .executeTakeFirstOrThrow()
    expect((await ben.post(`${account}/emails/${id}/primary`, {})).status).toBe(404)
    expect((await ann.post(`${account}/emails/${id}/primary`, {})).location).toBe(account)
    expect(await record("/user/emails")).toMatchObject([
      { email: "ann@elsewhere.example", primary: true },
      { email: "ann@example.com", primary: false },
    ])
    expect((await record("/user")).email).toBe("ann@elsewhere.example")
    const kept = await ann.post(`${account}/emails/delete`, { emails: "ann@elsewhere.example" })
    expect([kept.status, kept.text.includes("is the primary address")]).toEqual([422, true])
    expect((await ann.post(`${account}/emails/delete`, { emails: "ann@example.com" })).location).toBe(account)
    expect(await record("/user/emails")).toHaveLength(1)
  })

  test("an account is renamed, and deleted when its name is typed and nothing depends on it", async () => {
    const { browser, person, call } = world
    const account = `${SETTINGS}/account`
    const carol = browser()
    await person("carol")
    await carol.signIn("carol", PASSWORD)
    const taken = await carol.post(`${account}/rename`, { new_username: "ann" })
    expect([taken.status, taken.text.includes("rename-new_username-fault")]).toEqual([422, true])
    expect((await carol.post(`${account}/rename`, { new_username: "caro" })).location).toBe(account)
    const caro = basic("caro", PASSWORD)
    expect((await call(caro, "POST /user/repos", { name: "box" })).status).toBe(201)
    const wrong = await carol.post(`${account}/delete`, { confirm: "carol" })
    expect([wrong.status, wrong.text.includes("must be caro")]).toEqual([422, true])
    const owner = await carol.post(`${account}/delete`, { confirm: "caro" })
    expect([owner.status, /caro owns 1 repositories; delete them or hand them over\./i.test(owner.text)]).toEqual([422, true])
    expect((await call(caro, "DELETE /repos/caro/box")).status).toBe(204)
    expect((await carol.post(`${account}/delete`, { confirm: "caro" })).location).toBe("/")
    expect((await call(caro, "GET /user")).status).toBe(401)
  })

  test("people are blocked with a note, and unblocked", async () => {
    const { ann, ben, record } = world
    const blocked = `${SETTINGS}/blocked_users`
    const refused = await ann.post(blocked, { username: "nobody<", note: "noise" })
    expect([refused.status, refused.text.includes('value="nobody&lt;"'), refused.text.includes('value="noise"')]).toEqual([404, true, true])
    expect((await ann.post(blocked, { username: "ben", note: "noise" })).location).toBe(blocked)
    expect(await record("/user/blocks")).toMatchObject([{ login: "ben" }])
    expect((await ann.get(blocked)).text).toContain("noise")
    expect((await ben.get(blocked)).text).toContain("You haven’t blocked anyone")
    expect((await ann.post(`${blocked}/ben/delete`, {})).location).toBe(blocked)
    expect(await record("/user/blocks")).toEqual([])
  })

  test("an organization is left, not by its last owner", async () => {
    const { ann, ben, call, record } = world
    const mine = `${SETTINGS}/organization`
    const owner = basic("ann", PASSWORD)
    expect((await call(owner, "POST /orgs", { username: "guild" })).status).toBe(201)
    const [team] = (await call(owner, "GET /orgs/guild/teams")).body
    expect((await ann.get(mine)).text).toContain('href="/guild"')
    const last = await ann.post(`${mine}/guild/leave`, {})
    expect([last.status, last.text.includes("<h1>Organizations</h1>"), last.text.includes('role="alert"')]).toEqual([422, true, true])
    expect((await ben.post(`${mine}/guild/leave`, {})).status).toBe(403)
    expect((await call(owner, `PUT /teams/${team.id}/members/ben`)).status).toBe(204)
    expect((await ben.post(`${mine}/guild/leave`, {})).location).toBe(mine)
    expect(await record("/user/orgs", "ben")).toEqual([])
  })

  test("own repositories and those that are watched are listed", async () => {
    const { ann, ben, call } = world
    const at = `${SETTINGS}/notifications`
    expect((await call(basic("ann", PASSWORD), "POST /user/repos", { name: "tools" })).status).toBe(201)
    expect((await call(basic("ben", PASSWORD), "PUT /repos/ann/tools/subscription")).status).toBe(200)
    expect((await ann.get(`${SETTINGS}/repos`)).text).toContain('href="/ann/tools"')
    expect((await ben.get(`${SETTINGS}/repos`)).text).not.toContain('href="/ann/tools"')
    expect((await ben.get(at)).text).not.toContain("Watched automatically")
    expect((await ben.get(at)).text).toContain('href="/ann/tools"')
    expect((await ann.get(`${SETTINGS}/repos`)).text).not.toContain('href="/ben/')
    expect((await ben.post(`${at}/ann/nothing`, { level: "ignored" })).status).toBe(404)
    expect((await call(basic("ben", PASSWORD), "DELETE /repos/ann/tools/subscription")).status).toBe(204)
    expect((await ben.get(at)).text).toContain("You aren’t watching any repositories")
  })

  test("an account has a theme and a style of differences, and a browser others", async () => {
    const { browser, person } = world
    const at = `${SETTINGS}/appearance`
    await person("dora")
    const [here, there] = [browser(), browser()]
    for (const each of [here, there]) await each.signIn("dora", PASSWORD)
    expect((await here.post(at, { theme: "gitea-dark", diff_view_style: "split" })).location).toBe(at)
    for (const each of [here, there]) expect((await each.get(at)).text).toContain('data-theme="dark"')
    const pressed = async (value: string) => new RegExp(`value="${value}" aria-pressed="true"`).test((await here.get(at)).text)
    expect([await pressed("split"), await pressed("unified")]).toEqual([true, false])
    await here.post("/-/theme", { theme: "auto" })
    expect((await here.get(at)).text).not.toContain("data-theme")
    await here.post("/-/theme", { theme: "" })
    expect((await here.get(at)).text).toContain('data-theme="dark"')
    // A choice about something else leaves the style of the account.
    await here.post("/-/diffs", { lines: "long" })
    expect([await pressed("split"), await pressed("long")]).toEqual([true, true])
    await here.post("/-/diffs", { style: "unified" })
    expect(await pressed("unified")).toBe(true)
    await here.post("/-/diffs", { forget: "true" })
    expect([await pressed("split"), await pressed("long")]).toEqual([true, false])
    expect((await here.post(at, { theme: "gitea-light", diff_view_style: "diagonal" })).status).toBe(422)
  })
})
