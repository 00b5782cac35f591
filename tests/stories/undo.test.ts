import { expect } from "vitest"
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
  { on: databaseKinds, people: ["ada", "bob"], now, config: { git: { pruneSeconds: 7_200 } } },
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

    test.beforeAll(async () => {
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
