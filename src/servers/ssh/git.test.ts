import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { FreshKind } from "../../../tests/support/database.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { must } from "../../../tests/support/http.ts"
import { client, ok } from "../../git/testing.ts"
import { branchRows, commit, noise, repository, workFolder } from "../git-http/testing.ts"
import { deploy, type KeyedPerson, keyed, openWorld, ssh, sshAddress, type World, withKey } from "./testing.ts"

describe("git over SSH", () => {
  let world: World
  let ann: KeyedPerson
  let work: string
  let key: readonly string[]
  beforeAll(async () => {
    world = await openWorld("sqlite", { api: { maxBodyBytes: 2 ** 20 } })
    ann = await keyed(world, "ann")
    key = withKey(ann.key)
    work = await workFolder(world, "work")
    await repository(world, ann.user, "tool")
    await ok(work, ...key, "push", "-q", sshAddress(world, "ann/tool.git"), "main")
  })
  afterAll(() => world.close())

  test.each(["0", "1", "2"])("clones and fetches by protocol version %s", async (version) => {
    const copy = join(world.folder, `copy-${version}`)
    const protocol = ["-c", `protocol.version=${version}`]
    await ok(world.folder, ...key, ...protocol, "clone", "-q", sshAddress(world, "ann/tool.git"), copy)
    await ok(copy, "fsck", "--strict")
    const next = await commit(work, `after ${version}`)
    await ok(work, ...key, "push", "-q", sshAddress(world, "ann/tool.git"), "main")
    await ok(copy, ...key, ...protocol, "pull", "-q")
    expect(await ok(copy, "rev-parse", "HEAD")).toBe(next)
  })

  test("speaks the protocol's second version where it is asked to", async () => {
    const { out, code } = await ssh(
      world,
      ann.key,
      "git-upload-pack 'ann/tool.git'",
      "-oSendEnv=GIT_PROTOCOL",
      "-oSetEnv=GIT_PROTOCOL=version=2",
    )
    expect(out.slice(4, 13)).toBe("version 2")
    expect(code).toBe(0)
    expect((await ssh(world, ann.key, "git-upload-pack 'ann/tool.git'")).out).toMatch(/^[0-9a-f]{44} HEAD\0/)
  })

  test("no other variable is taken, and none that would reach git", async () => {
    for (const variable of ["GIT_PROTOCOL=version=2; id", "GIT_TRACE=1", "LD_PRELOAD=/x"]) {
      const { out } = await ssh(world, ann.key, "git-upload-pack 'ann/tool.git'", `-oSetEnv="${variable}"`)
      expect(out).toMatch(/^[0-9a-f]{44} HEAD\0/)
    }
  })

  test("shallow and partial clones", async () => {
    await ok(world.folder, ...key, "clone", "-q", "--depth=1", sshAddress(world, "ann/tool.git"), "shallow")
    expect(await ok(join(world.folder, "shallow"), "rev-list", "--count", "HEAD")).toBe("1")
    await ok(world.folder, ...key, "clone", "-q", "--filter=blob:none", "--no-checkout", sshAddress(world, "ann/tool.git"), "partial")
    expect(await ok(join(world.folder, "partial"), "rev-list", "--objects", "--missing=print", "HEAD")).toContain("?")
  })

  test("8 MiB, more than bodies of the API may have, come and go whole", async () => {
    const large = await workFolder(world, "large")
    await repository(world, ann.user, "large")
    const id = await commit(large, "large", "noise", noise(8 * 1024 * 1024))
    await ok(large, ...key, "-c", "core.compression=0", "push", "-q", sshAddress(world, "ann/large.git"), "main")
    await ok(world.folder, ...key, "clone", "-q", "--bare", sshAddress(world, "ann/large.git"), "large-copy")
    expect(await ok(join(world.folder, "large-copy"), "rev-parse", "main")).toBe(id)
    await ok(join(world.folder, "large-copy"), "fsck", "--strict")
  })

  test("deletes, forces, tags and atomic pushes", async () => {
    const address = sshAddress(world, "ann/tool.git")
    await ok(work, "tag", "-f", "-a", "-m", "one", "v1")
    await ok(work, ...key, "push", "-q", "--atomic", address, "main:side", "v1")
    expect((await client(work, [...key, "push", "-q", address, "HEAD~1:side"])).err).toContain("rejected")
    await ok(work, ...key, "push", "-q", "-f", address, "HEAD~1:side")
    await ok(work, ...key, "push", "-q", "-d", address, "side", "v1")
    expect(await ok(work, ...key, "ls-remote", address)).not.toContain("side")
    const refused = await client(work, [...key, "push", "--atomic", address, "main:again", ":main"])
    expect(refused.err).toContain("the default branch and cannot be deleted")
    expect(await ok(work, ...key, "ls-remote", address)).not.toContain("again")
  })

  test("readers push to refs/for, and tools learn that they may", async () => {
    const bob = await keyed(world, "bob")
    const bobs = await workFolder(world, "bobs")
    await ok(bobs, ...key, "fetch", "-q", sshAddress(world, "ann/tool.git"), "main")
    await ok(bobs, "checkout", "-q", "-b", "mine", "FETCH_HEAD")
    const id = await commit(bobs, "Offered", "offered")
    const push = (...args: readonly string[]) => client(bobs, [...withKey(bob.key), "push", sshAddress(world, "ann/tool.git"), ...args])
    const opened = await push("mine:refs/for/main/topic")
    const number = /\/ann\/tool\/pulls\/(\d+)/.exec(opened.err)?.[1]
    expect(opened.err).toContain(`remote: Pull request #${number} was opened:`)
    expect(opened.err).toContain(`mine -> refs/pull/${number}/head`)
    expect(await ok(bobs, ...key, "ls-remote", sshAddress(world, "ann/tool.git"))).toContain(`${id}\trefs/pull/${number}/head`)
    await commit(bobs, "More", "more")
    expect((await push("mine:refs/for/main/topic")).err).toContain(`Pull request #${number} was updated:`)
    // A key for one repository has no one in whose name it could open one.
    const robot = await world.keys.make("ed25519")
    const tool = await world.services.database.read
      .selectFrom("repositories")
      .selectAll()
      .where("lower_name", "=", "tool")
      .executeTakeFirstOrThrow()
    await deploy(world, tool, robot, false)
    const byKey = await client(bobs, [...withKey(robot), "push", sshAddress(world, "ann/tool.git"), "mine:refs/for/main/robot"])
    expect(byKey.err).toContain("User permission denied for creating pull-request.")
    expect((await ssh(world, bob.key, "ssh_info")).out).toBe('{"type":"agit","version":1}')
    expect(await (await fetch(`${world.hearth.url}/ssh_info`)).json()).toEqual({ type: "agit", version: 1 })
  })

  test("a push with nothing in it ends well", async () => {
    const { code, err } = await client(work, [...key, "push", sshAddress(world, "ann/tool.git"), "main"])
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("up-to-date") })
  })

  test("a repository of SHA-256", async () => {
    await repository(world, ann.user, "wide", { object_format: "sha256" })
    const wide = await workFolder(world, "wide", "--object-format=sha256")
    await ok(wide, ...key, "push", "-q", sshAddress(world, "ann/wide.git"), "main")
    await ok(world.folder, ...key, "clone", "-q", sshAddress(world, "ann/wide.git"), "wide-copy")
    expect(await ok(join(world.folder, "wide-copy"), "rev-parse", "HEAD")).toHaveLength(64)
  })

  test("ten clones over one connection, which OpenSSH can share", async () => {
    const socket = join(world.keys.folder, "control")
    const shared = ["-c", `${key[1]} -oControlMaster=auto -oControlPath=${socket} -oControlPersist=5`]
    await ok(work, ...shared, "ls-remote", sshAddress(world, "ann/tool.git"))
    const clones = Array.from({ length: 10 }, (_, index) =>
      client(world.folder, [...shared, "clone", "-q", sshAddress(world, "ann/tool.git"), `shared-${index}`]),
    )
    expect((await Promise.all(clones)).map(({ code }) => code)).toEqual(clones.map(() => 0))
  })

  test("the addresses that the service gives work", async () => {
    const authorization = `token ${ann.token}`
    const { ssh_url } = await must<{ ssh_url: string }>(world.hearth.url, "GET", "/repos/ann/tool", { authorization })
    expect(ssh_url).toBe(`ssh://git@localhost:${world.port}/ann/tool.git`)
    const copy = join(world.folder, "by-address")
    await ok(world.folder, ...key, "clone", "-q", ssh_url, copy)
    await writeFile(join(copy, "more"), "more")
  })
})

const open = (kind: FreshKind) => openWorld(kind, { git: { pushToCreate: { user: true } } })

withWorld("pushing to what is not there", { open }, ({ test, world }) => {
  let ann: KeyedPerson
  let ben: KeyedPerson
  let work: string
  test.beforeAll(async () => {
    ann = await keyed(world, "ann")
    ben = await keyed(world, "ben")
    work = await workFolder(world, "work")
  })

  const push = ({ key }: KeyedPerson, path: string, ...more: readonly string[]) =>
    client(work, [...withKey(key), "push", "-q", ...more, sshAddress(world, path), "main"])
  const find = (name: string) =>
    world.services.database.read.selectFrom("repositories").selectAll().where("lower_name", "=", name).executeTakeFirst()

  test("makes it, private, for oneself", async () => {
    expect((await push(ann, "ann/fresh.git")).code).toBe(0)
    const made = await find("fresh")
    expect(made).toMatchObject({ is_private: 1, is_empty: 0 })
    expect(made && Object.keys(await branchRows(world, made))).toEqual(["main"])
  })

  test("only looking makes nothing", async () => {
    expect((await push(ann, "ann/looked.git", "--dry-run")).code).toBe(0)
    expect(await find("looked")).toBeUndefined()
  })

  test("is refused for others, for names that can't be, and for keys of repositories", async () => {
    expect((await push(ben, "ann/theirs.git")).err).toContain("error: Repository not found")
    expect((await push(ann, "nobody/theirs.git")).err).toContain("error: Repository not found")
    expect((await push(ann, "ann/no name.git")).code).toBe(1)
    expect(await find("theirs")).toBeUndefined()
  })
})
