import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { ADMIN, basic, type Server } from "./server.ts"

const run = promisify(execFile)
const COMMITS = 5000
const FILES = 400

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const auth = ["-c", `http.extraHeader=Authorization: ${basic(ADMIN.name, ADMIN.password)}`]

const git = (args: readonly string[], input?: string) => {
  const going = run("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...auth, ...args], {
    maxBuffer: 2 ** 28,
    env: { ...process.env, GIT_TERMINAL_PROMPT: "0" },
  })
  if (input !== undefined) going.child.stdin?.end(input)
  return going
}

/** Medians in milliseconds: of git over file://, and of each server. */
export interface Compared {
  readonly file: number
  readonly ours: readonly number[]
}

export interface GitFigures {
  readonly commits: number
  readonly push: Compared
  /** A clone whose answer no server has in its memory. */
  readonly clone: Compared
  /** The same clone again. */
  readonly again: Compared
  /** Ten clones at once, until the last one has ended. */
  readonly ten: Compared
  readonly oneCommit: Compared
  /** A fetch that brings nothing. */
  readonly fetch: Compared
}

/** Where repositories are pushed to. */
interface Place {
  readonly server: Server | undefined
  readonly url: (name: string) => string
  readonly make: (name: string) => Promise<unknown>
}

/** How often each is measured. */
interface Rounds {
  readonly large: number
  readonly small: number
}

/** Until servers have done what follows from a push: in a second they take less than a tenth of one processor. */
async function quiet(places: readonly Place[]): Promise<void> {
  const taken = async () =>
    (await Promise.all(places.map(async ({ server }) => server?.processorMs() ?? 0))).reduce((sum, ms) => sum + ms, 0)
  for (let before = await taken(), left = 60; left > 0; left--) {
    await sleep(1000)
    const now = await taken()
    if (now - before < 100) return
    before = now
  }
}

/** Measures git through servers beside git over file://, in turn. `source` is a bare repository, whose branch is pushed; by default a history that is made here. */
export async function gitFigures(
  servers: readonly Server[],
  source?: string,
  { large, small }: Rounds = { large: 5, small: 15 },
): Promise<GitFigures> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-bench-git-"))
  const stamp = folder.slice(-6).toLowerCase()
  const places: readonly Place[] = [
    {
      server: undefined,
      url: (name) => `file://${join(folder, name)}.git`,
      make: (name) => git(["init", "-q", "--bare", join(folder, `${name}.git`)]),
    },
    ...servers.map((server) => ({
      server,
      url: (name: string) => `${server.url}/${ADMIN.name}/${stamp}-${name}.git`,
      make: (name: string) => server.api("POST", "/user/repos", { name: `${stamp}-${name}` }),
    })),
  ]
  /** Medians of what each place takes, another one first in each round. */
  async function compare(
    rounds: number,
    work: (place: Place, round: number) => Promise<unknown>,
    prepare: (place: Place, round: number) => Promise<unknown> = async () => {},
  ): Promise<Compared> {
    const times = places.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      for (const index of places.keys()) {
        const turn = (index + round) % places.length
        const place = places[turn]
        if (place === undefined) continue
        await prepare(place, round)
        const begun = performance.now()
        await work(place, round)
        times[turn]?.push(performance.now() - begun)
      }
    }
    const [file = 0, ...ours] = times.map(median)
    return { file, ours }
  }

  try {
    const from = source ?? join(folder, "source.git")
    if (source === undefined) {
      await git(["init", "-q", "--bare", "-b", "main", from])
      await git(["-C", from, "fast-import", "--quiet"], history())
      await git(["-C", from, "repack", "-adq"])
    }
    const commits = Number((await git(["-C", from, "rev-list", "--count", "HEAD"])).stdout)
    const push = await compare(
      large,
      (place, round) => git(["-C", from, "push", "-q", place.url(`pushed-${round}`), "HEAD:refs/heads/main"]),
      async (place, round) => {
        await place.make(`pushed-${round}`)
        await quiet(places)
      },
    )
    // Servers repack half a minute after a push, and file:// is given the same.
    await git(["-C", join(folder, "pushed-0.git"), "repack", "-adq", "--write-bitmap-index"])
    await sleep(45_000)

    const bare = join(folder, "clone")
    const clone = (place: Place, to = bare) => git(["clone", "-q", "--bare", place.url("pushed-0"), to])
    // A branch that was not there makes the answer another one.
    const renew = async (kind: string, place: Place, round: number) => {
      await rm(bare, { recursive: true, force: true })
      await git(["-C", from, "push", "-q", place.url("pushed-0"), `HEAD~${round + 1}:refs/heads/${kind}-${round}`])
      await quiet(places)
    }
    const first = await compare(
      large,
      (place) => clone(place),
      (place, round) => renew("first", place, round),
    )
    const again = await compare(
      large,
      (place) => clone(place),
      () => rm(bare, { recursive: true, force: true }),
    )
    const ten = await compare(
      large,
      (place) => Promise.all(Array.from({ length: 10 }, (_, index) => clone(place, join(bare, String(index))))),
      (place, round) => renew("ten", place, round),
    )

    const work = join(folder, "work")
    await git(["clone", "-q", "--no-checkout", "-b", "main", `file://${join(folder, "pushed-0.git")}`, work])
    for (const [index, place] of places.entries()) await git(["-C", work, "remote", "add", `place-${index}`, place.url("pushed-0")])
    const remote = (place: Place) => `place-${places.indexOf(place)}`
    const line: string[] = ["HEAD"]
    const append = async (round: number) => {
      if (line.length > round + 1) return
      const made = await git(["-C", work, "commit-tree", "HEAD^{tree}", "-p", line.at(-1) ?? "HEAD", "-m", `round ${round}`])
      line.push(made.stdout.trim())
    }
    const oneCommit = await compare(
      small,
      (place, round) => git(["-C", work, "push", "-q", remote(place), `${line[round + 1]}:refs/heads/main`]),
      (_, round) => append(round),
    )
    await compare(1, (place) => git(["-C", work, "fetch", "-q", remote(place)]))
    const fetch = await compare(small, (place) => git(["-C", work, "fetch", "-q", remote(place)]))
    return { commits, push, clone: first, again, ten, oneCommit, fetch }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A figure of the first server beside file://, with its goal, and the other servers' ratios. */
interface Line {
  readonly what: string
  readonly figure: string
  readonly goal: string
  readonly met: boolean
}

export function gitLines({ commits, push, clone, again, ten, oneCommit, fetch }: GitFigures): readonly Line[] {
  const beside = (what: string, { file, ours }: Compared, most: number): Line => {
    const ratios = ours.map((ms) => `${Math.round(ms)} ms = ${(ms / file).toFixed(2)} ×`)
    return {
      what: `${what} beside file://`,
      figure: `${ratios.join(", ")} ${Math.round(file)} ms`,
      goal: `≤ ${most} ×`,
      met: (ours[0] ?? 0) <= most * file,
    }
  }
  return [
    beside(`push of ${commits} commits`, push, 1.15),
    beside(`first clone of ${commits} commits`, clone, 1.02),
    beside("the same clone again", again, 1.02),
    beside("ten first clones at once", ten, 1.2),
    { ...beside("push of one commit", oneCommit, 2.65), goal: "≤ 45 ms of 17", met: (oneCommit.ours[0] ?? 0) <= 45 },
    beside("fetch that brings nothing", fetch, 1.3),
  ]
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
