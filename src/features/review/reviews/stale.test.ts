import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { ok } from "../../../git/testing.ts"
import { commitIn, push } from "../pulls/testing.ts"
import { openReviewWorld } from "./testing.ts"

withWorld("reviews of a head that has moved", { open: openReviewWorld }, ({ test: it, world }) => {
  it("are stale while the pull request changes something else, and no longer", async () => {
    const { ben, dee, reviewed } = world
    const pull = await reviewed()
    await pull.must(ben, { event: "APPROVED" })
    await pull.must(dee, { event: "COMMENT", body: "Well." })
    const stale = async () => (await pull.reviews()).map((review) => review.stale)
    await pull.push("b.txt", "more\n")
    expect(await stale()).toEqual([true, true])
    await pull.must(ben, { event: "APPROVED" })
    expect(await stale()).toEqual([true, true, false])
    const work = await pull.clone()
    expect((await push(work, "-f", `${pull.head}:work`)).code).toBe(0)
    expect(await stale()).toEqual([false, false, true])
  })

  it("stay true when the head is put on top of a newer base, or takes it in", async () => {
    const { ann, ben, reviewed } = world
    const pull = await reviewed()
    await pull.commit("main", "elsewhere.txt")
    await pull.must(ben, { event: "APPROVED" })
    const work = await pull.clone()
    await ok(work, "checkout", "-q", "work")
    await ok(work, "rebase", "-q", "origin/main")
    expect((await push(work, "-f", "work")).code).toBe(0)
    expect((await pull.get(1, ann)).body.head.sha).not.toBe(pull.head)
    expect((await pull.reviews()).map(({ stale }) => stale)).toEqual([false])

    await pull.commit("main", "further.txt")
    await ok(work, "fetch", "-q")
    await ok(work, "merge", "-q", "-m", "Take main in", "origin/main")
    expect((await push(work, "work")).code).toBe(0)
    expect((await pull.reviews()).map(({ stale }) => stale)).toEqual([false])
  })

  it("are stale when a binary file is another, or a file may be run", async () => {
    const { ben, must, repository } = world
    const place = await repository()
    const work = await place.clone()
    await ok(work, "checkout", "-q", "-b", "work")
    await commitIn(work, "picture", "\0first")
    expect((await push(work, "work")).code).toBe(0)
    await place.pull("work")
    const reviews = `${place.at}/pulls/1/reviews`
    const stale = async () => (await must(ben, `GET ${reviews}`)).map((review: { stale: boolean }) => review.stale)
    await must(ben, `POST ${reviews}`, { event: "APPROVED" })
    await commitIn(work, "picture", "\0other")
    expect((await push(work, "work")).code).toBe(0)
    expect(await stale()).toEqual([true])
    await must(ben, `POST ${reviews}`, { event: "APPROVED" })
    await ok(work, "update-index", "--chmod=+x", "picture")
    await ok(work, "commit", "-q", "-m", "Run it")
    expect((await push(work, "work")).code).toBe(0)
    expect(await stale()).toEqual([true, true])
  })

  it("are held against another base, as far as it changes what the pull request does, and under its rule", async () => {
    const { ann, ben, cyd, must, reviewed } = world
    const pull = await reviewed()
    await pull.commit("dev", "elsewhere.txt")
    await must(ann, `POST ${pull.at}/branches`, { new_branch_name: "ahead", old_ref_name: "work" })
    await must(ann, `POST ${pull.at}/branch_protections`, {
      rule_name: "dev",
      enable_approvals_whitelist: true,
      approvals_whitelist_username: ["cyd"],
    })
    await must(ann, `PUT ${pull.at}/collaborators/cyd`, { permission: "read" })
    await pull.must(ben, { event: "APPROVED" })
    await pull.must(cyd, { event: "REQUEST_CHANGES", body: "No." })
    const told = async () => (await pull.reviews()).map(({ stale, official }) => [stale, official])
    expect(await told()).toEqual([
      [false, true],
      [false, false],
    ])
    expect((await pull.edit(1, { base: "dev" })).status).toBe(201)
    expect(await told()).toEqual([
      [false, false],
      [false, true],
    ])
    expect((await pull.edit(1, { base: "ahead" })).status).toBe(201)
    expect(await told()).toEqual([
      [true, true],
      [true, false],
    ])
    expect((await pull.on("DELETE", "branches/ahead")).status).toBe(204)
    expect((await pull.get(1)).body.base.ref).toBe("main")
    expect(await told()).toEqual([
      [false, true],
      [false, false],
    ])
  })

  it("are dismissed where the branch's rule says so, if they approved", async () => {
    const { ann, ben, cyd, must, reviewed } = world
    const pull = await reviewed()
    await must(ann, `POST ${pull.at}/branch_protections`, { rule_name: "main", required_approvals: 1, dismiss_stale_approvals: true })
    const approval = await pull.must(ben, { event: "APPROVED" })
    const rejection = await pull.must(cyd, { event: "REQUEST_CHANGES", body: "No." })
    await must(ben, "PUT /notifications")
    await pull.push("b.txt", "more\n")
    const found = await pull.reviews()
    expect(found.find(({ id }) => id === approval.id)).toMatchObject({ stale: true, dismissed: true })
    expect(found.find(({ id }) => id === rejection.id)).toMatchObject({ stale: true, dismissed: false })
    const told = await pull.timeline(1, ({ type, review_id, user }) => [type, review_id, user.login])
    expect(told).toContainEqual(["dismiss_review", approval.id, "ann"])
    expect(await must(ben, "GET /notifications")).toHaveLength(1)
  })

  it("still count for merging unless the branch's rule leaves them out", async () => {
    const { ann, ben, must, reviewed } = world
    const pull = await reviewed()
    const rule = `${pull.at}/branch_protections`
    await must(ann, `POST ${rule}`, { rule_name: "main", enable_push: true, required_approvals: 1, ignore_stale_approvals: true })
    const merge = () => pull.call(ben, "POST", "merge", { Do: "merge" })
    expect((await merge()).status).toBe(405)
    await pull.must(ben, { event: "APPROVED" })
    await pull.push("b.txt", "more\n")
    expect((await merge()).status).toBe(405)
    await must(ann, `PATCH ${rule}/main`, { ignore_stale_approvals: false })
    expect((await merge()).status).toBe(200)
  })

  it("block a merge that an official reviewer rejects, or was asked about", async () => {
    const { ann, ben, must, reviewed } = world
    const pull = await reviewed()
    const rule = `${pull.at}/branch_protections`
    const blocking = { block_on_rejected_reviews: true, block_on_official_review_requests: true }
    await must(ann, `POST ${rule}`, { rule_name: "main", enable_push: true, ...blocking })
    const merge = () => pull.call(ann, "POST", "merge", { Do: "merge" })
    await must(ann, `POST ${pull.at}/pulls/1/requested_reviewers`, { reviewers: ["ben"] })
    expect((await merge()).body.message).toMatch(/official review requests/)
    const made = await pull.must(ben, { event: "REQUEST_CHANGES", body: "No." })
    expect((await merge()).body.message).toMatch(/requested changes/)
    await must(ann, `POST ${pull.at}/pulls/1/reviews/${made.id}/dismissals`, { message: "Never mind." })
    expect((await merge()).status).toBe(200)
  })
})
