/** A load of writes on a server that may be killed at any moment, and a ledger of what it acknowledged. */
import { execFile } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { type Calling, send } from "../support/http.ts"

const run = promisify(execFile)

/** The acknowledged writes. Requests without an answer may or may not have been done, and are not listed here. */
export interface Ledger {
  readonly repositories: Set<string>
  readonly deleted: Set<string>
  readonly stars: Set<string>
  readonly tokens: Set<string>
  /** The number that the description of the repository `counted` was set to last. */
  counted: number
  /** The commit that was pushed last, and the one that was being pushed. */
  pushed: string
  pushing: string
}

export const emptyLedger = (): Ledger => ({
  repositories: new Set(),
  deleted: new Set(),
  stars: new Set(),
  tokens: new Set(),
  counted: 0,
  pushed: "",
  pushing: "",
})

export interface Site {
  readonly url: string
  readonly authorization: string
  /** The folder of a clone whose commits are pushed to the repository `pushed`. */
  readonly clone: string
}

/** The server is gone. */
class Gone extends Error {}

/** Works until the server is gone; a refusal or a failure that it answers is thrown. */
export async function work(site: Site, ledger: Ledger, round: number): Promise<void> {
  /** A failure while the server still answers is the server's. */
  const alive = async (): Promise<boolean> => {
    await sleep(200)
    return await send(site.url, "GET", "/version").then(
      () => true,
      () => false,
    )
  }
  const ask = async (method: string, path: string, expected: number, calling: Calling = {}): Promise<string> => {
    const answer = await send(site.url, method, path, { authorization: site.authorization, ...calling }).catch(async (error) => {
      if (await alive()) throw error
      throw new Gone()
    })
    if (answer.status !== expected) throw new Error(`${method} ${path} was answered with ${answer.status} ${answer.text}`)
    return answer.text
  }
  const endlessly = async (step: (count: number) => Promise<void>): Promise<void> => {
    try {
      for (let count = 0; ; count++) await step(count)
    } catch (error) {
      if (!(error instanceof Gone)) throw error
    }
  }

  await Promise.all([
    endlessly(async (count) => {
      const name = `repo-${round}-${count}`
      await ask("POST", "/user/repos", 201, { body: { name, auto_init: count % 2 === 0 } })
      ledger.repositories.add(name)
      await ask("PUT", `/user/starred/root/${name}`, 204)
      ledger.stars.add(name)
    }),
    endlessly(async (count) => {
      const name = `doomed-${round}-${count}`
      await ask("POST", "/user/repos", 201, { body: { name, auto_init: true } })
      await ask("DELETE", `/repos/root/${name}`, 204)
      ledger.deleted.add(name)
    }),
    endlessly(async () => {
      const next = ledger.counted + 1
      await ask("PATCH", "/repos/root/counted", 200, { body: { description: String(next) } })
      ledger.counted = next
    }),
    endlessly(async (count) => {
      const made: { readonly sha1: string } = JSON.parse(
        await ask("POST", "/users/root/tokens", 201, { body: { name: `token-${round}-${count}`, scopes: ["read:user"] } }),
      )
      ledger.tokens.add(made.sha1)
    }),
    endlessly(async (count) => {
      const push = ["push", "--quiet", `${site.url}/root/pushed.git`, "HEAD:main"]
      await git(site.clone, "commit", "--quiet", "--allow-empty", "-m", `${round} ${count}`)
      ledger.pushing = (await git(site.clone, "rev-parse", "HEAD")).trim()
      for (let attempt = 1; ; attempt++) {
        try {
          await git(site.clone, "-c", `http.extraHeader=Authorization: ${site.authorization}`, ...push)
          break
        } catch (error) {
          if (!(await alive())) throw new Gone()
          // Where other processes may use the repositories, a lock of the killed one is not removed immediately.
          if (attempt === 10 || !String(error).includes("push again")) throw error
          await sleep(1000)
        }
      }
      ledger.pushed = ledger.pushing
    }),
  ])
}

/** Runs git without a user's configuration, and returns its output. */
export async function git(folder: string, ...parameters: readonly string[]): Promise<string> {
  const person = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.com", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.com" }
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    ...person,
  }
  return (await run("git", [...parameters], { cwd: folder, env })).stdout
}
