import { Check } from "typebox/value"
import { afterAll, expect } from "vitest"
import { LiveEvent } from "../../src/features/events/stream/records.ts"
import { openReceiver, type Receiver } from "../../src/features/events/webhooks/testing.ts"
import { databaseKinds } from "../support/database.ts"
import { type EventReader, followEvents } from "../support/event-stream.ts"
import { withHearth } from "../support/fixture.ts"
import type { Caller } from "../support/hearth.ts"

/**
 * Maya keeps an orchard, Tom helps her. Her dashboard follows what happens, its connection breaks and comes back; Tom's bot asks every few minutes; a receiver of webhooks was
 * down and asks for what it missed. Zoe only sees what is public.
 */
withHearth(
  "following what happens",
  { people: ["maya", "tom", "zoe"], config: { outgoing: { allowedHosts: "loopback" } }, on: databaseKinds },
  ({ test, forge, maya, tom, zoe, settle }) => {
    const open: EventReader[] = []
    let receiver: Receiver
    test.beforeAll(async () => {
      receiver = await openReceiver()
    })
    afterAll(async () => {
      for (const reader of open) reader.close()
      await receiver.close()
    })

    const must = async (who: Caller, route: string, body?: object) => {
      const answer = await forge.call(who, route, body)
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer
    }
    const follow = async (who: Caller, query = "", lastEventId?: string) => {
      const reader = await followEvents(forge.hearth.url, who, query, lastEventId)
      open.push(reader)
      expect(reader.status, JSON.stringify(reader.refusal)).toBe(200)
      expect((await reader.next())?.name).toBe("ready")
      return reader
    }
    const lines = async (who: Caller, query: string) => {
      const { headers, body, status } = await must(who, `GET /events${query}`)
      const records = String(body ?? "")
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
      return { status, records, kinds: records.map(({ kind }) => kind), position: headers.get("x-hearth-position") ?? "" }
    }
    const AT = "/repos/maya/orchard"

    test("is the same story for those who listen all the time, come back, and ask now and then", async () => {
      await must(maya, "POST /user/repos", { name: "orchard", auto_init: true })
      await must(maya, "POST /user/repos", { name: "cellar", private: true })
      const { position: beginning } = await lines(tom, "")
      const stream = await follow(maya)
      const toZoe = await follow(zoe, "?kind=issue.&kind=repository.")

      await must(tom, `POST ${AT}/issues`, { title: "The pears are late" })
      const opened = await stream.next()
      expect(opened?.data).toMatchObject({
        kind: "issue.opened",
        position: opened?.id,
        actor: { login: "tom" },
        repository: { full_name: "maya/orchard", private: false },
        owner: { login: "maya" },
        subject: { type: "issue", number: 1, title: "The pears are late", state: "open" },
        details: {},
      })
      await must(maya, `POST ${AT}/issues/1/comments`, { body: "So are the plums" })
      expect(await stream.until("comment.created")).toEqual(["comment.created"])
      stream.close()

      // While nobody listens.
      await must(maya, `PATCH ${AT}/issues/1`, { state: "closed" })
      await must(maya, "POST /repos/maya/cellar/issues", { title: "Count the bottles" })
      await must(maya, `POST ${AT}/contents/pears.txt`, { content: Buffer.from("late").toString("base64"), message: "Pears" })
      const resumed = await follow(maya, "", opened?.id)
      const missed = await resumed.until("reference.moved")
      expect(missed.filter((kind) => /^(issue|comment|reference)\./.test(kind))).toEqual([
        "comment.created",
        "issue.closed",
        "issue.opened",
        "reference.moved",
      ])
      await must(maya, `PATCH ${AT}`, { description: "Late this year" })
      expect(await resumed.until("repository.edited")).toEqual(["repository.edited"])

      // Zoe hears what is public, and nothing of the cellar.
      expect(await toZoe.until("repository.edited")).toEqual(["issue.opened", "issue.closed", "repository.edited"])

      // Tom's bot asks from where it began, and then waits for more.
      const all = await lines(tom, `?after=${beginning}&repository=maya/orchard`)
      expect(all.kinds.filter((kind) => /^(issue|comment|reference|repository)\./.test(kind))).toEqual([
        "issue.opened",
        "comment.created",
        "issue.closed",
        "reference.moved",
        "repository.edited",
      ])
      for (const record of all.records) expect(Check(LiveEvent, record), JSON.stringify(record)).toBe(true)
      expect(all.records.at(-1).position <= all.position).toBe(true)
      expect(await lines(tom, `?after=${all.position}`)).toMatchObject({ kinds: [], position: all.position })
      const waiting = lines(tom, `?after=${all.position}&wait=30&kind=issue.`)
      await must(maya, `PATCH ${AT}/issues/1`, { state: "open" })
      expect((await waiting).kinds).toEqual(["issue.reopened"])
    })

    test("keeps to what one is part of, or to whose it is", async () => {
      const { position } = await lines(zoe, "")
      await must(zoe, `POST ${AT}/issues`, { title: "May I help?" })
      await must(tom, `POST ${AT}/issues`, { title: "A new ladder" })
      await must(maya, `POST ${AT}/issues/2/comments`, { body: "Yes!" })
      await must(maya, `POST ${AT}/issues/3/comments`, { body: "It costs too much" })
      await must(zoe, "POST /user/repos", { name: "garden" })
      const mine = await lines(zoe, `?after=${position}&involved=true&kind=issue.opened&kind=comment.`)
      expect(mine.records.map(({ kind, subject }) => `${kind} ${subject.number}`)).toEqual(["issue.opened 2", "comment.created 2"])
      expect((await lines(tom, `?after=${position}&owner=zoe`)).kinds).toEqual(["repository.created"])
    })

    test("tells webhooks the position, so that one that was down asks for the rest", async () => {
      await must(maya, `POST ${AT}/hooks`, {
        type: "gitea",
        active: true,
        events: ["issues", "push"],
        config: { url: receiver.url, content_type: "json" },
      })
      const stream = await follow(maya, "?kind=issue.&kind=reference.")
      await must(maya, `POST ${AT}/issues`, { title: "Buy baskets" })
      await must(maya, `POST ${AT}/contents/baskets.txt`, { content: "", message: "Baskets" })
      await settle()
      const told = receiver.take().map(({ headers }) => headers["x-hearth-position"])
      const heard = [await stream.next(), await stream.next()].map((event) => event?.id)
      expect(told.toSorted()).toEqual(heard)
      const [, last = ""] = heard
      receiver.answer(500)
      await must(maya, `PATCH ${AT}/issues/4`, { state: "closed" })
      await settle()
      expect((await lines(maya, `?after=${last}&repository=maya/orchard&kind=issue.`)).kinds).toEqual(["issue.closed"])
    })

    test("stops for who is not part of it any more", async () => {
      await must(maya, "PUT /repos/maya/cellar/collaborators/tom", { permission: "write" })
      const [toTom, toMaya] = [await follow(tom, "?repository=maya/cellar"), await follow(maya, "?repository=maya/cellar&kind=issue.")]
      await must(maya, "POST /repos/maya/cellar/issues", { title: "One for Tom" })
      expect((await toTom.next())?.data.subject.title).toBe("One for Tom")
      await must(maya, "DELETE /repos/maya/cellar/collaborators/tom")
      await must(maya, "POST /repos/maya/cellar/issues", { title: "Not for Tom" })
      expect(await toMaya.until("issue.opened")).toEqual(["issue.opened"])
      expect(await toMaya.until("issue.opened")).toEqual(["issue.opened"])
      expect(await toTom.next(1_000)).toBeUndefined()
    })
  },
)
