import { hash, randomBytes } from "node:crypto"
import { expect } from "vitest"
import { UNITS } from "../../src/access/modes.ts"
import { endOfLog } from "../../src/core/events/store.ts"
import type { Operation } from "../../src/core/operation.ts"
import { send as registry } from "../../src/features/packages/testing.ts"
import { operations } from "../../src/operations.ts"
import { prepareCall } from "../examples/prepare.ts"
import { withWorld } from "../support/fixture.ts"
import { send } from "../support/http.ts"
import { openCheckedWorld, type World } from "../support/world.ts"

/*
 * A workflow holds a token that acts as the service's own user, who has no account. Anyone who may change a workflow may call everything with it: it must
 * do what its permissions say in the repository of the job, and nothing elsewhere, and no operation may stumble over a user without a row.
 */

/** The token of a running job of the repository. */
async function tokenIn(
  { hearth: { services } }: World,
  repositoryId: number,
  permissions: object,
  state = "running" as const,
): Promise<string> {
  const token = randomBytes(20).toString("hex")
  const now = services.now()
  await services.database.write(async (tx) => {
    const number = repositoryId * 1_000_000 + Math.floor(Math.random() * 1_000_000)
    const run = await tx
      .insertInto("action_runs")
      .values({
        repository_id: repositoryId,
        number,
        title: "",
        workflow: "w.yml",
        event: "push",
        payload: "{}",
        ref: "refs/heads/main",
        commit_id: "",
        actor_id: 1,
        state,
        attempt: 1,
        created_at: now,
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    const job = await tx
      .insertInto("action_jobs")
      .values({
        run_id: run.id,
        repository_id: repositoryId,
        attempt: 1,
        key: "j",
        name: "j",
        needs: "[]",
        condition: "",
        labels: "[]",
        definition: "{}",
        continue_on_error: 0,
        permissions: JSON.stringify(permissions),
        state,
        created_at: now,
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    await tx
      .insertInto("action_tasks")
      .values({
        job_id: job.id,
        repository_id: repositoryId,
        runner_id: 0,
        state,
        digest: hash("sha256", token),
        created_at: now,
        updated_at: now,
      })
      .execute()
  })
  return token
}

const EVERYTHING = Object.fromEntries(UNITS.map((unit) => [unit, "write"]))
const READING = Object.fromEntries(UNITS.map((unit) => [unit, "read"]))

/** They are no GET and change nothing of the repository. */
const ONLY_READS: ReadonlySet<string> = new Set(["repoGetFileContentsPost"])

/** An example of a call of the operation, and the token of a job in the repository of its path. */
async function prepareIn(world: World, operation: Operation, permissions: object) {
  const prepared = await prepareCall(world, operation)
  const [, , owner = "", name = ""] = prepared.address.split("/")
  const repository = await world.hearth.services.database.read
    .selectFrom("repositories")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .select("repositories.id")
    .where("users.lower_name", "=", decodeURIComponent(owner).toLowerCase())
    .where("repositories.lower_name", "=", decodeURIComponent(name).toLowerCase())
    .executeTakeFirst()
  if (!repository) throw new Error(`the example of ${operation.id} has no repository: ${prepared.address}`)
  return { prepared, token: await tokenIn(world, repository.id, permissions) }
}

withWorld("the token of a job", { open: openCheckedWorld }, ({ test, world }) => {
  const inRepository = operations.filter(({ path, method }) => path.startsWith("/repos/{owner}/{repo}") && method !== "GET")

  test.for(inRepository.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "%s is done or refused",
    async ([, operation]) => {
      const { token, prepared } = await prepareIn(world, operation, EVERYTHING)
      const answer = await send(world.hearth.url, operation.method, prepared.address, {
        ...prepared.calling,
        authorization: `token ${token}`,
      })
      expect(answer.status, answer.text).toBeLessThan(500)
      expect(answer.status).not.toBe(401)
      expect(world.check.mismatches()).toEqual([])
    },
  )

  /*
   * People may write issues, comments and reviews wherever they may read. A job with `contents: read`, and the job of a fork, whose token only reads, could do so too:
   * anyone who opened a pull request could have the service's own user speak in the base repository.
   */
  test.for(inRepository.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "that only reads is refused: %s",
    async ([, operation]) => {
      const { token, prepared } = await prepareIn(world, operation, READING)
      const before = await endOfLog(world.hearth.services.database.read)
      const answer = await send(world.hearth.url, operation.method, prepared.address, {
        ...prepared.calling,
        authorization: `token ${token}`,
      })
      if (ONLY_READS.has(operation.id)) expect(answer.status, answer.text).toBe(200)
      else expect([403, 404, 423], answer.text).toContain(answer.status)
      expect(await endOfLog(world.hearth.services.database.read)).toEqual(before)
    },
  )

  test("of a fork's pull request reads a public repository, and says nothing in it", async () => {
    const owner = await world.person()
    const own = await world.repository(owner, { auto_init: true })
    const at = `/repos/${own.owner}/${own.repo}`
    await world.must(owner, `POST ${at}/issues`, { title: "open to all" })
    const token = await tokenIn(world, own.id, { "repo.code": "read", "repo.releases": "read" })
    expect([
      await call(token, "GET", `${at}/issues/1`),
      await call(token, "POST", `${at}/issues`, { title: "spam" }),
      await call(token, "POST", `${at}/issues/1/comments`, { body: "spam" }),
      await call(token, "POST", `${at}/issues/1/reactions`, { content: "+1" }),
    ]).toEqual([200, 403, 403, 403])
    const writing = await tokenIn(world, own.id, { "repo.issues": "write" })
    expect([
      await call(writing, "POST", `${at}/issues`, { title: "found" }),
      await call(writing, "POST", `${at}/issues/1/comments`, { body: "found" }),
    ]).toEqual([201, 201])
  })

  const call = async (token: string, method: string, path: string, body?: unknown) =>
    (await send(world.hearth.url, method, path, { authorization: `token ${token}`, body })).status

  test("does in its repository what it was given, and reads elsewhere what anyone reads", async () => {
    const owner = await world.person()
    const own = await world.repository(owner, { private: true, auto_init: true })
    const secret = await world.repository(owner, { private: true, auto_init: true })
    const open = await world.repository(owner, { auto_init: true })
    const [mine, hidden, seen] = [own, secret, open].map(({ owner: name, repo }) => `/repos/${name}/${repo}`)
    const token = await tokenIn(world, own.id, { "repo.code": "read", "repo.issues": "write" })
    const tried = async (method: string, path: string, body?: unknown) => `${await call(token, method, path, body)} ${method} ${path}`
    const said = [
      await tried("GET", `${mine}`),
      await tried("GET", `${mine}/contents`),
      await tried("POST", `${mine}/issues`, { title: "found" }),
      await tried("POST", `${mine}/branches`, { new_branch_name: "b" }),
      await tried("GET", `${mine}/pulls`),
      await tried("GET", `${hidden}`),
      await tried("GET", `${seen}`),
      await tried("POST", `${seen}/issues`, { title: "spam" }),
      await tried("POST", "/user/repos", { name: "x" }),
      await tried("POST", `/users/${owner.name}/tokens`, { name: "x" }),
      await tried("POST", "/user/keys", { title: "x", key: "ssh-ed25519 AAAA" }),
      await tried("GET", "/admin/users"),
      await tried("GET", "/user"),
    ]
    expect(said).toEqual([
      `200 GET ${mine}`,
      `200 GET ${mine}/contents`,
      `201 POST ${mine}/issues`,
      `403 POST ${mine}/branches`,
      `404 GET ${mine}/pulls`,
      `404 GET ${hidden}`,
      `200 GET ${seen}`,
      `403 POST ${seen}/issues`,
      "403 POST /user/repos",
      `403 POST /users/${owner.name}/tokens`,
      "403 POST /user/keys",
      "403 GET /admin/users",
      "200 GET /user",
    ])
  })

  test("is dead when its task has ended, and is not answered from what was remembered", async () => {
    const owner = await world.person()
    const own = await world.repository(owner, { private: true, auto_init: true })
    const path = `/repos/${own.owner}/${own.repo}`
    const token = await tokenIn(world, own.id, EVERYTHING)
    expect(await call(token, "GET", path)).toBe(200)
    await world.hearth.services.database.write((tx) =>
      tx.updateTable("action_tasks").set({ state: "success" }).where("repository_id", "=", own.id).execute(),
    )
    expect(await call(token, "GET", path)).toBe(401)
    expect(await call(token, "POST", `${path}/issues`, { title: "late" })).toBe(401)
  })

  test("of one job says nothing to another of the same service", async () => {
    const owner = await world.person()
    const [one, other] = [await world.repository(owner, { private: true }), await world.repository(owner, { private: true })]
    const [first, second] = [await tokenIn(world, one.id, EVERYTHING), await tokenIn(world, other.id, EVERYTHING)]
    const list = async (token: string) =>
      JSON.parse(
        (await send(world.hearth.url, "GET", "/repos/search", { authorization: `token ${token}`, query: { is_private: "true" } })).text,
      )
        .data.filter((each: { private: boolean }) => each.private)
        .map((each: { id: number }) => each.id)
    expect(await list(first)).toEqual([one.id])
    expect(await list(second)).toEqual([other.id])
  })

  test("publishes packages of its repository, as its permissions say, and changes no others", async () => {
    const owner = await world.person()
    const [mine, other] = [await world.repository(owner, { private: true }), await world.repository(owner)]
    const token = { authorization: `Bearer ${await tokenIn(world, mine.id, { "repo.packages": "write" })}` }
    const put = async (who: { readonly authorization: string }, path: string, of: string = owner.name) =>
      (await registry(world.hearth, who, `PUT ${of}/generic/${path}`, { body: "x" })).status
    expect(await put(token, "made/1/a")).toBe(201)
    const made = await world.must<{ repository: { id: number }; creator: { login: string } }>(
      owner,
      `GET /packages/${owner.name}/generic/made/1`,
    )
    expect([made.repository.id, made.creator.login]).toEqual([mine.id, "Ghost"])
    expect((await registry(world.hearth, token, `GET ${owner.name}/generic/made/1/a`)).status).toBe(200)
    expect(await put(owner, "plain/1/a")).toBe(201)
    expect(await put(owner, "others/1/a")).toBe(201)
    await world.must(owner, `POST /packages/${owner.name}/generic/others/-/link/${other.repo}`)
    expect([await put(token, "plain/2/a"), await put(token, "others/2/a")]).toEqual([403, 403])
    const remove = async (path: string) => (await registry(world.hearth, token, `DELETE ${owner.name}/generic/${path}`)).status
    expect([await remove("plain/1"), await remove("others/1/a"), await remove("made/1")]).toEqual([403, 403, 204])
    const stranger = await world.person()
    expect(await put(token, "made/1/a", stranger.name)).toBe(403)
    const reading = { authorization: `Bearer ${await tokenIn(world, mine.id, { "repo.packages": "read" })}` }
    expect([await put(reading, "made/2/a"), (await registry(world.hearth, reading, `GET ${owner.name}/generic/plain/1/a`)).status]).toEqual(
      [403, 200],
    )
  })
})
