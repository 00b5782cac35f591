import { cpus } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { besideGiven } from "./beside.ts"
import { commitFigures } from "./commits.ts"
import { closeDatabases, onPostgres } from "./database.ts"
import { gitFigures, gitLines } from "./git.ts"
import { issueFigures } from "./issues.ts"
import { ceiling, type Load, load } from "./load.ts"
import { mergeFigures } from "./merges.ts"
import { notificationFigures } from "./notifications.ts"
import { pageFigures } from "./pages.ts"
import { pullFigures } from "./pulls.ts"
import { ADMIN, basic, startServer } from "./server.ts"
import { makeBusy, readFigures } from "./spread.ts"

/** Prints the measurements, each with its target. A missed target is only printed. */

const line = (what: string, figure: string, target: string, met: boolean): void =>
  console.log(`${met ? "  ok " : "SHORT"}  ${what.padEnd(52)} ${figure.padEnd(34)} target ${target}`)
const rate = ({ perSecond, p99 }: Pick<Load, "perSecond" | "p99">): string =>
  `${Math.round(perSecond).toLocaleString("en")}/s, p99 ${Math.round(p99)} ms`

console.log(
  `Hearth bench: ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}, ${onPostgres ? "PostgreSQL" : "SQLite"}, load generator on the same machine\n`,
)

const first = await startServer()
await first.stop()
const starts: number[] = []
for (let round = 0; round < 5; round++) {
  const server = await startServer(first)
  starts.push(server.readyMs)
  await server.stop()
}
const start = starts.sort((a, b) => a - b)[2] ?? 0
line("process start to first answer (median of 5)", `${Math.round(start)} ms`, "≤ 600 ms", start <= 600)

const server = await startServer()
try {
  await server.api("POST", "/orgs", { username: "bench" })
  const creations = 400
  const begun = performance.now()
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < creations) await server.api("POST", "/user/repos", { name: `repo-${next++}`, description: "One of many" })
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  const created = creations / ((performance.now() - begun) / 1000)
  line("repository creation, 8 at a time", `${Math.round(created)}/s`, "≥ 200/s", created >= 200)
  for (let index = 0; index < 100; index++)
    await server.api("POST", "/orgs/bench/repos", { name: `repo-${index}`, description: "One of a list" })

  await sleep(3000)
  const made: unknown = await (await server.api("POST", `/users/${ADMIN.name}/tokens`, { name: "bench", scopes: ["all"] })).json()
  const token = typeof made === "object" && made !== null && "sha1" in made ? String(made.sha1) : ""
  const withToken = { authorization: `token ${token}` }
  const withBasic = { authorization: basic(ADMIN.name, ADMIN.password) }
  const api = `${server.url}/api/v1`
  const figures: (readonly [string, string, number, number])[] = [
    ["GET repository", `${api}/repos/bench/repo-7`, 6000, 0.15],
    ["GET user", `${api}/users/${ADMIN.name}`, 6000, 0.15],
    ["list of 30 repositories", `${api}/orgs/bench/repos?limit=30`, 3000, 0.1],
  ]
  for (const [what, url, target, share] of figures) {
    const byToken = await load(url, withToken)
    const byBasic = await load(url, withBasic)
    const bare = await ceiling(byToken.bytes)
    line(`${what}, token`, rate(byToken), `≥ ${target.toLocaleString("en")}/s`, byToken.perSecond >= target)
    line(`${what}, Basic`, rate(byBasic), "within 10 % of token", byBasic.perSecond >= byToken.perSecond * 0.9)
    const reached = byToken.perSecond / bare.perSecond
    line(
      `${what}, beside bare node:http (${bare.bytes} bytes)`,
      `${(reached * 100).toFixed(0)} % of ${Math.round(bare.perSecond).toLocaleString("en")}/s`,
      `≥ ${share * 100} %`,
      reached >= share,
    )
  }

  const issues = await issueFigures(server, withToken)
  line("issue creation, 32 at a time", rate(issues.created), "≥ 1,500/s", issues.created.perSecond >= 1500)
  line("list of 30 issues", rate(issues.list), "≥ 3,000/s", issues.list.perSecond >= 3000)
  line("list of 30 comments", rate(issues.comments), "≥ 3,000/s", issues.comments.perSecond >= 3000)
  line("feed of 30 entries", rate(issues.feed), "≥ 2,500/s", issues.feed.perSecond >= 2500)
  line(
    "list of 30 repositories, a write before each",
    `${issues.afterWrite.median.toFixed(1)} ms, p99 ${issues.afterWrite.p99.toFixed(1)} ms`,
    "(no target)",
    true,
  )

  await makeBusy(server)
  for (const { name, goal, load, beside: other } of await readFigures(server, withToken, await besideGiven())) {
    line(`${name}, spread, writes in between`, rate(load), `≥ ${goal.toLocaleString("en")}/s`, load.perSecond >= goal)
    const times = other && load.perSecond / other.perSecond
    if (times !== undefined) line(`${name}, beside the other server`, `${times.toFixed(1)} ×`, "≥ 20 ×", times >= 20)
  }

  for (const [what, { load, firstByte }] of await pageFigures(server)) {
    line(`page of ${what}, spread, writes in between`, rate(load), "≥ 400/s", load.perSecond >= 400)
    line(`page of ${what}, first byte after a write`, `median ${firstByte.toFixed(1)} ms`, "≤ 20 ms", firstByte <= 20)
  }

  const commits = await commitFigures(server, withToken)
  line("file creation, one after another", `${Math.round(commits.created)}/s`, "≥ 100/s", commits.created >= 100)
  line("file creation, 8 branches beside each other", `${Math.round(commits.createdBeside)}/s`, "≥ 100/s", commits.createdBeside >= 100)
  line("list of 30 commits", rate(commits.list), "≥ 1,500/s", commits.list.perSecond >= 1500)
  line("comparison of 38 commits", rate(commits.compare), "(no target)", true)

  const proposed = await pullFigures(server, withToken)
  line("list of 30 pull requests", rate(proposed.pulls), "≥ 2,500/s", proposed.pulls.perSecond >= 2500)
  line("list of 30 branches", rate(proposed.branches), "≥ 2,500/s", proposed.branches.perSecond >= 2500)
  line("a file's contents", rate(proposed.file), "≥ 3,000/s", proposed.file.perSecond >= 3000)
  line("a directory of 30 files", rate(proposed.directory), "≥ 3,000/s", proposed.directory.perSecond >= 3000)

  const merges = await mergeFigures(server)
  const ms = ({ median, p99 }: { readonly median: number; readonly p99: number }): string =>
    `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  line("merge of a pull request, a merge commit", ms(merges.merge), "(no target)", true)
  line("merge of a pull request, squashed", ms(merges.squash), "(no target)", true)
  line("merge of a pull request, one commit rebased", ms(merges.rebase), "(no target)", true)
  line("merges, 8 at a time", `${Math.round(merges.perSecond)}/s`, "≥ 100/s", merges.perSecond >= 100)

  for (const { what, figure, goal, met } of gitLines(await gitFigures([server]))) line(what, figure, goal, met)
} finally {
  await server.stop()
}

for (const count of [1_000, 1_000_000]) {
  const threads = await notificationFigures(count)
  line(
    `page of notifications among ${count.toLocaleString("en")}, a write before each`,
    `median ${threads.median.toFixed(1)} ms, p99 ${threads.p99.toFixed(1)} ms`,
    "p99 ≤ 20 ms",
    threads.p99 <= 20,
  )
}

const idle = await startServer()
await idle.api("POST", "/user/repos", { name: "one" })
await sleep(5000)
const memory = await idle.memory()
line("memory when idle (RSS)", `${Math.round(memory)} MiB`, "≤ 120 MiB", memory <= 120)
await idle.stop()
await closeDatabases()

const { startHearth } = await import("../src/app.ts")
const ready: number[] = []
for (let round = 0; round < 10; round++) {
  const at = performance.now()
  const hearth = await startHearth({ memory: true })
  ready.push(performance.now() - at)
  await hearth.close()
}
const median = ready.sort((a, b) => a - b)[5] ?? 0
line("startHearth in a test (median of 10)", `${Math.round(median)} ms`, "≤ 300 ms", median <= 300)
