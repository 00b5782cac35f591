import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { type Answer, type Caller, freshHearth, type TestHearth } from "../../../../tests/support/hearth.ts"
import { ok } from "../../../git/testing.ts"

/** Shared by tests of merging: a server with three users, repositories with branches, and clones of them for git's own commands. */

export interface MergeWorld extends TestHearth {
  readonly alice: Caller
  readonly bob: Caller
  readonly carol: Caller
  /** A repository of alice's that bob may write to, with one file on its branch main. */
  readonly repository: (options?: object) => Promise<TestRepository>
}

export interface TestRepository {
  readonly name: string
  /** Its path below /api/v1. */
  readonly at: string
  /** Changes a file on a branch, created from main where missing, and gives the commit. */
  readonly commit: (branch: string, file: string, content: string, message?: string) => Promise<string>
  /** Creates a pull request into main and gives its number. */
  readonly pull: (head: string, title?: string, more?: object) => Promise<number>
  readonly merge: (number: number, body: object, by?: Caller) => Promise<Answer>
  readonly get: (number: number) => Promise<Answer>
  /** The commit that a branch names. */
  readonly tip: (branch?: string) => Promise<string>
  /** A fresh clone with all branches and pull requests. */
  readonly clone: () => Promise<string>
}

const encode = (text: string) => Buffer.from(text).toString("base64")

export async function openMergeWorld(kind: FreshKind): Promise<MergeWorld> {
  const world = await freshHearth(kind)
  const folder = await mkdtemp(join(tmpdir(), "hearth-merge-"))
  const [alice, bob, carol] = [await world.person("alice"), await world.person("bob"), await world.person("carol")]
  let count = 0

  const repository: MergeWorld["repository"] = async (options = {}) => {
    count += 1
    const name = `repo${count}`
    const at = `/repos/alice/${name}`
    const must = async (caller: Caller, route: string, body?: object) => {
      const answer = await world.call(caller, route, body)
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    await must(alice, "POST /user/repos", { name })
    await must(alice, `PUT ${at}/collaborators/bob`, { permission: "write" })
    const author = { name: "Ada Author", email: "ada@example.org" }
    const branches = new Set<string>()
    const commit: TestRepository["commit"] = async (branch, file, content, message = `Write ${file}`) => {
      const there = await world.call(alice, `GET ${at}/contents/${file}?ref=${branches.has(branch) ? branch : "main"}`)
      const where = branches.size === 0 ? {} : branches.has(branch) ? { branch } : { branch: "main", new_branch: branch }
      branches.add(branch)
      const change = { content: encode(content), message, author, ...where }
      const route = `${at}/contents/${file}`
      const made =
        there.status === 200
          ? await must(alice, `PUT ${route}`, { ...change, sha: there.body.sha })
          : await must(alice, `POST ${route}`, change)
      return made.commit.sha
    }
    await commit("main", "base.txt", "one\ntwo\nthree\n")
    if (Object.keys(options).length > 0) await must(alice, `PATCH ${at}`, options)
    return {
      name,
      at,
      commit,
      pull: async (head, title = `Bring ${head}`, more = {}) =>
        (await must(alice, `POST ${at}/pulls`, { head, base: "main", title, ...more })).number,
      merge: (number, body, by = bob) => world.call(by, `POST ${at}/pulls/${number}/merge`, body),
      get: (number) => world.call(alice, `GET ${at}/pulls/${number}`),
      tip: async (branch = "main") => (await must(alice, `GET ${at}/branches/${branch}`)).commit.id,
      clone: async () => {
        const work = await mkdtemp(join(folder, "work-"))
        await ok(work, "clone", "-q", `${world.hearth.url}/alice/${name}.git`, ".")
        await ok(work, "fetch", "-q", "origin", "+refs/pull/*:refs/pull/*")
        return work
      },
    }
  }

  const close = async () => {
    await world.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...world, alice, bob, carol, repository, close }
}
