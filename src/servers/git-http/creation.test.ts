import { expect } from "vitest"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { client, ok } from "../../git/testing.ts"
import { address, feed, openWorld, type Person, person, repository, tokenOf, workFolder } from "./testing.ts"

/** Pushing to a repository that does not exist. */
const open = (kind: FreshKind) => openWorld(kind, { git: { pushToCreate: { user: true, organization: true } } })

withWorld("push to create", { open }, ({ test, world }) => {
  let ada: Person
  let ben: Person
  let work: string

  test.beforeAll(async () => {
    ada = await person(world, "Ada")
    ben = await person(world, "ben")
    work = await workFolder(world, "work")
    await organization("org", ada)
  })

  const push = (path: string, { user, token }: Person, ...args: readonly string[]) =>
    client(work, ["push", ...args, address(world, path, user.name, token), "main"])
  const find = (lowerName: string) =>
    world.services.database.read.selectFrom("repositories").selectAll().where("lower_name", "=", lowerName).executeTakeFirst()

  async function organization(name: string, { user }: Person): Promise<void> {
    await world.services.database.write(async (tx) => {
      const plain = { email: "", created_at: 0, updated_at: 0, password_hash: "" }
      const { id } = await tx
        .insertInto("users")
        .values({ ...plain, kind: "organization", name, lower_name: name })
        .returning("id")
        .executeTakeFirstOrThrow()
      const team = {
        organization_id: id,
        name: "Owners",
        lower_name: "owners",
        mode: 4,
        can_create_repositories: 1,
        description: "",
        visibility: "private",
        created_at: 0,
      } as const
      const made = await tx
        .insertInto("teams")
        .values({ ...team, includes_all_repositories: 1 })
        .returning("id")
        .executeTakeFirstOrThrow()
      await tx.insertInto("organization_members").values({ organization_id: id, user_id: user.id, is_public: 0 }).execute()
      await tx.insertInto("team_members").values({ team_id: made.id, user_id: user.id, organization_id: id }).execute()
    })
  }

  test("makes it, private, with what was pushed in it", async () => {
    expect(await push("ada/Fresh.git", ada)).toMatchObject({ code: 0 })
    const row = await find("fresh")
    expect(row).toMatchObject({
      name: "Fresh",
      owner_id: ada.user.id,
      is_private: 1,
      is_empty: 0,
      default_branch: "main",
      branches_count: 1,
    })
    expect(row && (await feed(world, row)).map(({ op_type }) => op_type)).toEqual(["create_repo", "commit_repo", "commit_repo"])
    expect(await ok(work, "ls-remote", address(world, "ada/fresh", "ada", ada.token))).toContain("refs/heads/main")
    expect(await push("ada/fresh", ada)).toMatchObject({ code: 0 })
  })

  test("makes it public when the push says so", async () => {
    expect(await push("ada/shown", ada, "-o", "repo.private=false")).toMatchObject({ code: 0 })
    expect(await find("shown")).toMatchObject({ is_private: 0 })
  })

  test("in an organisation, for those who may create there", async () => {
    expect(await push("org/fresh2", ada)).toMatchObject({ code: 0 })
    expect(await find("fresh2")).toMatchObject({ is_private: 1 })
    expect((await push("org/fresh3", ben)).err).toContain("not found")
    expect(await find("fresh3")).toBeUndefined()
  })

  test("not below another user, not for anonymous callers, and not by fetching", async () => {
    expect((await push("ada/theirs", ben)).err).toContain("not found")
    expect((await client(work, ["push", address(world, "ada/theirs"), "main"])).err).toContain("could not read Username")
    expect((await client(work, ["ls-remote", address(world, "ada/theirs", "ada", ada.token)])).err).toContain("not found")
    expect(await find("theirs")).toBeUndefined()
  })

  test("not with a token that may not", async () => {
    for (const scopes of [["read:repository"], ["public-only", "all"]]) {
      const token = await tokenOf(world, ada, scopes)
      expect((await push("ada/bytoken", { ...ada, token })).code).toBe(1)
    }
    expect(await find("bytoken")).toBeUndefined()
  })

  test("not under a name that no repository may have", async () => {
    for (const name of ["a%20b", "x.wiki", "-", "a..b"]) {
      const run = await push(`ada/${name}`, ada)
      expect([name, run.code]).toEqual([name, 1])
    }
    expect((await push("ada/a%20b", ada)).err).toContain('must not contain " "')
  })

  test("a hidden repository of the same name stays hidden and whole", async () => {
    await repository(world, ben.user, "hidden", { isPrivate: true })
    expect((await push("ben/hidden", ada)).err).toContain("not found")
  })

  test("two first pushes at once make one repository", async () => {
    const runs = await Promise.all(
      ["a", "b", "c"].map((branch) => client(work, ["push", address(world, "ada/twice", "ada", ada.token), `main:${branch}`])),
    )
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(await find("twice")).toMatchObject({ branches_count: 3 })
  })
})
