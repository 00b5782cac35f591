/**
 * How long it takes to take over an installation: `node bench/takeover.ts [REPOSITORIES] [ISSUES OF EACH] [COMMENTS OF EACH ISSUE]`, 10,000, 30 and 2.34 by default: a million
 * issues and comments. Below BENCH_FOLDER, the folder of temporary files by default. The repositories are hard links of one with two commits and three pull requests. It is
 * taken over, again without a change, and again after a thousand comments and fifty pushes there.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { openServices } from "../src/app.ts"
import { takeOverInstallation } from "../src/features/site/takeover/takeover.ts"
import { secondsTaken } from "../tests/support/processor.ts"

const [repositories = 10_000, issuesOfEach = 30, commentsOfEach = 2.34] = process.argv.slice(2).map(Number)
const [issues, people, pullsOfEach] = [repositories * issuesOfEach, 2_000, 3]
const comments = Math.round(issues * commentsOfEach)
const root = mkdtempSync(join(process.env["BENCH_FOLDER"] ?? tmpdir(), "hearth-bench-"))
const source = join(root, "gitea")
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=B", "-c", "user.email=b@example.org", ...args], { encoding: "utf8" }).trim()

function makeDatabase(): DatabaseSync {
  const db = new DatabaseSync(join(source, "data/gitea.db"))
  db.exec("pragma journal_mode = off; pragma synchronous = off")
  db.exec(readFileSync(join(import.meta.dirname, "../tests/support/gitea.sql"), "utf8"))
  const rows = (count: number, table: string, columns: string, values: string): void =>
    db.exec(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1}) insert into "${table}" (${columns}) select ${values} from n`,
    )
  const at = 1_700_000_000
  db.exec("insert into version (version) values (343)")
  rows(
    people,
    "user",
    "id, type, name, lower_name, email, passwd, passwd_hash_algo, salt, is_active, is_admin, avatar, avatar_email, created_unix",
    `i + 1, 0, 'p' || i, 'p' || i, 'p' || i || '@example.org', 'aa', 'pbkdf2$10000$50', 'saltsaltsa', 1, i = 0, '', '', ${at}`,
  )
  rows(
    people,
    "email_address",
    "uid, email, lower_email, is_activated, is_primary",
    "i + 1, 'p' || i || '@example.org', 'p' || i || '@example.org', 1, 1",
  )
  rows(
    repositories,
    "repository",
    "id, owner_id, owner_name, lower_name, name, default_branch, is_empty, is_private, trust_model, topics, created_unix, updated_unix",
    `i + 1, i % ${people} + 1, 'p' || (i % ${people}), 'r' || i, 'r' || i, 'main', 0, 0, 0, '[]', ${at}, ${at}`,
  )
  for (const type of [1, 2, 3, 4, 5, 8, 9, 10]) rows(repositories, "repo_unit", "repo_id, type", `i + 1, ${type}`)
  rows(repositories, "issue_index", "group_id, max_index", `i + 1, ${issuesOfEach}`)
  rows(repositories, "watch", "user_id, repo_id, mode, created_unix", `i % ${people} + 1, i + 1, 1, ${at}`)
  rows(repositories * 3, "label", "id, repo_id, org_id, name, color", "i + 1, i / 3 + 1, 0, 'label ' || i % 3, '#ee0701'")
  const isPull = `i % ${issuesOfEach} >= ${issuesOfEach - pullsOfEach}`
  const text = "'Some words of an issue, as people write them. ' || hex(randomblob(100))"
  rows(
    issues,
    "issue",
    'id, repo_id, "index", poster_id, name, content, is_pull, is_closed, num_comments, created_unix, updated_unix',
    `i + 1, i / ${issuesOfEach} + 1, i % ${issuesOfEach} + 1, i % ${people} + 1, 'Issue ' || i, ${text}, ${isPull}, i % 3 = 0, 2, ${at} + i, ${at} + i`,
  )
  rows(issues, "issue_label", "issue_id, label_id", `i + 1, i / ${issuesOfEach} * 3 + i % 3 + 1`)
  rows(
    comments,
    "comment",
    "id, type, poster_id, issue_id, content, created_unix, updated_unix",
    `i + 1, case when i % 10 = 9 then 2 else 0 end, i % ${people} + 1, i % ${issues} + 1, ${text}, ${at} + i, ${at} + i`,
  )
  rows(
    repositories * pullsOfEach,
    "pull_request",
    'id, type, status, issue_id, "index", head_repo_id, base_repo_id, head_branch, base_branch, merge_base, has_merged',
    `i + 1, 0, 2, i / ${pullsOfEach} * ${issuesOfEach} + ${issuesOfEach - pullsOfEach} + i % ${pullsOfEach} + 1, ${issuesOfEach - pullsOfEach} + i % ${pullsOfEach} + 1, i / ${pullsOfEach} + 1, i / ${pullsOfEach} + 1, 'topic', 'main', '${first}', 0`,
  )
  rows(
    issues,
    "action",
    "user_id, op_type, act_user_id, repo_id, content, created_unix",
    `i % ${people} + 1, 6, i % ${people} + 1, i / ${issuesOfEach} + 1, i % ${issuesOfEach} + 1 || '|Issue', ${at} + i`,
  )
  // Those of a real one that its queries need.
  for (const [table, column] of [
    ["comment", "review_id"],
    ["comment", "issue_id"],
    ["issue", "repo_id"],
    ["pull_request", "base_repo_id"],
  ] as const)
    db.exec(`create index "${table}_${column}" on "${table}" ("${column}")`)
  return db
}

/** One small repository, packed; the others have its files. */
function makeRepositories(): string {
  const one = join(root, "one.git")
  git("init", "-q", "--bare", "-b", "main", one)
  const blob = execFileSync("git", ["-C", one, "hash-object", "-w", "--stdin"], { input: "words\n", encoding: "utf8" }).trim()
  const tree = execFileSync("git", ["-C", one, "mktree"], { input: `100644 blob ${blob}\tREADME.md\n`, encoding: "utf8" }).trim()
  const commit = git("-C", one, "commit-tree", tree, "-m", "one")
  const second = git("-C", one, "commit-tree", tree, "-p", commit, "-m", "two")
  git("-C", one, "update-ref", "refs/heads/main", commit)
  git("-C", one, "update-ref", "refs/heads/topic", second)
  for (let each = 1; each <= pullsOfEach; each++)
    git("-C", one, "update-ref", `refs/pull/${issuesOfEach - pullsOfEach + each}/head`, second)
  git("-C", one, "gc", "-q")
  rmSync(join(one, "hooks"), { recursive: true, force: true })
  for (let owner = 0; owner < Math.min(people, repositories); owner++) mkdirSync(join(source, "repos", `p${owner}`))
  for (let start = 0; start < repositories; start += 500) {
    const script = Array.from({ length: Math.min(500, repositories - start) }, (_, index) => {
      const number = start + index
      return `cp -al ${one} ${source}/repos/p${number % people}/r${number}.git`
    })
    execFileSync("sh", ["-ec", script.join("\n")])
  }
  return commit
}

async function takeOver(what: string): Promise<void> {
  const opened = await openServices({ env: { HEARTH_DATA_DIR: join(root, "data"), HEARTH_LOG_LEVEL: "silent" } })
  const [began, before] = [performance.now(), secondsTaken()]
  let part: { readonly name: string; readonly began: number; readonly before: number } | undefined
  const told: [name: string, seconds: number, taken: number][] = []
  const ends = (name: string): void => {
    if (part) told.push([part.name, (performance.now() - part.began) / 1000, secondsTaken() - part.before])
    part = { name, began: performance.now(), before: secondsTaken() }
  }
  const { kinds } = await takeOverInstallation(opened.services, {
    from: source,
    dryRun: false,
    link: true,
    signal: new AbortController().signal,
    progress: (name) => {
      if (name !== part?.name) ends(name)
    },
  })
  ends("")
  const sum = (of: (result: (typeof kinds)[number][1]) => number): number => kinds.reduce((total, [, result]) => total + of(result), 0)
  console.log(
    `${what}: ${((performance.now() - began) / 1000).toFixed(1)} s, ${(secondsTaken() - before).toFixed(1)} s of the processor, at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB; ${sum(({ found }) => found)} found, ${sum(({ changed }) => changed)} written, ${sum(({ removed }) => removed)} removed, ${sum(({ leftOut }) => leftOut)} left out`,
  )
  for (const [name, seconds, taken] of told.filter(([, seconds]) => seconds > 1))
    console.log(`  from ${name}: ${seconds.toFixed(1)} s, ${taken.toFixed(1)} s of the processor`)
  await opened.close()
}

let first = ""
try {
  for (const folder of ["conf", "data", "repos"]) mkdirSync(join(source, folder), { recursive: true })
  const ini = `WORK_PATH = ${source}\n[database]\nDB_TYPE = sqlite3\nPATH = ${source}/data/gitea.db\n[repository]\nROOT = ${source}/repos\n`
  writeFileSync(join(source, "conf/app.ini"), ini)
  const began = performance.now()
  first = makeRepositories()
  const db = makeDatabase()
  console.log(
    `${repositories} repositories, ${issues} issues, ${comments} comments: made in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  )
  await takeOver("the first run")
  await takeOver("again")
  db.exec(
    "insert into comment (type, poster_id, issue_id, content, created_unix, updated_unix) select 0, 1, id, 'new', 1, 1 from issue limit 1000",
  )
  for (let each = 0; each < Math.min(50, repositories); each++) {
    const path = join(source, `repos/p${each % people}/r${each}.git`)
    const pushed = git("-C", path, "commit-tree", `${first}^{tree}`, "-p", first, "-m", `push ${each}`)
    // Its file is that of all the others.
    writeFileSync(join(path, "packed-refs.new"), readFileSync(join(path, "packed-refs")))
    unlinkSync(join(path, "packed-refs"))
    execFileSync("mv", [join(path, "packed-refs.new"), join(path, "packed-refs")])
    git("-C", path, "update-ref", "refs/heads/main", pushed)
  }
  await takeOver("after a thousand comments and fifty pushes")
  db.close()
} finally {
  rmSync(root, { recursive: true, force: true })
}
