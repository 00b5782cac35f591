import { expect } from "vitest"
import { startScheduled } from "../../src/features/actions/triggers/schedules.ts"
import { after, onPush, withRunner, workflowPath } from "./support/fixture.ts"

const job = (text = "echo fine") => `build:\n  runs-on: host\n  steps: [{run: '${text}'}]\n`

withRunner("triggers", { machines: [{ name: "one", capacity: 4 }] }, ({ site, check }) => {
  check("21. a workflow runs after another one, with its conclusion", async () => {
    const repository = await site.repository("afterwards", {
      ...onPush(job()),
      [workflowPath("next")]: `name: Next
on: {workflow_run: {workflows: [CI], types: [completed]}}
jobs:
  build:
    runs-on: host
    steps: [{run: 'echo "after=\${{ github.event.workflow.name }} \${{ github.event.workflow_run.conclusion }} \${{ github.ref }}"'}]
`,
    })
    const { log } = await site.ended(repository, { event: "workflow_run" })
    expect(after(await log(), "after=")).toEqual(["CI success refs/heads/main"])
  })

  check("21. a schedule runs in its minute", async () => {
    const repository = await site.repository(
      "scheduled",
      onPush(
        job('echo "schedule=${{ github.event.schedule }} ${{ github.actor }} ${{ github.ref }}"'),
        "\n  schedule: [{cron: '* * * * *'}]",
      ),
    )
    const { services } = site.hearth
    await expect
      .poll(() => services.database.read.selectFrom("action_schedules").select("line").execute(), { timeout: 60_000 })
      .toHaveLength(1)
    await services.database.write((tx) =>
      tx
        .updateTable("action_schedules")
        .set({ next_at: services.now() - 1 })
        .execute(),
    )
    await startScheduled.run(services, new AbortController().signal)
    const { log } = await site.ended(repository, { event: "schedule" })
    expect(after(await log(), "schedule=")).toEqual([expect.stringMatching(/^\* \* \* \* \* \S+ refs\/heads\/main$/)])
  })

  check("21. pushes that are to be skipped, and those that match no path, start nothing; the next one does", async () => {
    const repository = await site.repository(
      "filters",
      onPush(job(), "\n  push: {paths: ['src/**', '!src/doc/**'], branches: [main, 'rel/**', '!rel/old']}"),
    )
    await site.commit(repository, { "src/a.txt": "1" }, { message: "Skip it [skip ci]" })
    await site.commit(repository, { "other.txt": "1" })
    await site.commit(repository, { "src/doc/a.txt": "1" })
    await site.commit(repository, { "src/a.txt": "2" }, { newBranch: "elsewhere" })
    const sha = await site.commit(repository, { "src/a.txt": "3" }, { message: "Run it" })
    const { run } = await site.ended(repository, { head_sha: sha })
    expect(run).toMatchObject({ conclusion: "success", display_title: "Run it" })
    expect((await site.runs(repository)).map(({ display_title }) => display_title)).toEqual(["Run it"])
  })

  check("21. a workflow that can't be read makes a failed run that says where and why", async () => {
    const repository = await site.repository("broken", {
      [workflowPath("broken")]: "name: Broken\non: push\njobs:\n  build:\n   - runs-on: [host\n",
      ...onPush(job()),
    })
    const { run } = await site.ended(repository, { file: "broken.yml" })
    expect(run.conclusion).toBe("failure")
    const statuses: readonly { readonly status: string; readonly context: string; readonly description: string }[] = await site.must(
      site.root,
      `GET /repos/${repository}/commits/${run.head_sha}/statuses`,
    )
    expect(statuses.filter(({ context }) => context.includes("broken"))).toEqual([
      expect.objectContaining({ status: expect.stringMatching(/failure|error/) }),
    ])
    // The others of the same push run.
    expect((await site.ended(repository, { file: "ci.yml" })).run.conclusion).toBe("success")
  })

  check("21. what a job does with its token starts no run, except for a dispatch", async () => {
    const repository = await site.repository("byjob", {
      ...onPush(
        job(
          'curl -sf -H "Authorization: token ${{ github.token }}" -H "content-type: application/json" -d "{\\"title\\":\\"by a job\\"}" $GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues && curl -sf -H "Authorization: token ${{ github.token }}" -H "content-type: application/json" -d "{\\"ref\\":\\"main\\"}" $GITHUB_API_URL/repos/$GITHUB_REPOSITORY/actions/workflows/manual.yml/dispatches',
        ),
      ),
      [workflowPath("issues")]: "on: issues\njobs: {build: {runs-on: host, steps: [{run: echo issue}]}}\n",
      [workflowPath("manual")]: "on: workflow_dispatch\njobs: {build: {runs-on: host, steps: [{run: echo manual}]}}\n",
    })
    expect((await site.ended(repository, { event: "push" })).run.conclusion).toBe("success")
    expect((await site.ended(repository, { event: "workflow_dispatch" })).run.conclusion).toBe("success")
    expect((await site.runs(repository)).map(({ event }) => event).sort()).toEqual(["push", "workflow_dispatch"])
  })

  check("21. what a job pushes starts no run, neither a branch nor a tag", async () => {
    const repository = await site.repository(
      "pushedbyjob",
      onPush(`build:
  runs-on: host
  steps:
    - run: |
        git clone -q "\${GITHUB_SERVER_URL/:\\/\\//://x:\${{ github.token }}@}/$GITHUB_REPOSITORY" clone
        cd clone
        git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m pushed
        git tag v1
        git push -q origin HEAD:main v1
`),
    )
    expect((await site.ended(repository, { run_number: 1 })).run.conclusion).toBe("success")
    // A run that a person starts afterwards is the next one.
    await site.commit(repository, { "a.txt": "a" }, { message: "By a person" })
    await site.ended(repository, { run_number: 2 })
    expect((await site.runs(repository)).map(({ display_title }) => display_title)).toEqual(["By a person", "change"])
  })
})
