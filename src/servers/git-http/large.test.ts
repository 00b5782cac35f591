import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { client, ok } from "../../git/testing.ts"
import { address, branchRows, feed, openWorld, type Person, person, reload, repository, type World } from "./testing.ts"

/** A realistic repository: thousands of commits, merges, tags, both packed and loose. */

const COMMITS = 2_000
const FILES = 200

/** A history for `git fast-import`: a line of commits, with a short branch merged back at every fiftieth. */
function history(): string {
  const parts: string[] = []
  const commit = (ref: string, mark: number, message: string, links: string, file: number) => {
    const person = `Ada <ada@example.com> ${1_600_000_000 + mark * 60} +0000`
    const content = `file ${file}\n${Array.from({ length: 20 }, (_, line) => `line ${line} of ${mark % (line + 2)}`).join("\n")}\n${mark}\n`
    parts.push(
      `commit ${ref}\nmark :${mark}\nauthor ${person}\ncommitter ${person}\ndata ${message.length}\n${message}\n${links}` +
        `M 644 inline src/folder${file % 10}/file${file}.txt\ndata ${content.length}\n${content}\n`,
    )
  }
  let mark = 0
  let tip = 0
  while (mark < COMMITS) {
    const previous = tip
    tip = ++mark
    commit("refs/heads/main", tip, `change ${tip}`, previous ? `from :${previous}\n` : "", tip % FILES)
    if (tip % 50 === 48 && mark + 2 <= COMMITS) {
      const side = ++mark
      commit("refs/heads/side", side, `side ${side}`, `from :${previous}\n`, (side + 100) % FILES)
      const merge = ++mark
      commit("refs/heads/main", merge, `merge ${merge}`, `from :${tip}\nmerge :${side}\n`, merge % FILES)
      tip = merge
    }
  }
  for (let index = 1; index <= 40; index++) parts.push(`reset refs/tags/v${index}\nfrom :${index * 50}\n`)
  parts.push("done\n")
  return parts.join("\n")
}

let world: World
let ada: Person
let source: string

beforeAll(async () => {
  world = await openWorld("sqlite")
  ada = await person(world, "ada")
  source = join(world.folder, "source")
  await ok(world.folder, "init", "-q", "-b", "main", source)
  expect(await client(source, ["fast-import", "--quiet", "--done"], history())).toMatchObject({ code: 0 })
  expect(await ok(source, "rev-list", "--count", "--all")).toBe(String(COMMITS))
})
afterAll(() => world.close())

test("a repository of thousands of commits is pushed, cloned and compared", async () => {
  const row = await repository(world, ada.user, "large")
  const url = address(world, "ada/large.git", "ada", ada.token)
  expect(await client(source, ["push", "-q", url, "--all"])).toMatchObject({ code: 0 })
  expect(await client(source, ["push", "-q", url, "--tags"])).toMatchObject({ code: 0 })
  const head = await ok(source, "rev-parse", "main")
  expect(await branchRows(world, row)).toEqual({ main: head, side: await ok(source, "rev-parse", "side") })
  const after = await reload(world, row)
  expect(after).toMatchObject({ default_branch: "main", is_empty: 0, branches_count: 2 })
  const measured = await world.services.git.repositories.size(world.services.git.at(row.storage, "sha1"))
  expect(after.git_size).toBeGreaterThan(measured * 0.8)
  expect(after.git_size).toBeLessThan(measured * 1.2)
  const told = (await feed(world, row)).find(
    ({ op_type, ref_name, content }) => op_type === "commit_repo" && ref_name === "refs/heads/main" && content,
  )
  expect(JSON.parse(told?.content ?? "")).toMatchObject({ Len: 10, HeadCommit: { Sha1: head } })

  for (const version of ["0", "2"]) {
    const target = join(world.folder, `clone-v${version}`)
    await ok(world.folder, "-c", `protocol.version=${version}`, "clone", "-q", url, target)
    expect(await ok(target, "rev-list", "--count", "--all")).toBe(String(COMMITS))
    expect(await ok(target, "rev-parse", "HEAD")).toBe(head)
    expect((await ok(target, "tag")).split("\n")).toHaveLength(40)
    await ok(target, "fsck", "--strict")
    expect(await ok(source, "show-ref", "--heads", "--tags")).toBe(
      (await ok(target, "ls-remote", "--heads", "--tags", url)).replaceAll("\t", " "),
    )
  }
  const shallow = join(world.folder, "shallow")
  await ok(world.folder, "clone", "-q", "--depth=10", url, shallow)
  await ok(shallow, "fetch", "-q", "--unshallow")
  expect(await ok(shallow, "rev-list", "--count", "HEAD")).toBe(await ok(source, "rev-list", "--count", "main"))
})
