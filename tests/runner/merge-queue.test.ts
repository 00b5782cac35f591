import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { client, ok } from "../../src/git/testing.ts"
import { after, withRunner, workflowPath } from "./support/fixture.ts"

/**
 * Pull requests line up at a branch whose check is a workflow of the real runner. `HEARTH_QUEUE_PULLS=50` plays it with more of them, and prints what happened
 * (docs/merge-queue.md has the figures).
 */
const MANY = Number(process.env["HEARTH_QUEUE_PULLS"] ?? 6)
const run = promisify(execFile)

/** Of ten, one is broken by itself, some change the same line, and some break each other though each of them is fine alone. */
const kindOf = (n: number) => (n % 10 === 2 ? "broken" : n % 5 === 0 ? "clash" : n % 10 === 3 || n % 10 === 4 ? "rival" : "fine")

const CHECK = "! grep -rqs broken parts && [ $(ls rivals 2>/dev/null | wc -l) -le 1 ]\n"
const WORKFLOW = `name: CI
on: merge_group
jobs:
  test:
    runs-on: host
    steps:
      - run: |
          git init -q . && git fetch -q --depth 1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" "$GITHUB_REF" && git checkout -q FETCH_HEAD
          [ "$(git rev-parse HEAD)" = "$GITHUB_SHA" ] && echo "trial=$GITHUB_REF \${{ github.event.merge_group.base_ref }}"
          sh check.sh
`

withRunner("merge queue", { machines: [{ name: "one", capacity: 2 }] }, ({ site, check }) => {
  check("a queue lands what the runner has tested, and the branch is green at every commit", async () => {
    const { call, must, root } = site
    const repository = await site.repository("queued", { "check.sh": CHECK, "shared.txt": "one\n", [workflowPath()]: WORKFLOW })
    const at = `/repos/${repository}`
    await must(root, `POST ${at}/branch_protections`, {
      rule_name: "main",
      enable_merge_queue: true,
      merge_queue_batch_size: 8,
      enable_status_check: true,
      status_check_contexts: ["CI / test (pull_request)"],
    })
    const folder = await mkdtemp(join(tmpdir(), "hearth-queue-"))
    try {
      const address = `${site.hearth.url}/${repository}.git`.replace("//", `//root:${site.hearth.token}@`)
      await ok(folder, "clone", "-q", address, ".")
      const start = (await client(folder, ["rev-parse", "HEAD"])).out.trim()
      for (let n = 1; n <= MANY; n++) {
        await ok(folder, "checkout", "-q", "-b", `t${n}`, start)
        const kind = kindOf(n)
        const file = kind === "clash" ? "shared.txt" : `${kind === "rival" ? "rivals" : "parts"}/${n}`
        await mkdir(join(folder, "parts"), { recursive: true })
        await mkdir(join(folder, "rivals"), { recursive: true })
        await writeFile(join(folder, file), `${kind} ${n}\n`)
        await ok(folder, "add", ".")
        await ok(folder, "commit", "-q", "-m", `Change ${n}`)
      }
      await ok(folder, "push", "-q", "origin", "--all")
      const numbers = new Map<number, number>()
      for (let n = 1; n <= MANY; n++) {
        const { number } = await must(root, `POST ${at}/pulls`, { head: `t${n}`, base: "main", title: `Change ${n}` })
        numbers.set(n, number)
      }
      const began = performance.now()
      for (const number of numbers.values()) await must(root, `POST ${at}/pulls/${number}/queue`, {})
      await expect
        .poll(async () => (await must(root, `GET ${at}/merge_queues/main`)).entries, { timeout: 1_200_000, interval: 500 })
        .toEqual([])
      const seconds = (performance.now() - began) / 1000

      const merged = new Set<number>()
      for (const [n, number] of numbers) if ((await must(root, `GET ${at}/pulls/${number}`)).merged) merged.add(n)
      const all = [...numbers.keys()]
      expect(all.filter((n) => kindOf(n) === "broken" && merged.has(n))).toEqual([])
      expect(all.filter((n) => kindOf(n) === "fine" && !merged.has(n))).toEqual([])
      // Of those that can't be together one lands.
      for (const kind of ["clash", "rival"]) expect(all.filter((n) => kindOf(n) === kind && merged.has(n))).toHaveLength(1)

      // Every value that the branch ever had is one that the runner has tested, and so is its tree.
      const { database } = site.hearth.services
      const moves = (await database.read.selectFrom("events").select("data").where("kind", "=", "reference.moved").orderBy("id").execute())
        .map(({ data }): { readonly ref: string; readonly newId: string } => JSON.parse(data))
        .filter(({ ref }) => ref === "refs/heads/main")
        .slice(1)
      expect(moves.length).toBeGreaterThan(0)
      for (const { newId } of moves) {
        const { statuses } = await must(root, `GET ${at}/commits/${newId}/status`)
        expect(statuses).toEqual([expect.objectContaining({ context: "CI / test (merge_group)", status: "success" })])
      }
      // And also every commit in between passes the check.
      await ok(folder, "fetch", "-q", "origin", "main")
      const commits = (await client(folder, ["rev-list", "--first-parent", `${start}..FETCH_HEAD`])).out.trim().split("\n")
      expect(commits).toHaveLength(merged.size)
      for (const commit of commits) {
        await ok(folder, "checkout", "-q", "--detach", commit)
        await ok(folder, "clean", "-qfd")
        await run("sh", ["check.sh"], { cwd: folder })
      }
      const trials = await database.read.selectFrom("merge_trials").select(["state", "numbers"]).execute()
      const of = (state: string) => trials.filter((trial) => trial.state === state).length
      if (MANY > 6)
        console.log(
          `${MANY} pull requests: ${merged.size} landed in ${of("landed")} pushes, ${of("failed")} trials failed, ${of("dropped")} were dropped, in ${seconds.toFixed(0)} s`,
        )
      const [last] = await site.runs(repository, { event: "merge_group" })
      expect(last && after(await (await site.ended(repository, { id: last.id })).log(), "trial=")).toEqual([
        expect.stringMatching(/^refs\/queue\/\d+ refs\/heads\/main$/),
      ])
      // Nothing of it stays.
      expect((await call(root, `GET ${at}/git/refs/queue`)).status).toBe(404)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
