import { hash } from "node:crypto"
import { expect, vi } from "vitest"
import { onPush, withRunner } from "./support/fixture.ts"
import { NotRegistered } from "./support/machine.ts"

withRunner("registration", {}, ({ site, check }) => {
  const runnerOf = async (id: number) => site.must(site.root, `GET /admin/actions/runners/${id}`)
  const runners = async () => (await site.must(site.root, "GET /admin/actions/runners")).runners

  check(
    "1. a runner registers with a good token, is shown as idle with its version and labels, and declares others when it starts again",
    async () => {
      const machine = await site.machine({ name: "first", labels: ["one", "two"], isStopped: true })
      const registered = await machine.registered()
      expect(registered).toMatchObject({ name: "first", token: expect.stringMatching(/^[0-9a-f]{40}$/), labels: ["one:host", "two:host"] })
      await machine.start()
      expect(await runnerOf(registered.id)).toMatchObject({
        id: registered.id,
        name: "first",
        status: "online",
        busy: false,
        disabled: false,
        ephemeral: false,
        labels: [{ name: "one" }, { name: "two" }],
      })
      const rows = site.hearth.services.database.read
        .selectFrom("runners")
        .select(["version", "digest", "uuid"])
        .where("id", "=", registered.id)
      expect(await rows.executeTakeFirst()).toEqual({ version: "dev", digest: hash("sha256", registered.token), uuid: registered.uuid })

      await machine.stop()
      await machine.start(["two", "three"])
      expect((await runnerOf(registered.id)).labels.map(({ name }: { readonly name: string }) => name)).toEqual(["two", "three"])
      await machine.stop()
    },
  )

  check("1. no runner registers with a token that is unknown or has been replaced, or without a name", async () => {
    // In a scope of its own, because the others register with the site's token.
    await site.must(site.root, "POST /orgs", { username: "acme" })
    const old = await site.registrationToken("/orgs/acme")
    const registered = await site.machine({ token: old, name: "early", isStopped: true })
    expect(await registered.registered()).toMatchObject({ name: "early" })
    const { database } = site.hearth.services
    await database.write((tx) =>
      tx.updateTable("runner_registrations").set({ digest: "replaced" }).where("owner_id", "is not", null).execute(),
    )

    for (const [token, name] of [
      ["0".repeat(40), "unknown"],
      [old, "late"],
    ] as const) {
      const refused = await site.machine({ token, name }).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(NotRegistered)
      expect(String(refused)).toMatch(/unauthenticated: this registration token is not known/)
    }
    expect((await runners()).map(({ name }: { readonly name: string }) => name)).not.toContain("late")
  })

  check("2. a runner with a wrong token writes the error into its log and goes on; so does one that is removed from the site", async () => {
    const machine = await site.machine({ name: "removed" })
    const { id } = await machine.registered()
    await site.must(site.root, `DELETE /admin/actions/runners/${id}`)
    const errors = () => machine.output().match(/failed to fetch task.*unregistered runner/g)?.length ?? 0
    await vi.waitFor(() => expect(errors()).toBeGreaterThan(1), { timeout: 60_000 })
    expect(await machine.stop()).toBe(0)
  })

  check("22. an ephemeral runner runs exactly one job, and is gone then", async () => {
    const machine = await site.machine({ name: "once", labels: ["single"], isEphemeral: true })
    const { id } = await machine.registered()
    const both = onPush(`one:
  runs-on: single
  steps: [{run: echo one}]
two:
  runs-on: single
  steps: [{run: echo two}]
`)
    const repository = await site.repository("ephemeral", both)
    expect(await machine.ended()).toBe(0)
    const run = await site.reaches(repository, ({ status }) => status !== "in_progress")
    expect((await site.jobs(repository, run)).map(({ name, status, runner_name }) => [name, status, runner_name])).toEqual([
      ["one", "completed", "once"],
      ["two", "queued", undefined],
    ])
    expect((await site.call(site.root, `GET /admin/actions/runners/${id}`)).status).toBe(404)
    await expect(machine.start()).rejects.toThrow(/unregistered runner/)
  })

  check("4. two jobs run at once on a runner with capacity 2", async () => {
    const machine = await site.machine({ name: "double", labels: ["double"], capacity: 2 })
    const job = (name: string, other: string) => `${name}:
  runs-on: double
  steps: [{run: 'touch $GATES/${name}.reached; $GATES/wait ${other}'}]
`
    const repository = await site.repository("double", onPush(job("a", "b") + job("b", "c")))
    // Each of them waits until the other one runs as well.
    await machine.reached("a")
    await machine.reached("b")
    const run = await site.reaches(repository, ({ status }) => status === "in_progress")
    expect((await site.jobs(repository, run)).map(({ status }) => status)).toEqual(["in_progress", "in_progress"])
    await machine.open("b")
    await machine.open("c")
    expect((await site.ended(repository)).run.conclusion).toBe("success")
  })

  check("2. a runner of a repository takes no job of another one, and one of an organisation those of its repositories only", async () => {
    const repository = await site.repository("own", { README: "own" })
    await site.must(site.root, "POST /orgs", { username: "owners" })
    await site.must(site.root, "POST /orgs/owners/repos", { name: "theirs", auto_init: true, default_branch: "main" })
    const workflow = onPush("build:\n  runs-on: scoped\n  steps: [{run: echo done}]\n")
    const other = await site.repository("other", workflow)
    await site.commit(repository, workflow)
    await site.commit("owners/theirs", workflow)
    await site.machine({ name: "of-repository", labels: ["scoped"], place: `/repos/${repository}` })
    await site.machine({ name: "of-owner", labels: ["scoped"], place: "/orgs/owners" })
    expect((await site.ended(repository)).jobs[0]?.runner_name).toBe("of-repository")
    expect((await site.ended("owners/theirs")).jobs[0]?.runner_name).toBe("of-owner")
    expect((await site.runs(other)).map(({ status }) => status)).toEqual(["queued"])
  })
})

withRunner("three runners", { machines: ["a", "b", "c"].map((name) => ({ name, capacity: 2 })) }, ({ site, machine, check }) => {
  check("4. twenty waiting jobs are drained by three runners: none twice, none forgotten", async () => {
    const jobs = onPush(`many:
  runs-on: host
  strategy: {matrix: {n: [${Array.from({ length: 20 }, (_, index) => index).join(", ")}]}}
  steps: [{run: '$GATES/wait go; echo "this is \${{ matrix.n }}"'}]
`)
    const repository = await site.repository("many", jobs)
    // None is done with its first ones before each has some.
    const machines = ["a", "b", "c"].map(machine)
    await Promise.all(machines.map(({ reached }) => reached("go")))
    await Promise.all(machines.map(({ open }) => open("go")))
    const { run, jobs: all, log } = await site.ended(repository)
    expect(run.conclusion).toBe("success")
    expect(all).toHaveLength(20)
    expect(new Set(all.map(({ runner_name }) => runner_name))).toEqual(new Set(["a", "b", "c"]))
    for (const n of Array.from({ length: 20 }, (_, index) => index)) expect(await log(`many (${n})`)).toContain(`this is ${n}`)
    const repositoryId = (await site.must(site.root, `GET /repos/${repository}`)).id
    const tasks = await site.hearth.services.database.read
      .selectFrom("action_tasks")
      .select(["job_id", "state", "log_sealed"])
      .where("repository_id", "=", repositoryId)
      .execute()
    expect(tasks.map(({ job_id }) => job_id).sort()).toEqual(all.map(({ id }) => id).sort())
    expect(tasks.filter(({ state, log_sealed }) => state !== "success" || log_sealed !== 1)).toEqual([])
  })

  check("3. the answer with a task is understood when it is compressed", async () => {
    const long = "x".repeat(4000)
    const { run, log } = await site.ended(
      await site.repository(
        "compressed",
        onPush(`build:\n  runs-on: host\n  env: {LONG: ${long}}\n  steps: [{run: 'echo "length $(echo -n $LONG | wc -c)"'}]\n`),
      ),
    )
    expect(run.conclusion).toBe("success")
    expect(await log()).toContain("length 4000")
  })
})
