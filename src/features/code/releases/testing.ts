import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Answer, type Caller, freshHearth, type TestHearth } from "../../../../tests/support/hearth.ts"
import { client, ok } from "../../../git/testing.ts"

/**
 * For tests of tags and releases: ann owns ann/open and ann/hush (private), each with one file; ben may write to both, cal and dot have
 * no access. Each has a local clone that can be pushed.
 */
export interface Stage extends TestHearth {
  readonly ann: string
  readonly ben: string
  readonly cal: string
  readonly must: (caller: Caller, route: string, body?: unknown) => Promise<Answer["body"]>
  readonly status: (caller: Caller, route: string, body?: unknown) => Promise<number>
  /** Requests a URL outside of the API. */
  readonly get: (path: string, caller?: Caller, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>
  /** A git client's clone of a repository. */
  readonly clone: (repository: string) => Promise<Clone>
  /** Runs the jobs that are due. */
  readonly settle: () => Promise<void>
}

export interface Clone {
  readonly folder: string
  readonly git: (...args: readonly string[]) => Promise<string>
  readonly push: (...args: readonly string[]) => Promise<{ readonly code: number; readonly err: string }>
}

const base64 = (text: string): string => Buffer.from(text).toString("base64")

export async function openStage(kind: Parameters<typeof freshHearth>[0], config: Parameters<typeof freshHearth>[1] = {}): Promise<Stage> {
  const forge = await freshHearth(kind, config)
  const temporary = await mkdtemp(join(tmpdir(), "hearth-releases-"))
  const must: Stage["must"] = async (caller, route, body) => {
    const answer = await forge.call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const [ann, ben, cal] = [await forge.person("ann"), await forge.person("ben"), await forge.person("cal")]
  for (const [name, hidden] of [
    ["open", false],
    ["hush", true],
  ] as const) {
    await must(ann, "POST /user/repos", { name, private: hidden })
    const moment = "2024-03-01T10:00:00Z"
    await must(ann, `POST /repos/ann/${name}/contents/a.txt`, {
      content: base64("a\n"),
      message: "Add a.txt",
      dates: { author: moment, committer: moment },
    })
    await must(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
  }
  let clones = 0
  return {
    ...forge,
    ann,
    ben,
    cal,
    must,
    status: async (caller, route, body) => (await forge.call(caller, route, body)).status,
    get: (path, caller, headers = {}, method = "GET") =>
      fetch(path.startsWith("http") ? path : `${forge.hearth.url}${path}`, {
        method,
        redirect: "manual",
        headers: { ...headers, ...(caller === undefined ? {} : { authorization: caller }) },
      }),
    clone: async (repository) => {
      const folder = join(temporary, `clone${++clones}`)
      const url = new URL(`${forge.hearth.url}/${repository}.git`)
      url.username = "ann"
      url.password = "pass-word-1"
      await ok(temporary, "clone", "-q", url.href, folder)
      return {
        folder,
        git: (...args) => ok(folder, ...args),
        push: async (...args) => {
          const { code, err } = await client(folder, ["push", "-q", "origin", ...args])
          return { code, err }
        },
      }
    },
    settle: () => forge.hearth.services.jobs.drain(),
    close: async () => {
      await forge.close()
      await rm(temporary, { recursive: true, force: true })
    },
  }
}
