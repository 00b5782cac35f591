import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openCheckedWorld, type Person } from "../../../../tests/support/world.ts"
import { cleanUpAfter, send } from "../testing.ts"
import { type RuleOptions, removeRule, saveRule } from "./cleanup.ts"
import { findRules } from "./rules-store.ts"

withWorld("rules of cleaning up", { open: openCheckedWorld, on: databaseKinds }, ({ test, world }) => {
  const rule = (more: Partial<RuleOptions>): RuleOptions => ({
    type: "generic",
    isEnabled: true,
    keepCount: 0,
    keepPattern: "",
    removeDays: 0,
    removePattern: "",
    ...more,
  })
  const upload = async (who: Person, ...paths: readonly string[]) => {
    for (const path of paths)
      expect((await send(world.hearth, who, `PUT ${who.name}/generic/${path}/file`, { body: path })).status).toBe(201)
  }
  const versions = async (who: Person) =>
    (await world.must<readonly { name: string; version: string }[]>(who, `GET /packages/${who.name}`)).map(
      ({ name, version }) => `${name} ${version}`,
    )

  test("keep the newest, what is young, and what a pattern names", async () => {
    const { services } = world.hearth
    const ann = await world.person()
    const paths = ["a/1.0", "a/1.1-nightly.1", "a/1.1-nightly.2", "a/1.1", "a/1.2-NIGHTLY.3", "b/1.1-nightly.1"]
    await upload(ann, ...paths)
    const all = paths.map((path) => path.replace("/", " ")).toReversed()
    await saveRule(services, ann, rule({ removeDays: 7, removePattern: ".*-nightly\\.\\d+", keepCount: 1 }))
    await cleanUpAfter(services, 6)
    expect(await versions(ann)).toEqual(all)
    await saveRule(services, ann, rule({ isEnabled: false, removeDays: 7 }))
    await cleanUpAfter(services, 8)
    expect(await versions(ann)).toEqual(all)
    // A pattern is for the whole version.
    await saveRule(services, ann, rule({ removeDays: 7, removePattern: "nightly" }))
    await cleanUpAfter(services, 8)
    expect(await versions(ann)).toEqual(all)
    await saveRule(services, ann, rule({ removeDays: 7, removePattern: ".*-nightly\\.\\d+", keepCount: 1, keepPattern: ".*\\.2" }))
    await cleanUpAfter(services, 8)
    expect(await versions(ann)).toEqual(["b 1.1-nightly.1", "a 1.2-NIGHTLY.3", "a 1.1", "a 1.1-nightly.2", "a 1.0"])
    expect(await removeRule(services, ann, "generic")).toBe(true)
    expect(await removeRule(services, ann, "generic")).toBe(false)
  })

  test("tell what is wrong with them", async () => {
    const { services } = world.hearth
    const ann = await world.person()
    await expect(saveRule(services, ann, rule({ keepPattern: "(" }))).rejects.toThrow("regular expression")
    await expect(saveRule(services, ann, rule({ removePattern: "(?=a)" }))).rejects.toThrow("regular expression")
    await expect(saveRule(services, ann, rule({ keepCount: -1 }))).rejects.toThrow("whole number")
    await expect(saveRule(services, ann, rule({ removeDays: 1.5 }))).rejects.toThrow("whole number")
    await expect(saveRule(services, { id: 999_999 }, rule({}))).rejects.toThrow("not found")
  })

  test("a broken one is told of, removes nothing, and holds up no other", async () => {
    const { services } = world.hearth
    const [ann, ben] = [await world.person(), await world.person()]
    for (const who of [ann, ben]) {
      await upload(who, "a/1", "a/2")
      await saveRule(services, who, rule({ keepCount: 1 }))
    }
    await services.database.write((tx) =>
      tx.updateTable("package_rules").set({ remove_pattern: "(" }).where("owner_id", "=", ann.id).execute(),
    )
    await expect(cleanUpAfter(services, 1)).rejects.toThrow(`could not be followed: ${ann.name}/generic`)
    expect([await versions(ann), await versions(ben)]).toEqual([["a 2", "a 1"], ["a 2"]])
    const told = async (who: Person) => (await findRules(services.database.read, { ownerId: who.id })).map(({ failure }) => failure)
    expect([await told(ann), await told(ben)]).toEqual([[expect.stringContaining("can't be read")], [""]])
    await saveRule(services, ann, rule({ keepCount: 1 }))
    await cleanUpAfter(services, 1)
    expect([await versions(ann), await told(ann)]).toEqual([["a 2"], [""]])
  })
})

const limited = { packages: { maxOwnerBytes: 1000, maxOwnerVersions: 3 } }
withWorld("limits of an owner", { open: (kind) => openCheckedWorld(kind, limited), on: databaseKinds }, ({ test, world }) => {
  const put = (who: Person, path: string, bytes: number, by: { authorization: string } = who) =>
    send(world.hearth, by, `PUT ${who.name}/generic/${path}`, { body: Buffer.alloc(bytes, path) })

  test("of bytes: counted for every file, told in words, and free again after a deletion", async () => {
    const ann = await world.person()
    expect((await put(ann, "a/1/a", 600)).status).toBe(201)
    const refused = await put(ann, "a/1/b", 401)
    expect([refused.status, refused.text]).toEqual([413, "the owner's packages take 600 bytes, and may take 1000; remove some first\n"])
    expect((await put(ann, "a/1/b", 400)).status).toBe(201)
    expect((await put(ann, "a/1/c", 1)).status).toBe(413)
    await world.must(ann, `DELETE /packages/${ann.name}/generic/a`)
    expect((await put(ann, "a/1/a", 600)).status).toBe(201)
    // Administrators of the site are exempt.
    expect((await put(ann, "a/1/b", 600, { authorization: world.root })).status).toBe(201)
  })

  test("of versions", async () => {
    const ann = await world.person()
    for (const version of [1, 2, 3]) expect((await put(ann, `a/${version}/a`, 1)).status).toBe(201)
    expect((await put(ann, "b/1/a", 1)).status).toBe(413)
    expect((await put(ann, "a/3/b", 1)).status).toBe(201)
    const records = await world.must<readonly object[]>(ann, `GET /packages/${ann.name}`)
    expect(records).toHaveLength(3)
  })

  test("hold for uploads that arrive together", async () => {
    const ann = await world.person()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => put(ann, `race/1/${index}`, 300)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 413, 413, 413, 413, 413])
  })
})
