import { sql } from "kysely"
import { expect } from "vitest"
import { withHearth } from "../../tests/support/fixture.ts"
import { isSiteAdministrator, type SignedIn } from "../core/actor.ts"
import { Mode } from "./modes.ts"
import { permissionsOn, unitMode } from "./permission.ts"
import { locateRepository } from "./policies/repositories.ts"
import { findUserByName } from "./store.ts"
import { readableRepositories, visibleRepositories } from "./visibility.ts"

withHearth("a caller with a deploy key", {}, ({ test, forge }) => {
  test.beforeAll(async () => {
    for (const name of ["own", "other"]) await forge.call(forge.root, "POST /user/repos", { name, private: name === "other" })
  })

  /** The site's administrator owns the repository, which gives the key no further rights. */
  async function bearer(isReadOnly: boolean): Promise<SignedIn> {
    const { read } = forge.hearth.services.database
    const user = await findUserByName.first(read, { lowerName: "root" })
    const own = await read.selectFrom("repositories").select("id").where("lower_name", "=", "own").executeTakeFirstOrThrow()
    if (!user) throw new Error("there is an administrator")
    return { kind: "user", user, credential: { kind: "deployKey", keyId: 1, repositoryId: own.id, isReadOnly }, basic: false }
  }

  test.each([
    [true, Mode.read],
    [false, Mode.write],
  ])("may do with its code and wiki what the key may (read-only: %s), and nothing else with it", async (isReadOnly, mode) => {
    const { read } = forge.hearth.services.database
    const actor = await bearer(isReadOnly)
    const { permission, repository } = await locateRepository(read, actor, "root", "own")
    expect(permission.mode).toBe(Mode.none)
    for (const unit of ["repo.code", "repo.wiki"] as const) expect(unitMode(permission, repository, unit)).toBe(mode)
    for (const unit of ["repo.issues", "repo.pulls", "repo.releases"] as const)
      expect(unitMode(permission, repository, unit)).toBe(Mode.none)
    expect(isSiteAdministrator(actor)).toBe(false)
  })

  test("knows of no other repository, in lists as well", async () => {
    const { read } = forge.hearth.services.database
    const actor = await bearer(false)
    await expect(locateRepository(read, actor, "root", "other")).rejects.toMatchObject({ kind: "notFound" })
    for (const condition of [visibleRepositories(actor), readableRepositories(actor, sql<string>`'repo.code'`)]) {
      const rows = await read.selectFrom("repositories").select("name").where(condition).execute()
      expect(rows.map(({ name }) => name)).toEqual(["own"])
    }
    const [owner] = await read.selectFrom("users").selectAll().where("lower_name", "=", "root").execute()
    const repositories = await read.selectFrom("repositories").selectAll().orderBy("id").execute()
    const permissions = await permissionsOn(
      read,
      actor,
      repositories.flatMap((repository) => (owner ? { repository, owner } : [])),
    )
    expect(repositories.map(({ id }) => permissions.get(id)?.units.get("repo.code") ?? Mode.none)).toEqual([Mode.write, Mode.none])
  })
})
