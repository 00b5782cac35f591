import { sql } from "kysely"
import { describe, expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { ok } from "../../../git/testing.ts"
import { claimPull } from "./merged.ts"
import { detectManualMerges } from "./on-push.ts"
import { openMergeWorld, type TestRepository } from "./testing.ts"

const refusal = ({ status, body }: { readonly status: number; readonly body: { readonly message: string } | undefined }) => [
  status,
  body?.message,
]

withWorld("merging", { open: openMergeWorld }, ({ test, world }) => {
  const ready = async (options: object = {}) => {
    const repo = await world.repository(options)
    const head = await repo.commit("topic", "one.txt", "1\n")
    return { repo, head, number: await repo.pull("topic") }
  }
  const protect = async (repo: TestRepository, rule: object) => {
    const made = await world.call(world.alice, `POST ${repo.at}/branch_protections`, { rule_name: "main", enable_push: true, ...rule })
    expect(made.status).toBe(201)
  }
  const state = (repo: TestRepository, sha: string, word: string, context = "ci/test") =>
    world.call(world.bob, `POST ${repo.at}/statuses/${sha}`, { state: word, context })
  const review = (repo: TestRepository, number: number, event: string, by = world.alice) =>
    world.call(by, `POST ${repo.at}/pulls/${number}/reviews`, { event, body: "So it is." })
  const isMerged = async (repo: TestRepository, number: number) =>
    (await world.call(world.bob, `GET ${repo.at}/pulls/${number}/merge`)).status
  const drain = () => world.hearth.services.jobs.drain()

  test("is for those who may write, and is asked for in the words of the API", async () => {
    const { repo, number, head } = await ready()
    expect(refusal(await repo.merge(number, { do: "merge" }, undefined))).toMatchObject([200, undefined])
    const again = await ready()
    const merge = (body: object, by?: string) => world.call(by, `POST ${again.repo.at}/pulls/${again.number}/merge`, body)
    expect((await merge({ do: "merge" })).status).toBe(401)
    expect(refusal(await merge({ do: "merge" }, world.carol))).toEqual([405, "User not allowed to merge PR"])
    expect((await merge({ do: "octopus" }, world.bob)).status).toBe(422)
    expect((await merge({}, world.bob)).status).toBe(422)
    expect((await world.call(world.bob, `POST ${repo.at}/pulls/99/merge`, { do: "merge" })).status).toBe(404)
    expect(refusal(await merge({ do: "merge", head_commit_id: "0".repeat(39) }, world.bob))).toEqual([409, "head out of date"])
    expect((await merge({ do: "merge", head_commit_id: again.head }, world.bob)).status).toBe(200)
    expect(refusal(await merge({ do: "merge" }, world.bob))).toEqual([405, "The PR is already merged"])
    expect(head).not.toBe("")
  })

  test("is refused for what is closed, a draft, in conflict, or has nothing of its own", async () => {
    const repo = await world.repository()
    await repo.commit("draft", "one.txt", "1\n")
    const draft = await repo.pull("draft", "WIP: not yet")
    expect(refusal(await repo.merge(draft, { do: "merge" }))).toEqual([405, "Work in progress PRs cannot be merged"])
    await world.call(world.alice, `PATCH ${repo.at}/pulls/${draft}`, { state: "closed" })
    expect((await repo.merge(draft, { do: "merge" })).status).toBe(404)

    await repo.commit("clash", "base.txt", "mine\n")
    await repo.commit("main", "base.txt", "theirs\n")
    const clash = await repo.pull("clash")
    const refused = await repo.merge(clash, { do: "merge" })
    expect(refused.status).toBe(405)
    expect(refused.body.message).toMatch(/^Please try again later.*base\.txt/)

    await repo.commit("taken", "two.txt", "2\n")
    const taken = await repo.pull("taken")
    const other = await repo.pull("taken", "The same elsewhere", { base: "draft" })
    expect((await repo.merge(taken, { do: "fast-forward-only" })).status).toBe(200)
    expect((await repo.get(other)).body.merged).toBe(false)
  })

  test("is done in the styles that the repository allows", async () => {
    const { repo, number } = await ready({ allow_rebase: false, allow_squash_merge: false })
    for (const style of ["rebase", "squash"]) {
      const refused = await repo.merge(number, { do: style })
      expect(refusal(refused)).toEqual([405, `${style} is not allowed an allowed merge style for this repository`])
    }
    expect((await repo.merge(number, { do: "rebase-merge" })).status).toBe(200)
  })

  test("is refused in an archived repository, and to tokens that may not write", async () => {
    const { repo, number } = await ready()
    await world.call(world.alice, `PATCH ${repo.at}`, { archived: true })
    expect((await repo.merge(number, { do: "merge" })).status).toBe(423)
    expect((await world.call(world.bob, `DELETE ${repo.at}/pulls/${number}/merge`)).status).toBe(423)
  })

  test("waits for statuses, approvals and the end of objections", async () => {
    const { repo, number, head } = await ready()
    await protect(repo, {
      required_approvals: 1,
      block_on_rejected_reviews: true,
      enable_status_check: true,
      status_check_contexts: ["ci/*"],
    })
    const reason = async (by = world.bob, more: object = {}) => refusal(await repo.merge(number, { do: "merge", ...more }, by))
    expect(await reason()).toEqual([405, "not allowed to merge: Not all required status checks successful"])
    await state(repo, head, "success")
    expect(await reason()).toEqual([405, "not allowed to merge: Does not have enough approvals"])
    await world.call(world.alice, `PUT ${repo.at}/collaborators/carol`, { permission: "write" })
    expect((await review(repo, number, "REQUEST_CHANGES", world.carol)).status).toBe(200)
    expect((await review(repo, number, "APPROVED", world.bob)).status).toBe(200)
    expect(await reason()).toEqual([405, "not allowed to merge: There are requested changes"])
    expect(await reason(world.bob, { force_merge: true })).toEqual([405, "not allowed to merge: There are requested changes"])
    expect(await reason(world.alice)).toEqual([405, "not allowed to merge: There are requested changes"])
    expect((await repo.merge(number, { do: "merge", force_merge: true }, world.alice)).status).toBe(200)
  })

  test("waits for a head that is up to date, and spares protected files", async () => {
    const { repo, number } = await ready()
    await repo.commit("main", "main.txt", "m\n")
    await protect(repo, { block_on_outdated_branch: true, protected_file_patterns: "one.*" })
    expect(refusal(await repo.merge(number, { do: "merge" }))).toEqual([
      405,
      "not allowed to merge: The head branch is behind the base branch",
    ])
    expect((await world.call(world.bob, `POST ${repo.at}/pulls/${number}/update`)).status).toBe(200)
    expect(refusal(await repo.merge(number, { do: "merge" }))).toEqual([405, "not allowed to merge: Changed protected files"])
  })

  test("needs signatures where the rule does, and this site signs nothing", async () => {
    const { repo, number } = await ready()
    await protect(repo, { require_signed_commits: true })
    const refused = await repo.merge(number, { do: "merge", force_merge: true }, world.alice)
    expect([refused.status, refused.body.message]).toEqual([405, expect.stringContaining("signed")])
  })

  test("is only for those whom the rule lists", async () => {
    const { repo, number } = await ready()
    await protect(repo, { enable_merge_whitelist: true, merge_whitelist_usernames: ["bob"] })
    expect(refusal(await repo.merge(number, { do: "merge" }, world.alice))).toEqual([405, "User not allowed to merge PR"])
    expect((await repo.merge(number, { do: "merge" }, world.bob)).status).toBe(200)
  })

  test("waits for what the pull request depends on", async () => {
    const { repo, number } = await ready()
    const { body: issue } = await world.call(world.alice, `POST ${repo.at}/issues`, { title: "First this" })
    const depends = { owner: "alice", repo: repo.name, index: issue.number }
    expect((await world.call(world.alice, `POST ${repo.at}/issues/${number}/dependencies`, depends)).status).toBe(201)
    expect((await repo.merge(number, { do: "merge" })).status).toBe(405)
    await world.call(world.alice, `PATCH ${repo.at}/issues/${issue.number}`, { state: "closed" })
    expect((await repo.merge(number, { do: "merge" })).status).toBe(200)
  })

  test("notifies each participant once", async () => {
    const { repo, number } = await ready()
    const { body: first } = await world.call(world.alice, `POST ${repo.at}/issues`, { title: "By the body" })
    const { body: second } = await world.call(world.alice, `POST ${repo.at}/issues`, { title: "By a comment" })
    const { body: milestone } = await world.call(world.alice, `POST ${repo.at}/milestones`, { title: "soon" })
    await world.call(world.alice, `PATCH ${repo.at}/issues/${number}`, { milestone: milestone.id, body: `fixes #${first.number}` })
    await world.call(world.alice, `POST ${repo.at}/issues/${number}/comments`, { body: `closes #${second.number}` })
    await world.call(world.alice, "PUT /notifications")
    expect((await repo.merge(number, { do: "merge" })).status).toBe(200)

    const { body: timeline } = await world.call(world.alice, `GET ${repo.at}/issues/${number}/timeline`)
    const kinds = timeline.map(({ type }: { type: string }) => type)
    expect(kinds.filter((kind: string) => ["merge_pull", "close", "commit_ref"].includes(kind))).toEqual(["merge_pull"])
    for (const { number: index } of [first, second]) {
      expect((await world.call(world.alice, `GET ${repo.at}/issues/${index}`)).body.state).toBe("closed")
    }
    expect((await world.call(world.alice, `GET ${repo.at}`)).body.open_pr_counter).toBe(0)
    expect((await world.call(world.alice, `GET ${repo.at}/milestones/${milestone.id}`)).body).toMatchObject({
      open_issues: 0,
      closed_issues: 1,
    })
    const { body: feed } = await world.call(world.bob, `GET /users/bob/activities/feeds`)
    const merges = feed.filter(
      ({ op_type, repo: { name } }: { op_type: string; repo: { name: string } }) => op_type.includes("pull_request") && name === repo.name,
    )
    expect(merges).toMatchObject([{ op_type: "merge_pull_request", content: `${number}|Bring topic`, comment_id: 0, comment: null }])
    const { body: threads } = await world.call(world.alice, `GET /repos/alice/${repo.name}/notifications`)
    expect(threads.map(({ subject }: { subject: object }) => subject)).toContainEqual(
      expect.objectContaining({ type: "Pull", state: "merged", title: "Bring topic" }),
    )
  })

  test("reads the caller's thread, even where it is refused", async () => {
    const { repo, number } = await ready()
    await world.call(world.bob, `POST ${repo.at}/issues/${number}/comments`, { body: "Well?" })
    await world.call(world.alice, `POST ${repo.at}/issues/${number}/comments`, { body: "Well!" })
    const unread = async () => (await world.call(world.bob, `GET ${repo.at}/notifications`)).body.length
    expect(await unread()).toBe(1)
    expect((await repo.merge(number, { do: "merge", head_commit_id: "x" })).status).toBe(409)
    expect(await unread()).toBe(0)
  })

  test("deletes the branch where that is wished and possible", async () => {
    const branch = async (repo: TestRepository, name = "topic") => (await world.call(world.bob, `GET ${repo.at}/branches/${name}`)).status
    const one = await ready()
    await one.repo.merge(one.number, { do: "merge", delete_branch_after_merge: true })
    expect(await branch(one.repo)).toBe(404)
    const { body: timeline } = await world.call(world.alice, `GET ${one.repo.at}/issues/${one.number}/timeline`)
    expect(timeline.at(-1)).toMatchObject({ type: "delete_branch", old_ref: "topic" })
    expect((await one.repo.get(one.number)).body).toMatchObject({
      state: "closed",
      merged: true,
      head: { ref: `refs/pull/${one.number}/head` },
    })

    const usual = await ready({ default_delete_branch_after_merge: true })
    await usual.repo.merge(usual.number, { do: "merge" })
    expect(await branch(usual.repo)).toBe(404)
    const kept = await ready({ default_delete_branch_after_merge: true })
    await kept.repo.merge(kept.number, { do: "merge", delete_branch_after_merge: false })
    expect(await branch(kept.repo)).toBe(200)

    const shared = await ready()
    await shared.repo.commit("other", "two.txt", "2\n")
    const twin = await shared.repo.pull("topic", "The same into another", { base: "other" })
    await shared.repo.merge(shared.number, { do: "merge", delete_branch_after_merge: true })
    expect(await branch(shared.repo)).toBe(200)
    expect((await shared.repo.get(twin)).body.state).toBe("open")

    const guarded = await ready()
    await world.call(world.alice, `POST ${guarded.repo.at}/branch_protections`, { rule_name: "topic" })
    await guarded.repo.merge(guarded.number, { do: "merge", delete_branch_after_merge: true })
    expect(await branch(guarded.repo)).toBe(200)
  })

  test("of two at once into one base both come about, and one pull request is merged once", async () => {
    const repo = await world.repository()
    const numbers: number[] = []
    for (const name of ["a", "b", "c"]) {
      await repo.commit(name, `${name}.txt`, `${name}\n`)
      numbers.push(await repo.pull(name))
    }
    const answers = await Promise.all([...numbers, ...numbers].map((number) => repo.merge(number, { do: "squash" })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 405, 405, 405])
    const { body: commits } = await world.call(world.alice, `GET ${repo.at}/commits`)
    expect(commits).toHaveLength(4)
  })

  test("is claimed once, where the second waits for the row while the first writes its entry", async () => {
    const repo = await world.repository()
    await repo.commit("claimed", "claimed.txt", "c\n")
    const number = await repo.pull("claimed")
    const { database, jobs, now } = world.hearth.services
    const pull = await database.read
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .innerJoin("repositories", "repositories.id", "pulls.repository_id")
      .select(["pulls.id", "pulls.head_id", "pulls.base_branch", "pulls.repository_id"])
      .where("repositories.name", "=", repo.name)
      .where("issues.number", "=", number)
      .executeTakeFirstOrThrow()
    const claim = (meanwhile: (tx: Transaction) => Promise<void>) =>
      database.write(async (tx) => {
        const entry = { repositoryId: pull.repository_id, branches: [], pusherId: 0 }
        const entryId = await jobs.enqueue(tx, detectManualMerges, entry, { runAt: now() + 3600 })
        await claimPull(tx, pull, { entryId, automatic: false })
        await meanwhile(tx)
      })
    let second: Promise<unknown> = Promise.resolve()
    await claim(async (tx) => {
      second = claim(async () => {}).catch((error: unknown) => error)
      if (database.kind === "sqlite") return
      const waiting = sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      for (let seen = 0; seen === 0; ) {
        // Within one transaction repeated reads give the same.
        await sql`select pg_stat_clear_snapshot()`.execute(tx)
        seen = (await waiting.execute(tx)).rows.length
      }
    })
    expect(await second).toMatchObject({ kind: "methodNotAllowed" })
  })

  describe("by itself", () => {
    const later = { do: "merge", merge_when_checks_succeed: true, merge_title_field: "By itself" }

    test("once the last check succeeds", async () => {
      const { repo, number, head } = await ready()
      await protect(repo, { enable_status_check: true, status_check_contexts: ["ci/test"], required_approvals: 1 })
      expect((await repo.merge(number, later)).status).toBe(201)
      expect((await repo.merge(number, later)).status).toBe(409)
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
      await state(repo, head, "pending")
      await review(repo, number, "APPROVED", world.bob)
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
      await state(repo, head, "success")
      await drain()
      expect(await isMerged(repo, number)).toBe(204)
      expect((await repo.get(number)).body).toMatchObject({ merged_by: { login: "bob" } })
      const { body: commits } = await world.call(world.alice, `GET ${repo.at}/commits?limit=1`)
      expect(commits[0].commit.message).toBe("By itself\n")
      const { body: feed } = await world.call(world.bob, "GET /users/bob/activities/feeds")
      expect(feed.map(({ op_type }: { op_type: string }) => op_type)).toContain("auto_merge_pull_request")
      const { body: timeline } = await world.call(world.alice, `GET ${repo.at}/issues/${number}/timeline`)
      const kinds = timeline.map(({ type }: { type: string }) => type)
      expect(kinds).toContain("pull_scheduled_merge")
      expect(kinds).toContain("merge_pull")
    })

    test("after an approval, or when an objection is withdrawn", async () => {
      const { repo, number } = await ready()
      await protect(repo, { required_approvals: 1, block_on_rejected_reviews: true })
      await world.call(world.alice, `PUT ${repo.at}/collaborators/carol`, { permission: "write" })
      const objection = await review(repo, number, "REQUEST_CHANGES", world.carol)
      expect((await repo.merge(number, later)).status).toBe(201)
      await review(repo, number, "APPROVED", world.bob)
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
      const dismissal = `POST ${repo.at}/pulls/${number}/reviews/${objection.body.id}/dismissals`
      expect((await world.call(world.alice, dismissal, { message: "Settled." })).status).toBe(200)
      await drain()
      expect(await isMerged(repo, number)).toBe(204)
    })

    test("at once where nothing is against it", async () => {
      const { repo, number } = await ready()
      expect((await repo.merge(number, { ...later, delete_branch_after_merge: true })).status).toBe(201)
      await drain()
      expect(await isMerged(repo, number)).toBe(204)
      expect((await world.call(world.bob, `GET ${repo.at}/branches/topic`)).status).toBe(404)
    })

    test("not after it was cancelled, by who scheduled it or who may merge", async () => {
      const { repo, number, head } = await ready()
      await protect(repo, { enable_status_check: true })
      const cancel = (by: string | undefined) => world.call(by, `DELETE ${repo.at}/pulls/${number}/merge`)
      expect((await cancel(world.bob)).status).toBe(404)
      await repo.merge(number, later)
      expect((await cancel(undefined)).status).toBe(401)
      expect((await cancel(world.carol)).status).toBe(403)
      expect((await cancel(world.alice)).status).toBe(204)
      expect((await cancel(world.alice)).status).toBe(404)
      await state(repo, head, "success")
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
      const { body: timeline } = await world.call(world.alice, `GET ${repo.at}/issues/${number}/timeline`)
      expect(timeline.map(({ type }: { type: string }) => type)).toContain("pull_cancel_scheduled_merge")
    })

    test("or not at all where it was cancelled before: never both", async () => {
      const { repo, number } = await ready()
      const { database, jobs, now } = world.hearth.services
      const { body } = await repo.get(number)
      const pull = await database.read.selectFrom("pulls").selectAll().where("id", "=", body.id).executeTakeFirstOrThrow()
      const claim = database.write((tx) => claimPull(tx, pull, { entryId: 0, automatic: true }))
      await expect(claim).rejects.toThrow("not scheduled any more")

      await protect(repo, { enable_status_check: true })
      await repo.merge(number, later)
      await drain()
      // The journal of a merge that has begun.
      await database.write(async (tx) => {
        const entry = { repositoryId: pull.repository_id, branches: [], pusherId: 0 }
        const merge_entry = await jobs.enqueue(tx, detectManualMerges, entry, { runAt: now() + 3600 })
        await tx.updateTable("pulls").set({ merge_entry }).where("id", "=", pull.id).execute()
      })
      const cancel = () => world.call(world.bob, `DELETE ${repo.at}/pulls/${number}/merge`)
      expect((await cancel()).status).toBe(409)
      await repo.commit("dev", "dev.txt", "dev\n")
      expect((await world.call(world.alice, `PATCH ${repo.at}/pulls/${number}`, { base: "dev" })).status).toBe(409)
      await database.write((tx) => tx.updateTable("pulls").set({ merge_entry: 0 }).where("id", "=", pull.id).execute())
      expect((await cancel()).status).toBe(204)
    })

    test("never into another branch than it was scheduled for", async () => {
      const { repo, number, head } = await ready()
      await protect(repo, { enable_status_check: true })
      await repo.commit("dev", "dev.txt", "dev\n")
      await repo.merge(number, later)
      expect((await world.call(world.alice, `PATCH ${repo.at}/pulls/${number}`, { base: "dev" })).status).toBe(201)
      await state(repo, head, "success")
      await world.hearth.services.jobs.tasks.run("retry_scheduled_merges")
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
      expect((await world.call(world.bob, `DELETE ${repo.at}/pulls/${number}/merge`)).status).toBe(404)
      const { body: timeline } = await world.call(world.alice, `GET ${repo.at}/issues/${number}/timeline`)
      const kinds = timeline.map(({ type }: { type: string }) => type)
      expect(kinds.slice(-3)).toEqual(["pull_scheduled_merge", "change_target_branch", "pull_cancel_scheduled_merge"])
    })

    test("not by a user who may no longer merge, and not in a style that is off by then", async () => {
      const { repo, number, head } = await ready({ allow_squash_merge: false })
      await protect(repo, { enable_status_check: true })
      expect((await repo.merge(number, { ...later, do: "squash" })).status).toBe(201)
      await state(repo, head, "success")
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
      await world.call(world.alice, `PATCH ${repo.at}`, { allow_squash_merge: true })
      await world.call(world.alice, `DELETE ${repo.at}/collaborators/bob`)
      await world.hearth.services.jobs.tasks.run("retry_scheduled_merges")
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
      await world.call(world.alice, `PUT ${repo.at}/collaborators/bob`, { permission: "write" })
      await world.hearth.services.jobs.tasks.run("retry_scheduled_merges")
      await drain()
      expect(await isMerged(repo, number)).toBe(204)
    })

    test("no sooner for a draft, and never once it is closed", async () => {
      const { repo, number, head } = await ready()
      await protect(repo, { enable_status_check: true })
      await repo.merge(number, later)
      await world.call(world.alice, `PATCH ${repo.at}/pulls/${number}`, { state: "closed" })
      await state(repo, head, "success")
      await drain()
      await world.call(world.alice, `PATCH ${repo.at}/pulls/${number}`, { state: "open" })
      await world.hearth.services.jobs.tasks.run("retry_scheduled_merges")
      await drain()
      expect(await isMerged(repo, number)).toBe(404)
    })
  })

  describe("by hand", () => {
    const byHand = (commit?: string) => ({ do: "manually-merged", ...(commit !== undefined && { merge_commit_id: commit }) })

    test("is marked where the repository allows it and the commit is on the base", async () => {
      const { repo, number, head } = await ready({ allow_manual_merge: true })
      expect(refusal(await repo.merge(number, byHand(head)))).toEqual([409, "Wrong commit ID"])
      expect(refusal(await repo.merge(number, byHand()))).toEqual([409, "Wrong commit ID"])
      expect(refusal(await repo.merge(number, byHand(head.slice(0, 10))))).toEqual([409, "Wrong commit ID"])
      expect((await repo.merge(number, byHand(head), world.carol)).status).toBe(405)
      const tip = await repo.tip()
      expect((await repo.merge(number, byHand(tip))).status).toBe(200)
      const { body: commit } = await world.call(world.alice, `GET ${repo.at}/git/commits/${tip}`)
      const { body } = await repo.get(number)
      expect(body).toMatchObject({ merged: true, state: "closed", merge_commit_sha: tip, merged_by: { login: "bob" } })
      expect(Date.parse(body.merged_at)).toBe(Date.parse(commit.commit.author.date))
    })

    test("is refused where the repository doesn't allow it", async () => {
      const { repo, number } = await ready()
      expect((await repo.merge(number, byHand(await repo.tip()))).status).toBe(405)
    })

    test("is found out by itself where that is wished", async () => {
      const { repo, number, head } = await ready({ allow_manual_merge: true, autodetect_manual_merge: true })
      await repo.commit("second", "two.txt", "2\n")
      const second = await repo.pull("second")
      await repo.commit("third", "three.txt", "3\n")
      const third = await repo.pull("third")
      const work = await repo.clone()
      await ok(work, "merge", "-q", "--ff-only", "origin/topic")
      await ok(work, "merge", "-q", "--no-ff", "-m", "Second, by hand", "origin/second")
      const merge = await ok(work, "rev-parse", "HEAD")
      const url = `${world.hearth.url}/alice/${repo.name}.git`.replace("//", "//bob:pass-word-1@")
      await ok(work, "push", "-q", url, "main")
      await drain()
      expect((await repo.get(number)).body).toMatchObject({ merged: true, merge_commit_sha: head, merged_by: { login: "bob" } })
      expect((await repo.get(second)).body).toMatchObject({ merged: true, merge_commit_sha: merge, merged_by: { login: "bob" } })
      expect((await repo.get(third)).body).toMatchObject({ merged: false, state: "open" })
    })
  })
})
