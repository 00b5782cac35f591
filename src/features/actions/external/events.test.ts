import { expect, vi } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { permissionOn } from "../../../access/permission.ts"
import { findIssueById, findRepositoryById, findUserById, findUserByName } from "../../../access/store.ts"
import { signedInAs } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent } from "../../../core/events/event.ts"
import { switchOf } from "../../events/webhooks/switches.ts"
import { transferIssue } from "../../planning/transfers/rules.ts"
import { openPullWorld } from "../../review/pulls/testing.ts"
import { workflows } from "../triggers/listener.ts"
import { EXTERNAL, externalOf, repositoryOf } from "./events.ts"
import { DEFAULT_BRANCH_EVENTS, PULL_EVENTS, SWITCHES } from "./names.ts"

withWorld("what others are told of", { open: openPullWorld }, ({ test, world }) => {
  test("has a name, a user and a payload for each event, and an event for each name", async () => {
    const { services } = world.hearth
    const kinds = new Set<string>()
    const names = new Set<string>(["push"])
    async function look(tx: Transaction, event: DomainEvent) {
      const told = externalOf(event)
      if (told.length > 0) kinds.add(event.kind)
      for (const { webhook, workflow, pull, payload } of told) {
        expect(webhook ?? workflow ?? pull, event.kind).toBeDefined()
        if (event.kind.endsWith(".restored")) expect([workflow, pull], event.kind).toEqual([undefined, undefined])
        if (webhook) names.add(switchOf(webhook))
        if (workflow) names.add(workflow.event)
        for (const name of pull?.events ?? []) names.add(name)
        expect(event).toMatchObject({ actor: webhook ? { name: expect.any(String) } : { id: expect.any(Number) } })
        const repository = await findRepositoryById.first(tx, { id: repositoryOf(event) ?? 0 })
        const owner = await findUserById.first(tx, { id: repository?.owner_id ?? 0 })
        if (repository && owner) expect(await payload(tx, services, { repository, owner }), event.kind).toBeInstanceOf(Object)
      }
    }
    const hear = workflows.hear
    const spy = vi.spyOn(workflows, "hear").mockImplementation(async (delivery) => {
      for (const event of delivery.events) await look(delivery.tx, event)
      await hear(delivery)
    })

    const { must, ann, ben } = world
    const repo = await world.repository()
    const { at } = repo
    const on = (route: string, body?: object, by = ann) => must(by, route.replace(" ", ` ${at}`), body)
    const label = await on("POST /labels", { name: "bug", color: "ff0000" })
    const milestone = await on("POST /milestones", { title: "One" })
    const { number } = await on("POST /issues", { title: "It flickers", labels: [label.id], milestone: milestone.id, assignees: ["ben"] })
    await on(`PATCH /issues/${number}`, { title: "It glows", state: "closed" })
    await on(`PATCH /issues/${number}`, { state: "open" })
    const { id: commentId } = await on(`POST /issues/${number}/comments`, { body: "Still." })
    await on(`PATCH /issues/comments/${commentId}`, { body: "No more." })
    await on(`DELETE /issues/comments/${commentId}`)
    const restoreLast = async () => on(`POST /deleted/${(await on("GET /deleted"))[0].id}/restore`)
    await restoreLast()
    await on(`DELETE /issues/${number}`)
    await restoreLast()

    await repo.commit("work", "b.txt")
    const pull = await repo.pull("work", { title: "WIP: Add" })
    await on(`POST /issues/${pull}/comments`, { body: "Fine." })
    await on(`POST /issues/${pull}/labels`, { labels: [label.id] })
    await on(`PATCH /pulls/${pull}`, { milestone: milestone.id, assignees: ["ben"] })
    await on(`POST /pulls/${pull}/requested_reviewers`, { reviewers: ["ben"] })
    await on(`DELETE /pulls/${pull}/requested_reviewers`, { reviewers: ["ben"] })
    for (const event of ["COMMENT", "APPROVED"]) await on(`POST /pulls/${pull}/reviews`, { event, body: "Well done" }, ben)
    await repo.commit("work", "c.txt")
    await on(`PATCH /pulls/${pull}`, { title: "Add" })
    await on("POST /branch_protections", { rule_name: "main", enable_status_check: true, status_check_contexts: ["ci"] })
    await on(`POST /pulls/${pull}/merge`, { Do: "merge", merge_when_checks_succeed: true })
    await on(`DELETE /pulls/${pull}/merge`)
    // Lined up in a merge queue it is taken out, fails, and is merged.
    await on("PATCH /branch_protections/main", { enable_merge_queue: true })
    await services.jobs.drain()
    for (const end of ["dropped", "failure", "success"]) {
      // Within a second the same title would make the same commit, which has failed.
      await on(`PATCH /pulls/${pull}`, { title: `Add (${end})` })
      await on(`POST /pulls/${pull}/queue`, {})
      await services.jobs.drain()
      const { trial } = await on("GET /merge_queues/main")
      if (end === "dropped") await on(`DELETE /pulls/${pull}/queue`)
      else await on(`POST /statuses/${trial.head_sha}`, { state: end, context: "ci" })
      await services.jobs.drain()
    }
    await on("DELETE /branch_protections/main")

    const { id: releaseId } = await on("POST /releases", { tag_name: "v1" })
    await on(`PATCH /releases/${releaseId}`, { name: "One" })
    await on(`DELETE /releases/${releaseId}`)
    await restoreLast()
    const [{ sha }] = await on("GET /commits?limit=1")
    await on(`POST /statuses/${sha}`, { state: "success", context: "ci" })
    await on("PATCH /branches/work", { name: "play" })
    await repo.fork()
    const page = { title: "Home", content_base64: "eA==" }
    await on("POST /wiki/new", page)
    await on("PATCH /wiki/page/Home", { ...page, content_base64: "eQ==" })
    await on("DELETE /wiki/page/Home")
    await repo.commit("main", ".gitea/workflows/w.yml", "on: push\njobs: {build: {runs-on: nowhere}}\n")

    const upload = await fetch(`${world.hearth.url}/api/packages/ann/generic/tool/1/a`, {
      method: "PUT",
      headers: { authorization: `token ${world.hearth.token}` },
      body: "a",
    })
    expect(upload.status).toBe(201)
    await must(ann, "DELETE /packages/ann/generic/tool")

    const here = await on("GET ")
    const { id: movedId } = await on("POST /issues", { title: "Elsewhere" })
    const { id: otherId } = await must(ann, `GET ${(await world.repository()).at}`)
    await services.database.write(async (tx) => {
      const me = await findUserByName.first(tx, { lowerName: "ann" })
      const [repository, target] = [
        await findRepositoryById.first(tx, { id: here.id }),
        await findRepositoryById.first(tx, { id: otherId }),
      ]
      const issue = await findIssueById.first(tx, { id: movedId })
      if (!me || !repository || !target || !issue) throw new TypeError("the issue is there")
      const actor = signedInAs(me)
      const permission = await permissionOn(tx, actor, { repository, owner: me })
      await transferIssue(tx, services, { actor, me, repository, owner: me, permission, issue }, { repository: target, owner: me })
    })
    await must(ann, `PATCH ${at}`, { name: "last-name" })
    await must(ann, "DELETE /repos/ann/last-name")
    await must(ann, `POST /user/deleted/${(await must(ann, "GET /user/deleted"))[0].id}/restore`, {})
    await services.jobs.drain()
    spy.mockRestore()

    expect(Object.keys(EXTERNAL).filter((kind) => !kinds.has(kind))).toEqual([])
    expect([...SWITCHES, ...DEFAULT_BRANCH_EVENTS, ...PULL_EVENTS].filter((name) => !names.has(name))).toEqual([])
  })
})
