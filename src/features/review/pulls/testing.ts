import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { type Answer, type Caller, freshHearth, type TestHearth } from "../../../../tests/support/hearth.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
import { client, ok, type Run } from "../../../git/testing.ts"

/** Shared by tests of pull requests: a server with four users, repositories with branches, forks, and clones for a real git client. */

export interface PullWorld extends TestHearth {
  /** Owns the repositories. */
  readonly ann: string
  /** May write to them. */
  readonly ben: string
  /** Has forks of them. */
  readonly cyd: string
  /** Has no relation to them. */
  readonly dee: string
  /** A new repository of ann's with one file, a.txt, on main. */
  readonly repository: (options?: object) => Promise<PullRepository>
  /** Like `call`, for preparations: throws unless it succeeds, and gives the body. */
  readonly must: (caller: Caller, route: string, body?: unknown) => Promise<Answer["body"]>
}

export interface PullRepository {
  readonly name: string
  /** Below /api/v1. */
  readonly at: string
  /** Changes a file on a branch, created from main where missing, and gives the commit. In ann's repository or a fork. */
  readonly commit: (branch: string, file: string, content?: string, inFork?: boolean) => Promise<string>
  /** Makes cyd's fork. */
  readonly fork: () => Promise<void>
  readonly create: (body: object, by?: Caller) => Promise<Answer>
  /** Creates a pull request into main, which must succeed, and gives its number. */
  readonly pull: (head: string, more?: object, by?: Caller) => Promise<number>
  readonly get: (number: number, by?: Caller) => Promise<Answer>
  readonly edit: (number: number, body: object, by?: Caller) => Promise<Answer>
  readonly on: (method: string, path: string, body?: object, by?: Caller) => Promise<Answer>
  /** The timeline, as kinds or what is picked of each entry. */
  readonly timeline: (number: number, pick?: (entry: Answer["body"]) => unknown) => Promise<unknown[]>
  /** The references that may be fetched, by name. */
  readonly refs: (pattern?: string) => Promise<Readonly<Record<string, string>>>
  /** A clone of it, or of cyd's fork, by a user who may push from there. */
  readonly clone: (by?: string, inFork?: boolean) => Promise<string>
}

const encode = (text: string): string => Buffer.from(text).toString("base64")

export async function openPullWorld(kind: FreshKind, config: ConfigOverrides = {}): Promise<PullWorld> {
  const forge = await freshHearth(kind, config)
  const folder = await mkdtemp(join(tmpdir(), "hearth-pulls-"))
  const [ann, ben, cyd, dee] = [await forge.person("ann"), await forge.person("ben"), await forge.person("cyd"), await forge.person("dee")]
  let made = 0

  const must: PullWorld["must"] = async (caller, route, body) => {
    const answer = await forge.call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const repository: PullWorld["repository"] = async (options = {}) => {
    made += 1
    const name = `box${made}`
    const at = `/repos/ann/${name}`
    const branches = new Map<string, Set<string>>()
    const commit: PullRepository["commit"] = async (branch, file, content = `${file}\n`, inFork = false) => {
      const [by, where] = inFork ? ([cyd, `/repos/cyd/${name}`] as const) : ([ann, at] as const)
      const known = branches.get(where) ?? new Set(inFork ? ["main"] : [])
      const there = await forge.call(by, `GET ${where}/contents/${file}?ref=${known.has(branch) ? branch : "main"}`)
      const on = known.size === 0 ? {} : known.has(branch) ? { branch } : { branch: "main", new_branch: branch }
      branches.set(where, known.add(branch))
      const change = { content: encode(content), message: `Write ${file}`, ...on }
      const route = `${where}/contents/${file}`
      const answer =
        there.status === 200 ? await must(by, `PUT ${route}`, { ...change, sha: there.body.sha }) : await must(by, `POST ${route}`, change)
      return answer.commit.sha
    }
    const create: PullRepository["create"] = (body, by = ann) => forge.call(by, `POST ${at}/pulls`, body)
    await must(ann, "POST /user/repos", { name, ...options })
    await commit("main", "a.txt", "one\ntwo\nthree\n")
    await must(ann, `PUT ${at}/collaborators/ben`, { permission: "write" })
    return {
      name,
      at,
      commit,
      create,
      fork: async () => {
        await must(cyd, `POST ${at}/forks`, {})
      },
      pull: async (head, more = {}, by = ann) =>
        (await must(by, `POST ${at}/pulls`, { title: `Bring ${head}`, head, base: "main", ...more })).number,
      get: (number, by = ann) => forge.call(by, `GET ${at}/pulls/${number}`),
      edit: (number, body, by = ann) => forge.call(by, `PATCH ${at}/pulls/${number}`, body),
      on: (method, path, body, by = ann) => forge.call(by, `${method} ${at}/${path}`, body),
      timeline: async (number, pick = ({ type }) => type) => {
        const entries = (await must(ann, `GET ${at}/issues/${number}/timeline?limit=50`)) ?? []
        return entries.map(pick)
      },
      refs: async (pattern = "refs/pull/*") => {
        const listed = await ok(folder, "ls-remote", `${forge.hearth.url}/ann/${name}.git`, pattern)
        const lines = listed === "" ? [] : listed.split("\n").map((line) => line.split("\t"))
        return Object.fromEntries(lines.map(([id = "", ref = ""]) => [ref, id]))
      },
      clone: async (by = "ann", inFork = false) => {
        const work = await mkdtemp(join(folder, "work-"))
        const url = new URL(`${forge.hearth.url}/${inFork ? "cyd" : "ann"}/${name}.git`)
        url.username = by
        url.password = "pass-word-1"
        await ok(work, "clone", "-q", url.href, ".")
        return work
      },
    }
  }

  const close = async () => {
    await forge.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...forge, ann, ben, cyd, dee, repository, must, close }
}

/** Commits a file in a clone, and gives the commit. */
export async function commitIn(work: string, file: string, content = `${file}\n`): Promise<string> {
  const run = await client(work, ["hash-object", "-w", "--stdin"], content)
  await ok(work, "update-index", "--add", "--cacheinfo", `100644,${run.out.trim()},${file}`)
  await ok(work, "commit", "-q", "-m", `Write ${file}`)
  await ok(work, "reset", "-q", "--hard")
  return ok(work, "rev-parse", "HEAD")
}

/** Pushes from a clone, without requiring success. */
export const push = (work: string, ...args: readonly string[]): Promise<Run> => client(work, ["push", "-q", "origin", ...args])
