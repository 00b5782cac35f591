import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Hook, HookDeliveryDetails } from "../../src/features/events/webhooks/records.ts"
import { passTime } from "../../src/features/events/webhooks/testing.ts"
import { ok } from "../../src/git/testing.ts"
import { address, openWorld, type Person, person, repository, type World, workFolder } from "../../src/servers/git-http/testing.ts"
import { must } from "../support/http.ts"
import { freePort } from "../support/ports.ts"

/** The receiver `webhook` of Debian against a whole forge. It must be installed; run with HEARTH_TEST_PROGRAMS=1. */

const SECRET = "open sesame"
/** Where each of its hooks looks for a signature, and with which rule. */
const FORMS = {
  hub: ["X-Hub-Signature-256", "payload-hmac-sha256"],
  gitea: ["X-Gitea-Signature", "payload-hmac-sha256"],
  gogs: ["X-Gogs-Signature", "payload-hmac-sha256"],
  "hub-sha1": ["X-Hub-Signature", "payload-hmac-sha1"],
} as const
const forms = Object.keys(FORMS)

let world: World
let ann: Person
let work: string
let receiver: ChildProcess
let port: number
let told: string
beforeAll(async () => {
  world = await openWorld("sqlite", { outgoing: { allowedHosts: "loopback" } })
  ann = await person(world, "ann")
  await repository(world, ann.user, "box")
  work = await workFolder(world, "work")
  told = join(world.folder, "told")
  receiver = await startReceiver()
})
afterAll(async () => {
  const ended = once(receiver, "exit")
  receiver.kill()
  await ended
  await world.close()
})

/** Starts the receiver: a request that passes a hook's rule runs a command that logs the hook, the event, the reference, the commit and the pusher. */
async function startReceiver(): Promise<ChildProcess> {
  const command = join(world.folder, "note")
  await writeFile(command, `#!/bin/sh\nprintf '%s\\n' "$*" >> ${told}\n`, { mode: 0o755 })
  await writeFile(told, "")
  const hooks = Object.entries(FORMS).map(([id, [header, type]]) => ({
    id,
    "execute-command": command,
    "include-command-output-in-response": true,
    "pass-arguments-to-command": [
      { source: "string", name: id },
      { source: "header", name: "X-Gitea-Event" },
      ...["ref", "after", "pusher.login", "commits.0.added.0"].map((name) => ({ source: "payload", name })),
    ],
    "trigger-rule": { match: { type, secret: SECRET, parameter: { source: "header", name: header } } },
  }))
  const file = join(world.folder, "hooks.json")
  await writeFile(file, JSON.stringify(hooks))
  port = await freePort()
  const child = spawn("webhook", ["-hooks", file, "-ip", "127.0.0.1", "-port", String(port), "-verbose"], {
    stdio: ["ignore", "ignore", "pipe"],
  })
  await new Promise<void>((resolve, reject) => {
    let words = ""
    child.on("error", reject)
    child.on("exit", () => reject(new Error(`the receiver ended: ${words}`)))
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      words += text
      if (words.includes("serving hooks on")) resolve()
    })
  })
  return child
}

const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  must<T>(world.hearth.url, method, `/repos/ann/box${path}`, { authorization: `token ${ann.token}`, body })

/** Makes a webhook that calls one of the receiver's hooks. */
const hook = (form: string, secret: string, contentType = "json"): Promise<Hook> =>
  call("POST", "/hooks", {
    type: "gitea",
    active: true,
    events: ["push"],
    config: { url: `http://127.0.0.1:${port}/hooks/${form}`, content_type: contentType, secret },
  })

async function delivery({ id }: Hook): Promise<HookDeliveryDetails> {
  const all = await call<readonly { readonly id: number }[]>("GET", `/hooks/${id}/deliveries`)
  expect(all).toHaveLength(1)
  return call("GET", `/hooks/${id}/deliveries/${all[0]?.id}`)
}

/** Pushes a commit with one file; gives its id. */
async function push(name: string): Promise<string> {
  await writeFile(join(work, name), name)
  await ok(work, "add", ".")
  await ok(work, "commit", "-q", "-m", `Add ${name}`)
  await ok(work, "push", "-q", address(world, "ann/box.git", "ann", ann.token), "main")
  await world.services.jobs.drain()
  return (await ok(work, "rev-parse", "HEAD")).trim()
}

async function noted(): Promise<readonly string[]> {
  const lines = (await readFile(told, "utf8")).split("\n").filter((line) => line !== "")
  await writeFile(told, "")
  return lines.sort()
}

it("takes pushes that are signed with its secret, in every form of signature", async () => {
  const hooks: Hook[] = []
  for (const form of forms) hooks.push(await hook(form, SECRET))
  const id = await push("one.txt")
  expect(await noted()).toEqual(forms.map((form) => `${form} push refs/heads/main ${id} ann one.txt`).sort())
  for (const each of hooks)
    expect(await delivery(each)).toMatchObject({ state: "delivered", attempts: 1, error: "", response: { status: 200 } })
  for (const each of hooks) await call("DELETE", `/hooks/${each.id}`)
})

it("refuses those that are signed with another, or not at all; once the secret is right, the same delivery is taken", async () => {
  const hooks: Hook[] = []
  for (const form of forms) hooks.push(await hook(form, "abracadabra"), await hook(form, ""))
  const id = await push("two.txt")
  expect(await noted()).toEqual([])
  const refused = await Promise.all(hooks.map(delivery))
  for (const each of refused) {
    expect(each).toMatchObject({ state: "waiting", attempts: 1, error: "the receiver answered 500" })
    expect(each.response).toMatchObject({ status: 500, body: "Error occurred while evaluating hook rules." })
    const wait = Date.parse(each.next_attempt_at ?? "") - Date.parse(each.attempted_at ?? "")
    expect(wait).toBeGreaterThanOrEqual(8_000)
    // The try itself may have taken some seconds, too.
    expect(wait).toBeLessThanOrEqual(30_000)
  }

  await passTime(world.services)
  expect(await noted()).toEqual([])
  for (const { id: hookId } of hooks) await call("PATCH", `/hooks/${hookId}`, { config: { secret: SECRET } })
  await passTime(world.services)
  expect(await noted()).toEqual([...forms, ...forms].map((form) => `${form} push refs/heads/main ${id} ann two.txt`).sort())
  for (const [index, each] of hooks.entries())
    expect(await delivery(each)).toMatchObject({ uuid: refused[index]?.uuid, state: "delivered", attempts: 3, response: { status: 200 } })
})
