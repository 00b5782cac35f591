import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { commitWorkflow, repositoryId } from "../testing.ts"
import { startForEventJob } from "./on-event.ts"

withHearth("workflows started by changes of the wiki", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  let names = 0
  const services = () => forge.hearth.services
  const wikiWorkflow = "name: note\non: gollum\njobs: {build: {runs-on: nowhere}}\n"
  /** A repository with this workflow. */
  async function watched(workflow = wikiWorkflow): Promise<string> {
    const name = `ann/wiki${++names}`
    await call(ann, "POST /user/repos", { name: `wiki${names}`, auto_init: true })
    await call(ann, `PATCH /repos/${name}`, { has_actions: true })
    await commitWorkflow(forge, ann, name, { text: workflow })
    return name
  }
  const content_base64 = Buffer.from("Words").toString("base64")
  const write = (name: string, title = "Home") => call(ann, `POST /repos/${name}/wiki/new`, { title, content_base64 })
  /** The runs of wikis, oldest first. */
  async function runs(name: string) {
    await services().jobs.drain()
    const rows = await services()
      .database.read.selectFrom("action_runs")
      .select(["event", "title", "ref", "payload"])
      .where("repository_id", "=", await repositoryId(forge, name))
      .where("event", "=", "gollum")
      .orderBy("id")
      .execute()
    return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }))
  }

  test("run on the default branch when pages are made, edited and deleted", async () => {
    const name = await watched()
    // Several workers make runs: one change after the other, so that their order is known.
    expect((await write(name)).status).toBe(201)
    await services().jobs.drain()
    await call(ann, `PATCH /repos/${name}/wiki/page/Home`, { content_base64: "", message: "Empty it" })
    await services().jobs.drain()
    await call(ann, `DELETE /repos/${name}/wiki/page/Home`)
    const run = (action: string, comment: string, title = comment) => ({
      event: "gollum",
      title,
      ref: "refs/heads/main",
      payload: { action, page: "Home", comment, pages: [{ action, page: "Home", comment }] },
    })
    expect(await runs(name)).toEqual([run("created", 'Add "Home"'), run("edited", "Empty it"), run("deleted", "", "Home")])
  })

  test("don't run for other triggers, where actions are off, or for what was refused", async () => {
    const other = await watched("name: note\non: push\njobs: {build: {runs-on: nowhere}}\n")
    await write(other)
    expect(await runs(other)).toEqual([])
    const name = await watched()
    expect((await write(name, "_new")).status).toBe(400)
    await call(ann, `PATCH /repos/${name}`, { has_actions: false })
    expect((await write(name)).status).toBe(201)
    expect(await runs(name)).toEqual([])
  })

  test("run once for a change of many pages, however often the job is done", async () => {
    const name = await watched()
    const page = (title: string) => ({ action: "created" as const, page: title, comment: "Import" })
    const { id: actorId } = (await call(ann, "GET /user")).body
    const payload = {
      cause: `one push to ${name}`,
      event: "gollum",
      repositoryId: await repositoryId(forge, name),
      actorId,
      ref: "",
      trigger: "{}",
      title: "Import",
      runId: 0,
      payload: JSON.stringify({ ...page("A"), pages: [page("A"), page("B")] }),
    }
    for (let again = 0; again < 2; again++) await services().database.write((tx) => services().jobs.enqueue(tx, startForEventJob, payload))
    expect(await runs(name)).toMatchObject([{ title: "Import", payload: { page: "A", pages: [page("A"), page("B")] } }])
  })
})
