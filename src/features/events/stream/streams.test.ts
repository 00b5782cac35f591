import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { anonymous } from "../../../core/actor.ts"
import { endOfLog } from "../../../core/events/store.ts"
import { type Arrival, streamsOf } from "./streams.ts"

const STREAMS = 1_000

withHearth("many streams", { people: ["ann"] }, ({ test, forge, ann, call }) => {
  test("are told of an event in turns with other work, those of a turn from one list", async () => {
    const { services } = forge.hearth
    const { id } = (await call(ann, "POST /user/repos", { name: "open" })).body
    const stop = new AbortController()
    const filter = { repositoryIds: new Set([id]), ownerIds: new Set<number>(), kinds: ["issue."], isInvolved: false, text: "" }
    const after = await endOfLog(services.database.read)
    const followers = Array.from({ length: STREAMS }, (_, index) =>
      streamsOf(services).follow({ who: `${index}`, actor: anonymous, filter, after }, new AbortController().signal),
    )
    let turn = 0
    const count = () => {
      turn++
      if (!stop.signal.aborted) setImmediate(count)
    }
    const hear = async (title: string) => {
      const arrivals = followers.map(async ({ next }) => {
        const arrival = await next(60_000)
        return { arrival, at: turn }
      })
      await call(ann, "POST /repos/ann/open/issues", { title })
      return Promise.all(arrivals)
    }
    const itemsOf = (arrival: Arrival) => (arrival.kind === "told" ? arrival.items : [])
    count()
    // Then all wait for the next one.
    await hear("First")
    const heard = await hear("Second")
    stop.abort()
    for (const { arrival } of heard) expect(itemsOf(arrival)).toHaveLength(1)
    const turns = Map.groupBy(heard, ({ at }) => at)
    expect(turns.size).toBeGreaterThan(5)
    for (const told of turns.values()) {
      expect(told.length).toBeLessThanOrEqual(150)
      expect(new Set(told.map(({ arrival }) => itemsOf(arrival))).size).toBe(1)
    }
    for (const { leave } of followers) leave()
    expect(streamsOf(services).count()).toBe(0)
  })
})
