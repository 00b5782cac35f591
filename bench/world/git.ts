/**
 * What is asked of small repositories and of large ones, and how much longer it takes: `node bench/world/git.ts [BARE REPOSITORY]`, after `npm run build`. Three pairs of repositories: few and many
 * references; a short history and a long one (a bare repository, such as a mirror of git's own); a folder of few files and one of thousands. They are written into an empty server's data folder by
 * git itself, with their rows; then everything that grows with them is asked, one at a time, over many addresses. Prints the median and the 99th percentile, and the server's time of processors with
 * its git processes. `ONLY=references`, `history` or `folder` asks one pair; `ASKED=200` is how often each is asked.
 */
import { execFile } from "node:child_process"
import { createReadStream, createWriteStream } from "node:fs"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { ADMIN, basic, type Server, startServer } from "../server.ts"

const run = promisify(execFile)
const ASKED = Number(process.env["ASKED"] ?? 200)
const only = process.env["ONLY"]
const [mirror] = process.argv.slice(2)
const person = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com"]
const git = async (folder: string, ...args: readonly string[]): Promise<string> =>
  (await run("git", [...person, "-C", folder, ...args], { maxBuffer: 2 ** 28 })).stdout.trim()

/** What a repository of this world has. */
interface Shape {
  readonly name: string
  readonly commits: number
  readonly branches: number
  readonly tags: number
  readonly files: number
  /** A bare repository whose history it has instead. */
  readonly of?: string
}

const PAIRS: Readonly<Record<string, readonly [small: Shape, large: Shape]>> = {
  references: [
    { name: "few-references", commits: 10_000, branches: 10, tags: 10, files: 20 },
    { name: "many-references", commits: 10_000, branches: 10_000, tags: 100_000, files: 20 },
  ],
  history: [
    { name: "short-history", commits: 100, branches: 10, tags: 10, files: 20 },
    { name: "long-history", commits: 20_000, branches: 10, tags: 10, files: 20, ...(mirror !== undefined && { of: mirror }) },
  ],
  folder: [
    { name: "small-folder", commits: 100, branches: 10, tags: 10, files: 20 },
    { name: "large-folder", commits: 2_000, branches: 10, tags: 10, files: 4_900 },
  ],
}

// --- the world ----------------------------------------------------------------------------------------------------------------------

/** A stream for `git fast-import`: a first commit with all files, then one change a commit; every fifth tag is annotated. */
function* stream({ commits, tags, files }: Shape): Generator<string> {
  const file = (at: number) => `M 100644 inline folder/file-${at}.txt\ndata ${String(at).length}\n${at}\n`
  for (let at = 1; at <= commits; at++) {
    const message = `Change number ${at}`
    yield `commit refs/heads/main\nmark :${at}\ncommitter Bench <bench@example.com> ${1_600_000_000 + at * 60} +0000\ndata ${message.length}\n${message}\n`
    if (at > 1) yield `from :${at - 1}\nM 100644 inline folder/file-${(at * 7) % files}.txt\ndata ${`${at}.`.length}\n${at}.\n`
    else for (let each = 0; each < files; each++) yield file(each)
    if (at === 1) yield "M 100644 inline README.md\ndata 6\nbricks\n"
  }
  for (let at = 0; at < tags; at += 5)
    yield `tag v${at}\nfrom :${1 + (at % commits)}\ntagger Bench <bench@example.com> ${1_600_000_000 + at} +0000\ndata 3\nTag\n`
}

async function feed(program: readonly string[], folder: string, chunks: Iterable<string>): Promise<void> {
  const path = join(folder, "feed")
  const out = createWriteStream(path)
  for (const chunk of chunks) if (!out.write(chunk)) await new Promise<void>((resolve) => out.once("drain", () => resolve()))
  await new Promise<void>((resolve) => out.end(() => resolve()))
  const running = run("git", ["-C", folder, ...program], { maxBuffer: 2 ** 28 })
  const input = running.child.stdin
  if (input) createReadStream(path).pipe(input)
  await running
  await rm(path)
}

/** Fills the folder of an empty repository. Branches are files, as single pushes leave them; tags are packed. */
async function fill(folder: string, shape: Shape): Promise<void> {
  if (shape.of === undefined) {
    await feed(["fast-import", "--quiet"], folder, stream(shape))
    const commits = (await git(folder, "rev-list", "main")).split("\n")
    const at = (index: number) => commits[index % commits.length]
    const create = (name: string, index: number) => `create ${name} ${at(index)}\n`
    const light = Array.from({ length: shape.tags }, (_, index) => index).filter((index) => index % 5 > 0)
    const tags = light.map((index) => create(`refs/tags/v${index}`, index))
    await feed(["update-ref", "--stdin"], folder, tags)
    await git(folder, "pack-refs", "--all")
    const branches = Array.from({ length: shape.branches - 1 }, (_, index) => create(`refs/heads/topic/${index}`, index))
    await feed(["update-ref", "--stdin"], folder, branches)
    await git(folder, "update-ref", "refs/heads/main", at(0) ?? "")
  } else {
    await rm(join(folder, "objects"), { recursive: true })
    await run("cp", ["-al", join(shape.of, "objects"), folder])
    // Of a mirror only the main branch: a large one may lack what others need.
    const [, tip = ""] = /^([0-9a-f]+) refs\/heads\/(?:main|master)$/m.exec(await readFile(join(shape.of, "packed-refs"), "utf8")) ?? []
    await git(folder, "update-ref", "refs/heads/main", tip)
  }
  await git(folder, "repack", "-adq", "--write-bitmap-index")
  await git(folder, "commit-graph", "write", "--reachable", "--changed-paths", "--no-progress")
}

/** The rows of a repository's branches and tags, as pushes would have made them. */
async function fillRows(database: DatabaseSync, folder: string, id: number): Promise<void> {
  const format =
    "%(refname)%00%(objectname)%00%(*objectname)%00%(committerdate:unix)%00%(taggerdate:unix)%00%(*committerdate:unix)%00%(contents:subject)"
  const branch = database.prepare(
    `insert into branches (repository_id, name, commit_id, is_told, commit_message, author_name, author_email, authored_at, author_offset, committer_name, committer_email, committed_at, pusher_id, updated_at)
     values (?, ?, ?, 1, ?, 'Bench', 'bench@example.com', ?, 0, 'Bench', 'bench@example.com', ?, 1, ?)`,
  )
  const tag = database.prepare(
    "insert into tags (repository_id, name, object_id, target_id, message, tagged_at, sequence) values (?, ?, ?, ?, ?, ?, ?)",
  )
  database.exec("begin")
  let [branches, tags] = [0, 0]
  for (const line of (await git(folder, "for-each-ref", `--format=${format}`, "refs/heads/", "refs/tags/")).split("\n")) {
    const [name = "", own = "", peeled = "", at = "", tagged = "", target = "", subject = ""] = line.split("\0")
    const when = Number(at || tagged || target || 0)
    if (name.startsWith("refs/heads/")) branch.run(id, name.slice(11), own, subject, when, when, when)
    else tag.run(id, name.slice(10), own, peeled || own, subject, when, ++tags)
    branches += Number(name.startsWith("refs/heads/"))
  }
  database.prepare("update repositories set branches_count = ?, is_empty = 0, default_branch = 'main' where id = ?").run(branches, id)
  database.exec("commit")
}

async function openWorld(shapes: readonly Shape[]): Promise<Server> {
  const first = await startServer()
  const kept = { dataDir: await mkdtemp(join(tmpdir(), "hearth-world-")), databaseUrl: "" }
  await first.stop()
  const existing = { ...kept, databaseUrl: `sqlite:${join(kept.dataDir, "hearth.db")}` }
  const making = await startServer(existing)
  for (const { name } of shapes) await making.api("POST", "/user/repos", { name, default_branch: "main" })
  await making.stop()
  const database = new DatabaseSync(join(kept.dataDir, "hearth.db"))
  for (const shape of shapes) {
    const begun = performance.now()
    const row = database.prepare("select id, storage from repositories where name = ?").get(shape.name)
    const folder = join(kept.dataDir, "repositories", `${row?.["storage"]}.git`)
    await fill(folder, shape)
    await fillRows(database, folder, Number(row?.["id"]))
    console.error(`${shape.name} made in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  }
  database.exec("analyze")
  database.close()
  return startServer(existing)
}

// --- what is asked ------------------------------------------------------------------------------------------------------------------

interface Question {
  readonly what: string
  readonly ask: (round: number) => Promise<unknown>
  readonly asked?: number
}

const authorization = basic(ADMIN.name, ADMIN.password)

function questions(server: Server, shape: Shape, at: At): readonly Question[] {
  const pageOf = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> => {
    const answer = await fetch(`${server.url}${path}`, { headers: { authorization, ...headers } })
    const text = await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${Buffer.from(text).toString().slice(0, 200)}`)
  }
  const api = (path: string) => pageOf(`/api/v1/repos/${ADMIN.name}/${shape.name}${path}`)
  const page = (path: string) => pageOf(`/${ADMIN.name}/${shape.name}${path}`)
  const asks = (what: string, ask: (round: number) => Promise<unknown>, asked?: number): Question => ({
    what,
    ask,
    ...(asked !== undefined && { asked }),
  })
  const few = Math.ceil(ASKED / 10)
  const branch = (round: number) => (shape.branches > 1 && !shape.of ? `topic/${(round * 7919) % (shape.branches - 1)}` : "main")
  const tag = (round: number) => (shape.of ? "" : `v${(round * 7919) % shape.tags}`)
  const commit = (round: number) => at.commits[(round * 7919) % at.commits.length] ?? ""
  const path = (round: number) => at.paths[(round * 31) % at.paths.length] ?? ""
  const ls = (...prefixes: readonly string[]) =>
    fetch(`${server.url}/${ADMIN.name}/${shape.name}.git/git-upload-pack`, {
      method: "POST",
      headers: { authorization, "git-protocol": "version=2", "content-type": "application/x-git-upload-pack-request" },
      body: [
        ...["command=ls-refs\n", "agent=bench"].map(packet),
        "0001",
        ...["peel\n", "symrefs\n", ...prefixes.map((prefix) => `ref-prefix ${prefix}\n`)].map(packet),
        "0000",
      ].join(""),
    }).then(async (answer) => {
      const text = Buffer.from(await answer.arrayBuffer())
      if (!answer.ok || text.length < 10) throw new Error(`ls-refs: ${answer.status} ${text}`)
    })
  const url = `${server.url.replace("://", `://${ADMIN.name}:${ADMIN.password}@`)}/${ADMIN.name}/${shape.name}.git`
  const references = [
    asks("branches, first page", (round) => api(`/branches?limit=${20 + (round % 10)}`)),
    asks("branches, last pages", (round) => api(`/branches?limit=10&page=${Math.max(1, Math.floor(at.branches / 10) - (round % 20))}`)),
    asks("branches by text", (round) => api(`/branches?q=${round % 10}`)),
    asks("branch", (round) => api(`/branches/${encodeURIComponent(branch(round))}`)),
    asks("tags, first page", (round) => api(`/tags?limit=${20 + (round % 10)}`)),
    asks("tags, last pages", (round) => api(`/tags?limit=10&page=${Math.max(1, Math.floor(at.tags / 10) - (round % 20))}`)),
    asks("tag", (round) => api(`/tags/${encodeURIComponent(tag(round))}`)),
    asks("reference by name", (round) => api(`/git/refs/heads/${branch(round)}`)),
    asks("references below a prefix", (round) => api(`/git/refs/tags/v${(round * 7919) % Math.min(shape.tags, 1000)}`), few),
    asks("all references (not paged)", () => api("/git/refs"), 10),
    asks("file at a branch", (round) => api(`/contents/README.md?ref=${branch(round)}`)),
    asks("commits at a tag, first page", (round) => api(`/commits?sha=${tag(round)}&limit=10`)),
    asks(
      "comparison of branches",
      (round) => api(`/compare/${encodeURIComponent(branch(round))}...${encodeURIComponent(branch(round + 1))}`),
      few,
    ),
    asks("page of the repository", () => page("")),
    asks("page of branches", (round) => page(`/branches?page=${1 + (round % 2)}`)),
    asks("page of tags", (round) => page(`/tags?page=${1 + (round % 2)}`)),
    asks("page of a file at a branch", (round) => page(`/src/branch/${branch(round)}/README.md`)),
    asks("ls-refs, HEAD", () => ls("HEAD"), few),
    asks("ls-refs, one branch", (round) => ls(`refs/heads/${branch(round)}`), few),
    asks("ls-refs, all branches", () => ls("HEAD", "refs/heads/"), few),
    asks("ls-refs, all", () => ls("HEAD", "refs/heads/", "refs/tags/"), 10),
    asks("advertisement for a push", () => pageOf(`/${ADMIN.name}/${shape.name}.git/info/refs?service=git-receive-pack`), few),
    asks(
      "branch created and deleted",
      async (round) => {
        await server.api("POST", `/repos/${ADMIN.name}/${shape.name}/branches`, { new_branch_name: `new-${round}`, old_ref_name: "main" })
        await server.api("DELETE", `/repos/${ADMIN.name}/${shape.name}/branches/new-${round}`)
      },
      few,
    ),
    asks(
      "commit by API",
      (round) => server.api("POST", `/repos/${ADMIN.name}/${shape.name}/contents/made-${round}`, { content: "YQ==", branch: "main" }),
      few,
    ),
  ]
  const history = [
    asks("commits, first page", (round) => api(`/commits?sha=${commit(round)}&limit=10`)),
    asks(
      "commits, a late page",
      (round) => api(`/commits?limit=10&page=${Math.max(1, Math.floor(at.commits.length / 20) - (round % 20))}`),
      few,
    ),
    asks("commits of a file", (round) => api(`/commits?sha=${commit(round)}&path=${encodeURIComponent(path(round))}&limit=10`), few),
    asks("commits since a day", (round) => api(`/commits?sha=${commit(round)}&since=2005-01-01T00:00:00Z&limit=10`), few),
    asks(
      "commits of a file after a push",
      async (round) => {
        await server.api("POST", `/repos/${ADMIN.name}/${shape.name}/contents/later-${round}`, { content: "YQ==", branch: "main" })
        await api(`/commits?path=${encodeURIComponent(path(0))}&limit=10`)
      },
      few,
    ),
    asks("commit", (round) => api(`/git/commits/${commit(round)}?stat=false&verification=false&files=false`)),
    asks(
      "commits after a push",
      async (round) => {
        await server.api("POST", `/repos/${ADMIN.name}/${shape.name}/contents/after-${round}`, { content: "YQ==", branch: "main" })
        await api("/commits?limit=10")
      },
      few,
    ),
    asks("comparison", (round) => api(`/compare/${at.commits[round + 20]}...${at.commits[round]}`), few),
    asks("page of commits", (round) => page(`/commits/branch/main?page=${1 + (round % 20)}`), few),
    asks("page of the repository", () => page("")),
  ]
  const folder = [
    asks("folder", () => api("/contents/folder"), 5),
    asks("file with its last commit", (round) => api(`/contents/${path(round)}`)),
    asks(
      "file with its last commit, after a push",
      async (round) => {
        await server.api("POST", `/repos/${ADMIN.name}/${shape.name}/contents/folder/made-${round}`, { content: "YQ==", branch: "main" })
        await api(`/contents/${path(round)}`)
      },
      few,
    ),
    asks(
      "folder, after a push",
      async (round) => {
        await server.api("POST", `/repos/${ADMIN.name}/${shape.name}/contents/folder/more-${round}`, { content: "YQ==", branch: "main" })
        await api("/contents/folder")
      },
      5,
    ),
    asks("raw file", (round) => api(`/raw/${path(round)}`)),
    asks("page of the folder", () => page("/src/branch/main/folder"), few),
    asks("page of a file", (round) => page(`/src/branch/main/${path(round)}`)),
  ]
  const pushes = [
    asks(
      "push of one commit",
      async () => {
        await git(at.work, "commit", "-q", "--allow-empty", "-m", "more")
        await git(at.work, "push", "-q", url, "HEAD:refs/heads/pushed")
      },
      few,
    ),
    asks("fetch of one branch, nothing new", () => git(at.work, "fetch", "-q", url, "refs/heads/pushed"), few),
    asks("fetch of all, nothing new", () => git(at.work, "fetch", "-q", "--no-tags", url, "+refs/heads/*:refs/remotes/o/*"), 10),
  ]
  return [...(at.pair === "references" ? references : at.pair === "history" ? history : folder), ...pushes]
}

const packet = (line: string): string => (line.length + 4).toString(16).padStart(4, "0") + line

/** What is known of a repository that is asked. */
interface At {
  readonly pair: string
  readonly branches: number
  readonly tags: number
  readonly commits: readonly string[]
  readonly paths: readonly string[]
  /** A clone. */
  readonly work: string
}

async function look(server: Server, pair: string, { name }: Shape): Promise<At> {
  const database = new DatabaseSync(join(server.dataDir, "hearth.db"), { readOnly: true })
  const row = database.prepare("select id, storage from repositories where name = ?").get(name)
  database.close()
  const folder = join(server.dataDir, "repositories", `${row?.["storage"]}.git`)
  const work = join(await mkdtemp(join(tmpdir(), "hearth-world-work-")), "work")
  await run("git", ["clone", "-q", "--no-tags", "--single-branch", `file://${folder}`, work])
  const names = async (prefix: string) => (await git(folder, "for-each-ref", "--format=1", prefix)).split("\n").length
  const paths = (await git(folder, "ls-tree", "-r", "--name-only", "main")).split("\n").filter((each) => /^[\w./-]+$/.test(each))
  const own = paths.filter((each) => each.startsWith("folder/"))
  return {
    pair,
    branches: await names("refs/heads/"),
    tags: await names("refs/tags/"),
    commits: (await git(folder, "rev-list", "main")).split("\n"),
    paths: own.length > 0 ? own : paths.filter((each) => each.endsWith(".c")),
    work,
  }
}

interface Figures {
  readonly middle: number
  readonly late: number
  readonly processor: number
}

async function measure(server: Server, { ask, asked = ASKED }: Question, from: number): Promise<Figures> {
  await ask(from + 9_999)
  const times: number[] = []
  const before = await server.processorMs()
  for (let round = 0; round < asked; round++) {
    const begun = performance.now()
    await ask(from + round)
    times.push(performance.now() - begun)
  }
  const sorted = times.toSorted((a, b) => a - b)
  return {
    middle: sorted[Math.floor(asked / 2)] ?? 0,
    late: sorted[Math.ceil(asked * 0.99) - 1] ?? 0,
    processor: ((await server.processorMs()) - before) / asked,
  }
}

/** Waits until the job after a push has packed references, where this version does that. */
async function afterJobs(server: Server, shape: Shape): Promise<void> {
  await server.api("POST", `/repos/${ADMIN.name}/${shape.name}/contents/first`, { content: "YQ==", branch: "main" })
  const repositories = join(server.dataDir, "repositories")
  for (let waited = 0; waited < 45; waited++) {
    const files = (await readdir(repositories, { recursive: true })).filter((name) => name.includes("/refs/heads/topic/"))
    if (files.length < 100) return
    await sleep(1000)
  }
}

for (const [pair, [small, large]] of Object.entries(PAIRS)) {
  if (only !== undefined && only !== pair) continue
  const server = await openWorld([small, large])
  try {
    await afterJobs(server, large)
    const ats = [await look(server, pair, small), await look(server, pair, large)] as const
    const large_ = questions(server, large, ats[1])
    console.log(
      `\n${pair}: ${ats[1].branches} branches, ${ats[1].tags} tags, ${ats[1].commits.length} commits, ${ats[1].paths.length} files\n`,
    )
    console.log("| | small p50 | p99 | CPU | large p50 | p99 | CPU | p99 large / small | CPU large / small |")
    console.log("|---|---|---|---|---|---|---|---|---|")
    for (const [index, question] of questions(server, small, ats[0]).entries()) {
      const other = large_[index]
      if (!other) continue
      const a = await measure(server, question, 0)
      const b = await measure(server, other, 0)
      const show = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0))
      const cells = [a.middle, a.late, a.processor, b.middle, b.late, b.processor].map(show)
      console.log(
        `| ${question.what} | ${cells.join(" | ")} | ${(b.late / a.late).toFixed(2)} | ${(b.processor / Math.max(a.processor, 0.05)).toFixed(2)} |`,
      )
    }
    for (const { work } of ats) await rm(join(work, ".."), { recursive: true })
  } finally {
    await server.stop()
    await rm(server.dataDir, { recursive: true, force: true })
  }
}
