import { randomBytes } from "node:crypto"
import { expect } from "vitest"
import { openBrowser } from "../support/browser.ts"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import { type Answer, PASSWORD } from "../support/hearth.ts"
import { faultsIn } from "../support/html.ts"

/** What was deleted must not come back for those who may not have it, nor twice, nor to where it no longer belongs; and deleting must not fill the disk. */
const config = { undo: { maxBytes: 16 * 1024, ownerBytes: 64 * 1024, ownerFileBytes: 4_096 } }

withHearth(
  "restoring",
  { on: databaseKinds, people: ["ada", "bob", "eve", "max"], config },
  ({ test, forge, ada, bob, eve, max, settle }) => {
    let count = 0
    const must = async (who: string, route: string, body?: object | FormData): Promise<Answer["body"]> => {
      const answer = await forge.call(who, route, body)
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const status = async (who: string | undefined, route: string, body?: object) => (await forge.call(who, route, body)).status
    /** A repository of ada's in which bob may write. */
    async function repository(options: object = {}): Promise<string> {
      const name = `r${++count}`
      await must(ada, "POST /user/repos", { name, auto_init: true, default_branch: "main", ...options })
      await must(ada, `PUT /repos/ada/${name}/collaborators/bob`, { permission: "write" })
      return `/repos/ada/${name}`
    }
    const last = async (at: string, kind: string) => (await must(ada, `GET ${at}/deleted?kind=${kind}`))[0]

    test("takes who may delete such a thing: others learn nothing", async () => {
      const at = await repository({ private: true })
      const { number } = await must(ada, `POST ${at}/issues`, { title: "A secret plan" })
      const { id: comment } = await must(ada, `POST ${at}/issues/${number}/comments`, { body: "of ada's" })
      const { id: rude } = await must(bob, `POST ${at}/issues/${number}/comments`, { body: "rude" })
      await must(ada, `DELETE ${at}/issues/comments/${comment}`)
      await must(ada, `DELETE ${at}/issues/comments/${rude}`)
      await must(ada, `DELETE ${at}/issues/${number}`)
      const gone = await last(at, "issue")
      for (const [who, expected] of [
        [undefined, 404],
        [eve, 404],
        [bob, 403],
      ] as const) {
        expect(await status(who, `POST ${at}/deleted/${gone.id}/restore`)).toBe(expected)
        expect(await status(who, `DELETE ${at}/deleted/${gone.id}`)).toBe(expected)
      }
      expect(await status(eve, `GET ${at}/deleted`)).toBe(404)
      expect((await must(bob, `GET ${at}/deleted`)).map(({ kind }: Answer["body"]) => kind)).toEqual(["comment", "comment"])
      // An id of another repository's, of nobody's and of the wrong scope.
      const other = await repository()
      for (const id of [gone.id, 99_999, 0]) expect(await status(ada, `POST ${other}/deleted/${id}/restore`)).toBe(404)
      expect(await status(ada, `POST /user/deleted/${gone.id}/restore`, {})).toBe(404)
      expect(await status(eve, `DELETE /admin/deleted/${gone.id}`)).toBe(403)

      // Who only reads brings back what they deleted themselves, and not what was deleted of theirs.
      const open = await repository()
      const issue = await must(ada, `POST ${open}/issues`, { title: "Open" })
      const [own, taken] = [
        await must(eve, `POST ${open}/issues/${issue.number}/comments`, { body: "own" }),
        await must(eve, `POST ${open}/issues/${issue.number}/comments`, { body: "taken" }),
      ]
      await must(eve, `DELETE ${open}/issues/comments/${own.id}`)
      await must(ada, `DELETE ${open}/issues/comments/${taken.id}`)
      const [theirs, mine] = await must(ada, `GET ${open}/deleted?kind=comment`)
      expect((await must(eve, `GET ${open}/deleted`)).map(({ id }: Answer["body"]) => id)).toEqual([mine.id])
      expect(await status(eve, `POST ${open}/deleted/${theirs.id}/restore`)).toBe(403)
      // Nor past a lock.
      await must(ada, `PUT ${open}/issues/${issue.number}/lock`, { lock_reason: "spam" })
      expect(await status(eve, `POST ${open}/deleted/${mine.id}/restore`)).toBe(403)
      await must(ada, `DELETE ${open}/issues/${issue.number}/lock`)
      expect(await status(eve, `POST ${open}/deleted/${mine.id}/restore`)).toBe(200)
    })

    test("is done once, whoever asks at the same moment", async () => {
      const at = await repository()
      const { number } = await must(ada, `POST ${at}/issues`, { title: "Once" })
      await must(ada, `DELETE ${at}/issues/${number}`)
      const { id } = await last(at, "issue")
      const answers = await Promise.all([1, 2, 3, 4].map(() => status(ada, `POST ${at}/deleted/${id}/restore`)))
      expect(answers.toSorted()).toEqual([200, 404, 404, 404])
      expect((await must(ada, `GET ${at}`)).open_issues_count).toBe(1)
      await must(ada, `DELETE ${at}/issues/${number}`)
      const again = await last(at, "issue")
      const ends = await Promise.all([
        status(ada, `DELETE ${at}/deleted/${again.id}`),
        status(ada, `POST ${at}/deleted/${again.id}/restore`),
      ])
      expect(ends.toSorted()).toEqual([expect.toBeOneOf([200, 204]), 404])

      await must(ada, `POST ${at}/branches`, { new_branch_name: "twice" })
      await must(ada, `DELETE ${at}/branches/twice`)
      const branch = await last(at, "branch")
      const made = await Promise.all([1, 2].map(() => status(ada, `POST ${at}/deleted/${branch.id}/restore`)))
      expect(made.filter((each) => each === 200)).toHaveLength(1)
    })

    test("leads to nowhere that has changed: archived, moved, taken and protected places", async () => {
      const at = await repository()
      const elsewhere = await repository()
      const { number } = await must(ada, `POST ${at}/issues`, { title: "Moves" })
      const { id: comment } = await must(ada, `POST ${at}/issues/${number}/comments`, { body: "Said" })
      await must(ada, `DELETE ${at}/issues/comments/${comment}`)
      const said = await last(at, "comment")
      // Its issue is deleted, and then moved.
      await must(ada, `DELETE ${at}/issues/${number}`)
      const orphan = await forge.call(ada, `POST ${at}/deleted/${said.id}/restore`)
      expect([orphan.status, orphan.body.message]).toEqual([409, "its issue is deleted: restore that first"])
      await must(ada, `POST ${at}/deleted/${(await last(at, "issue")).id}/restore`)
      const { database } = forge.hearth.services
      const target = (await must(ada, `GET ${elsewhere}`)).id
      await database.write((tx) =>
        tx.updateTable("issues").set({ repository_id: target, number: 77 }).where("title", "=", "Moves").execute(),
      )
      expect((await forge.call(ada, `POST ${at}/deleted/${said.id}/restore`)).body.message).toContain("in another repository")

      const release = await must(ada, `POST ${at}/releases`, { tag_name: "v1", target_commitish: "main" })
      await must(ada, `DELETE ${at}/releases/${release.id}`)
      await must(ada, `POST ${at}/releases`, { tag_name: "v1", target_commitish: "main" })
      expect(await status(ada, `POST ${at}/deleted/${(await last(at, "release")).id}/restore`)).toBe(409)

      await must(ada, `POST ${at}/branches`, { new_branch_name: "guarded" })
      await must(ada, `DELETE ${at}/branches/guarded`)
      await must(ada, `POST ${at}/branch_protections`, { rule_name: "guarded", enable_push: false })
      const branch = await last(at, "branch")
      expect(await status(bob, `POST ${at}/deleted/${branch.id}/restore`)).toBe(403)

      await must(ada, `POST ${at}/labels`, { name: "old", color: "#000000" }).then(({ id }) => must(ada, `DELETE ${at}/labels/${id}`))
      const label = await last(at, "label")
      await must(ada, `PATCH ${at}`, { archived: true })
      expect(await status(ada, `POST ${at}/deleted/${label.id}/restore`)).toBe(423)
      await must(ada, `PATCH ${at}`, { archived: false, private: true })
      await must(ada, `POST ${at}/transfer`, { new_owner: "max" })
      await must(max, `POST ${at}/transfer/accept`)
      // It is max's now: who was its owner and has no access learns nothing, and max restores it.
      const now = at.replace("ada", "max")
      await must(max, `DELETE ${now}/collaborators/ada`)
      expect(await status(ada, `POST ${now}/deleted/${label.id}/restore`)).toBe(404)
      expect(await status(max, `POST ${now}/deleted/${label.id}/restore`)).toBe(200)
    })

    test("gives back sealed what was secret, and no key or person that has no place there by now", async () => {
      await must(ada, "POST /orgs", { username: "works" })
      const at = "/repos/works/mill"
      await must(ada, "POST /orgs/works/repos", { name: "mill", auto_init: true, default_branch: "main", private: true })
      const { id: team } = await must(ada, "POST /orgs/works/teams", { name: "all", permission: "read", units: ["repo.code"] })
      for (const who of ["bob", "max"]) await must(ada, `PUT /teams/${team}/members/${who}`)
      for (const who of ["bob", "eve", "max"]) await must(ada, `PUT ${at}/collaborators/${who}`, { permission: "write" })
      const lines = [1, 2].map(() => {
        const blob = Buffer.concat([Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0\x20", "latin1"), randomBytes(32)])
        return `ssh-ed25519 ${blob.toString("base64")}`
      })
      for (const [index, key] of lines.entries()) await must(ada, `POST ${at}/keys`, { title: `key ${index}`, key })
      await must(ada, `PUT ${at}/actions/secrets/KEY`, { data: "hush-hush" })
      const config = { url: "http://example.com/", content_type: "json", secret: "hush-hush" }
      await must(ada, `POST ${at}/hooks`, { type: "gitea", config })
      await must(ada, `DELETE ${at}`)
      const { database } = forge.hearth.services
      const [gone] = await must(ada, "GET /orgs/works/deleted")
      const kept = await database.read.selectFrom("deletions").selectAll().where("id", "=", gone.id).executeTakeFirstOrThrow()
      expect(kept.content).not.toContain("hush")
      // Meanwhile somebody takes one of the keys as their own, one member is removed and one blocked, and a team gets all there is.
      await must(max, "POST /user/keys", { title: "mine", key: lines[0] })
      await must(ada, "DELETE /orgs/works/members/bob")
      await must(ada, "PUT /orgs/works/blocks/eve")
      await must(ada, "POST /orgs/works/teams", { name: "more", permission: "read", units: ["repo.code"], includes_all_repositories: true })
      const { left_out } = await must(ada, `POST /orgs/works/deleted/${gone.id}/restore`, {})
      expect(left_out).toEqual(expect.arrayContaining([{ table: "deploy_keys", rows: 1 }]))
      expect((await must(ada, `GET ${at}/keys`)).map(({ title }: Answer["body"]) => title)).toEqual(["key 1"])
      expect((await must(ada, `GET ${at}/collaborators`)).map(({ login }: Answer["body"]) => login)).toEqual(["max"])
      expect((await must(ada, `GET ${at}/teams`)).map(({ name }: Answer["body"]) => name)).toContain("more")
      expect([await status(bob, `GET ${at}`), await status(eve, `GET ${at}`), await status(max, `GET ${at}`)]).toEqual([404, 404, 200])
      expect((await must(ada, `GET ${at}/actions/secrets`)).map(({ name }: Answer["body"]) => name)).toEqual(["KEY"])
    })

    test("makes a fork no more open than what it was made from is by now", async () => {
      const base = await repository()
      await must(eve, `POST ${base}/forks`, { name: "copy" })
      await must(max, `POST ${base}/forks`, { name: "copy" })
      await must(eve, "DELETE /repos/eve/copy")
      await must(ada, `PATCH ${base}`, { private: true })
      const [gone] = await must(eve, "GET /user/deleted")
      await must(eve, `POST /user/deleted/${gone.id}/restore`, {})
      expect((await must(eve, "GET /repos/eve/copy")).private).toBe(true)
      // What it was made from finds its forks again, but not one that is open by now.
      await must(ada, `DELETE ${base}`)
      await must(max, "PATCH /repos/max/copy", { private: false })
      const [origin] = await must(ada, "GET /user/deleted")
      await must(ada, `POST /user/deleted/${origin.id}/restore`, {})
      expect((await must(ada, `GET ${base}`)).forks_count).toBe(1)
      expect([(await must(eve, "GET /repos/eve/copy")).fork, (await must(max, "GET /repos/max/copy")).fork]).toEqual([true, false])
    })

    test("leaves nothing of a repository once it is purged", async () => {
      const at = await repository()
      await must(ada, `DELETE ${at}`)
      const { database } = forge.hearth.services
      const [gone] = await must(ada, "GET /user/deleted")
      // What no one has, no one reaches, by whatever name.
      const row = await database.read.selectFrom("repositories").select("name").where("id", "=", gone.subject_id).executeTakeFirstOrThrow()
      expect(await status(ada, `GET /repositories/${gone.subject_id}`)).toBe(404)
      expect(await status(ada, `GET /repos/nobody/${encodeURIComponent(row.name)}`)).toBe(404)
      expect(await status(eve, `POST /user/deleted/${gone.id}/restore`, {})).toBe(404)
      expect(await status(forge.root as string, `DELETE /admin/deleted/${gone.id}`)).toBe(204)
      expect(await status(ada, `POST /user/deleted/${gone.id}/restore`, {})).toBe(404)
      await settle()
      expect(await database.read.selectFrom("repositories").select("id").where("id", "=", gone.subject_id).execute()).toEqual([])
      const bad = await must(ada, "POST /user/repos", { name: "bad" })
        .then(() => must(ada, "DELETE /repos/ada/bad"))
        .then(() => must(ada, "GET /user/deleted"))
      for (const name of ["..", "a/b", "x".repeat(101)])
        expect(await status(ada, `POST /user/deleted/${bad[0].id}/restore`, { name })).toBe(422)
    })

    test("has a bound: a flood takes what the flooder deleted, and not what others did", async () => {
      const at = await repository()
      const { number } = await must(ada, `POST ${at}/issues`, { title: "Worth keeping" })
      await must(ada, `DELETE ${at}/issues/${number}`)
      const worth = await last(at, "issue")
      const issue = await must(ada, `POST ${at}/issues`, { title: "Flooded" })
      const { database } = forge.hearth.services
      for (let round = 0; round < 40; round++) {
        const { id } = await must(eve, `POST ${at}/issues/${issue.number}/comments`, { body: "x".repeat(3_000) })
        await must(eve, `DELETE ${at}/issues/comments/${id}`)
      }
      const kept = await database.read
        .selectFrom("deletions")
        .select(["row_bytes", "file_bytes"])
        .where("owner_id", "=", worth.deleted_by.id)
        .execute()
      expect(kept.reduce((sum, { row_bytes }) => sum + row_bytes, 0)).toBeLessThanOrEqual(config.undo.ownerBytes)
      expect(await status(ada, `POST ${at}/deleted/${worth.id}/restore`)).toBe(200)

      // Files have a bound of their own, and leave the disk with what is no longer kept.
      const uuids: string[] = []
      for (let round = 0; round < 3; round++) {
        const { number } = await must(ada, `POST ${at}/issues`, { title: "Files" })
        const form = new FormData()
        form.append("attachment", new Blob(["y".repeat(2_000)]), "y.txt")
        uuids.push((await must(ada, `POST ${at}/issues/${number}/assets`, form)).uuid)
        await must(ada, `DELETE ${at}/issues/${number}`)
      }
      await settle()
      const there = await Promise.all(
        uuids.map(async (uuid) => {
          const file = await forge.hearth.services.blobs.open(`attachments/${uuid.slice(0, 2)}/${uuid}`)
          await file?.close()
          return file !== undefined
        }),
      )
      expect(there).toEqual([false, true, true])
    })

    test("is not counted on where there won't be one: a deletion says so", async () => {
      const at = await repository()
      const open = async (title: string, body: string): Promise<number> => (await must(ada, `POST ${at}/issues`, { title, body })).number
      const [small, large, other] = [
        await open("Small", "x"),
        await open("Large", "x".repeat(20_000)),
        await open("Other", "y".repeat(20_000)),
      ]
      const until = async (route: string) => {
        const { hearth } = forge
        const answer = await fetch(`${hearth.url}/api/v1${route}`, { method: "DELETE", headers: { authorization: ada } })
        const said = answer.headers.get("x-hearth-restorable-until") ?? ""
        return [answer.status, said === "never" ? said : Math.round((Date.parse(said) - Date.now()) / 86_400_000)]
      }
      expect(await until(`${at}/issues/${small}`)).toEqual([204, 7])
      expect(await until(`${at}/issues/${large}`)).toEqual([204, "never"])
      expect((await last(at, "issue")).name).toBe("Small")

      // Nor do pages offer to bring back what was deleted before.
      const name = at.split("/").at(-1) ?? ""
      const browser = openBrowser(forge.hearth.url)
      await browser.signIn("ada", PASSWORD)
      expect((await browser.get(`/ada/${name}/issues/${other}`)).text).toContain("unless it has more than 16.0 KiB of text")
      await browser.post(`/ada/${name}/issues/${other}/delete`, { confirm: `#${other}` })
      const list = (await browser.get(`/ada/${name}/issues`)).text
      expect([list.includes("Deleted for good"), list.includes("deleted/undo")]).toEqual([true, false])
      const settings = () =>
        browser.get(`/ada/${name}/settings`).then(({ text }) => /can’t be restored|can be restored for 7d/.exec(text)?.[0])
      expect(await settings()).toBe("can be restored for 7d")
      const { database } = forge.hearth.services
      await database.write((tx) => tx.updateTable("repositories").set({ lfs_size: 5_000 }).where("name", "=", name).execute())
      expect(await settings()).toBe("can’t be restored")
      expect(await until(at)).toEqual([204, "never"])
    })

    test("is offered on pages at once, and nowhere twice", async () => {
      const at = await repository()
      const { number } = await must(ada, `POST ${at}/issues`, { title: "Oops <script>" })
      const name = at.split("/").at(-1) ?? ""
      const browser = openBrowser(forge.hearth.url)
      await browser.signIn("ada", PASSWORD)
      const deleted = await browser.post(`/ada/${name}/issues/${number}/delete`, { confirm: `#${number}` })
      expect(deleted.location).toBe(`/ada/${name}/issues`)
      const list = await browser.get(`/ada/${name}/issues`)
      expect(list.text).toContain(`action="/ada/${name}/deleted/undo"`)
      const page = await browser.get(`/ada/${name}/deleted`)
      expect([page.status, faultsIn(page.text)]).toEqual([200, []])
      expect(page.text).toContain("Oops &lt;script")
      const restored = await browser.post(`/ada/${name}/deleted/undo`, { kind: "issue" })
      expect([restored.status, restored.location]).toEqual([303, `/ada/${name}/issues/${number}`])
      const again = await browser.post(`/ada/${name}/deleted/undo`, { kind: "issue" })
      expect([again.status, /was restored already/i.test(again.text)]).toEqual([422, true])
      for (const path of ["/user/settings/deleted", `/ada/${name}/deleted`]) {
        const shown = await browser.get(path)
        expect([shown.status, faultsIn(shown.text)]).toEqual([200, []])
      }
    })
  },
)
