import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { connect, Socket } from "node:net"
import { join } from "node:path"
import ssh2 from "ssh2"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { KeyFile } from "../../features/people/keys/ssh/testing.ts"
import { client, ok } from "../../git/testing.ts"
import { commit, noise, repository, workFolder } from "../git-http/testing.ts"
import { openPendingConnections } from "./pending.ts"
import { deploy, type KeyedPerson, keyed, openWorld, type SshRun, ssh, sshAddress, type World, withKey } from "./testing.ts"

describe("attacks on git over SSH", () => {
  let world: World
  let ann: KeyedPerson
  let work: string
  beforeAll(async () => {
    world = await openWorld("sqlite")
    ann = await keyed(world, "ann")
    await repository(world, ann.user, "tool")
    work = await workFolder(world, "work")
    await commit(work, "large", "noise", noise(8 * 1024 * 1024))
    await ok(work, ...withKey(ann.key), "push", "-q", sshAddress(world, "ann/tool.git"), "main")
  })
  afterAll(() => world.close())

  const dial = async (): Promise<Socket> => {
    const socket = connect(world.port, "127.0.0.1").on("error", () => undefined)
    await once(socket, "connect")
    return socket
  }
  /** The server still answers. */
  const isWell = async (): Promise<void> => {
    expect((await client(work, [...withKey(ann.key), "ls-remote", sshAddress(world, "ann/tool.git")])).code).toBe(0)
  }
  /** The client of the library that the server uses, which can be made to misbehave. */
  const signIn = async (key: KeyFile): Promise<ssh2.Client> => {
    const made = new ssh2.Client()
    const ready = once(made, "ready")
    made.connect({ host: "127.0.0.1", port: world.port, username: "git", privateKey: await readFile(key.file), strictVendor: false })
    await ready
    return made.on("error", () => undefined)
  }

  test("200 idle connections don't keep others out", async () => {
    const crowd = await Promise.all(Array.from({ length: 200 }, dial))
    await isWell()
    for (const [index, socket] of crowd.entries()) if (index % 2 === 0) socket.write("SSH-2.0-Sitting\r\n")
    await isWell()
    for (const socket of crowd) socket.destroy()
    await isWell()
  })

  test("more connections than slots replace the oldest from the same address, not others", async () => {
    const pending = openPendingConnections({ slots: 3, greetingMs: 60_000, signInMs: 60_000 })
    const made: string[] = []
    const from = (remoteAddress: string) => {
      const socket = connect(world.port, "127.0.0.1")
      Object.defineProperty(socket, "remoteAddress", { value: remoteAddress })
      made.push(remoteAddress)
      pending.add(socket)
      return socket
    }
    const [first, lonely, second, third] = [from("1.1.1.1"), from("2.2.2.2"), from("1.1.1.1"), from("1.1.1.1")]
    expect([first, lonely, second, third].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
    expect(pending.waiting()).toBe(3)
    for (const socket of [lonely, second, third]) socket.destroy()
    await expect.poll(() => pending.waiting()).toBe(0)
  })

  test("who says nothing, or doesn't sign in, is cut after a while", async () => {
    const pending = openPendingConnections({ slots: 3, greetingMs: 50, signInMs: 2_000 })
    const [silent, slow] = [await dial(), await dial()]
    pending.add(silent)
    pending.add(slow)
    pending.greeted(slow)
    await once(silent, "close")
    expect(slow.destroyed).toBe(false)
    await once(slow, "close")
    expect(pending.waiting()).toBe(0)
  })

  test.each([
    ["a browser", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
    ["a line without end", Buffer.alloc(1024 * 1024, "A")],
    ["zeros", Buffer.alloc(100_000)],
    ["a greeting and noise", Buffer.concat([Buffer.from("SSH-2.0-Noise\r\n"), noise(100_000)])],
    ["a packet of 4 GiB", Buffer.concat([Buffer.from("SSH-2.0-Big\r\n"), Buffer.alloc(64, 0xff)])],
    ["an old protocol", Buffer.from("SSH-1.5-Old\r\n")],
  ])("%s is disconnected, and others are not affected", async (_name, bytes) => {
    const socket = await dial()
    socket.resume().write(bytes)
    await once(socket, "close")
    await isWell()
  })

  test("a conversation in which bytes were changed is broken off, wherever that was", async () => {
    for (let round = 0; round < 12; round++) {
      const evil = new ssh2.Client().on("error", () => undefined)
      evil.connect({ host: "127.0.0.1", port: world.port, username: "git", privateKey: await readFile(ann.key.file) })
      const socket: unknown = Reflect.get(evil, "_sock")
      if (!(socket && typeof socket === "object" && "write" in socket && typeof socket.write === "function")) throw new Error("no socket")
      const write = socket.write.bind(socket)
      let count = 0
      Object.assign(socket, {
        write: (data: Buffer | string, ...rest: unknown[]) => {
          const bytes = Buffer.from(data)
          if (count++ === round && bytes.length > 0) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0x55
          return write(bytes, ...rest)
        },
      })
      evil.on("ready", () => evil.exec("git-upload-pack 'ann/tool.git'", () => undefined))
      await new Promise((resolve) => {
        evil.on("close", () => resolve(undefined))
        setTimeout(resolve, 1_500)
      })
      evil.destroy()
    }
    await isWell()
  })

  test("passwords are not even looked at, and guessing keys ends", async () => {
    const evil = new ssh2.Client()
    const said = once(evil, "error").then(([error]: unknown[]) => (error instanceof Error ? error.message : ""))
    evil.connect({ host: "127.0.0.1", port: world.port, username: "ann", password: "correct horse", tryKeyboard: true })
    expect(await said).toContain("All configured authentication methods failed")

    const keys = await Promise.all(Array.from({ length: 35 }, () => world.keys.make("ed25519")))
    const run = await ssh(world, keys[0] ?? ann.key, undefined, ...[...keys, ann.key].flatMap(({ file }) => ["-i", file]))
    expect(run.code).toBe(255)
  })

  test("a known key without its owner's signature is refused", async () => {
    const other = await world.keys.make("ed25519")
    const evil = new ssh2.Client()
    const said = once(evil, "error").then(([error]: unknown[]) => (error instanceof Error ? error.message : ""))
    const parsed = ssh2.utils.parseKey(await readFile(other.file))
    if (parsed instanceof Error) throw parsed
    const stolen = ssh2.utils.parseKey(ann.key.line)
    if (stolen instanceof Error) throw stolen
    // Offers Ann's key, signs with another.
    class Agent extends ssh2.BaseAgent {
      getIdentities(callback: (error: Error | null | undefined, keys?: ssh2.ParsedKey[]) => void): void {
        callback(null, stolen instanceof Error ? [] : [stolen])
      }
      sign(_key: unknown, data: Buffer, ...rest: unknown[]): void {
        const callback = rest.at(-1)
        if (typeof callback === "function") callback(null, parsed instanceof Error ? data : parsed.sign(data))
      }
    }
    evil.connect({ host: "127.0.0.1", port: world.port, username: "git", agent: new Agent() })
    expect(await said).toContain("All configured authentication methods failed")
  })

  test.each<[string, (key: KeyFile) => Promise<SshRun>, RegExp]>([
    ["a shell", (key) => ssh(world, key, undefined), /There is no shell here/],
    ["a command", (key) => ssh(world, key, "sh -c id"), /only git can be used/],
    ["a file transfer", (key) => ssh(world, key, "sftp", "-s"), /only git can be used/],
    ["a command behind git's", (key) => ssh(world, key, "git-upload-pack 'ann/tool.git'; id"), /owner\/name/],
    ["an option for git", (key) => ssh(world, key, "git-upload-pack '--upload-pack=id/x'"), /Repository not found/],
    ["another folder", (key) => ssh(world, key, "git-upload-pack '../../../etc'"), /owner\/name/],
    ["a name with a zero in it", (key) => ssh(world, key, "git-upload-pack 'ann/to\u0001ol'"), /Repository not found/],
    ["LFS over SSH alone", (key) => ssh(world, key, "git-lfs-transfer ann/tool.git download"), /over HTTP/],
  ])("%s is refused", async (_name, attempt, words) => {
    const { code, out, err } = await attempt(ann.key)
    expect(out + err).toMatch(words)
    expect(out + err).not.toContain("uid=")
    expect(code).toBeLessThan(2)
  })

  test("there is no terminal", async () => {
    expect((await ssh(world, ann.key, undefined, "-tt")).err).toContain("PTY allocation request failed")
  })

  test("nothing is forwarded, in either direction", async () => {
    const made = await signIn(ann.key)
    const refused = (attempt: (callback: (error: Error | undefined) => void) => unknown) =>
      new Promise<string>((resolve) => {
        attempt((error) => resolve(error?.message ?? "done"))
      })
    expect(await refused((done) => made.forwardOut("127.0.0.1", 1, "127.0.0.1", world.port, done))).toMatch(/failure/i)
    expect(await refused((done) => made.forwardIn("127.0.0.1", 0, done))).toMatch(/unable/i)
    expect(await refused((done) => made.openssh_forwardOutStreamLocal("/tmp/x", done))).toMatch(/failure|support/i)
    made.end()
    expect((await ssh(world, ann.key, undefined, "-R", "0:127.0.0.1:1", "-oExitOnForwardFailure=yes")).code).toBe(255)
  })

  interface Stuck {
    readonly client: ssh2.Client
    readonly socket: Socket
    readonly call: (name: string, ...args: readonly unknown[]) => void
  }

  /** A client that asks for a pack, and then does something else: by default it reads nothing of it. */
  async function stuck(then: (stuck: Stuck) => void = ({ socket }) => socket.pause()): Promise<Stuck> {
    const before = world.services.git.running()
    const made = await signIn(ann.key)
    const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
      made.exec("git-upload-pack 'ann/tool.git'", (error, opened) => (error ? reject(error) : resolve(opened)))
    })
    const [protocol, socket]: unknown[] = [Reflect.get(made, "_protocol"), Reflect.get(made, "_sock")]
    const call = (name: string, ...args: readonly unknown[]): void => {
      const method: unknown = protocol && Reflect.get(protocol, name)
      if (typeof method !== "function") throw new Error(`no ${name}`)
      method.apply(protocol, args)
    }
    // A window as large as the protocol allows, and a socket that is never read.
    call("channelWindowAdjust", 0, 2 ** 31)
    const line = `want ${await ok(work, "rev-parse", "HEAD")} ofs-delta\n`
    channel.write(`${(line.length + 4).toString(16).padStart(4, "0")}${line}00000009done\n`)
    if (!(socket instanceof Socket)) throw new Error("no socket")
    const held = { client: made, socket, call }
    then(held)
    await expect.poll(() => world.services.git.running()).toBeGreaterThan(before)
    // It sends until it is full.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    return held
  }

  test("a client that takes nothing in doesn't make the server keep it all", async () => {
    const before = world.services.git.running()
    const { client: made } = await stuck()
    // Git is still running: it waits for the client.
    expect(world.services.git.running()).toBeGreaterThan(before)
    made.destroy()
    await expect.poll(() => world.services.git.running()).toBe(before)
    await isWell()
  })

  test("nor does one that begins to change keys, and doesn't go on with it", async () => {
    const before = world.services.git.running()
    const { client: made } = await stuck(({ call, socket }) => {
      call("rekey")
      Object.assign(socket, { write: () => true })
    })
    expect(world.services.git.running()).toBeGreaterThan(before)
    made.destroy()
    await expect.poll(() => world.services.git.running()).toBe(before)
    await isWell()
  })

  test("a client that sends more than it may is cut", async () => {
    const before = world.services.git.running()
    const { client: made, call } = await stuck()
    const chunk = Buffer.alloc(30_000)
    for (let sent = 0; sent < 1_000 && world.services.git.running() > before; sent++) {
      call("channelData", 0, chunk)
      if (sent % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await expect.poll(() => world.services.git.running()).toBe(before)
    made.destroy()
    await isWell()
  })

  test("channels without end are not opened, and a key removed meanwhile opens none", async () => {
    const bee = await keyed(world, "bee")
    const made = await signIn(bee.key)
    const open = (command: string) =>
      new Promise<ssh2.ClientChannel | Error>((resolve) => {
        made.exec(command, (error, channel) => resolve(error ?? channel))
      })
    const opened = await Promise.all(Array.from({ length: 15 }, () => open("git-upload-pack 'ann/tool.git'")))
    const channels = opened.flatMap((channel) => (channel instanceof Error ? [] : channel))
    expect(channels).toHaveLength(10)
    for (const channel of channels) channel.resume().end("0000")
    await Promise.all(channels.map((channel) => once(channel, "close")))

    await world.services.database.write((tx) => tx.deleteFrom("public_keys").where("owner_id", "=", bee.user.id).execute())
    const late = await open("git-upload-pack 'ann/tool.git'")
    if (late instanceof Error) throw late
    const [said] = await once(late.resume().stderr, "data")
    expect(String(said)).toContain("this key has been removed")
    made.end()
  })

  test("a client that leaves in the middle takes git with it", async () => {
    const before = world.services.git.running()
    const address = sshAddress(world, "ann/tool.git")
    const child = spawn("git", [...withKey(ann.key), "clone", "-q", address, join(world.folder, "left")], {
      stdio: "ignore",
      detached: true,
    })
    await expect.poll(() => world.services.git.running(), { interval: 5 }).toBeGreaterThan(before)
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    await once(child, "close")
    await expect.poll(() => world.services.git.running()).toBe(before)
    await isWell()
  })

  test("a deploy key doesn't become its owner, whatever it asks for", async () => {
    const key = await world.keys.make("ed25519")
    const root = await world.services.database.write((tx) =>
      tx.updateTable("users").set({ is_admin: 1 }).where("id", "=", ann.user.id).returningAll().executeTakeFirstOrThrow(),
    )
    const [own, other] = [await repository(world, root, "own"), await repository(world, root, "secret", { isPrivate: true })]
    await deploy(world, own, key, true)
    for (const name of [other.name, "tool"])
      expect((await client(work, [...withKey(key), "ls-remote", sshAddress(world, `ann/${name}.git`)])).err).toContain(
        "Repository not found",
      )
    const push = async (name: string) => (await client(work, [...withKey(key), "push", sshAddress(world, `ann/${name}.git`), "main"])).err
    expect(await push("own")).toContain("this key may only read")
    for (const name of ["tool", "made"]) expect(await push(name)).toContain("Repository not found")
  })
})

describe("the end of the server", () => {
  test("waits for what is under way, and leaves nothing behind", async () => {
    const world = await openWorld("sqlite")
    const ann = await keyed(world, "ann")
    await repository(world, ann.user, "tool")
    const work = await workFolder(world, "work")
    await commit(work, "large", "noise", noise(8 * 1024 * 1024))
    await ok(work, ...withKey(ann.key), "push", "-q", sshAddress(world, "ann/tool.git"), "main")
    const idle = connect(world.port, "127.0.0.1").on("error", () => undefined)
    await once(idle, "connect")
    const cloning = client(world.folder, [...withKey(ann.key), "clone", "-q", "--bare", sshAddress(world, "ann/tool.git"), "copy"])
    await expect.poll(() => world.services.git.running(), { interval: 5 }).toBeGreaterThan(0)
    const closing = world.hearth.close()
    expect((await cloning).code).toBe(0)
    await closing
    await new Promise((resolve) => idle.once("close", resolve).resume())
    expect((await ssh(world, ann.key, undefined)).code).toBe(255)
    await world.close()
  })
})
