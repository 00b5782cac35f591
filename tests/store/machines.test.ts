/**
 * Three servers on one database and one object store, behind a proxy that gives each request to the next: what people do there is done as if it were one server.
 * Slow: each of the servers is a process of its own.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Machines, openMachines } from "./support/machines.ts"

let site: Machines
beforeAll(async () => {
  site = await openMachines(3)
})
afterAll(() => site.close())

describe("hello", () => {
  test("a", async () => {
    await site.repository("a", { auto_init: true })
    for (let index = 0; index < 3; index++) expect(await site.ok(site.folder, "ls-remote", site.address("a", site.at(index)))).toContain("refs/heads/main")
    await site.ok(site.folder, "clone", "-q", site.address("a"), "a")
  })
})
