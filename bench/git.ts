import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { ADMIN, basic, type Server } from "./server.ts"

const run = promisify(execFile)
const COMMITS = 5000
const FILES = 400

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const git = (args: readonly string[], input?: string): Promise<unknown> => {
  const going = run("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...args], {
    maxBuffer: 2 ** 28,
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
  })
  if (input !== undefined) going.child.stdin?.end(input)
  return going
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

export interface Compared {
  readonly ours: number
  readonly file: number
}

export interface GitFigures {
  readonly commits: number
  readonly clone: Compared
  readonly push: Compared
  readonly oneCommit: Compared
}

/** Clones and pushes through the server compared with file://, alternating, medians in milliseconds. */
export async function gitFigures(server: Server): Promise<GitFigures> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-bench-git-"))
  const source = join(folder, "source.git")
  const auth = ["-c", `http.extraHeader=Authorization: ${basic(ADMIN.name, ADMIN.password)}`]
  try {
    await git(["init", "-q", "--bare", "-b", "main", source])
    await git(["-C", source, "fast-import", "--quiet"], history())
    await git(["-C", source, "repack", "-adq"])

    const pushes: Compared[] = []
    for (let round = 0; round < 3; round++) {
      await server.api("POST", "/user/repos", { name: `pushed-${round}` })
      const bare = join(folder, `pushed-${round}.git`)
      await git(["init", "-q", "--bare", bare])
      const ours = await timed(() => git([...auth, "-C", source, "push", "-q", `${server.url}/${ADMIN.name}/pushed-${round}.git`, "main"]))
      const file = await timed(() => git(["-C", source, "push", "-q", `file://${bare}`, "main"]))
      pushes.push({ ours, file })
    }

    const clones: Compared[] = []
    const same = join(folder, "pushed-0.git")
    for (let round = 0; round < 7; round++) {
      const ours = await timed(() =>
        git([...auth, "clone", "-q", "--bare", `${server.url}/${ADMIN.name}/pushed-0.git`, join(folder, `ours-${round}`)]),
      )
      const file = await timed(() => git(["clone", "-q", "--bare", "--no-local", `file://${same}`, join(folder, `file-${round}`)]))
      clones.push({ ours, file })
    }

    const work = join(folder, "work")
    await git([...auth, "clone", "-q", "--depth", "1", `${server.url}/${ADMIN.name}/pushed-0.git`, work])
    await git(["-C", work, "remote", "add", "file", `file://${same}`])
    await git([...auth, "-C", work, "fetch", "-q", "--unshallow", "origin"])
    const singles: Compared[] = []
    for (let round = 0; round < 15; round++) {
      await git(["-C", work, "commit", "-q", "--allow-empty", "-m", `round ${round}`])
      const ours = await timed(() => git([...auth, "-C", work, "push", "-q", "origin", "HEAD:main"]))
      const file = await timed(() => git(["-C", work, "push", "-q", "file", "HEAD:main"]))
      singles.push({ ours, file })
    }
    const both = (pairs: readonly Compared[]): Compared => ({
      ours: median(pairs.map(({ ours }) => ours)),
      file: median(pairs.map(({ file }) => file)),
    })
    return { commits: COMMITS, clone: both(clones), push: both(pushes), oneCommit: both(singles) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A history of some thousand commits over some hundred files, for `git fast-import`; the same at every run. */
export function history(): string {
  let state = 1
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const lines = (count: number): string =>
    Array.from({ length: count }, () => `${random(1e9).toString(36)} ${random(1e9).toString(36)} ${random(1e9).toString(36)}`).join("\n")
  const parts: string[] = []
  for (let commit = 1; commit <= COMMITS; commit++) {
    const message = `Change number ${commit}`
    parts.push(
      `commit refs/heads/main\nmark :${commit}\ncommitter Bench <bench@example.com> ${1_600_000_000 + commit * 60} +0000\ndata ${message.length}\n${message}\n`,
    )
    if (commit > 1) parts.push(`from :${commit - 1}\n`)
    for (let change = 0; change < 2; change++) {
      const content = `${lines(20 + random(60))}\n`
      parts.push(`M 100644 inline folder-${random(20)}/file-${random(FILES)}.txt\ndata ${content.length}\n${content}\n`)
    }
  }
  return parts.join("")
}
