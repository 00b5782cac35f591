import { expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type QueueRepository, queueRepository } from "./testing.ts"

/** The clock stands still, so that commits of the same trees, parents and people are the same. */
withHearth("a queue whose commits come again", { people: ["ann"], now: () => 1_800_000_000 }, ({ test, forge, call, ann, settle }) => {
  const owner = { name: "ann", as: ann }

  /** The trial that is tested after a pull request has lined up. */
  async function linedUp(repo: QueueRepository, number: number) {
    expect((await repo.lineUp(number)).status).toBe(201)
    await settle()
    const { trial, waiting_for } = await repo.queue()
    return { sha: trial?.head_sha, waiting_for }
  }
  const page = async (path: string) => {
    const headers = { authorization: ann, "accept-language": "de" }
    return (await fetch(`${forge.hearth.url}${path}`, { headers })).text()
  }

  test("a commit that has failed is tested again when it comes again, and its successes still count", async () => {
    // Any check is required, and all of them: what is asked again must not be left out.
    const repo = await queueRepository(forge, owner, "kitchen", { status_check_contexts: [] })
    const number = await repo.pull("soup")
    const { sha } = await linedUp(repo, number)
    await repo.report(sha, "success", ann, "lint")
    await repo.report(sha, "failure")
    await settle()
    expect(await repo.reasons(number)).toEqual(["required checks have failed: ci"])
    expect(await linedUp(repo, number)).toEqual({ sha, waiting_for: ["ci"] })
    await repo.report(sha, "success")
    await settle()
    expect([await repo.isMerged(number), await repo.tip()]).toEqual([true, sha])
  })

  test("so is a head that a rebase leaves as it is", async () => {
    const contexts = ["CI / test (pull_request)"]
    const repo = await queueRepository(forge, owner, "pantry", { merge_queue_style: "rebase", status_check_contexts: contexts })
    const number = await repo.pull("rice")
    const { sha } = await linedUp(repo, number)
    expect((await call(ann, `GET ${repo.at}/pulls/${number}`)).body.head.sha).toBe(sha)
    await repo.report(sha, "failure", ann, "CI / test (merge_group)")
    await settle()
    expect(await repo.reasons(number)).toEqual(["required checks have failed: CI / test (merge_group)"])
    expect(await linedUp(repo, number)).toEqual({ sha, waiting_for: ["CI / test (merge_group)"] })
    await repo.report(sha, "success", ann, "CI / test (merge_group)")
    await settle()
    expect(await repo.isMerged(number)).toBe(true)
  })

  test("why something left is said in the language of who reads it, and to programs in English", async () => {
    const repo = await queueRepository(forge, owner, "cellar")
    const [failed, unready] = [await repo.pull("wine"), await repo.pull("beer")]
    await repo.report((await linedUp(repo, failed)).sha, "failure")
    await settle()
    await linedUp(repo, unready)
    await call(ann, `PATCH ${repo.at}/branch_protections/main`, { required_approvals: 1 })
    await settle()
    expect(await repo.reasons(failed)).toEqual(["required checks have failed: ci"])
    expect(await repo.reasons(unready)).toEqual(["not allowed to merge: Does not have enough approvals"])
    expect((await repo.queue()).recent_trials).toMatchObject([
      { state: "dropped", reason: "a pull request has left the queue" },
      { state: "failed", reason: "required checks have failed: ci" },
    ])
    expect(await page(`/ann/cellar/pulls/${failed}`)).toContain("erforderliche Checks sind fehlgeschlagen: ci")
    expect(await page(`/ann/cellar/pulls/${unready}`)).toContain("Mergen nicht erlaubt: Es fehlen Genehmigungen")
    const queue = await page("/ann/cellar/queue/main")
    expect(queue).toContain("erforderliche Checks sind fehlgeschlagen: ci")
    expect(queue).toContain("ein Pull Request hat die Warteschlange verlassen")
  })

  test("sentences that earlier versions stored are shown as they are", async () => {
    const repo = await queueRepository(forge, owner, "attic")
    const number = await repo.pull("dust")
    await repo.report((await linedUp(repo, number)).sha, "failure")
    await settle()
    const sentence = "required checks have failed: {ci} & <more>"
    await forge.hearth.services.database.write(async (tx) => {
      await tx.updateTable("comments").set({ content: sentence }).where("kind", "=", "pull_unqueued").execute()
      await tx.updateTable("merge_trials").set({ reason: sentence }).execute()
    })
    expect(await repo.reasons(number)).toEqual([sentence])
    expect((await repo.queue()).recent_trials).toMatchObject([{ reason: sentence }])
    for (const path of [`/ann/attic/pulls/${number}`, "/ann/attic/queue/main"])
      expect(await page(path)).toContain("required checks have failed: {ci} &amp; &lt;more&gt;")
  })
})
