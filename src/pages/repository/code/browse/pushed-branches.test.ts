import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { databaseKinds } from "../../../../../tests/support/database.ts"
import { effortOf } from "../../../../../tests/support/effort.ts"
import { freshHearth, PASSWORD, type TestHearth } from "../../../../../tests/support/hearth.ts"

describe.each(databaseKinds)("branches that someone pushed to a moment ago on %s", (kind) => {
  let forge: TestHearth
  let moment = 1_800_000_000
  const headers: Record<string, string> = {}
  const cookies: Record<string, string> = { nobody: "" }

  beforeAll(async () => {
    forge = await freshHearth(kind, {}, { now: () => moment })
    for (const name of ["ann", "ben", "cal"]) {
      headers[name] = await forge.person(name)
      const body = new URLSearchParams({ login: name, password: PASSWORD })
      const answer = await fetch(`${forge.hearth.url}/user/login`, { method: "POST", redirect: "manual", body })
      cookies[name] = answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
    }
    await call("ann", "POST /user/repos", { name: "tools", auto_init: true, default_branch: "main" })
  })
  afterAll(() => forge.close())

  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds
  const call = async (name: string, route: string, body?: object): Promise<any> => {
    const answer = await forge.call(headers[name] ?? "", route, body)
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  const push = (name: string, repo: string, branch: string, isNew = true) =>
    call(name, `POST /repos/${repo}/contents/${encodeURIComponent(branch)}-${moment}.txt`, {
      content: "",
      message: "Write",
      ...(isNew ? { branch: "main", new_branch: branch } : { branch }),
    })
  const hints = async (name: string, at = "/ann/tools") => {
    const answer = await fetch(`${forge.hearth.url}${at}`, { headers: { accept: "text/html", cookie: cookies[name] ?? "" } })
    return [...(await answer.text()).matchAll(/href="([^"]+\?expand=1)"/g)].map(([, address]) => address)
  }

  test("lead to the form of a pull request, for who pushed, while there is none", async () => {
    await push("ann", "ann/tools", "topic/one")
    const one = "/ann/tools/compare/main...topic/one?expand=1"
    expect(await hints("ann")).toEqual([one])
    for (const other of ["ben", "nobody"]) expect(await hints(other)).toEqual([])
    // The default branch needs none.
    await push("ann", "ann/tools", "main", false)
    moment += 60
    await push("ann", "ann/tools", "two")
    expect(await hints("ann")).toEqual(["/ann/tools/compare/main...two?expand=1", one])
    await call("ann", "POST /repos/ann/tools/pulls", { base: "main", head: "two", title: "Two" })
    expect(await hints("ann")).toEqual([one])
    await call("ann", "PATCH /repos/ann/tools/pulls/1", { state: "closed" })
    expect(await hints("ann")).toEqual([one])
    moment += 60
    await push("ann", "ann/tools", "two", false)
    expect(await hints("ann")).toHaveLength(2)
    await call("ann", "DELETE /repos/ann/tools/branches/two")
    expect(await hints("ann")).toEqual([one])
    moment += 7_200
    expect(await hints("ann")).toEqual([])
  })

  test("of one's own fork are shown in the repository, and none where no pull request can be opened", async () => {
    await call("ben", "POST /repos/ann/tools/forks", { name: "mine" })
    await push("ben", "ben/mine", "better")
    expect(await hints("ben")).toEqual(["/ann/tools/compare/main...ben/mine:better?expand=1"])
    expect(await hints("ann")).toEqual([])
    await call("ann", "PATCH /repos/ann/tools", { has_pull_requests: false })
    expect(await hints("ben")).toEqual([])
    await call("ann", "PATCH /repos/ann/tools", { has_pull_requests: true })
    expect(await hints("ben")).toHaveLength(1)
    await call("ann", "PATCH /repos/ann/tools", { archived: true })
    expect(await hints("ben")).toEqual([])
  })

  /*
   * Someone pushed 6,000 branches: each was compared with all others whenever that person looked at the repository, three seconds in which no one else was served.
   */
  test("are the newest few, however many there are", async () => {
    await call("cal", "POST /user/repos", { name: "many", auto_init: true, default_branch: "main" })
    moment += 60
    await push("cal", "cal/many", "own")
    const { database } = forge.hearth.services
    const found = await database.read.selectFrom("branches").selectAll().where("name", "=", "own").executeTakeFirstOrThrow()
    const { id: _, ...own } = found
    const many = Array.from({ length: 6000 }, (_, index) => ({ ...own, name: `branch-${String(index).padStart(4, "0")}` }))
    await database.write(async (tx) => {
      for (let start = 0; start < many.length; start += 500)
        await tx
          .insertInto("branches")
          .values(many.slice(start, start + 500))
          .execute()
    })
    await hints("cal", "/cal/many")
    const effort = await effortOf(async () => expect(await hints("cal", "/cal/many")).toHaveLength(3))
    expect(effort).toBeLessThan(0.5)
  })
})
