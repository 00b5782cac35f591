import { describe, expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { basic } from "../../../../tests/support/hearth.ts"

withHearth("a person's own settings", { people: ["alice", "bob"] }, ({ test, forge, alice, bob }) => {
  test("have the theme that clients expect until another is chosen", async () => {
    expect((await forge.call(bob, "GET /user/settings")).body).toMatchObject({ theme: "gitea-auto", diff_view_style: "" })
    expect((await forge.call(undefined, "GET /settings/ui")).body.default_theme).toBe("gitea-auto")
    await forge.call(bob, "PATCH /user/settings", { theme: "gitea-dark" })
    expect((await forge.call(bob, "GET /user/settings")).body.theme).toBe("gitea-dark")
  })

  test("change only what is sent", async () => {
    const all = {
      full_name: "Alice A.",
      website: "https://alice.example.com/",
      description: "tries things",
      location: "Porto",
      language: "en-US",
      theme: "dark",
      diff_view_style: "unified",
      hide_email: false,
      hide_activity: true,
    }
    expect(await forge.call(alice, "PATCH /user/settings", all)).toMatchObject({ status: 200, body: all })
    const changed = { ...all, location: "", website: "" }
    expect((await forge.call(alice, "PATCH /user/settings", { full_name: null, location: "", website: "" })).body).toEqual(changed)
    expect((await forge.call(alice, "GET /user/settings")).body).toEqual(changed)
  })

  test.each([
    { website: "alice.example" },
    { full_name: "f".repeat(101) },
    { location: "l".repeat(51) },
    { description: "d".repeat(256) },
    { diff_view_style: "sideways" },
    { hide_email: "yes" },
  ])("refuse %j", async (body) => {
    expect(await forge.call(alice, "PATCH /user/settings", body)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(`[${Object.keys(body)[0]}]`) },
    })
  })

  test("are the caller's only", async () => {
    for (const route of ["GET /user/settings", "PATCH /user/settings", "GET /user/emails", "DELETE /user/avatar"])
      expect((await forge.call(undefined, route)).status).toBe(401)
    const narrow = await forge.call(alice, "POST /users/alice/tokens", { name: "narrow", scopes: ["public-only", "write:user"] })
    expect((await forge.call(`token ${narrow.body.sha1}`, "GET /user/settings")).status).toBe(403)
    expect((await forge.call(`token ${narrow.body.sha1}`, "GET /user/emails")).status).toBe(403)
  })

  test("a hidden address is not shown, and can't be searched by", async () => {
    const found = async (caller: string | undefined, q: string) =>
      (await forge.call(caller, `GET /users/search?q=${q}`)).body.data.map((user: { email: string }) => user.email)
    expect(await found(bob, "alice@example.com")).toEqual(["alice@example.com"])
    expect(await found(undefined, "alice@example.com")).toEqual([])
    await forge.call(alice, "PATCH /user/settings", { hide_email: true })
    expect(await found(bob, "alice@example.com")).toEqual([])
    expect(await found(bob, "alice")).toEqual([expect.stringMatching(/^\d+\+alice@noreply\./)])
    expect(await found(alice, "alice@example.com")).toEqual(["alice@example.com"])
    expect(await found(forge.root, "alice@example.com")).toEqual(["alice@example.com"])
  })

  describe("addresses", () => {
    const emails = async (caller: string) =>
      (await forge.call(caller, "GET /user/emails")).body.map((entry: { email: string }) => entry.email)

    test("are added, in the case that was sent, and sign in at once", async () => {
      const added = await forge.call(alice, "POST /user/emails", { emails: ["work@example.com", "Home@Example.com"] })
      expect(added.status).toBe(201)
      expect(added.body).toEqual([
        { email: "alice@example.com", verified: true, primary: true, user_id: 0, username: "" },
        { email: "work@example.com", verified: true, primary: false, user_id: 0, username: "" },
        { email: "Home@Example.com", verified: true, primary: false, user_id: 0, username: "" },
      ])
      expect((await forge.call(basic("home@example.COM", "pass-word-1"), "GET /user")).body).toMatchObject({ login: "alice" })
    })

    test("are refused whole when one is taken or none", async () => {
      for (const bad of ["WORK@example.com", "nonsense", "-rf@example.com", "bob@example.com"])
        expect((await forge.call(bob, "POST /user/emails", { emails: ["new@example.com", bad] })).status).toBe(422)
      expect((await forge.call(bob, "POST /user/emails", { emails: [] })).status).toBe(422)
      expect(await emails(bob)).toEqual(["bob@example.com"])
    })

    test("are removed whole, and sign in no longer", async () => {
      expect((await forge.call(bob, "DELETE /user/emails", { emails: ["work@example.com"] })).status).toBe(404)
      expect((await forge.call(alice, "DELETE /user/emails", { emails: ["work@example.com", "other@example.com"] })).status).toBe(404)
      expect((await forge.call(alice, "DELETE /user/emails", { emails: ["work@example.com", "alice@example.com"] })).status).toBe(422)
      expect(await emails(alice)).toHaveLength(3)
      expect((await forge.call(alice, "DELETE /user/emails", { emails: ["HOME@example.com"] })).status).toBe(204)
      expect(await emails(alice)).toEqual(["alice@example.com", "work@example.com"])
      expect((await forge.call(basic("home@example.com", "pass-word-1"), "GET /user")).status).toBe(401)
    })

    test("one of the own may become the primary one", async () => {
      await forge.call(forge.root, "PATCH /admin/users/alice", { login_name: "alice", email: "work@example.com" })
      expect(await emails(alice)).toEqual(["work@example.com"])
    })
  })

  describe("the picture", () => {
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")
    const address = async () => (await forge.call(alice, "GET /user")).body.avatar_url

    test("is drawn, then the uploaded one, then drawn again", async () => {
      const drawn = await address()
      const image = await fetch(drawn)
      expect(image.headers.get("content-type")).toBe("image/svg+xml")
      expect(image.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(image.headers.get("x-content-type-options")).toBe("nosniff")
      expect(await image.text()).toMatch(/^<svg/)

      expect((await forge.call(alice, "POST /user/avatar", { image: png.toString("base64") })).status).toBe(204)
      const uploaded = await address()
      const shown = await fetch(uploaded)
      expect(shown.headers.get("content-type")).toBe("image/png")
      expect(shown.headers.get("cache-control")).toContain("immutable")
      expect(Buffer.from(await shown.arrayBuffer()).equals(png)).toBe(true)

      expect((await forge.call(alice, "DELETE /user/avatar")).status).toBe(204)
      expect(await address()).toBe(drawn)
      expect((await fetch(uploaded)).headers.get("content-type")).toBe("image/svg+xml")
    })

    test("stays while another user shows the same", async () => {
      for (const caller of [alice, bob]) await forge.call(caller, "POST /user/avatar", { image: png.toString("base64") })
      await forge.call(alice, "DELETE /user/avatar")
      const { avatar_url } = (await forge.call(bob, "GET /user")).body
      expect((await fetch(avatar_url)).headers.get("content-type")).toBe("image/png")
    })

    test.each([
      ["no base64", "***", 400],
      ["a page", Buffer.from("<html><script>alert(1)</script></html>").toString("base64"), 422],
      ["an SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("base64"), 422],
      ["nothing", "", 422],
      ["too many bytes", Buffer.concat([png, Buffer.alloc(1024 * 1024)]).toString("base64"), 422],
      ["too many pixels", Buffer.concat([png.subarray(0, 16), Buffer.from("00010000", "hex"), png.subarray(20)]).toString("base64"), 422],
    ])("refuses %s", async (_, image, status) => {
      const before = await address()
      expect(await forge.call(alice, "POST /user/avatar", { image })).toMatchObject({
        status,
        body: { message: expect.stringContaining("[image]") },
      })
      expect(await address()).toBe(before)
    })

    test("has no other addresses", async () => {
      for (const path of ["x", "..%2F..%2Fsecret.key", "a".repeat(40)])
        expect((await fetch(`${forge.hearth.url}/avatars/${path}`)).status).toBe(404)
    })
  })
})
