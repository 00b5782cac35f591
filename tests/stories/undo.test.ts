import { createHmac, randomBytes, randomUUID } from "node:crypto"
import { afterAll, expect } from "vitest"
import { openReceiver, type Receiver } from "../../src/features/events/webhooks/testing.ts"
import { operations } from "../../src/operations.ts"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import type { Answer } from "../support/hearth.ts"

/**
 * Ada deletes one thing after another and gets each back as it was: what the API said of it before is what it says afterwards, with the same ids. Then the time is over, and nothing is left.
 */
let clock = 1_800_000_000
const now = () => clock

withHearth(
  "what was deleted is there again",
  { on: databaseKinds, people: ["ada", "bob"], now, config: { git: { pruneSeconds: 7_200 }, outgoing: { allowedHosts: "loopback" } } },
  ({ test, forge, ada, bob, settle }) => {
    const AT = "/repos/ada/engine"
    const must = async (who: string, route: string, body?: object | FormData): Promise<Answer["body"]> => {
      const answer = await forge.call(who, route, body)
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const deletions = (kind = ""): Promise<Answer["body"]> => must(ada, `GET ${AT}/deleted${kind && `?kind=${kind}`}`)
    const restoreLast = async (kind: string): Promise<Answer["body"]> =>
      must(ada, `POST ${AT}/deleted/${(await deletions(kind))[0].id}/restore`)

    const rows = async (
      table: "issues" | "comments" | "reactions" | "text_versions" | "issue_labels" | "issue_totals" | "comment_totals",
    ) => {
      const found: readonly Readonly<Record<string, unknown>>[] = await forge.hearth.services.database.read
        .selectFrom(table)
        .selectAll()
        .execute()
      return found.map((row) => JSON.stringify({ ...row, updated_at: 0 })).toSorted()
    }

    let receiver: Receiver
    afterAll(() => receiver.close())
    test.beforeAll(async () => {
      receiver = await openReceiver()
      await must(ada, "POST /user/repos", { name: "engine", auto_init: true, default_branch: "main" })
      await must(ada, `PUT ${AT}/collaborators/bob`, { permission: "write" })
    })

    test("an issue with all that belongs to it", async () => {
      const label = await must(ada, `POST ${AT}/labels`, { name: "bug", color: "#ff0000" })
      const milestone = await must(ada, `POST ${AT}/milestones`, { title: "1.0" })
      const options = { title: "It stalls", body: "At noon.", labels: [label.id], milestone: milestone.id, assignees: ["ada"] }
      const issue = await must(bob, `POST ${AT}/issues`, options)
      const other = await must(bob, `POST ${AT}/issues`, { title: "Another", body: `Like #${issue.number}` })
      const comment = await must(bob, `POST ${AT}/issues/${issue.number}/comments`, { body: "And at night." })
      await must(bob, `PATCH ${AT}/issues/comments/${comment.id}`, { body: "And at midnight." })
      await must(ada, `POST ${AT}/issues/comments/${comment.id}/reactions`, { content: "heart" })
      const form = new FormData()
      form.append("attachment", new Blob(["steam"]), "notes.txt")
      const file = await must(bob, `POST ${AT}/issues/${issue.number}/assets`, form)
      await must(ada, `POST ${AT}/issues/${issue.number}/times`, { time: 60 })

      const watched = ["issues", "comments", "reactions", "text_versions", "issue_labels", "issue_totals", "comment_totals"] as const
      const before = { issue: await must(ada, `GET ${AT}/issues/${issue.number}`), rows: await Promise.all(watched.map(rows)) }
      expect(before.issue.milestone.open_issues).toBe(1)
      await must(ada, `DELETE ${AT}/issues/${issue.number}`)
      await settle()
      expect((await forge.call(ada, `GET ${AT}/issues/${issue.number}`)).status).toBe(404)
      expect((await must(ada, `GET ${AT}`)).open_issues_count).toBe(1)
      expect(await deletions()).toEqual([
        expect.objectContaining({
          kind: "issue",
          name: "It stalls",
          number: issue.number,
          subject_id: issue.id,
          deleted_by: { id: expect.any(Number), login: "ada" },
        }),
      ])

      const restored = await restoreLast("issue")
      expect(restored).toMatchObject({ number: issue.number, left_out: [], html_url: before.issue.html_url })
      await settle()
      const after = { issue: await must(ada, `GET ${AT}/issues/${issue.number}`), rows: await Promise.all(watched.map(rows)) }
      expect(after.rows).toEqual(before.rows)
      expect({ ...after.issue, updated_at: "" }).toEqual({ ...before.issue, updated_at: "" })
      const sent = await fetch(file.browser_download_url, { headers: { authorization: ada } })
      expect([sent.status, await sent.text()]).toEqual([200, "steam"])
      expect(await must(ada, `GET ${AT}/issues?q=midnight&type=issues`)).toHaveLength(1)
      expect(await deletions()).toEqual([])
      expect((await must(ada, `GET ${AT}/issues/${other.number}`)).title).toBe("Another")
    })

    test("a comment, a label and a milestone, with the issues that had them", async () => {
      const [issue] = await must(ada, `GET ${AT}/issues?q=stalls`)
      const [comment] = await must(ada, `GET ${AT}/issues/${issue.number}/comments`)
      await must(bob, `DELETE ${AT}/issues/comments/${comment.id}`)
      expect((await must(ada, `GET ${AT}/issues/${issue.number}`)).comments).toBe(0)
      // Who wrote and deleted it restores it, and nobody twice.
      const [gone] = await must(bob, `GET ${AT}/deleted?kind=comment`)
      await must(bob, `POST ${AT}/deleted/${gone.id}/restore`)
      expect((await forge.call(bob, `POST ${AT}/deleted/${gone.id}/restore`)).status).toBe(404)
      expect((await must(ada, `GET ${AT}/issues/${issue.number}/comments`)).map(({ body }: Answer["body"]) => body)).toEqual([
        "And at midnight.",
      ])

      await must(ada, `DELETE ${AT}/labels/${issue.labels[0].id}`)
      await must(ada, `DELETE ${AT}/milestones/${issue.milestone.id}`)
      const bare = await must(ada, `GET ${AT}/issues/${issue.number}`)
      expect([bare.labels, bare.milestone]).toEqual([[], null])
      await restoreLast("label")
      await restoreLast("milestone")
      const whole = await must(ada, `GET ${AT}/issues/${issue.number}`)
      expect([whole.labels, whole.milestone.id, whole.milestone.open_issues]).toEqual([issue.labels, issue.milestone.id, 1])
    })

    test("a branch and a release", async () => {
      await must(ada, `POST ${AT}/branches`, { new_branch_name: "boiler" })
      await must(ada, `POST ${AT}/contents/a.txt`, { content: "YQ==", message: "Steam", branch: "boiler" })
      const branch = await must(ada, `GET ${AT}/branches/boiler`)
      await must(ada, `DELETE ${AT}/branches/boiler`)
      await settle()
      // Nothing else reaches its commit, which the repository is cleaned of what is left behind.
      for (let day = 0; day < 2; day++) {
        clock += 86_400
        await forge.hearth.services.jobs.tasks.run("prune_left_behind")
      }
      await restoreLast("branch")
      expect((await must(ada, `GET ${AT}/branches/boiler`)).commit.id).toBe(branch.commit.id)

      const release = await must(ada, `POST ${AT}/releases`, { tag_name: "v1", target_commitish: "main", name: "One" })
      const form = new FormData()
      form.append("attachment", new Blob(["bytes"]), "one.zip")
      await must(ada, `POST ${AT}/releases/${release.id}/assets`, form)
      const before = await must(ada, `GET ${AT}/releases/${release.id}`)
      await must(ada, `DELETE ${AT}/releases/${release.id}`)
      await settle()
      await restoreLast("release")
      expect(await must(ada, `GET ${AT}/releases/${release.id}`)).toEqual(before)
      const sent = await fetch(before.assets[0].browser_download_url, { headers: { authorization: ada } })
      expect(await sent.text()).toBe("bytes")
    })

    test("a repository, under another name where its own is taken", async () => {
      await must(bob, "PUT /user/starred/ada/engine")
      const before = await must(ada, `GET ${AT}`)
      await must(ada, `DELETE ${AT}`)
      await settle()
      expect((await forge.call(ada, `GET ${AT}`)).status).toBe(404)
      expect(await must(bob, "GET /user/starred")).toEqual([])
      // Its name is free.
      await must(ada, "POST /user/repos", { name: "engine" })
      const [gone] = await must(ada, "GET /user/deleted")
      expect(gone).toMatchObject({ kind: "repository", name: "engine", subject_id: before.id })
      const taken = await forge.call(ada, `POST /user/deleted/${gone.id}/restore`, {})
      expect([taken.status, taken.body.message]).toEqual([409, expect.stringContaining("restore it under another name")])
      await must(ada, `DELETE ${AT}`)
      const restored = await must(ada, `POST /user/deleted/${gone.id}/restore`, { name: "machine" })
      expect(restored).toMatchObject({ name: "machine", subject_id: before.id })
      const after = await must(ada, "GET /repos/ada/machine")
      const names = [
        "id",
        "description",
        "stars_count",
        "watchers_count",
        "open_issues_count",
        "release_counter",
        "private",
        "default_branch",
      ]
      expect(names.map((name) => after[name])).toEqual(names.map((name) => before[name]))
      expect((await must(bob, "GET /repos/ada/machine/contents/README.md")).name).toBe("README.md")
      expect((await must(bob, "GET /repos/ada/machine")).permissions.push).toBe(true)
      expect(await must(ada, "GET /repos/ada/machine/issues?state=all")).toHaveLength(2)
    })

    test("a repository with all that it is used by, of which nothing is found, used or told meanwhile", async () => {
      const at = "/repos/ada/plant"
      await must(ada, "POST /user/repos", { name: "plant", auto_init: true, default_branch: "main", private: true })
      await must(ada, `PUT ${at}/collaborators/bob`, { permission: "write" })
      const workflow =
        "on:\n  push:\n  schedule: [{cron: '0 3 * * *'}]\njobs: {build: {runs-on: nowhere, env: {KEY: '${{ secrets.KEY }}'}, steps: [{run: 'true'}]}}\n"
      await must(ada, `POST ${at}/contents/.gitea/workflows/w.yml`, { content: Buffer.from(workflow).toString("base64"), message: "CI" })
      await must(ada, `PUT ${at}/actions/secrets/KEY`, { data: "hush-hush" })
      await must(ada, `POST ${at}/actions/variables/MODE`, { value: "fast" })
      const blob = Buffer.concat([Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0\x20", "latin1"), randomBytes(32)])
      const key = `ssh-ed25519 ${blob.toString("base64")}`
      await must(ada, `POST ${at}/keys`, { title: "builder", key, read_only: true })
      const hook = {
        type: "gitea",
        active: true,
        events: ["push", "issues"],
        config: { url: receiver.url, content_type: "json", secret: "s" },
      }
      await must(ada, `POST ${at}/hooks`, hook)
      const mirror = { remote_address: "http://127.0.0.1:1/plant.git", interval: "8h", remote_username: "ada", remote_password: "pw" }
      await must(ada, `POST ${at}/push_mirrors`, mirror)
      await must(ada, `POST ${at}/branch_protections`, { rule_name: "main", enable_push: false, enable_merge_queue: true })
      const issue = await must(bob, `POST ${at}/issues`, { title: "It hums", assignees: ["bob"] })
      await must(bob, `POST ${at}/issues/${issue.number}/stopwatch/start`)
      await must(ada, `POST ${at}/issues/${issue.number}/comments`, { body: "@bob does it?" })
      await must(ada, `POST ${at}/issues/${issue.number}/times`, { time: 60 })
      const fork = await must(bob, `POST ${at}/forks`, {})
      const upload = await fetch(`${forge.hearth.url}/api/packages/ada/generic/tool/1/a`, {
        method: "PUT",
        headers: { authorization: ada },
        body: "a",
      })
      expect(upload.status).toBe(201)
      await must(ada, "POST /packages/ada/generic/tool/-/link/plant")
      await must(ada, `PATCH ${at}/merge_queues/main`, { frozen: true, reason: "Until noon." })
      await settle()
      receiver.take()

      const paths = [
        ...[
          "",
          "/hooks",
          "/keys",
          "/push_mirrors",
          "/actions/secrets",
          "/actions/variables",
          "/branch_protections",
          "/forks",
          "/issues?state=all",
        ],
        ...["/collaborators", "/subscribers", "/actions/workflows", "/merge_queues/main"],
      ]
      const token = await must(ada, `POST ${at}/actions/runners/registration-token`)
      const seen = async () =>
        Promise.all([
          ...paths.map((path) => must(ada, `GET ${at}${path}`)),
          must(ada, "GET /packages/ada/generic/tool/1"),
          must(bob, `GET /repos/${fork.full_name}`),
          must(bob, "GET /user/stopwatches"),
          must(bob, "GET /notifications?all=true"),
        ])
      const { blobs, database, jobs } = forge.hearth.services
      const { storage } = await database.read
        .selectFrom("repositories")
        .select("storage")
        .where("name", "=", "plant")
        .where("fork_of_id", "is", null)
        .executeTakeFirstOrThrow()
      const schedules = () => database.read.selectFrom("action_schedules").select("line").execute()
      const file = `actions/${storage}/${randomUUID()}`
      await blobs.write(file, [Buffer.from("log")])
      const isThere = async () => {
        const opened = await blobs.open(file)
        await opened?.close()
        return opened !== undefined
      }
      const before = await seen()
      expect(await schedules()).toEqual([{ line: "0 3 * * *" }])
      await must(ada, `DELETE ${at}`)

      // Nothing of it acts or lets anybody in, and its key is free.
      await settle()
      clock += 2 * 86_400
      for (const task of ["start_schedule_tasks", "update_mirrors"]) await jobs.tasks.run(task)
      await settle()
      for (const table of ["webhooks", "deploy_keys", "push_mirrors", "runner_registrations", "action_schedules"] as const)
        expect(await database.read.selectFrom(table).selectAll().execute(), table).toEqual([])
      expect((await must(ada, "GET /user/deleted"))[0].name).toBe("plant")
      const lists = operations.flatMap(({ method, path, parameters }) => {
        const isOfOthers = parameters.some(({ name }) => name !== "username")
        return method !== "GET" || isOfOthers || path.endsWith("/deleted") ? [] : path.replace("{username}", "ada")
      })
      const hidden = new RegExp(`ada/plant|It hums|nobody|${storage.split("/").at(-1)}`)
      for (const who of [ada, bob, String(forge.root)])
        for (const path of lists) expect(JSON.stringify((await forge.call(who, `GET ${path}`)).body) ?? "", path).not.toMatch(hidden)
      expect((await must(bob, `GET /repos/${fork.full_name}`)).fork).toBe(false)
      expect(receiver.take()).toEqual([])

      const [gone] = await must(ada, "GET /user/deleted")
      const restored = await must(ada, `POST /user/deleted/${gone.id}/restore`, {})
      expect(restored.left_out).toEqual([])
      await settle()
      const still = (list: readonly unknown[]) =>
        JSON.parse(JSON.stringify(list).replaceAll(/"(updated_at|next_run_at|duration|seconds)":("[^"]*"|\d+)/g, '"x":0'))
      expect(still(await seen())).toEqual(still(before))
      expect(await schedules()).toEqual([{ line: "0 3 * * *" }])
      expect(await isThere()).toBe(true)
      expect((await must(ada, `GET ${at}/actions/runs`)).workflow_runs[0].conclusion).toBe("cancelled")
      expect(await must(ada, `POST ${at}/actions/runners/registration-token`)).toEqual(token)
      // The receiver hears again, with the secret that it knows.
      await must(bob, `POST ${at}/issues`, { title: "It hums again" })
      await settle()
      const [told] = receiver.take()
      expect(told?.headers["x-gitea-signature"]).toBe(
        createHmac("sha256", "s")
          .update(told?.text ?? "")
          .digest("hex"),
      )
      await must(ada, `DELETE ${at}`)
      await must(bob, `DELETE /repos/${fork.full_name}`)
      await must(ada, `DELETE /user/deleted/${(await must(ada, "GET /user/deleted"))[0].id}`)
      await settle()
      expect(await isThere()).toBe(false)
    })

    test("a mirror, which follows its remote again", async () => {
      const { id } = await must(ada, "POST /user/repos", { name: "copy", auto_init: true })
      const mirror = { enable_prune: 0, remote_username: "", sealed_secret: "", updated_at: 0, last_sync_at: 0 } as const
      const { database, jobs } = forge.hearth.services
      await database.write(async (tx) => {
        await tx.updateTable("repositories").set({ is_mirror: 1 }).where("id", "=", id).execute()
        await tx
          .insertInto("mirrors")
          .values({ repository_id: id, interval: 3_600, remote_url: "http://127.0.0.1:1/x.git", ...mirror, next_sync_at: clock })
          .execute()
      })
      const errors = () => database.read.selectFrom("mirrors").select("last_error").execute()
      const before = await must(ada, "GET /repos/ada/copy")
      await must(ada, "DELETE /repos/ada/copy")
      await jobs.tasks.run("update_mirrors")
      await settle()
      expect(await errors()).toEqual([])
      await must(ada, `POST /user/deleted/${(await must(ada, "GET /user/deleted"))[0].id}/restore`, {})
      expect(await must(ada, "GET /repos/ada/copy")).toEqual(before)
      await jobs.tasks.run("update_mirrors")
      await settle()
      expect(await errors()).toEqual([{ last_error: expect.stringMatching(/./) }])
      await must(ada, "DELETE /repos/ada/copy")
    })

    test("nothing once its time is over", async () => {
      const at = "/repos/ada/machine"
      const [issue] = await must(ada, `GET ${at}/issues?q=stalls`)
      const [file] = issue.assets
      await must(ada, `DELETE ${at}/issues/${issue.number}`)
      const [gone] = await must(ada, `GET ${at}/deleted`)
      clock += 7 * 86_400 + 1
      expect(await must(ada, `GET ${at}/deleted`)).toEqual([])
      expect((await forge.call(ada, `POST ${at}/deleted/${gone.id}/restore`)).status).toBe(404)
      const { blobs, database, jobs } = forge.hearth.services
      const key = `attachments/${file.uuid.slice(0, 2)}/${file.uuid}`
      const isThere = async () => {
        const opened = await blobs.open(key)
        await opened?.close()
        return opened !== undefined
      }
      expect(await isThere()).toBe(true)
      await jobs.tasks.run("end_deletions")
      await settle()
      expect(await isThere()).toBe(false)
      // With the repository that was deleted for its name, nothing is left of either.
      expect(await database.read.selectFrom("deletions").select("id").execute()).toEqual([])
      expect(await database.read.selectFrom("repositories").select("name").execute()).toEqual([{ name: "machine" }])
    })
  },
)
