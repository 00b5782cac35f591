import { expect } from "vitest"
import { openBrowser } from "../support/browser.ts"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import { type Answer, PASSWORD } from "../support/hearth.ts"
import { faultsIn } from "../support/html.ts"

/** An issue is asked for as it was at each moment of its life: what was answered then is what is answered now. */
let clock = 1_800_000_000
const now = () => clock

withHearth("an issue as it was", { on: databaseKinds, people: ["ada", "bob", "eve"], now }, ({ test, forge, ada, bob, eve }) => {
  let began = 0
  const after = (hours: number) => new Date((began + hours * 3_600) * 1000).toISOString()
  const AT = "/repos/ada/engine"
  const must = async (who: string, route: string, body?: object): Promise<Answer["body"]> => {
    const answer = await forge.call(who, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const moment = () => new Date(clock * 1000).toISOString().replace(".000", "")
  /** What of an issue's record is of its moment. */
  const told = ({ title, body, state, is_locked, due_date, closed_at, comments, labels, milestone, assignees }: Answer["body"]) => ({
    ...{ title, body, state, is_locked, due_date, closed_at, comments },
    labels: labels.map(({ name }: Answer["body"]) => name),
    milestone: milestone?.title,
    assignees: assignees.map(({ login }: Answer["body"]) => login).toSorted(),
  })

  test("is told again as it was told then, with the comments of then", async () => {
    await must(ada, "POST /user/repos", { name: "engine", private: true, auto_init: true, default_branch: "main" })
    await must(ada, `PUT ${AT}/collaborators/bob`, { permission: "write" })
    const [bug, big] = [
      await must(ada, `POST ${AT}/labels`, { name: "bug", color: "#ff0000" }),
      await must(ada, `POST ${AT}/labels`, { name: "big", color: "#00ff00" }),
    ]
    const milestone = await must(ada, `POST ${AT}/milestones`, { title: "1.0" })
    const { number } = await must(bob, `POST ${AT}/issues`, { title: "It stalls", body: "First.", labels: [bug.id] })
    const at = `${AT}/issues/${number}`
    let comment = 0
    began = clock
    const steps: readonly (() => Promise<unknown>)[] = [
      () => must(ada, `PATCH ${at}`, { title: "It stalls at noon" }),
      () => must(ada, `POST ${at}/labels`, { labels: [big.id] }),
      () => must(ada, `PATCH ${at}`, { body: "Second.", assignees: ["ada"] }),
      async () => {
        comment = (await must(bob, `POST ${at}/comments`, { body: "One." })).id
      },
      () => must(ada, `PATCH ${at}`, { milestone: milestone.id, due_date: "2027-03-01T00:00:00Z" }),
      () => must(bob, `PATCH ${AT}/issues/comments/${comment}`, { body: "Two." }),
      () => must(ada, `PATCH ${at}`, { state: "closed" }),
      () => must(ada, `DELETE ${at}/labels/${bug.id}`),
      () => must(ada, `PATCH ${at}`, { state: "open", assignees: ["bob"], body: "Third.", unset_due_date: true }),
      () => must(ada, `PUT ${at}/lock`, { lock_reason: "resolved" }),
      () => must(ada, `PATCH ${at}`, { milestone: 0, title: "It runs" }),
    ]
    const then: { readonly at: string; readonly told: object; readonly said: readonly string[] }[] = []
    for (const step of [async () => undefined, ...steps]) {
      await step()
      const said = (await must(ada, `GET ${at}/comments`)).map(({ body }: Answer["body"]) => body)
      then.push({ at: moment(), told: told(await must(ada, `GET ${at}`)), said })
      clock += 3_600
    }
    for (const moment of then) {
      const was = await must(ada, `GET ${at}?at=${moment.at}`)
      expect({ at: was.as_of.at, told: told(was), said: was.as_of.comments.map(({ body }: Answer["body"]) => body) }).toEqual(moment)
    }
    expect((await must(ada, `GET ${at}`)).as_of).toBeUndefined()

    // A position of the log is the time of its event.
    const opened = await forge.hearth.services.database.read
      .selectFrom("events")
      .select("id")
      .where("kind", "=", "issue.opened")
      .executeTakeFirstOrThrow()
    expect((await must(ada, `GET ${at}?at=${opened.id}`)).title).toBe("It stalls")
  })

  test("is refused before it was there, and for times to come", async () => {
    const refused = async (at: string) => (await forge.call(ada, `GET ${AT}/issues/1?at=${encodeURIComponent(at)}`)).body.message
    expect(await refused("2020-01-01T00:00:00Z")).toContain("is before this was opened")
    expect(await refused("2090-01-01T00:00:00Z")).toContain("has not come yet")
    expect(await refused("999999")).toContain("no position")
    for (const at of ["noon", "", "2026-13-01T00:00:00Z", "-1"]) expect(await refused(at)).toContain("at")
  })

  test("shows nobody what they can't read now, nor what was deleted", async () => {
    const first = after(3)
    const at = `${AT}/issues/1`
    expect((await forge.call(eve, `GET ${at}?at=${first}`)).status).toBe(404)
    const later = after(4.5)
    const [{ id }] = (await must(ada, `GET ${at}?at=${later}`)).as_of.comments
    const { database } = forge.hearth.services
    const versions = await database.read
      .selectFrom("text_versions")
      .select(["id", "content"])
      .where("content", "in", ["One.", "Second."])
      .execute()
    expect(versions).toHaveLength(2)
    // The abusive versions are emptied, and then the comment is deleted.
    await database.write((tx) =>
      tx
        .updateTable("text_versions")
        .set({ content: "", deleted_at: clock, deleted_by: 1 })
        .where("content", "<>", "First.")
        .where("content", "<>", "")
        .execute(),
    )
    const emptied = await must(ada, `GET ${at}?at=${later}`)
    expect([emptied.body, emptied.as_of.is_body_known, emptied.as_of.comments[0].body, emptied.as_of.comments[0].is_known]).toEqual([
      "",
      false,
      "",
      false,
    ])
    expect(emptied.as_of.unknown.join(" ")).toContain("deleted or no longer kept")
    await must(ada, `DELETE ${AT}/issues/comments/${id}`)
    expect((await must(ada, `GET ${at}?at=${later}`)).as_of.comments).toEqual([])
  })

  test("has a page that says what it is, and a pull request has its reviewers", async () => {
    await must(bob, `POST ${AT}/contents/a.txt`, { content: "YQ==", message: "Steam", new_branch: "steam" })
    const pull = await must(bob, `POST ${AT}/pulls`, { title: "Steam", head: "steam", base: "main" })
    const opened = moment()
    clock += 60
    await must(bob, `POST ${AT}/pulls/${pull.number}/requested_reviewers`, { reviewers: ["ada"] })
    const asked = moment()
    clock += 60
    await must(bob, `DELETE ${AT}/pulls/${pull.number}/requested_reviewers`, { reviewers: ["ada"] })
    await must(ada, `POST ${AT}/pulls/${pull.number}/merge`, { do: "merge" })
    clock += 60
    const was = await must(ada, `GET ${AT}/pulls/${pull.number}?at=${asked}`)
    expect([was.state, was.merged, was.requested_reviewers.map(({ login }: Answer["body"]) => login)]).toEqual(["open", false, ["ada"]])
    expect((await must(ada, `GET ${AT}/pulls/${pull.number}?at=${opened}`)).requested_reviewers).toEqual([])
    expect((await must(ada, `GET ${AT}/pulls/${pull.number}?at=${moment()}`)).merged).toBe(true)

    const browser = openBrowser(forge.hearth.url)
    await browser.signIn("ada", PASSWORD)
    for (const path of [`/ada/engine/issues/1?at=${after(0.1)}`, `/ada/engine/pulls/${pull.number}?at=${asked}`]) {
      const page = await browser.get(path)
      expect([page.status, faultsIn(page.text)]).toEqual([200, []])
      expect(page.text).toContain("This is how it was")
      expect(page.text).toContain("Show it as it is now")
    }
    const refused = await browser.get("/ada/engine/issues/1?at=noon")
    expect([refused.status, faultsIn(refused.text)]).toEqual([422, []])
    expect(refused.text).toContain("must be a time such as")
  })
})
