/**
 * Whether the catalogue of domain events is whole: every operation that changes something publishes it, and every kind of the catalogue is
 * published by a verb.
 *
 * Slow: what 290 operations act on is made for each, and each is sent twice.
 */

import { glob, readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { permissionOn } from "../../src/access/permission.ts"
import { findIssueById, findRepositoryById, findUserByName } from "../../src/access/store.ts"
import { signedInAs } from "../../src/core/actor.ts"
import { createLock, releaseLock } from "../../src/features/code/lfs/locks.ts"
import { publication } from "../../src/features/packages/npm/testing.ts"
import { deleteVersion } from "../../src/features/planning/edits/rules.ts"
import { lockIssue } from "../../src/features/planning/issues/lock.ts"
import { transferIssue } from "../../src/features/planning/transfers/rules.ts"
import { operations } from "../../src/operations.ts"
import { openRunnerClient } from "../../src/servers/runner/testing.ts"
import { examples } from "../examples/index.ts"
import { prepareCall } from "../examples/prepare.ts"
import { withBranches } from "../examples/pulls.ts"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { send } from "../support/http.ts"
import { recording } from "../support/recorded.ts"
import { type CheckedWorld, openCheckedWorld, type World } from "../support/world.ts"

/** Writing operations that publish nothing, each with the reason. */
const SILENT: Readonly<Record<string, string>> = {
  repoMigrate: "its example has no server to import from; the repository's creation is published, see migration tests",
  repoPreviewImport: "it asks another server, and changes nothing",
  repoStartImport: "an import tells nobody; its page asks how far it is",
  repoStopImport: "the same",
  userCreateImports: "the same",
  userImportArchive: "the same",
  userStartImport: "the same",
  userStopImport: "the same",
  userClaimImportedPerson: "old texts get another author; nobody is told",
  adminAssignImportedPerson: "the same",
  repoPushMirrorSync: "its example has no mirrors; see `others`",
  repoGetFileContentsPost: "it reads; the body only names the files",
  renderMarkdown: "it only answers",
  runBatch: "its operations publish theirs",
  repoRejectHeldRequest: "what is held was never created: its author sees what became of it, and nobody else knew of it",
  userWithdrawHeldRequest: "the same",
  renderMarkdownRaw: "the same",
  renderMarkup: "the same",
  repoRenderMarkdown: "the same",
  repoRenderMarkdownRaw: "the same",
  repoRenderMarkup: "the same",
  notifyReadList: "what a user has read concerns only them, and is no change of what the notification is about",
  notifyReadThread: "the same",
  notifyReadRepoList: "the same",
  userUpdateNotificationSettings: "what a user wants to be told of concerns only them",
  adminRedeliverHookDelivery: "deliveries of webhooks are sent events, and no events themselves",
  orgRedeliverHookDelivery: "the same",
  userRedeliverHookDelivery: "the same",
  repoRedeliverHookDelivery: "the same",
  repoTestHook: "the same",
  repoEditGitHook: "it is refused: git hooks are not supported",
  repoDeleteGitHook: "the same",
  adminCreateRunnerRegistrationToken: "it gets a token that stays the same",
  orgCreateRunnerRegistrationToken: "the same",
  userCreateRunnerRegistrationToken: "the same",
  repoCreateRunnerRegistrationToken: "the same",
  adminRotateRunnerRegistrationToken: "the token is a secret of those who manage runners; the runners stay as they are",
  orgRotateRunnerRegistrationToken: "the same",
  userRotateRunnerRegistrationToken: "the same",
  repoRotateRunnerRegistrationToken: "the same",
  adminDeleteUnadoptedRepository: "it removes files that no repository has",
  adminInvite: "its example has a site that takes no new accounts; see `registration/`",
  adminCreateAnnouncement: "processes are told of it by a message, and pages show it when they are asked for again",
  adminEditAnnouncement: "the same",
  adminDeleteAnnouncement: "the same",
  adminSendTestMail: "it sends a mail, and changes nothing",
  adminCronRun: "it starts a task of the clock, whose changes are its own",
}

/** Calls that change something each time that they are made, and so publish it each time. */
const REPEATABLE: Readonly<Record<string, string>> = {
  repoEditPullRequest: "each write of a body is a new version of it, even with the same text",
  userUpdateOAuth2Application: "each makes a new secret",
  updateOrgSecret: "whether a sealed value is the same as before is not looked at",
  updateUserSecret: "the same",
  updateRepoSecret: "the same",
}

/** The documents of the API say which events an operation causes. */
const recorded = recording("events")

async function open(kind: FreshKind): Promise<CheckedWorld> {
  const world = await openCheckedWorld(kind)
  return world
}

withWorld("domain events", { open }, ({ test: it, world }) => {
  /** What is published until all jobs that follow from it are done. */
  async function publishedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
    const { jobs, database } = world.hearth.services
    const events = () => database.read.selectFrom("events").orderBy("id", "desc")
    await jobs.drain()
    const last = (await events().select("id").limit(1).executeTakeFirst())?.id ?? 0
    await work()
    await jobs.drain()
    return (await events().select("kind").where("id", ">", last).execute()).map(({ kind }) => kind)
  }

  const writing = operations.filter(({ method }) => method !== "GET")
  it.each(writing.map((operation) => [operation.id, operation] as const))("%s publishes what it changes, once", async (id, operation) => {
    const call = await prepareCall(world, operation)
    const send = async () => {
      const { status, text } = await call.send()
      return { status, text }
    }
    const first = await publishedBy(async () => {
      const { status, text } = await send()
      expect(call.isRight(status), text).toBe(true)
    })
    expect(first.length > 0, `${id} published ${first.join(", ") || "nothing"}`).toBe(!(id in SILENT))
    const kinds = first.length > 0 ? [...new Set(first)].toSorted() : undefined
    expect(kinds, "npm run recorded writes what the documents say").toEqual(recorded.of(id, kinds))
    if (operation.method === "POST") return
    // The same once more changes nothing.
    const again = await publishedBy(send)
    expect(again.length > 0, `${id} published ${again.join(", ") || "nothing"} the second time`).toBe(id in REPEATABLE)
  })

  it("are published of every kind", async () => {
    await others(world)
    await world.hearth.services.jobs.drain()
    const rows = await world.hearth.services.database.read.selectFrom("events").select("kind").distinct().execute()
    const published = new Set(rows.map(({ kind }) => kind))
    const missing = (await kinds()).filter((kind) => !published.has(kind))
    expect(missing).toEqual([])
    expect(recorded.unknown()).toEqual([])
  })
})

/** The kinds of all features, from their texts: they are types and no values. Those of people have a test of their own, where the compiler asks for each. */
async function kinds(): Promise<readonly string[]> {
  const features = join(import.meta.dirname, "../../src/features")
  const texts: string[] = []
  for await (const file of glob("*/*/events.ts", { cwd: features }))
    if (!/^people\/|\/collaborators\//.test(file)) texts.push(await readFile(join(features, file), "utf8"))
  const named = [...texts.join("\n").matchAll(/(?:Happened|Undated)<([^<>]*)>/g)].flatMap(([, list = ""]) => [
    ...list.matchAll(/"([^"]+)"/g),
  ])
  return [...new Set(named.map(([, kind = ""]) => kind))]
}

/** Calls that publish the kinds which no example publishes. */
async function others(world: World): Promise<void> {
  const { services, url } = world.hearth
  const { owner, at, path, branches } = await withBranches(world, 3)
  const must = <T>(route: string, body?: object) => {
    const [method, rest] = route.split(" ")
    return world.must<T>(owner, `${method} ${at}${rest}`, body)
  }
  // The repository and its issues.
  for (const change of [{ private: true }, { private: false }, { archived: true }, { archived: false }]) await must("PATCH ", change)
  const issue = await must<{ id: number; number: number }>("POST /issues", { title: "An issue" })
  const milestone = await must<{ id: number }>("POST /milestones", { title: "1.0" })
  for (const change of [{ milestone: milestone.id }, { ref: branches[0] }, { state: "closed" }, { state: "open" }])
    await must(`PATCH /issues/${issue.number}`, change)
  for (const state of ["closed", "open"]) await must(`PATCH /milestones/${milestone.id}`, { state })
  await must("POST /contents/note.txt", { content: "", message: `Says something about #${issue.number}` })
  // A board.
  const project = await must<{ id: number }>("POST /projects", { title: "Board" })
  const column = await must<{ id: number }>(`POST /projects/${project.id}/columns`, { title: "To do" })
  await must(`POST /projects/${project.id}/columns/${column.id}/issues/${issue.id}`)
  await must(`POST /projects/${project.id}/issues/${issue.id}/move`, { column_id: column.id, sorting: 5 })
  for (const state of ["closed", "open"]) await must(`PATCH /projects/${project.id}`, { state })
  // Pull requests.
  const [first = 0, second = 0] = await Promise.all(
    branches
      .slice(0, 2)
      .map(async (head) => (await must<{ number: number }>("POST /pulls", { title: `WIP: ${head}`, head, base: "main" })).number),
  )
  for (const number of [first, second]) await must(`PATCH /pulls/${number}`, { title: "Ready", allow_maintainer_edit: number === first })
  await must(`POST /pulls/${first}/merge`, { do: "merge", delete_branch_after_merge: true })
  await must("POST /branch_protections", { rule_name: "main", enable_status_check: true, status_check_contexts: ["ci"] })
  await must(`POST /pulls/${second}/merge`, { do: "merge", merge_when_checks_succeed: true })
  // A merge queue: the scheduled merge lines up, fails, and lands when it is tried again.
  await must("PATCH /branch_protections/main", { enable_merge_queue: true })
  for (const frozen of [true, false]) await must("PATCH /merge_queues/main", { frozen })
  for (const state of ["failure", "success"]) {
    // Within a second the same title would make the same commit, which has failed.
    if (state === "success") {
      await must(`PATCH /pulls/${second}`, { title: "Ready again" })
      await must(`POST /pulls/${second}/queue`, {})
    }
    await services.jobs.drain()
    const { trial } = await must<{ trial: { head_sha: string } }>("GET /merge_queues/main")
    await must(`POST /statuses/${trial.head_sha}`, { state, context: "ci" })
    await services.jobs.drain()
  }
  // Packages.
  const registry = (method: string, rest: string, body?: string) =>
    fetch(`${url}/api/packages/${owner.name}/${rest}`, { method, headers: { authorization: owner.authorization }, ...(body && { body }) })
  for (const file of ["a", "b"]) await registry("PUT", `generic/tool/1/${file}`, file)
  await registry("DELETE", "generic/tool/1/a")
  await registry("PUT", "npm/tool", publication({ name: "tool", version: "1.0.0" }))
  expect((await registry("PUT", "npm/-/package/tool/dist-tags/next", '"1.0.0"')).status).toBe(201)
  // Runners.
  const { token } = await must<{ token: string }>("POST /actions/runners/registration-token")
  const client = await openRunnerClient(url).registered(token, ["one"])
  await client.call("runner.v1.RunnerService/Declare", { version: "v2", labels: ["two"] })
  // Releases, secrets.
  const release = await must<{ id: number }>("POST /releases", { tag_name: "v1" })
  await must(`PATCH /releases/${release.id}`, { name: "The first" })
  for (const data of ["one", "two"]) await must("PUT /actions/secrets/TOKEN", { data })
  // What was deleted is restored.
  const said = await must<{ id: number }>(`POST /issues/${issue.number}/comments`, { body: "Said" })
  for (const gone of [`issues/comments/${said.id}`, `milestones/${milestone.id}`, `releases/${release.id}`]) {
    await must(`DELETE /${gone}`)
    const [last] = await must<readonly { id: number }[]>("GET /deleted")
    await must(`POST /deleted/${last?.id}/restore`)
  }
  // Other calls on what examples have made.
  const { path: away = {}, authorization } = (await examples["repoGetPushMirrorByRemoteName"]?.(world, 1)) ?? {}
  const synchronized = await send(url, "POST", `/repos/${away["owner"]}/${away["repo"]}/push_mirrors-sync`, { authorization })
  // It can't be reached, which is recorded.
  expect(synchronized.status).toBe(422)
  const { path: runner = {} } = (await examples["getAdminRunner"]?.(world, 1)) ?? {}
  for (const disabled of [true, false]) await world.must("root", `PATCH /admin/actions/runners/${runner["runner_id"]}`, { disabled })
  // What no operation of the API does.
  await examples["downloadArtifact"]?.(world, 1)
  const repository = await findRepositoryById.first(services.database.read, { id: (await must<{ id: number }>("GET ")).id })
  if (!repository) throw new TypeError("the repository is there")
  const me = await findUserByName.first(services.database.read, { lowerName: path.owner })
  if (!me) throw new TypeError("its owner is there")
  await must(`PATCH /issues/${issue.number}`, { body: "A secret" })
  await services.database.write(async (tx) => {
    const { id } = await createLock(tx, repository, me, { path: "kiln.psd", now: services.now() })
    await releaseLock(tx, repository, me, { id: String(id), force: false })
    const found = { issue: await lockIssue(tx, { id: issue.id, repository_id: repository.id }), me }
    await deleteVersion(tx, services, found, null, 1)
  })
  const { id: shelf } = await world.must<{ id: number }>(owner, "POST /user/repos", { name: "shelf" })
  await services.database.write(async (tx) => {
    const [row, target] = [await findIssueById.first(tx, { id: issue.id }), await findRepositoryById.first(tx, { id: shelf })]
    if (!row || !target) throw new TypeError("the issue and the repository are there")
    const actor = signedInAs(me)
    const home = { repository, owner: me }
    const found = { ...home, permission: await permissionOn(tx, actor, home), issue: row, me, actor }
    await transferIssue(tx, services, found, { repository: target, owner: me })
  })
}
