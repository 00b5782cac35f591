import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { insertEvents } from "../../../core/events/store.ts"
import { NOTIFICATIONS, type PageEvent } from "../../../core/page.ts"
import { waitAtMost } from "../../../core/timeout.ts"
import { openLivePages } from "./live.ts"

/** A browser asks for the page when it is told that it follows: what comes after that, however soon, must be told. */
withHearth("pages that are followed", { people: ["ann"] }, ({ test, forge, ann, call }) => {
  const next = async (events: AsyncGenerator<PageEvent, void>) => (await waitAtMost(10_000, events.next()))?.value?.name

  test("are told of an event that comes before the server looks for what happens", async () => {
    const { services } = forge.hearth
    const stop = new AbortController()
    const live = openLivePages(services, async () => new Map())
    const { events } = live.follow({ who: "somebody", userId: 0, followed: async () => [{ repositoryId: 7 }] })
    const stream = events(stop.signal)
    expect(await next(stream)).toBe("following")
    const event = { kind: "repository.edited", actor_id: 1, repository_id: 7, issue_id: 0, data: "{}", created_at: services.now() }
    await services.database.write((tx) => insertEvents(tx, [event]))
    expect(await next(stream)).toBe("changed")
    stop.abort()
  })

  test("are told of notifications that come before the server looks for them", async () => {
    const stop = new AbortController()
    let notifications = "before"
    const live = openLivePages(forge.hearth.services, async (_, ids) => new Map(ids.map((id) => [id, notifications])))
    const { events } = live.follow({ who: "ann", userId: 1, followed: async () => [NOTIFICATIONS] })
    const stream = events(stop.signal)
    expect(await next(stream)).toBe("following")
    notifications = "after"
    const told = next(stream)
    await call(ann, "POST /user/repos", { name: "home" })
    expect(await told).toBe("changed")
    stop.abort()
  })
})
