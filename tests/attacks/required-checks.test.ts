/*
 * Someone requires a hundred checks by globs and reports six hundred statuses for the head of a pull request. Each glob was compiled for each status, so that anyone who
 * looked at the pull request, also without an account, stopped the service for 22 seconds. Now they are compiled once and compared together, with a limit, and others have their turns.
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { longestTickOf } from "../support/ticks.ts"
import { times } from "./sockets.ts"

withHearth(
  "required checks",
  { people: ["ann"], config: { limits: { workSteps: 5_000_000 } } },
  ({ test, forge, call, status, ann, settle }) => {
    const page = async () => {
      const answer = await fetch(`${forge.hearth.url}/ann/tool/pulls/1`)
      return { status: answer.status, text: await answer.text() }
    }
    const require = (globs: readonly string[]) =>
      status(ann, "PATCH /repos/ann/tool/branch_protections/main", { enable_status_check: true, status_check_contexts: globs })

    test.beforeAll(async () => {
      await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
      const written = { content: "", message: "a", new_branch: "work" }
      const { body } = await call(ann, "POST /repos/ann/tool/contents/a.txt", written)
      await call(ann, "POST /repos/ann/tool/pulls", { title: "work", head: "work", base: "main" })
      await call(ann, "POST /repos/ann/tool/branch_protections", { rule_name: "main" })
      await settle()
      const { services } = forge.hearth
      await services.database.write(async (tx) => {
        const { id } = await tx.selectFrom("repositories").select("id").where("lower_name", "=", "tool").executeTakeFirstOrThrow()
        const rows = times(600, (index) => ({
          repository_id: id,
          commit_id: body.commit.sha,
          number: index + 1,
          context: `${"a".repeat(100)}/${index}`,
          state: "success",
          target_url: "",
          description: "",
          creator_id: 1,
          created_at: services.now(),
        }))
        await tx.insertInto("commit_statuses").values(rows).execute()
      })
    })

    test("are compared without holding others up", async () => {
      expect(await require(times(100, (index) => `{a,aa}*a*/${index}`))).toBe(200)
      expect((await page()).text).toContain("All required checks have passed.")
      expect(await longestTickOf(page)).toBeLessThan(250)
    })

    test("that take too much work to compare block the merge in words", async () => {
      expect(await require(times(100, (index) => `${"*a".repeat(400)}${index}`))).toBe(200)
      const tick = await longestTickOf(async () => {
        expect(await page()).toMatchObject({
          status: 200,
          text: expect.stringContaining("The branch protection rule requires too many checks."),
        })
      })
      expect(tick).toBeLessThan(250)
      expect((await call(ann, "POST /repos/ann/tool/pulls/1/merge", { Do: "merge" })).body.message).toContain(
        "it takes too much work to compare checks",
      )
    })
  },
)
