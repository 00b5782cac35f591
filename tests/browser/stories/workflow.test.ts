import { expect } from "vitest"
import { stories } from "./stories.ts"

const WORKFLOW = `name: Test
on: { push: {}, workflow_dispatch: {} }
jobs:
  unit:
    runs-on: ubuntu-latest
    steps: [{ run: echo hello }]
`

const BY_HAND = `on:
  workflow_dispatch:
    inputs:
      place: {type: choice, options: [roof, cellar], required: true}
      who: {required: true, description: Who is greeted}
      loud: {type: boolean}
jobs:
  greet:
    runs-on: nowhere
    steps: [{ run: echo hello }]
`

stories((story) => {
  story("a workflow is pushed, waits for a runner and is cancelled", async ({ ask, enter, made, settled }) => {
    const at = await made("mill")
    const person = await enter("ann")
    await person.open(`${at}/_new/main`)
    await person.send({ Path: ".gitea/workflows/test.yml", Content: WORKFLOW, "Commit message": "Test each push" }, "Commit")
    await settled()
    await person.open(`${at}/actions`)
    await person.press("Test each push")
    await person.sees("No runner fits ubuntu-latest: add one")
    await person.press("Cancel")
    await person.sees("Cancelled")
    expect((await ask("ann", `GET /repos${at}/actions/runs`)).workflow_runs).toMatchObject([
      { status: "completed", conclusion: "cancelled" },
    ])
  })

  story("a workflow is run by hand with its inputs, from a branch, and disabled", async ({ ask, enter, made, settled }) => {
    const at = await made("bell")
    const commit = (branch: string, text: string) =>
      ask("ann", `POST /repos${at}/contents/.gitea/workflows/greet.yml`, {
        content: Buffer.from(text).toString("base64"),
        branch,
        message: "Greet",
      })
    await ask("ann", `POST /repos${at}/branches`, { new_branch_name: "side" })
    await commit("main", BY_HAND)
    await commit("side", BY_HAND.replace("who:", "whom:"))
    await settled()
    const person = await enter("ann")
    await person.open(`${at}/actions?workflow=greet.yml`)
    await person.unfold("Run workflow")
    await person.sees("Who is greeted")
    await person.send({ "who (required)": "Noor", loud: "yes" }, "Run workflow")
    await person.sees("Place is required.")
    await person.send({ "place (required)": "cellar" }, "Run workflow")
    await person.sees("Queued.")
    await person.open(`${at}/actions?workflow=greet.yml`)
    await person.unfold("Run workflow")
    await person.send({ "Branch or tag": "side" }, "Use this branch")
    await person.send({ "place (required)": "roof", "whom (required)": "Mira" }, "Run workflow")
    await person.sees("Queued.")
    expect((await ask("ann", `GET /repos${at}/actions/runs`)).workflow_runs).toMatchObject([
      { event: "workflow_dispatch", head_branch: "side" },
      { event: "workflow_dispatch", head_branch: "main" },
    ])
    await person.open(`${at}/actions?workflow=greet.yml`)
    await person.press("Disable workflow")
    await person.sees("Workflow disabled.")
    await person.misses("Run workflow")
    await person.press("Enable workflow")
    await person.sees("Workflow enabled.")
  })
})
