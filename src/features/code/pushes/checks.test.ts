import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type FreshDatabase, freshDatabase } from "../../../../tests/support/database.ts"
import type { Owned, Repository } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { localTime } from "../../../core/record.ts"
import { type RefCommand, refName } from "../../../git/index.ts"
import { createPerson } from "../../people/users/rules.ts"
import { chooseDefault } from "./branches.ts"
import { checkCommands } from "./checks.ts"
import { pushContent } from "./content.ts"
import { optionsRefused, readOptions } from "./options.ts"

let fresh: FreshDatabase
let owned: Owned

beforeAll(async () => {
  fresh = await freshDatabase("memory")
  owned = await fresh.database.write(async (tx) => {
    const owner = await createPerson(tx, { name: "ada", email: "ada@example.com", passwordHash: "", now: 0 })
    const names = { name: "repo", lower_name: "repo", storage: "ab/cd", default_branch: "main" }
    const plain = { object_format: "sha1" as const, created_at: 0, updated_at: 0 }
    const repository = await tx
      .insertInto("repositories")
      .values({ owner_id: owner.id, ...names, ...plain })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { owner, repository }
  })
})
afterAll(() => fresh.drop())

/** A permission of this mode on a repository with these values. */
const standing = (mode: number, values: Partial<Repository> = {}): OnRepository => ({
  owner: owned.owner,
  repository: { ...owned.repository, ...values },
  permission: { mode, units: new Map() },
})

const command = (ref: string, kind: RefCommand["kind"] = "create"): RefCommand => ({
  ref: refName(ref),
  kind,
  oldId: null,
  newId: null,
  forced: false,
})

describe("the checks of references", () => {
  const verdict = (on: OnRepository, ...commands: readonly RefCommand[]) =>
    Object.fromEntries([...checkCommands(on, commands)].map(([ref, reason]) => [ref, String(reason)]))

  test("lets writers write branches, tags and everything of their own", () => {
    const names = ["refs/heads/main", "refs/heads/a/b", "refs/tags/v1", "refs/notes/commits", "refs/changes/1"]
    expect(verdict(standing(2), ...names.map((name) => command(name)))).toEqual({})
    expect(verdict(standing(2), command("refs/heads/other", "delete"), command("refs/tags/main", "delete"))).toEqual({})
  })

  test("refuses everyone else", () => {
    expect(verdict(standing(1), command("refs/heads/x"))).toEqual({ "refs/heads/x": "User permission denied for writing." })
    expect(verdict(standing(2, { has_code: 0 }), command("refs/heads/x"))).toEqual({
      "refs/heads/x": "User permission denied for writing.",
    })
  })

  test("a team's grant on the code is enough", () => {
    const on = { ...standing(1), permission: { mode: 1, units: new Map([["repo.code", 2]]) } }
    expect(verdict(on, command("refs/heads/x"))).toEqual({})
  })

  test("keeps the default branch, but not others", () => {
    expect(verdict(standing(4), command("refs/heads/main", "delete"), command("refs/heads/mai", "delete"))).toEqual({
      "refs/heads/main": "branch main is the default branch and cannot be deleted",
    })
  })

  test("keeps names that only the service writes, or that mean something else", () => {
    const names = ["refs/pull/1/head", "refs/for/main", "refs/heads/-x", "refs/heads/HEAD", "refs/tags/-x"]
    expect(Object.keys(verdict(standing(4), ...names.map((name) => command(name))))).toEqual(names)
  })

  test("keeps archived repositories and mirrors as they are", () => {
    expect(Object.values(verdict(standing(4, { is_archived: 1 }), command("refs/heads/x")))[0]).toContain("archived")
    expect(Object.values(verdict(standing(4, { is_mirror: 1 }), command("refs/heads/x")))[0]).toContain("read-only")
  })
})

describe("push options", () => {
  test("are read with and without a value, the last one counting", () => {
    expect(readOptions([])).toEqual({})
    expect(readOptions(["ci.skip", "repo.privateer"])).toEqual({})
    expect(readOptions(["repo.private"])).toEqual({ isPrivate: true })
    expect(readOptions(["repo.private=true", "repo.private=false", "repo.template=1"])).toEqual({ isPrivate: false, isTemplate: true })
  })

  test("take an administrator", () => {
    expect(optionsRefused(standing(3), ["repo.private"])).toBeUndefined()
    expect(optionsRefused(standing(2), ["ci.skip"])).toBeUndefined()
    expect(optionsRefused(standing(2), ["repo.private"])).toContain("administrators")
  })
})

test("the default branch is the stored one, else main, else master, else the first in an empty repository", () => {
  const choose = (stored: string, wasEmpty: boolean, ...there: readonly string[]) =>
    chooseDefault({ stored, wasEmpty, created: there }, (name) => there.includes(name))
  expect(choose("dev", true, "a", "main", "dev")).toBe("dev")
  expect(choose("dev", true, "a", "master", "main")).toBe("main")
  expect(choose("dev", true, "a", "master")).toBe("master")
  expect(choose("dev", true, "b", "a")).toBe("b")
  expect(choose("dev", false, "b", "a")).toBe("dev")
  expect(choose("dev", true)).toBe("dev")
})

test("times are written with the offset that their author had", () => {
  expect(localTime(0, 0)).toBe("1970-01-01T00:00:00Z")
  expect(localTime(1_700_000_000, 60)).toBe("2023-11-14T23:13:20+01:00")
  expect(localTime(1_700_000_000, -210)).toBe("2023-11-14T18:43:20-03:30")
})

test("content over 65,535 bytes is left out", () => {
  const content = (letters: string) => pushContent({ Commits: null, HeadCommit: null, CompareURL: letters, Len: 0 })
  const frame = content("").length
  expect(content("x".repeat(65_535 - frame))).toHaveLength(65_535)
  expect(content("x".repeat(65_536 - frame))).toBe("{}")
  expect(content("ü".repeat(33_000))).toBe("{}")
})
