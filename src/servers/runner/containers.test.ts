import { expect } from "vitest"
import { parse } from "yaml"
import { withHearth } from "../../../tests/support/fixture.ts"
import { commitWorkflow, expression } from "../../features/actions/testing.ts"
import { openRunnerClient } from "./testing.ts"

/** What the server does for jobs in containers: runners start these, so everything about them is handed over as it was written. */

const JOB = `
    runs-on: ubuntu
    container:
      image: "node:${expression("matrix.node")}"
      credentials: {username: ann, password: "${expression("secrets.KEY")}"}
      env: {LEVEL: "${expression("github.ref_name")}", COUNT: 1.10}
      ports: [80, "8080:80/tcp"]
      volumes: ["/tmp:/data:ro", "${expression("github.workspace")}:/work"]
      options: --cpus 1 --network host
    services:
      database:
        image: postgres:17
        env: {POSTGRES_PASSWORD: "${expression("secrets.KEY")}"}
        ports: ["5432:5432"]
        options: >-
          --health-cmd pg_isready
          --health-interval 1s
      cache: {image: "${expression("env.CACHE")}"}
    strategy: {matrix: {node: [24]}}
    steps: [{run: node --version}, {uses: docker://alpine:3, with: {args: echo hi, entrypoint: /bin/sh}}]
`

withHearth("jobs in containers", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  const runnerOf = async (labels: readonly string[]) => {
    const { token } = (await call(ann, "POST /user/actions/runners/registration-token")).body
    return openRunnerClient(forge.hearth.url).registered(token, labels)
  }
  const payloadFor = async (name: string, job: string, labels: readonly string[]) => {
    await call(ann, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
    await commitWorkflow(forge, ann, `ann/${name}`, { text: `on: push\njobs:\n  build:${job}` })
    const { task } = await (await runnerOf(labels)).fetch()
    const payload = parse(Buffer.from(task?.workflowPayload ?? "", "base64").toString())
    return payload.jobs.build
  }

  test("containers and services are handed over as they were written", async () => {
    const handed = await payloadFor("lamp", JOB, ["ubuntu"])
    expect(handed.container).toEqual({
      image: `node:${expression("matrix.node")}`,
      credentials: { username: "ann", password: expression("secrets.KEY") },
      env: { LEVEL: expression("github.ref_name"), COUNT: "1.10" },
      ports: [80, "8080:80/tcp"],
      volumes: ["/tmp:/data:ro", `${expression("github.workspace")}:/work`],
      options: "--cpus 1 --network host",
    })
    expect(handed.services).toEqual({
      database: {
        image: "postgres:17",
        env: { POSTGRES_PASSWORD: expression("secrets.KEY") },
        ports: ["5432:5432"],
        options: "--health-cmd pg_isready --health-interval 1s",
      },
      cache: { image: expression("env.CACHE") },
    })
    expect(handed["runs-on"]).toBe("ubuntu")
    expect(handed.strategy.matrix).toEqual({ node: [24] })
    expect(handed.steps[1]).toEqual({ uses: "docker://alpine:3", with: { args: "echo hi", entrypoint: "/bin/sh" } })
  })

  test("an image alone, and one by an expression as a whole", async () => {
    expect(await payloadFor("plain", "\n    runs-on: ubuntu\n    container: node:24\n    steps: [{run: a}]\n", ["ubuntu"])).toMatchObject({
      container: "node:24",
    })
    const whole = `\n    runs-on: ubuntu\n    container: "${expression("fromJSON(vars.CONTAINER)")}"\n    steps: [{run: a}]\n`
    expect(await payloadFor("whole", whole, ["ubuntu"])).toMatchObject({ container: expression("fromJSON(vars.CONTAINER)") })
  })

  test("a label that comes with its place is known by its name", async () => {
    const runner = await runnerOf(["ubuntu:docker://node:24-bookworm", "mac:host", "plain", "a:b", "node:docker"])
    const { runners } = (await call(ann, "GET /user/actions/runners")).body
    const last = runners.toSorted((one: { id: number }, other: { id: number }) => other.id - one.id)[0]
    expect(last.labels.map(({ name }: { name: string }) => name)).toEqual(["ubuntu", "mac", "plain", "a:b", "node"])
    const declared = await runner.call("runner.v1.RunnerService/Declare", { version: "v2", labels: ["ubuntu:docker://node:26", "more"] })
    expect(declared.body.runner.labels).toEqual(["ubuntu", "more"])
  })
})
