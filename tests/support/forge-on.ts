/** A forge on a database of its own, with a pushed repository, for tests that take the database away or damage what is stored. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Hearth, startHearth } from "../../src/app.ts"
import type { ConfigOverrides } from "../../src/core/config.ts"
import { client, type Run } from "../../src/git/testing.ts"

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Forge {
  readonly hearth: Hearth
  /** The git folder of `root/rocket`. */
  readonly repository: string
  /** A clone of it, from which can be pushed. */
  readonly clone: string
  /** An empty folder. */
  readonly folder: string
  readonly ask: (path: string, init?: RequestInit) => Promise<Answered>
  /** Runs git as the administrator. */
  readonly git: (...args: readonly string[]) => Promise<Run>
  readonly close: () => Promise<void>
}

/**
 * Starts a forge with the repository `root/rocket`: a branch with two commits of a file with so many lines, and a tag. Without `push` it is empty, and only
 * the clone has them. Jobs run by themselves only where it is `running`.
 */
export async function forgeOn(
  databaseUrl: string,
  config: ConfigOverrides = {},
  { push = true, lines = 5_000, running = false } = {},
): Promise<Forge> {
  const hearth = await startHearth({ halted: !running, memory: true, config: { ...config, databaseUrl } })
  const folder = await mkdtemp(join(tmpdir(), "hearth-attack-"))
  const clone = join(folder, "clone")
  const ask: Forge["ask"] = async (path, init = {}) => {
    const response = await fetch(`${hearth.url}${path}`, {
      ...init,
      headers: { authorization: `token ${hearth.token}`, "content-type": "application/json", ...init.headers },
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const git: Forge["git"] = (...args) => client(folder, ["-c", `http.extraHeader=Authorization: token ${hearth.token}`, ...args])
  const made = await ask("/api/v1/user/repos", { method: "POST", body: JSON.stringify({ name: "rocket" }) })
  if (made.status !== 201) throw new Error(`the repository was not made: ${made.status} ${made.text}`)
  await git("init", "--quiet", "--initial-branch=main", clone)
  for (const round of ["one", "two"]) {
    await writeFile(join(clone, "engine.txt"), `${round}\n`.repeat(lines))
    await git("-C", clone, "add", ".")
    await git("-C", clone, "commit", "--quiet", "-m", round)
  }
  await git("-C", clone, "tag", "-a", "-m", "first", "v1")
  const pushed = push && (await git("-C", clone, "push", "--quiet", `${hearth.url}/root/rocket`, "main", "v1"))
  if (pushed && pushed.code !== 0) throw new Error(pushed.err)
  await hearth.services.jobs.drain()
  const { storage } = await hearth.services.database.read.selectFrom("repositories").select("storage").executeTakeFirstOrThrow()
  return {
    hearth,
    repository: join(hearth.services.config.dataDir, "repositories", `${storage}.git`),
    clone,
    folder,
    ask,
    git,
    async close() {
      await hearth.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
