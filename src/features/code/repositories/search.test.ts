import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"

withHearth("repositories that someone works on", { people: ["ann", "ben"] }, ({ test, forge, ann, ben }) => {
  const make = async (organization: string, name: string, isPrivate = false): Promise<void> => {
    const { status } = await forge.call(ann, `POST /orgs/${organization}/repos`, { name, private: isPrivate })
    expect(status).toBe(201)
  }
  test.beforeAll(async () => {
    for (const [organization, visibility] of [
      ["guild", "public"],
      ["club", "limited"],
      ["cabal", "private"],
    ] as const) {
      await forge.call(ann, "POST /orgs", { username: organization, visibility })
      await make(organization, `${organization}-open`)
      await make(organization, `${organization}-secret`, true)
      await make(organization, `${organization}-work`)
      const { body: team } = await forge.call(ann, `POST /orgs/${organization}/teams`, {
        name: "hands",
        units_map: { "repo.code": "read" },
      })
      await forge.call(ann, `PUT /teams/${team.id}/repos/${organization}/${organization}-work`)
      await forge.call(ann, `PUT /teams/${team.id}/members/ben`)
    }
    await forge.call(ann, "POST /user/repos", { name: "shared", private: true })
    await forge.call(ann, "PUT /repos/ann/shared/collaborators/ben", { permission: "read" })
    await forge.call(ann, "POST /user/repos", { name: "foreign" })
    await forge.call(ben, "POST /user/repos", { name: "own" })
  })
  const names = async (path: string): Promise<readonly string[]> => {
    const { body, headers } = await forge.call(ben, `GET ${path}`)
    const rows: readonly { readonly name: string }[] = body.data ?? body
    expect(headers.get("x-total-count")).toBe(String(rows.length))
    return rows.map(({ name }) => name).toSorted()
  }
  // Everyone finds what others have in a public or limited organisation; what a private one shows to its members alone is theirs.
  const WORK = ["cabal-open", "cabal-work", "club-work", "guild-work", "shared"]

  test("their own list has what they own, share, or reach through a team", async () => {
    expect(await names("/user/repos")).toEqual([...WORK, "own"].toSorted())
  })

  test("so have searches for a person, and collaborative ones without their own", async () => {
    const { id } = (await forge.call(ben, "GET /user")).body
    expect(await names(`/repos/search?uid=${id}`)).toEqual([...WORK, "own"].toSorted())
    expect(await names(`/repos/search?uid=${id}&mode=collaborative`)).toEqual(WORK)
  })

  test("all of an organisation are its owner's", async () => {
    const { body } = await forge.call(ann, "GET /user/repos")
    expect(body.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["guild-open", "guild-secret", "club-open"]))
  })
})
