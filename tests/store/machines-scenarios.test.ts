/**
 * Recorded scenarios of API calls, each call of which goes to the next of three servers. `HEARTH_TEST_SCENARIOS=all` plays all of them.
 * Slow: each of the servers is a process of its own.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { covered, deviating } from "../traces/covered.ts"
import { judge, playScenario } from "../traces/player.ts"
import { ADMIN, type Machines, openMachines } from "./support/machines.ts"

const BROADEST = ["contents-write", "pulls-merge", "repos-fork-generate", "tags-releases", "wiki-pages"]
const asked = process.env["HEARTH_TEST_SCENARIOS"]
const played: readonly string[] = asked === "all" ? covered : (asked?.split(",") ?? BROADEST)

let site: Machines
beforeAll(async () => {
  // As the recorded server was set up.
  site = await openMachines(3, {
    HEARTH_ADMIN_EMAIL: "root@example.com",
    HEARTH_USERS_NO_REPLY_DOMAIN: "noreply.localhost",
    HEARTH_STORAGE_PRESIGNED: "false",
  })
})
afterAll(async () => {
  if (process.env["SHOW"]) for (const machine of site.all) console.log("OUTPUT", machine.process().output().slice(-3000))
  await site.close()
})

test.each(played)("%s", async (name) => {
  const scenario = new URL(`../traces/scenarios/${name}.json`, import.meta.url).pathname
  const told = await playScenario({
    url: site.url,
    admin: ADMIN,
    scenario,
    asked: async () => {},
    wait: (milliseconds) => sleep(milliseconds),
  })
  if (process.env["SHOW"]) console.log(told.slice(0, 3000))
  expect(judge(name, told)).toEqual({ failed: deviating[name] ?? [] })
})
