import { afterAll, beforeAll, expect, it } from "vitest"
import { statementsOf } from "../../../../tests/support/database.ts"
import { type Caller, openWorld, type World } from "../repositories/testing.ts"

let world: World
let ada: Caller
beforeAll(async () => {
  world = await openWorld("sqlite")
  ada = await world.person("ada")
  await ada.call("POST", "/user/repos", { name: "bricks", auto_init: true })
})
afterAll(() => world.close())

const create = async (name: string) => {
  const made = await ada.call("POST", `/repos/ada/bricks/contents/${name}`, { content: Buffer.from(name).toString("base64") })
  expect(made.status).toBe(201)
}

it("a file costs no git process and as many statements every time", async () => {
  const { database, git } = world.hearth.services
  for (const name of ["first", "second"]) await create(name)
  const prices: number[] = []
  const before = git.spawned()
  for (const name of ["third", "fourth", "fifth"]) {
    const statements = await statementsOf(database, () => create(name))
    // Jobs run in the background, which is why only queries with names are counted.
    prices.push(
      statements.filter(({ name: query }) => query !== undefined && !/^(jobs|outbox|history|codeSearch|lock)\./.test(query)).length,
    )
  }
  expect(git.spawned() - before).toBe(0)
  expect(new Set(prices).size).toBe(1)
  expect(prices[0]).toBeLessThanOrEqual(30)
})

it("files created side by side on one branch all arrive", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `side-${index}`)
  await Promise.all(names.map(create))
  const { body } = await ada.call("GET", "/repos/ada/bricks/contents")
  expect(body.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names))
})
