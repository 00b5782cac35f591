/*
 * Someone with an account begins pushes over SSH and stops in the middle of the pack, or asks for a clone and doesn't read it. Sixteen such pushes stopped everyone's for
 * up to an hour. Now an account holds half of the permits at most, a pack that stops coming is given up, and so is a clone that no one reads.
 */
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import ssh2 from "ssh2"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ok } from "../../../src/git/testing.ts"
import { commit, noise, repository, workFolder } from "../../../src/servers/git-http/testing.ts"
import { type KeyedPerson, keyed, openWorld, sshAddress, type World, withKey } from "../../../src/servers/ssh/testing.ts"
import { explodingPack } from "../../attacks/packs.ts"
import { MIB } from "../../attacks/repositories.ts"
import { times } from "../../attacks/sockets.ts"

let world: World
let ann: KeyedPerson
let eve: KeyedPerson
let work: string
beforeAll(async () => {
  world = await openWorld("sqlite", { http: { stallSeconds: 1, trustedProxies: "none" } })
  ann = await keyed(world, "ann")
  eve = await keyed(world, "eve")
  await repository(world, ann.user, "tool")
  await repository(world, eve.user, "own")
  work = await workFolder(world, "work")
  await commit(work, "large", "noise", noise(12 * MIB))
  await ok(work, ...withKey(ann.key), "push", "-q", sshAddress(world, "ann/tool.git"), "main")
})
afterAll(() => world.close())

const limit = (name: string) => world.services.git.limits().find((state) => state.name === name)

/** A command of eve's, whose output is not read. */
async function begin(command: string): Promise<{ readonly client: ssh2.Client; readonly channel: ssh2.ClientChannel }> {
  const client = new ssh2.Client()
  const ready = once(client, "ready")
  client.connect({ host: "127.0.0.1", port: world.port, username: "git", privateKey: await readFile(eve.key.file), strictVendor: false })
  await ready
  client.on("error", () => undefined)
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
    client.exec(command, (error, opened) => (error ? reject(error) : resolve(opened)))
  })
  channel.on("error", () => undefined)
  return { client, channel }
}

const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`

test("pushes that stop in the middle hold half of the permits, until they are given up", async () => {
  const begun = await Promise.all(
    times(8, async (index) => {
      const { client, channel } = await begin("git-receive-pack 'eve/own.git'")
      const command = packet(`${"0".repeat(40)} ${"1".repeat(40)} refs/heads/b${index}\0report-status`)
      channel.write(Buffer.concat([Buffer.from(`${command}0000`, "latin1"), explodingPack(16, 0).subarray(0, 60)]))
      return client
    }),
  )
  await expect.poll(() => limit("pushes")?.active).toBe(2)
  await commit(work, "next")
  await ok(work, ...withKey(ann.key), "push", "-q", sshAddress(world, "ann/tool.git"), "main")
  await expect.poll(() => limit("pushes")).toMatchObject({ active: 0, waiting: 0 })
  for (const client of begun) client.destroy()
})

test("a clone that is not read is given up", async () => {
  const { client, channel } = await begin("git-upload-pack 'ann/tool.git'")
  const head = await ok(work, "rev-parse", "HEAD~1")
  const [socket] = [Reflect.get(client, "_sock")]
  channel.write(`${packet(`want ${head}\n`)}0000${packet("done\n")}`)
  await expect.poll(() => limit("fetches")?.active).toBe(1)
  socket.pause()
  await expect.poll(() => limit("fetches")?.active).toBe(0)
  client.destroy()
})
