import { expect } from "vitest"
import { type QueueRepository, queueRepository } from "../../src/features/review/queue/testing.ts"
import { withHearth } from "../support/fixture.ts"

/** What somebody tries who wants code on a branch that its merge queue has not tested. */
withHearth("attacks on merge queues", { people: ["vera", "nils", "mona"] }, ({ test, forge, vera, nils, mona, call, status, settle }) => {
  let repo: QueueRepository

  test.beforeAll(async () => {
    repo = await queueRepository(forge, { name: "vera", as: vera }, "kitchen")
    await call(vera, `PUT ${repo.at}/collaborators/nils`, { permission: "write" })
    await call(mona, `POST ${repo.at}/forks`, {})
  })

  const base64 = (text: string) => Buffer.from(text).toString("base64")
  /** The trial that is tested now. */
  const trial = async () => {
    await settle()
    return (await repo.queue()).trial
  }
  const pass = async () => {
    const now = await trial()
    await repo.report(now.head_sha, "success")
    await settle()
    return now
  }

  test("a head that is replaced after it lined up never lands untested", async () => {
    const number = await repo.pull("plain")
    await repo.lineUp(number, nils)
    const before = await trial()
    const { head } = (await call(vera, `GET ${repo.at}/pulls/${number}`)).body
    const evil = { content: base64("evil\n"), message: "Also this", branch: head.ref }
    expect(await status(nils, `POST ${repo.at}/contents/evil`, evil)).toBe(201)
    // Before the server has noticed anything, the trial of the old head passes.
    await repo.report(before.head_sha, "success")
    await settle()
    expect(await repo.isMerged(number)).toBe(false)
    expect(await status(vera, `GET ${repo.at}/contents/evil?ref=main`)).toBe(404)
    expect(await repo.reasons(number)).toEqual(["new commits were pushed"])
    // What lined up under one head is refused under another.
    expect((await call(vera, `POST ${repo.at}/pulls/${number}/queue`, { head_commit_id: head.sha })).status).toBe(409)
  })

  test("statuses count only from those who may write here, about this very commit", async () => {
    const number = await repo.pull("sauce")
    await repo.lineUp(number)
    const { head_sha: sha } = await trial()
    // Mona may write to her fork, which has the commit too once she fetches and pushes it; here she may not report.
    expect((await repo.report(sha, "success", mona)).status).toBe(403)
    const { services } = forge.hearth
    const rows = await services.database.read.selectFrom("repositories").select(["id", "storage", "object_format"]).orderBy("id").execute()
    const [here, fork] = rows.slice(-2).map((row) => services.git.at(row.storage, row.object_format))
    if (here && fork) await services.git.repositories.copyObjects(here, [sha], fork, [])
    expect((await call(mona, `POST /repos/mona/kitchen/statuses/${sha}`, { state: "success", context: "ci" })).status).toBe(201)
    // A status of the head, and another check of the trial, say nothing about the required one.
    const { head } = (await call(vera, `GET ${repo.at}/pulls/${number}`)).body
    await repo.report(head.sha, "success")
    await repo.report(sha, "success", nils, "ci2")
    await settle()
    expect(await repo.isMerged(number)).toBe(false)
    // One by somebody who may not write any more does not count either.
    await call(vera, `PATCH ${repo.at}/merge_queues/main`, { frozen: true })
    await repo.report(sha, "success", nils)
    await settle()
    await call(vera, `DELETE ${repo.at}/collaborators/nils`)
    await call(vera, `PATCH ${repo.at}/merge_queues/main`, { frozen: false })
    await settle()
    expect([await repo.isMerged(number), (await repo.queue()).waiting_for]).toEqual([false, ["ci"]])
    await call(vera, `PUT ${repo.at}/collaborators/nils`, { permission: "write" })
    expect((await pass()).head_sha).toBe(await repo.tip())
  })

  test("who may not merge lines nothing up, decides no priority, freezes nothing and takes nobody out", async () => {
    const number = await repo.pull("herbs")
    expect((await repo.lineUp(number, mona)).status).toBe(405)
    await repo.lineUp(number, nils)
    for (const [route, body] of [
      [`PATCH ${repo.at}/pulls/${number}/queue`, { priority: 1000 }],
      [`PATCH ${repo.at}/merge_queues/main`, { frozen: true }],
    ] as const)
      for (const who of [mona, nils]) expect(await status(who, route, body)).toBe(403)
    expect(await status(mona, `DELETE ${repo.at}/pulls/${number}/queue`)).toBe(403)
    expect(await status(undefined, `DELETE ${repo.at}/pulls/${number}/queue`)).toBe(401)
    // Nobody writes the reference of a trial: neither a branch of that name, nor by the API.
    const { head_sha: sha, ref } = await trial()
    expect(await status(nils, `POST ${repo.at}/branches`, { new_branch_name: ref, old_ref_name: "main" })).toBeGreaterThanOrEqual(400)
    // Who lined it up may not merge any more: it leaves with that.
    await call(vera, `DELETE ${repo.at}/collaborators/nils`)
    await repo.report(sha, "success")
    await settle()
    expect([await repo.isMerged(number), await repo.reasons(number)]).toEqual([false, [expect.stringContaining("not allowed to merge")]])
    await call(vera, `PUT ${repo.at}/collaborators/nils`, { permission: "write" })
  })

  test("merging, pushing and forcing past the queue is for those whom the rule lets bypass it", async () => {
    const number = await repo.pull("crumbs")
    const at = `POST ${repo.at}/pulls/${number}/merge`
    expect((await call(nils, at, { do: "merge", force_merge: true })).status).toBe(405)
    const push = { content: base64("x"), message: "x", branch: "main" }
    expect(await status(nils, `POST ${repo.at}/contents/x`, push)).toBe(403)
    await call(vera, `PATCH ${repo.at}/branch_protections/main`, { block_admin_merge_override: true })
    expect(await status(vera, `POST ${repo.at}/contents/x`, push)).toBe(403)
    expect((await call(vera, at, { do: "merge", force_merge: true })).status).toBe(405)
    await call(vera, `PATCH ${repo.at}/branch_protections/main`, { block_admin_merge_override: false })
    await repo.lineUp(number)
    await settle()
    expect((await call(vera, at, { do: "merge", force_merge: true })).status).toBe(200)
    await settle()
    expect(await repo.queue()).toMatchObject({ trial: null, entries: [] })
  })

  test("lining up and leaving again and again is bounded, and builds little", async () => {
    const number = await repo.pull("foam")
    const trials = async () => (await forge.hearth.services.database.read.selectFrom("merge_trials").select("id").execute()).length
    const before = await trials()
    const answers = []
    for (let times = 0; times < 12; times++) {
      answers.push((await repo.lineUp(number, nils)).status)
      await status(nils, `DELETE ${repo.at}/pulls/${number}/queue`)
    }
    expect(answers).toEqual([...Array(10).fill(201), 429, 429])
    const at = `POST ${repo.at}/pulls/${number}/queue`
    expect(Number((await call(nils, at, {})).headers.get("retry-after"))).toBeGreaterThan(0)
    await settle()
    expect((await trials()) - before).toBe(0)
    const twice = await Promise.all([0, 1].map(async () => (await repo.lineUp(await repo.pull(`pair-${Math.random()}`))).status))
    expect(twice).toEqual([201, 201])
  })
})
