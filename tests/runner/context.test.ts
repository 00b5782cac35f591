import { expect } from "vitest"
import { basic, PASSWORD } from "../support/hearth.ts"
import { after, onPush, withRunner, workflowPath } from "./support/fixture.ts"

/** Writes one line that begins with "context=", as JSON. */
const SHOW = `show:
  runs-on: host
  steps:
    - run: echo "context=$CONTEXT"
      env:
        CONTEXT: >-
          {"event_name":"\${{ github.event_name }}","ref":"\${{ github.ref }}","ref_name":"\${{ github.ref_name }}","ref_type":"\${{ github.ref_type }}",
          "sha":"\${{ github.sha }}","head_ref":"\${{ github.head_ref }}","base_ref":"\${{ github.base_ref }}","actor":"\${{ github.actor }}",
          "repository":"\${{ github.repository }}","keys":"\${{ join(fromJSON(format('["{0}"]', github.event.action)), '') }}","run_attempt":"\${{ github.run_attempt }}"}
    - run: echo "event=$EVENT"
      env: {EVENT: "\${{ toJSON(github.event) }}"}
    - run: echo "secret=\${SECRET:-none}" | tr 'a-z' 'A-Z'
      env: {SECRET: "\${{ secrets.ONLY_HERE && 'there' }}"}
    - run: echo "path=$(head -c 1 "$GITHUB_EVENT_PATH") $(basename $PWD)"
`
const showOn = (on: string) => onPush(SHOW, on)

withRunner("contexts", { people: ["bob"], machines: [{ name: "one", capacity: 4 }] }, ({ site, check }) => {
  const contextOf = async (log: readonly string[]) => JSON.parse(after(log, "context=").join(""))
  const bob = basic("bob", PASSWORD)

  check("7. the context of a push, and of a tag", async () => {
    const repository = await site.repository("pushes", showOn("push"))
    const pushed = await site.ended(repository)
    const { head_sha: sha } = pushed.run
    expect(await contextOf(await pushed.log())).toEqual({
      event_name: "push",
      ref: "refs/heads/main",
      ref_name: "main",
      ref_type: "branch",
      sha,
      head_ref: "",
      base_ref: "",
      actor: "root",
      repository,
      keys: "",
      run_attempt: "1",
    })
    expect(after(await pushed.log(), "path=")).toEqual(["{ hostexecutor"])
    await site.must(site.root, `POST /repos/${repository}/tags`, { tag_name: "v1", target: "main" })
    const tagged = await site.ended(repository, { run_number: 2 })
    expect(await contextOf(await tagged.log())).toMatchObject({
      event_name: "push",
      ref: "refs/tags/v1",
      ref_name: "v1",
      ref_type: "tag",
      sha,
    })
  })

  check("7. the environment of steps", async () => {
    const repository = await site.repository(
      "environment",
      onPush("build:\n  runs-on: host\n  steps: [{run: 'env | grep -E \"^(CI|GITHUB_|GITEA_|ACTIONS_|RUNNER_)\" | sort'}]\n"),
    )
    const { run, log } = await site.ended(repository)
    const lines = await log()
    const value = (name: string) => after(lines, `${name}=`)[0]
    const { url } = site.hearth
    expect(
      Object.fromEntries(
        [
          "CI",
          "GITHUB_ACTIONS",
          "GITEA_ACTIONS",
          "GITHUB_ACTOR",
          "GITHUB_API_URL",
          "GITHUB_EVENT_NAME",
          "GITHUB_JOB",
          "GITHUB_REF",
          "GITHUB_REF_NAME",
          "GITHUB_REPOSITORY",
          "GITHUB_REPOSITORY_OWNER",
          "GITHUB_RUN_ATTEMPT",
          "GITHUB_RUN_ID",
          "GITHUB_RUN_NUMBER",
          "GITHUB_SERVER_URL",
          "GITHUB_SHA",
          "GITHUB_WORKFLOW",
          "ACTIONS_RESULTS_URL",
          "ACTIONS_RUNTIME_URL",
        ].map((name) => [name, value(name)]),
      ),
    ).toEqual({
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITEA_ACTIONS: "true",
      GITHUB_ACTOR: "root",
      GITHUB_API_URL: `${url}/api/v1`,
      GITHUB_EVENT_NAME: "push",
      GITHUB_JOB: "build",
      GITHUB_REF: "refs/heads/main",
      GITHUB_REF_NAME: "main",
      GITHUB_REPOSITORY: repository,
      GITHUB_REPOSITORY_OWNER: "root",
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_RUN_ID: String(run.id),
      GITHUB_RUN_NUMBER: "1",
      GITHUB_SERVER_URL: url,
      GITHUB_SHA: run.head_sha,
      GITHUB_WORKFLOW: "CI",
      ACTIONS_RESULTS_URL: url,
      ACTIONS_RUNTIME_URL: `${url}/api/actions_pipeline/`,
    })
    expect(value("ACTIONS_RUNTIME_TOKEN")).toBe("***")
  })

  check("7. the context of a pull request of the same repository, with the branch's own workflow, and of its target", async () => {
    const repository = await site.repository("pulls", {
      ...showOn("pull_request"),
      [workflowPath("target")]: onPush(SHOW, "pull_request_target")[workflowPath()] ?? "",
    })
    await site.must(site.root, `PUT /repos/${repository}/actions/secrets/ONLY_HERE`, { data: "a-secret" })
    const base = (await site.must(site.root, `GET /repos/${repository}/branches/main`)).commit.id
    const head = await site.commit(repository, { "a.txt": "a" }, { newBranch: "feat" })
    await site.must(site.root, `POST /repos/${repository}/pulls`, { head: "feat", base: "main", title: "Feature" })
    const own = await site.ended(repository, { event: "pull_request" })
    expect(await contextOf(await own.log())).toMatchObject({
      event_name: "pull_request",
      ref: "refs/pull/1/head",
      ref_name: expect.stringMatching(/^1/),
      sha: head,
      head_ref: "feat",
      base_ref: "main",
      actor: "root",
      keys: "opened",
    })
    expect(after(await own.log(), "SECRET=")).toEqual(["THERE"])
    const target = await site.ended(repository, { event: "pull_request_target" })
    expect(await contextOf(await target.log())).toMatchObject({
      event_name: "pull_request_target",
      ref: "refs/heads/main",
      ref_name: "main",
      ref_type: "branch",
      sha: base,
      head_ref: "feat",
      base_ref: "main",
    })
    const statuses: readonly { readonly context: string }[] = await site.must(
      site.root,
      `GET /repos/${repository}/commits/${head}/statuses`,
    )
    expect(new Set(statuses.map(({ context }) => context))).toContain("CI / show (pull_request)")
  })

  check(
    "9. a pull request of a fork is held back until it is approved; its runs see no secrets, and their token may not push",
    async () => {
      const repository = await site.repository(
        "forked",
        onPush(
          `${SHOW}push:
  runs-on: host
  steps:
    - run: |
        git clone -q "\${GITHUB_SERVER_URL/:\\/\\//://x:\${{ github.token }}@}/$GITHUB_REPOSITORY" clone
        cd clone
        git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m pushed
        if git push origin HEAD:refs/heads/stolen; then echo "push=accepted"; else echo "push=refused"; fi
`,
          "pull_request",
        ),
      )
      await site.must(site.root, `PUT /repos/${repository}/actions/secrets/ONLY_HERE`, { data: "a-secret" })
      await site.must(bob, `POST /repos/${repository}/forks`)
      await site.commit("bob/forked", { "a.txt": "a" }, { newBranch: "bobfeat", by: bob })
      await site.must(bob, `POST /repos/${repository}/pulls`, { head: "bob:bobfeat", base: "main", title: "From a fork" })
      const run = await site.reaches(repository, () => true, { event: "pull_request" })
      expect((await site.jobs(repository, run)).map(({ status }) => status)).toEqual(["waiting", "waiting"])
      const path = `POST /repos/${repository}/actions/runs/${run.id}/approve`
      expect((await site.call(bob, path)).status).toBe(403)
      await site.must(site.root, path)
      const { conclusions, log } = await site.ended(repository, { event: "pull_request" })
      expect(conclusions).toEqual({ show: "success", push: "success" })
      expect(await contextOf(await log("show"))).toMatchObject({
        event_name: "pull_request",
        head_ref: "bobfeat",
        base_ref: "main",
        actor: "bob",
        repository,
      })
      expect(after(await log("show"), "SECRET=")).toEqual(["NONE"])
      expect(after(await log("push"), "push=")).toEqual(["refused"])
    },
  )

  check("7. the context of a dispatch with inputs of all types", async () => {
    const repository = await site.repository(
      "others",
      onPush(
        `${SHOW}inputs:
  runs-on: host
  steps: [{run: 'echo "inputs=$INPUTS" | tr -d "\\n "; echo; echo "typed=\${{ inputs.flag == true }} \${{ inputs.number }} \${{ github.event.inputs.text }}"', env: {INPUTS: "\${{ toJSON(inputs) }}"}}]
`,
        `
  workflow_dispatch:
    inputs:
      text: {type: string, default: some text}
      flag: {type: boolean}
      choice: {type: choice, options: [a, b], default: b}
      number: {type: number}`,
      ),
    )
    await site.must(site.root, `POST /repos/${repository}/actions/workflows/ci.yml/dispatches`, {
      ref: "main",
      inputs: { flag: "true", number: "7" },
    })
    const dispatched = await site.ended(repository, { event: "workflow_dispatch" })
    expect(await contextOf(await dispatched.log("show"))).toMatchObject({
      event_name: "workflow_dispatch",
      ref: "refs/heads/main",
      ref_name: "main",
      ref_type: "branch",
      actor: "root",
    })
    expect(after(await dispatched.log("inputs"), "typed=")).toEqual(["true 7 some text"])
  })

  check("7. the context of a release, and of an issue", async () => {
    const repository = await site.repository("released", showOn("{release: {types: [published]}, issues: {types: [opened]}}"))
    await site.must(site.root, `POST /repos/${repository}/releases`, { tag_name: "v2.0", target_commitish: "main", name: "Two" })
    const released = await site.ended(repository, { event: "release" })
    expect(await contextOf(await released.log())).toMatchObject({
      event_name: "release",
      ref: "refs/tags/v2.0",
      ref_name: "v2.0",
      ref_type: "tag",
      keys: "published",
    })

    await site.must(site.root, `POST /repos/${repository}/issues`, { title: 'An issue with "quotes" and ümläuts' })
    const opened = await site.ended(repository, { event: "issues" })
    expect(await contextOf(await opened.log())).toMatchObject({
      event_name: "issues",
      ref: "refs/heads/main",
      sha: opened.run.head_sha,
      keys: "opened",
    })
    expect((await opened.log()).join("\n")).toContain('An issue with \\"quotes\\" and ümläuts')
  })

  check("20. what the token of a job may do, with and without permissions; it is dead after the end", async () => {
    const calls = (name: string, more = "") => `${name}:
  runs-on: host
  ${more}
  env: {TOKEN: "\${{ github.token }}"}
  steps:
    - run: |
        call() { echo "$1 $2=$(curl -s -o /dev/null -w '%{http_code}' -X "$1" -H "Authorization: token $TOKEN" -H 'content-type: application/json' \${3:+-d "$3"} "$GITHUB_API_URL$2")"; }
        call GET /repos/$GITHUB_REPOSITORY
        call GET /repos/$GITHUB_REPOSITORY/contents/README.md
        call POST /repos/$GITHUB_REPOSITORY/issues '{"title":"by a job"}'
        call POST /repos/$GITHUB_REPOSITORY/statuses/$GITHUB_SHA '{"state":"success","context":"${name}"}'
        call POST /repos/$GITHUB_REPOSITORY/releases '{"tag_name":"${name}"}'
        call GET /repos/$GITHUB_REPOSITORY/actions/secrets
        call PATCH /repos/$GITHUB_REPOSITORY '{"description":"taken"}'
        call GET /admin/users
        call GET /repos/root/hidden
        call GET /repos/root/shown
        call POST /repos/root/shown/issues '{"title":"by a job"}'
        call GET /user
        curl -s -H "Authorization: token $TOKEN" "$GITHUB_API_URL/user" | tr ',' '\\n' | grep '"login"'
`
    await site.repository("hidden", {}, { private: true })
    await site.repository("shown")
    const repository = await site.repository("token", onPush(calls("all") + calls("few", "permissions: {contents: read, issues: write}")))
    const { conclusions, log } = await site.ended(repository, { run_number: 1 })
    expect(conclusions).toEqual({ all: "success", few: "success" })
    const answers = async (name: string) =>
      (await log(name)).flatMap((line) => /^(?:GET|POST|PATCH) .*=(\d{3})$/.exec(line)?.[1] ?? []).map(Number)
    expect(await answers("all")).toEqual([200, 200, 201, 201, 201, 403, 403, 403, 404, 200, 403, 200])
    expect(await answers("few")).toEqual([200, 200, 201, 403, 403, 403, 403, 403, 404, 200, 403, 200])
    expect((await log("all")).join("\n")).toContain("gitea-actions")

    // The runner masks it, so that the test computes what the job was given.
    const { secrets, database } = site.hearth.services
    const { tokenOfTask } = await import("../../src/features/actions/tokens/job-token.ts")
    const { id } = await site.must(site.root, `GET /repos/${repository}`)
    const tasks = await database.read
      .selectFrom("action_tasks")
      .select("id")
      .where("repository_id", "=", id)
      .orderBy("id")
      .limit(2)
      .execute()
    expect(tasks).toHaveLength(2)
    for (const task of tasks) {
      const token = tokenOfTask({ secrets }, task.id)
      expect((await site.call(`token ${token}`, `GET /repos/${repository}`)).status).toBe(401)
      const git = await fetch(`${site.hearth.url}/${repository}.git/info/refs?service=git-receive-pack`, {
        headers: { authorization: basic("x", token) },
      })
      expect(git.status).toBe(401)
    }
  })
})
