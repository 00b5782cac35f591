import { expect } from "vitest"
import { type QueueRepository, queueRepository } from "../../src/features/review/queue/testing.ts"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"

/** Pull requests of a team line up; they are tested together, and main only ever names commits whose check has succeeded. */
withHearth("a branch with a merge queue", { people: ["vera", "nils"], on: databaseKinds }, ({ test, forge, vera, nils, settle }) => {
  let repo: QueueRepository
  const landed: string[] = []

  test.beforeAll(async () => {
    repo = await queueRepository(forge, { name: "vera", as: vera }, "kitchen")
    await forge.call(vera, `PUT ${repo.at}/collaborators/nils`, { permission: "write" })
  })

  /** The trial that is tested now: the numbers, and its commit. */
  async function trial() {
    await settle()
    const { trial: now } = await repo.queue()
    return now === null ? undefined : { sha: now.head_sha, numbers: now.pull_requests, ref: now.ref, base: now.base_sha, state: now.state }
  }
  /** Reports about the present trial: it fails where it has a file called broken. */
  async function check() {
    const now = await trial()
    if (!now) return undefined
    const { status } = await forge.call(vera, `GET ${repo.at}/contents/broken?ref=${now.sha}`)
    expect((await repo.report(now.sha, status === 200 ? "failure" : "success")).status).toBe(201)
    await settle()
    if (status !== 200) landed.push(now.sha)
    return now.numbers
  }

  test("three that are fine land together, as the commit that was tested", async () => {
    const numbers = [await repo.pull("bread"), await repo.pull("soup"), await repo.pull("cake")]
    for (const number of numbers) expect((await repo.lineUp(number, nils)).status).toBe(201)
    const first = await trial()
    expect(first).toMatchObject({ numbers, state: "testing", base: await repo.tip() })
    expect(first && (await forge.call(vera, `GET ${repo.at}/git/refs/${first.ref.replace("refs/", "")}`)).body[0].object.sha).toBe(
      first?.sha,
    )
    // Nobody merges beside the queue, nor pushes; its owner may, who administers the repository.
    expect((await forge.call(nils, `POST ${repo.at}/pulls/${numbers[0]}/merge`, { do: "merge" })).body.message).toMatch(/merge queue/)
    const push = { content: "eA==", message: "Past the queue" }
    expect((await forge.call(nils, `POST ${repo.at}/contents/x`, push)).status).toBe(403)
    await check()
    expect(await repo.tip()).toBe(first?.sha)
    for (const number of numbers) expect(await repo.isMerged(number)).toBe(true)
    expect((await forge.call(vera, `GET ${repo.at}/pulls/${numbers[1]}`)).body.merged_by.login).toBe("nils")
    expect(await repo.queue()).toMatchObject({ trial: null, entries: [], recent_trials: [{ state: "landed", pull_requests: numbers }] })
    // Its reference is gone.
    expect((await forge.call(vera, `GET ${repo.at}/git/refs/queue`)).status).toBe(404)
  })

  test("of four the broken one is found by halves, and the one in conflict leaves alone", async () => {
    const [good, broken, other, clash] = [
      await repo.pull("tea"),
      await repo.pull("broken"),
      await repo.pull("juice"),
      await repo.pull("tea", "Another tea\n"),
    ]
    for (const number of [good, broken, other, clash]) await repo.lineUp(number)
    // The one in conflict with another waits, since that one might fail.
    expect(await check()).toEqual([good, broken, other])
    expect(await check()).toEqual([good, broken])
    expect(await check()).toEqual([good])
    expect(await repo.isMerged(good)).toBe(true)
    // Also where it makes the commit again that has failed with the good one, it is tested again.
    expect(await check()).toEqual([broken])
    while ((await check()) !== undefined);
    expect(await repo.reasons(broken)).toEqual(["required checks have failed: ci"])
    expect(await repo.reasons(clash)).toEqual([expect.stringContaining("conflict: tea")])
    expect(await repo.tip()).toBe(landed.at(-1))
    expect([await repo.isMerged(other), await repo.isMerged(broken), await repo.isMerged(clash)]).toEqual([true, false, false])
  })

  test("a frozen queue tests and lands nothing until it goes on; priorities decide the order", async () => {
    const one = await repo.pull("rice")
    await repo.lineUp(one)
    const now = await trial()
    expect((await forge.call(vera, `PATCH ${repo.at}/merge_queues/main`, { frozen: true, frozen_reason: "The stove is hot" })).status).toBe(
      204,
    )
    expect((await repo.report(now?.sha, "success")).status).toBe(201)
    await settle()
    expect(await repo.queue()).toMatchObject({ frozen: true, frozen_reason: "The stove is hot", trial: { state: "passed" } })
    expect(await repo.isMerged(one)).toBe(false)
    const [late, urgent] = [await repo.pull("salt"), await repo.pull("water")]
    for (const number of [late, urgent]) await repo.lineUp(number)
    expect((await forge.call(vera, `PATCH ${repo.at}/pulls/${urgent}/queue`, { priority: 10 })).body).toMatchObject({ position: 1 })
    await forge.call(vera, `PATCH ${repo.at}/merge_queues/main`, { frozen: false })
    await settle()
    expect([await repo.isMerged(one), await repo.tip()]).toEqual([true, now?.sha])
    expect(await check()).toEqual([urgent, late])
  })

  test("what moves the branch or the pull request has the trial built anew, or takes it out", async () => {
    const [one, two] = [await repo.pull("plum"), await repo.pull("pear")]
    for (const number of [one, two]) await repo.lineUp(number)
    const before = await trial()
    // Vera, who may bypass the rule, pushes: what was tested is not what would be there.
    await forge.call(vera, `POST ${repo.at}/contents/x`, { content: "eA==", message: "Past the queue" })
    const after = await trial()
    expect([after?.numbers, after?.base]).toEqual([before?.numbers, await repo.tip()])
    // A status of the trial before says nothing about this one.
    await repo.report(before?.sha, "success")
    await settle()
    expect(await repo.isMerged(one)).toBe(false)
    await forge.call(vera, `PATCH ${repo.at}/pulls/${two}`, { title: "WIP: not yet" })
    expect((await trial())?.numbers).toEqual([one])
    expect(await repo.reasons(two)).toEqual([expect.stringContaining("Work in progress")])
    await forge.call(nils, `DELETE ${repo.at}/pulls/${one}/queue`)
    expect(await trial()).toBeUndefined()
    expect(await repo.reasons(one)).toEqual([""])
  })

  test("a repository that is deleted and restored has its queue, and tests anew", async () => {
    const one = await repo.pull("quince")
    await repo.lineUp(one)
    const before = await trial()
    const { jobs } = forge.hearth.services
    await forge.call(vera, `DELETE ${repo.at}`)
    await settle()
    await jobs.tasks.run("advance_merge_queues")
    await settle()
    const [{ id }] = (await forge.call(vera, "GET /user/deleted")).body
    expect((await forge.call(vera, `POST /user/deleted/${id}/restore`, {})).status).toBe(200)
    const [given] = (await repo.queue()).recent_trials
    expect(given).toMatchObject({ state: "dropped", reason: "the repository was deleted", pull_requests: [one] })
    expect((await forge.call(vera, `GET ${repo.at}/git/refs/queue`)).status).toBe(404)
    await settle()
    const after = await trial()
    expect([after?.numbers, after?.state, after?.ref === before?.ref]).toEqual([[one], "testing", false])
    await forge.call(vera, `DELETE ${repo.at}/pulls/${one}/queue`)
    await settle()
  })

  test("checks that never come are waited for as long as the rule says", async () => {
    const one = await repo.pull("fig")
    await repo.lineUp(one)
    await settle()
    await forge.hearth.services.database.write((tx) =>
      tx.updateTable("merge_trials").set({ created_at: 0 }).where("state", "=", "testing").execute(),
    )
    await forge.hearth.services.jobs.tasks.run("advance_merge_queues")
    await settle()
    expect(await repo.reasons(one)).toEqual(["required checks have not succeeded in 60 minutes: ci"])
  })

  test("a merge that was scheduled lines up once it may", async () => {
    const one = await repo.pull("date")
    await forge.call(vera, `PATCH ${repo.at}/branch_protections/main`, { required_approvals: 1 })
    expect((await repo.lineUp(one)).body.message).toMatch(/approvals/)
    expect((await forge.call(vera, `POST ${repo.at}/pulls/${one}/merge`, { do: "merge", merge_when_checks_succeed: true })).status).toBe(
      201,
    )
    expect(await trial()).toBeUndefined()
    await forge.call(nils, `POST ${repo.at}/pulls/${one}/reviews`, { event: "APPROVED", body: "Fine" })
    expect((await trial())?.numbers).toEqual([one])
    // An approval that is taken back takes it out.
    const [review] = (await forge.call(vera, `GET ${repo.at}/pulls/${one}/reviews`)).body
    await forge.call(vera, `POST ${repo.at}/pulls/${one}/reviews/${review.id}/dismissals`, { message: "Look again" })
    expect(await trial()).toBeUndefined()
    expect(await repo.reasons(one)).toEqual([expect.stringContaining("approvals")])
  })
})
