import { describe, expect } from "vitest"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { GHOST } from "../../people/users/present.ts"
import { commitWorkflow } from "../testing.ts"
import { type ContextParts, findContextParts, githubContext } from "./context.ts"

withHearth("the context of a run", { people: ["ann", "ben"] }, ({ test, forge, ann }) => {
  const site = () => forge.hearth.services.site

  async function partsOf(event: string): Promise<ContextParts> {
    const { services } = forge.hearth
    const run = await services.database.read.selectFrom("action_runs").selectAll().where("event", "=", event).executeTakeFirstOrThrow()
    const parts = await findContextParts(services.database.read, services, run)
    if (!parts) throw new Error("the repository is gone")
    return parts
  }

  test("of a push to a branch", async () => {
    await forge.call(ann, "POST /user/repos", { name: "lamp", auto_init: true, default_branch: "main" })
    const sha = await commitWorkflow(forge, ann, "ann/lamp")
    const parts = await partsOf("push")
    const { event, ...context } = githubContext(site(), { ...parts, job: { key: "build" } })
    const root = forge.hearth.url
    expect(context).toEqual({
      action: "",
      action_path: "",
      action_ref: "",
      action_repository: "",
      action_status: "",
      actor: "ann",
      api_url: `${root}/api/v1`,
      base_ref: "",
      env: "",
      event_name: "push",
      event_path: "",
      gitea_default_actions_url: "https://github.com",
      graphql_url: "",
      head_ref: "",
      job: "build",
      path: "",
      ref: "refs/heads/main",
      ref_name: "main",
      ref_protected: false,
      ref_type: "branch",
      repository: "ann/lamp",
      repositoryUrl: `${root}/ann/lamp`,
      repository_owner: "ann",
      retention_days: "",
      run_attempt: "1",
      run_id: String(parts.run.id),
      run_number: "1",
      secret_source: "Actions",
      server_url: `${root}/`,
      sha,
      triggering_actor: "ann",
      workflow: "build",
      workspace: "",
    })
    expect(event).toMatchObject({
      ref: "refs/heads/main",
      after: sha,
      head_commit: { id: sha, message: "add build\n", added: [".gitea/workflows/build.yml"] },
      commits: [{ id: sha }],
      total_commits: 1,
      pusher: { login: "ann" },
      repository: { full_name: "ann/lamp" },
      sender: { login: "ann" },
    })
  })

  describe("follows from the rows", () => {
    const context = (change: Partial<ContextParts>, run: object = {}) =>
      partsOf("push").then((parts) => githubContext(site(), { ...parts, ...change, run: { ...parts.run, ...run } }))

    test("for a tag", async () => {
      expect(await context({}, { ref: "refs/tags/v/1" })).toMatchObject({ ref_name: "v/1", ref_type: "tag" })
    })

    test("for a pull request", async () => {
      const event = { pull_request: { head: { ref: "side" }, base: { ref: "main" } } }
      expect(await context({ event }, { ref: "refs/pull/7/head", event: "pull_request" })).toMatchObject({
        ref_name: "7/head",
        ref_type: "",
        head_ref: "side",
        base_ref: "main",
        event_name: "pull_request",
      })
    })

    test("for a job of a called workflow, which has the inputs of the call", async () => {
      const event = { ref: "x", inputs: { hidden: true } }
      expect(await context({ event, inputs: { level: 2 } })).toMatchObject({
        event_name: "workflow_call",
        event: { ref: "x", inputs: { level: 2 } },
      })
    })

    test("for an unnamed workflow, a later attempt by another person, and actions of this server", async () => {
      const change = { triggeringActor: { ...GHOST, name: "ben" }, actionsUrl: site().rootUrl }
      expect(await context(change, { workflow_name: "", attempt: 3 })).toMatchObject({
        workflow: "build.yml",
        run_attempt: "3",
        actor: "ann",
        triggering_actor: "ben",
        gitea_default_actions_url: site().rootUrl,
      })
    })
  })
})
