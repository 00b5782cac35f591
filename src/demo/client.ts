import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Call, Push } from "./story.ts"

const execute = promisify(execFile)

/** Acts for the users of the story, over HTTP only and with their password. */
export interface Client {
  /** Fails where the answer is a refusal. */
  readonly call: (by: string, call: Call) => Promise<void>
  /** Fails where a reference is refused. */
  readonly push: (by: string, push: Push) => Promise<void>
}

export interface ClientOptions {
  readonly url: string
  readonly password: string
  /** The git program. */
  readonly git: string
  /** An empty folder for the repository that is pushed from. */
  readonly folder: string
  /** The content of that repository, as `git fast-import` reads it. */
  readonly history: string
  /** The repository that is pushed to: owner and name. */
  readonly repository: string
}

export async function openClient({ url, password, git: program, folder, history, repository }: ClientOptions): Promise<Client> {
  const authorization = (by: string) => `Basic ${Buffer.from(`${by}:${password}`).toString("base64")}`
  const kept = new Map<string, number>()

  /** Runs git without the settings of this machine or account. The password is not an argument, which every process could read. */
  function git(args: readonly string[], options: { readonly by?: string; readonly input?: string } = {}): Promise<unknown> {
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      ...(options.by === undefined
        ? {}
        : {
            GIT_CONFIG_COUNT: "1",
            GIT_CONFIG_KEY_0: "http.extraHeader",
            GIT_CONFIG_VALUE_0: `Authorization: ${authorization(options.by)}`,
          }),
    }
    const running = execute(program, ["-C", folder, ...args], { env })
    running.child.stdin?.end(options.input)
    return running
  }

  function idOf(name: string): number {
    const id = kept.get(name)
    if (id === undefined) throw new TypeError(`the story keeps no ${name}`)
    return id
  }

  await git(["init", "--quiet", "--bare"])
  await git(["fast-import", "--quiet"], { input: history })
  return {
    async call(by, { do: what, body, keep }) {
      const [method = "", path = ""] = what.replace(/\{\{(\w+)\}\}/g, (_text, name: string) => String(idOf(name))).split(" ")
      const text = body && JSON.stringify(body).replace(/"\{\{(\w+)\}\}"/g, (_text, name: string) => String(idOf(name)))
      const headers = { authorization: authorization(by), "content-type": "application/json" }
      const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...(text === undefined ? {} : { body: text }) })
      if (!answer.ok) throw new Error(`${by}, ${what}: ${answer.status} ${await answer.text()}`)
      if (keep === undefined) return void (await answer.arrayBuffer())
      const made: { readonly id: number } = JSON.parse(await answer.text())
      kept.set(keep, made.id)
    },
    async push(by, { push }) {
      await git(["push", "--quiet", `${url}/${repository}.git`, ...push], { by })
    },
  }
}
