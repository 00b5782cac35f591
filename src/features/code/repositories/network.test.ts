import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { freshHearth, type TestHearth } from "../../../../tests/support/hearth.ts"

describe.each(databaseKinds)("the page of a network of forks on %s", (kind) => {
  let forge: TestHearth
  beforeAll(async () => {
    forge = await freshHearth(kind)
    const ann = await forge.person("ann")
    await forge.call(ann, "POST /user/repos", { name: "tools", auto_init: true })
    await forge.call(ann, "POST /user/repos", { name: "alone" })
    expect((await forge.call(await forge.person("ben"), "POST /repos/ann/tools/forks", {})).status).toBe(202)
    expect((await forge.call(await forge.person("cal"), "POST /repos/ben/tools/forks", {})).status).toBe(202)
  })
  afterAll(() => forge.close())
  const get = async (path: string) => {
    const answer = await fetch(`${forge.hearth.url}${path}`, { headers: { accept: "text/html" } })
    return { status: answer.status, text: await answer.text() }
  }

  test("shows the whole tree from each of its repositories, and those who may not see one nothing of it", async () => {
    for (const [at, current] of ["ann", "ben", "cal"].map((name) => [`/${name}/tools`, name] as const)) {
      const { status, text } = await get(`${at}/network`)
      expect(status).toBe(200)
      expect(text).toMatch(/class="card network">.*href="\/ann\/tools".*<ul>.*href="\/ben\/tools".*<ul>.*href="\/cal\/tools"/s)
      expect(text).toMatch(new RegExp(`href="/${current}/tools" aria-current="true"`))
    }
    expect((await get("/ann/alone/network")).text).toContain("No forks yet")
    await forge.hearth.services.database.write((tx) =>
      tx.updateTable("repositories").set({ is_private: 1 }).where("fork_of_id", "is not", null).execute(),
    )
    const { text } = await get("/ann/tools/network")
    expect(text).toContain("No forks yet")
    expect(text).not.toContain("ben")
    expect((await get("/ben/tools/network")).status).toBe(404)
  })
})
