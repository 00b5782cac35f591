import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { client, ok } from "../../src/git/testing.ts"
import { openBrowser } from "../support/browser.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"

/** What is held is nowhere, is created once at most, and can't flood anybody. */
const people = ["ann", "nel", "bob", "cat"] as const
const config = { newcomers: { gate: "held", perDay: 3, perAccountDay: 5, waitingPerAccount: 4, waitingPerRepository: 5 } } as const

withHearth("a gate for newcomers", { people, config }, ({ test, forge, call, status, settle, ann, nel, bob, cat }) => {
  const make = async (name: string, more = {}) => {
    await call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main", ...more })
    return `/repos/ann/${name}`
  }
  const ask = (who: string, at: string, title = "zebra") => call(who, `POST ${at}/issues`, { title, body: "zebra #1 @bob" })

  test("nothing of it is anywhere but with its author and those who decide", async () => {
    const at = await make("quiet")
    await call(ann, `POST ${at}/issues`, { title: "first" })
    const held = await ask(nel, at)
    await settle()
    const browser = openBrowser(forge.hearth.url)
    for (const who of [ann, bob, forge.root, undefined])
      for (const route of [
        `GET ${at}/issues?state=all`,
        `GET ${at}/issues/1/timeline`,
        `GET ${at}/issues/2`,
        `GET /repos/issues/search?q=zebra`,
        `GET ${at}/activities/feeds`,
        `GET /users/nel/activities/feeds`,
        `GET /notifications`,
        `GET ${at}`,
      ])
        expect(JSON.stringify((await call(who, route)).body ?? "")).not.toContain("zebra")
    expect((await call(ann, `GET ${at}`)).body).toMatchObject({ open_issues_count: 1 })
    for (const page of ["/ann/quiet/issues", "/ann/quiet.atom", "/nel.atom", "/nel", "/ann/quiet/issues/1"])
      expect((await browser.get(page)).text).not.toContain("zebra")
    for (const who of [bob, cat, undefined]) {
      expect(await status(who, `GET ${at}/held`)).toBe(who ? 403 : 401)
      expect(await status(who, `POST ${at}/held/${held.body.id}/approve`)).toBe(who ? 403 : 401)
      expect(await status(who, `DELETE /user/held/${held.body.id}`)).toBe(who ? 404 : 401)
    }
    // Of another repository it is nothing, whoever asks.
    const other = await make("other")
    expect(await status(ann, `POST ${other}/held/${held.body.id}/approve`)).toBe(404)
    expect(await status(nel, `DELETE /user/held/${held.body.id}`)).toBe(204)
    expect(await status(ann, `POST ${at}/held/${held.body.id}/approve`)).toBe(404)
  })

  test("approved twice at once, it is created once", async () => {
    const at = await make("twice")
    const { id } = (await ask(nel, at)).body
    const answers = await Promise.all(Array.from({ length: 4 }, () => status(ann, `POST ${at}/held/${id}/approve`)))
    expect(answers.filter((each) => each === 201)).toHaveLength(1)
    expect(answers.every((each) => [201, 404, 409].includes(each))).toBe(true)
    expect((await call(ann, `GET ${at}/issues`)).body).toHaveLength(1)
  })

  test("floods end at the bounds, also those of many at once", async () => {
    const at = await make("flooded")
    const one = await Promise.all(Array.from({ length: 8 }, (_, index) => status(bob, `POST ${at}/issues`, { title: `b${index}` })))
    expect([one.filter((each) => each === 202).length, one.filter((each) => each === 429).length]).toEqual([3, 5])
    const elsewhere = [await make("flood1"), await make("flood2"), await make("flood3")]
    expect(await Promise.all(elsewhere.map((each) => status(bob, `POST ${each}/issues`, { title: "more" })))).toEqual(
      expect.arrayContaining([202, 429, 429]),
    )
    const dan = await forge.person("dan")
    const many = [await status(cat, `POST ${at}/issues`, { title: "c" }), await status(cat, `POST ${at}/issues`, { title: "c" })]
    expect([...many, await status(dan, `POST ${at}/issues`, { title: "d" })]).toEqual([202, 202, 429])
    // Who was rejected may try again, as often as others.
    const [first] = (await call(ann, `GET ${at}/held`)).body
    expect(await status(ann, `POST ${at}/held/${first.id}/reject`, {})).toBe(204)
    expect(await status(bob, `POST ${at}/issues`, { title: "again" })).toBe(429)
  })

  test("what has changed meanwhile counts when it is approved", async () => {
    const at = await make("moving")
    const eve = await forge.person("eve")
    const { id } = (await ask(eve, at)).body
    await call(ann, `PATCH ${at}`, { private: true })
    expect([await status(ann, `POST ${at}/held/${id}/approve`), (await call(eve, "GET /user/held")).body]).toEqual([409, []])
    await call(ann, `PATCH ${at}`, { private: false })
    await call(forge.root, "PATCH /admin/users/eve", { login_name: "eve", source_id: 0, prohibit_login: true })
    expect(await status(ann, `POST ${at}/held/${id}/approve`)).toBe(409)
    await call(forge.root, "PATCH /admin/users/eve", { login_name: "eve", source_id: 0, prohibit_login: false })
    await call(eve, `POST ${at}/forks`, {})
    await settle()
    await call(eve, "POST /repos/eve/moving/branches", { new_branch_name: "side" })
    await call(eve, "POST /repos/eve/moving/contents/a", { content: "", message: "a", branch: "side" })
    const pull = (await call(eve, `POST ${at}/pulls`, { title: "side", base: "main", head: "eve:side" })).body
    expect(pull.kind).toBe("pull")
    await call(eve, "DELETE /repos/eve/moving/branches/side")
    expect(await status(ann, `POST ${at}/held/${pull.id}/approve`)).toBe(404)
    expect((await call(ann, `GET ${at}/held`)).body).toHaveLength(2)
    await call(ann, "POST /orgs", { username: "acme" })
    await call(ann, `POST ${at}/transfer`, { new_owner: "acme" })
    expect((await call(ann, "GET /repos/acme/moving/held")).body).toHaveLength(2)
    expect(await status(ann, `POST /repos/acme/moving/held/${id}/approve`)).toBe(201)
    expect((await call(ann, "GET /repos/acme/moving/issues")).body.map(({ number }: { number: number }) => number)).toEqual([1])
    expect(await status(ann, "DELETE /repos/acme/moving")).toBe(204)
    expect((await call(eve, "GET /user/held")).body).toEqual([])
  })

  test("commits are not offered past the gate", async () => {
    const at = await make("offered")
    const folder = await mkdtemp(join(tmpdir(), "hearth-newcomers-"))
    const address = `${forge.hearth.url}/ann/offered.git`.replace("//", `//nel:${PASSWORD}@`)
    await ok(folder, "clone", "-q", address, "work")
    const work = join(folder, "work")
    await ok(work, "commit", "-q", "--allow-empty", "-m", "zebra", "-m", `Change-Id: I${"0".repeat(40)}`)
    // One pull request, or one for each commit.
    for (const ref of ["refs/for/main/zebra", "refs/for/main"]) {
      const push = await client(work, ["push", "origin", `HEAD:${ref}`])
      expect([ref, push.code === 0, `${push.out}${push.err}`.includes("waits for approval")]).toEqual([ref, false, true])
    }
    expect((await client(work, ["ls-remote", "origin"])).out).not.toContain("refs/pull")
    await call(ann, `PATCH ${at}/newcomers`, { mode: "limited", per_day: 1, days: 0 })
    expect([await status(nel, `POST ${at}/issues`, { title: "a" }), await status(nel, `POST ${at}/issues`, { title: "b" })]).toEqual([
      201, 429,
    ])
    const series = await client(work, ["push", "origin", "HEAD:refs/for/main"])
    expect([series.code === 0, series.err.includes("newcomers may open only a few")]).toEqual([false, true])
    await rm(folder, { recursive: true })
  })
})
