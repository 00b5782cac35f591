import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"

/** Addresses are shown as they were given, and compared without regard to letter case. */
withHearth("the letter case of e-mail addresses", { people: ["ann"], on: databaseKinds }, ({ test, forge, call, ann }) => {
  let count = 0
  /** A person whose address has capitals. */
  async function made() {
    const name = `eve${++count}`
    const email = `Eve.${count}@Example.COM`
    const { status, body } = await call(forge.root, "POST /admin/users", { username: name, email, password: "eve-pass-1" })
    expect([status, body.email]).toEqual([201, email])
    return { name, email, lower: email.toLowerCase(), upper: email.toUpperCase() }
  }
  const taken = (email: string) => expect.stringContaining(`${email} is in use already`)

  test("an address in other letters is taken, for administrators too", async () => {
    const { email, lower, upper } = await made()
    const another = { username: "other", password: "other-pass-1" }
    for (const same of [email, lower, upper])
      expect(await call(forge.root, "POST /admin/users", { ...another, email: same })).toMatchObject({
        status: 422,
        body: { message: taken(same) },
      })
    expect((await call(forge.root, "PATCH /admin/users/ann", { login_name: "ann", source_id: 0, email: upper })).status).toBe(400)
    expect((await call(ann, "POST /user/emails", { emails: [lower] })).status).toBe(422)
  })

  test("an administrator's change of letters alone is shown", async () => {
    const { name, upper } = await made()
    const edited = await call(forge.root, `PATCH /admin/users/${name}`, { login_name: name, source_id: 0, email: upper })
    expect([edited.status, edited.body.email]).toEqual([200, upper])
  })

  test("searches find it in any letters", async () => {
    const { name, email, lower, upper } = await made()
    for (const q of [email, lower, upper]) {
      const addresses = await call(forge.root, `GET /admin/emails/search?q=${q}`)
      expect(addresses.body.map((entry: { email: string }) => entry.email)).toEqual([email])
      const people = await call(forge.root, `GET /users/search?q=${q}`)
      expect(people.body.data.map(({ login }: { login: string }) => login)).toEqual([name])
    }
  })

  test("commits belong to their author in any letters, and say what git says", async () => {
    const { name, upper } = await made()
    await call(ann, "POST /user/repos", { name: `box${count}`, auto_init: true })
    const at = `/repos/ann/box${count}`
    const author = { name: "Eve", email: upper }
    await call(ann, `POST ${at}/contents/a.txt`, { content: "", message: "m", author })
    const [commit] = (await call(ann, `GET ${at}/commits`)).body
    expect([commit.author.login, commit.commit.author.email]).toEqual([name, upper])
  })
})
