import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import { type FreshKind, statementsOf } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"

const HOSTILE = `<img src=x onerror="alert(1)">'"</title>`

async function open(kind: FreshKind) {
  const forge = await freshHearth(kind)
  const { call } = forge
  const [ann, ben, zoe] = [await forge.person("ann"), await forge.person("ben"), await forge.person("zoe", { visibility: "private" })]
  await call(ann, "PATCH /user/settings", {
    full_name: HOSTILE,
    description: HOSTILE,
    location: HOSTILE,
    website: `https://example.com/"onclick=`,
  })
  for (const name of ["open", "closed"])
    await call(ann, "POST /user/repos", { name, description: HOSTILE, private: name === "closed", auto_init: true })
  await call(ann, "POST /orgs", { username: "crew", description: HOSTILE, full_name: HOSTILE })
  await call(ann, "POST /orgs/crew/repos", { name: "ship" })
  await call(ann, "POST /orgs/crew/teams", { name: "deck", units_map: { "repo.code": "read", "repo.issues": "write" } })
  const as = async (name?: string) => {
    const browser = openBrowser(forge.hearth.url)
    if (name !== undefined) await browser.signIn(name, PASSWORD)
    return browser
  }
  const statements = async (path: string) => {
    const browser = await as("ben")
    await browser.get(path)
    // Anything written makes what is cached old.
    await call(ben, "PATCH /user/settings", { location: `${Math.random()}` })
    return (await statementsOf(forge.hearth.services.database, () => browser.get(path))).length
  }
  return { ...forge, ann, ben, zoe, as, statements }
}

withWorld("pages of people and organisations", { open }, ({ test, world }) => {
  test("what people write about themselves is text", async () => {
    const nobody = await world.as()
    for (const path of ["/ann", "/ann?tab=repositories", "/ann?tab=activity", "/crew", "/explore/users", "/explore/organizations", "/"]) {
      const { status, text } = await nobody.get(path)
      expect([path, status]).toEqual([path, 200])
      expect(text).not.toContain("<img src=x")
      expect(text.match(/<h1\b/g)).toHaveLength(1)
    }
    const { text } = await nobody.get("/ann")
    expect(text).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;")
    expect(text).toMatch(/<a href="https:\/\/example\.com\/&quot;onclick=" rel="nofollow me noopener">/)
  })

  test("lists of repositories are filtered by language", async () => {
    const { database } = world.hearth.services
    for (const [name, language] of [
      ["open", "TypeScript"],
      ["closed", "C#"],
      ["ship", "Go"],
    ] as const)
      await database.write((tx) => tx.updateTable("repositories").set({ language }).where("lower_name", "=", name).execute())
    const [nobody, ann] = [await world.as(), await world.as("ann")]
    const has = async (browser: typeof nobody, path: string) => {
      const { status, text } = await browser.get(path)
      expect([path, status]).toEqual([path, 200])
      return ["open", "closed", "ship"].filter((name) => text.includes(`/${name}"><bdi>`))
    }
    expect(await has(nobody, "/explore/repos?language=typescript")).toEqual(["open"])
    expect(await has(nobody, "/explore/repos?language=C%23")).toEqual([])
    expect(await has(ann, "/explore/repos?language=C%23")).toEqual(["closed"])
    expect(await has(ann, "/ann?tab=repositories&language=Go")).toEqual([])
    expect(await has(nobody, "/crew?tab=repositories&language=Go")).toEqual(["ship"])
    expect(await has(ann, `/explore/repos?language=${encodeURIComponent("'; --%_\\")}`)).toEqual([])
    // The menu names no language of what the reader may not see.
    const { text } = await nobody.get("/explore/repos")
    expect(text).toContain('href="/explore/repos?language=TypeScript"')
    expect(text).not.toContain("C#")
    expect((await ann.get("/ann?tab=repositories")).text).toContain('href="/ann?tab=repositories&amp;language=C%23"')
    await database.write((tx) => tx.updateTable("repositories").set({ language: "" }).execute())
  })

  test("a private profile, and everything below it, is missing for others", async () => {
    const [nobody, ben, zoe] = [await world.as(), await world.as("ben"), await world.as("zoe")]
    for (const path of ["/zoe", "/zoe?tab=stars", "/zoe.atom", "/zoe.rss", "/zoe.png", "/zoe/-/repositories"]) {
      expect((await nobody.get(path)).status).toBe(404)
      expect((await ben.get(path)).status).toBe(404)
    }
    expect((await zoe.get("/zoe")).status).toBe(200)
    expect((await nobody.get("/explore/users?q=zoe")).text).toContain("No users found")
    expect((await ben.post("/zoe/-/follow", {})).status).toBe(404)
  })

  test("private repositories are told of to no one: neither by lists nor by the stars of someone who sees them", async () => {
    const { ann, call } = world
    for (const name of ["open", "closed"]) await call(ann, `PUT /user/starred/ann/${name}`)
    const [nobody, self] = [await world.as(), await world.as("ann")]
    for (const tab of ["overview", "repositories", "stars", "watching", "activity"]) {
      expect((await nobody.get(`/ann?tab=${tab}`)).text).not.toContain("closed")
    }
    expect((await self.get("/ann?tab=stars")).text).toContain("/ann/closed")
    expect((await self.get("/ann?tab=repositories&private=true")).text).toContain("/ann/closed")
    expect((await nobody.get("/ann?tab=stars")).text).toContain("/ann/open")
  })

  test("one follows and unfollows with a button", async () => {
    const ben = await world.as("ben")
    const before = await ben.get("/ann")
    expect(before.text).toContain("Follow")
    const followed = await ben.submit(before, {})
    expect([followed.status, followed.location]).toEqual([303, "/ann"])
    const after = await ben.get("/ann")
    expect(after.text).toContain("Followed.")
    expect(after.text).toContain("Unfollow")
    expect((await (await world.as()).get("/ann?tab=followers")).text).toContain('href="/ben"')
    await ben.submit(after, {})
    expect((await ben.get("/ann?tab=followers")).text).toContain("No followers yet")
    const unknown = await (await world.as()).post("/ann/-/follow", {}, { accept: "text/html" })
    expect(unknown.text).toContain("Sign in")
    expect((await ben.get("/ann?tab=followers")).text).toContain("No followers yet")
    expect((await ben.get("/ben")).text).not.toContain("Follow</button>")
  })

  test("the README of .profile is shown; one that the reader may not see is not, and its links and scripts are harmless", async () => {
    const { ann, ben, call } = world
    const content = Buffer.from(`# Hello\n\n[link](javascript:alert(1)) <script>alert(1)</script>`).toString("base64")
    for (const [who, owner] of [
      [ann, "ann"],
      [ben, "ben"],
    ] as const) {
      await call(who, "POST /user/repos", { name: ".profile", private: owner === "ben" })
      const made = await call(who, `POST /repos/${owner}/.profile/contents/README.md`, { content, message: "Say hello" })
      expect(made.status).toBe(201)
    }
    const nobody = await world.as()
    const { text } = await nobody.get("/ann")
    expect(text).toContain("Hello</h1>")
    expect(text).not.toMatch(/javascript:|<script>alert/)
    expect((await nobody.get("/ben")).text).not.toContain("Hello</h1>")
    expect((await (await world.as("ben")).get("/ben")).text).toContain("Hello</h1>")
  })

  test("the heatmap counts, and a day of it leads to what was done then", async () => {
    const nobody = await world.as()
    const { text } = await nobody.get("/ann?tab=activity")
    const [, date = ""] = /href="\/ann\?tab=activity&amp;date=(\d{4}-\d{2}-\d{2})"/.exec(text) ?? []
    expect(date).not.toBe("")
    expect(text).toMatch(/\d+ contributions? in the last year/)
    expect((await nobody.get(`/ann?tab=activity&date=${date}`)).text).toContain("created <a")
    expect((await nobody.get("/ann?tab=activity&date=2001-01-01")).text).toContain("No activity on this day")
    expect((await nobody.get("/ann?tab=activity&date=nonsense")).text).toContain("created <a")
  })

  test("who hides their activity has none for others, and all of it for themselves", async () => {
    const { ben, call } = world
    await call(ben, "POST /user/repos", { name: "quiet" })
    await call(ben, "PATCH /user/settings", { hide_activity: true })
    expect((await (await world.as()).get("/ben?tab=activity")).text).toContain("This user’s activity is private")
    expect((await (await world.as()).get("/ben")).text).toContain("0 contributions in the last year")
    expect((await (await world.as("ben")).get("/ben?tab=activity")).text).toContain("/ben/quiet")
    await call(ben, "PATCH /user/settings", { hide_activity: false })
  })

  test("teams are for members; a team shows its people, its repositories and its rights", async () => {
    const [nobody, ben, ann] = [await world.as(), await world.as("ben"), await world.as("ann")]
    expect((await nobody.get("/crew")).text).not.toContain("/org/crew/teams")
    expect((await ann.get("/crew")).text).toContain("/org/crew/teams")
    for (const path of ["/org/crew/teams", "/org/crew/teams/deck", "/org/crew/teams/deck/repositories"]) {
      expect((await nobody.get(path)).location).toMatch(/^\/user\/login/)
      expect((await ben.get(path)).status).toBe(404)
      expect((await ann.get(path)).status).toBe(200)
    }
    const { text } = await ann.get("/org/crew/teams/DECK")
    expect(text).toContain('<th scope="row">Issues</th><td>Write</td>')
    expect(text).toContain('<th scope="row">Wiki</th><td>None</td>')
    expect((await ann.get("/org/crew/teams/nothing")).status).toBe(404)
    // Memberships are concealed until they are shown.
    expect((await nobody.get("/org/crew/members")).text).not.toContain('href="/ann"')
    expect((await ann.get("/org/crew/members")).text).toContain('href="/ann"')
  })

  test("members see roles, teams and who shows their membership; owners besides who has a second factor", async () => {
    const { call, ann: caller } = world
    await world.person("cat")
    const { id } = (await call(caller, "GET /orgs/crew/teams/search?q=deck")).body.data[0]
    await call(caller, `PUT /teams/${id}/members/cat`)
    await call(caller, "POST /orgs/crew/teams", { name: "hidden", visibility: "private", units_map: { "repo.code": "read" } })
    const list = "/org/crew/members"
    const [nobody, ann, member, ben] = [await world.as(), await world.as("ann"), await world.as("cat"), await world.as("ben")]
    const words = (text: string) => text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")
    const owners = (await ann.get(list)).text
    expect(words(owners)).toMatch(/ann .*Owner.*Two-factor off.*Private.*Owners.*cat .*Member.*Two-factor off.*deck/)
    const members = (await member.get(list)).text
    expect(words(members)).toMatch(/ann .*Owner.*cat .*Member.*deck/)
    expect(members).not.toContain("Two-factor")
    // A team that only its members and owners see.
    await call(caller, `PATCH /teams/${id}`, { name: "deck", visibility: "private" })
    expect(owners).toContain('action="/org/crew/members/cat/show"')
    expect(members).toContain('action="/org/crew/members/cat/show"')
    expect(members).not.toContain('action="/org/crew/members/ann/show"')

    const shown = await member.post(`${list}/cat/show`, {})
    expect([shown.status, shown.location]).toEqual([303, list])
    const outside = (await nobody.get(list)).text
    expect(outside).toContain('href="/cat"')
    expect(outside).not.toMatch(/Member<|Owner<|deck|Two-factor/)
    expect((await member.post(`${list}/ann/show`, {})).status).toBe(403)
    expect((await ben.post(`${list}/cat/hide`, {})).status).toBeGreaterThanOrEqual(403)
    expect((await ann.post(`${list}/ben/show`, {})).status).toBe(404)
    expect((await nobody.get(list)).text).toContain('href="/cat"')
    await ann.post(`${list}/cat/hide`, {})
    expect((await nobody.get(list)).text).not.toContain('href="/cat"')
  })

  test("an older name leads to the newer one, with what ends the address", async () => {
    const { root, call } = world
    await world.person("old")
    await call(root, "POST /admin/users/old/rename", { new_username: "new-name" })
    const nobody = await world.as()
    expect((await nobody.get("/old?tab=stars")).location).toBe("/new-name?tab=stars")
    expect((await nobody.get("/old.atom")).location).toBe("/new-name.atom")
    expect((await nobody.get("/OLD.png")).location).toBe("/new-name.png")
  })

  test("lists take the same number of statements however long they are", async () => {
    const { ben, call, statements } = world
    const paths = [
      "/ann?tab=repositories",
      "/ann",
      "/ann?tab=activity",
      "/ann?tab=stars",
      "/explore/users",
      "/crew",
      "/org/crew/members",
      "/",
    ]
    const before = []
    for (const path of paths) before.push(await statements(path))
    for (const name of ["n1", "n2", "n3"]) {
      await call(world.ann, "POST /user/repos", { name })
      await call(world.ann, `PUT /user/starred/ann/${name}`)
      await call(world.ann, "POST /orgs/crew/repos", { name })
      await call(ben, "POST /user/repos", { name })
      await world.person(name)
    }
    const after = []
    for (const path of paths) after.push(await statements(path))
    expect(after).toEqual(before)
  })
})
