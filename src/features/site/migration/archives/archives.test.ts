import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { withWorld } from "../../../../../tests/support/fixture.ts"
import { findUserById } from "../../../../access/store.ts"
import { must } from "../../../code/mirrors/testing.ts"
import { openWorld } from "../../../code/repositories/testing.ts"
import { createToken } from "../../../people/sign-in/credentials/tokens.ts"
import { type Commits, makeRepository } from "../origins/testing.ts"
import { importArchive } from "./import-archive.ts"
import { unpack } from "./unpack.ts"

/** Larger than the archives of these tests. */
const MOST = 2 ** 20

const HOME = "https://github.com/octo/rocket"
const [octo, mona] = ["https://github.com/octocat", "https://github.com/mona"]
const at = (day: number) => `2024-03-${String(day).padStart(2, "0")}T10:00:00Z`
const dated = (day: number) => ({ created_at: at(day), updated_at: at(day) })

/** Files of an archive of GitHub, as ghe-migrator writes them. */
const githubFiles = ({ main, feature, merged }: Commits): Readonly<Record<string, unknown>> => ({
  "schema.json": { version: "1.2.0" },
  "repositories_000001.json": [
    {
      type: "repository",
      url: HOME,
      owner: "https://github.com/octo",
      name: "rocket",
      description: "goes up",
      private: true,
      default_branch: "main",
      git_url: "tarball://root/repositories/octo/rocket.git",
      labels: [{ url: `${HOME}/labels/bug`, name: "bug", color: "d73a4a", created_at: at(1) }],
    },
  ],
  "users_000001.json": [
    { type: "user", url: octo, login: "octocat", name: "Octo Cat", emails: [{ address: "octo@example.com", primary: true }] },
    { type: "user", url: mona, login: "mona", name: null },
  ],
  "milestones_000001.json": [{ type: "milestone", url: `${HOME}/milestones/1`, title: "v1.0", state: "open", due_on: at(28), ...dated(1) }],
  "issues_000001.json": [
    {
      type: "issue",
      url: `${HOME}/issues/1`,
      user: octo,
      title: "issue 1",
      body: `See ${HOME}/pull/2 and ![shot](https://github.com/user-attachments/assets/1f0a)`,
      assignees: [],
      milestone: `${HOME}/milestones/1`,
      labels: [`${HOME}/labels/bug`],
      reactions: [],
      closed_at: null,
      ...dated(2),
    },
    { type: "issue", url: "nowhere", title: "no number" },
  ],
  "issues_000002.json": [
    { type: "issue", url: `${HOME}/issues/4`, user: mona, title: "issue 4", body: "", closed_at: at(5), labels: [], ...dated(4) },
  ],
  "pull_requests_000001.json": [
    {
      type: "pull_request",
      url: `${HOME}/pull/2`,
      user: mona,
      title: "Another line",
      body: "",
      base: { ref: "main", sha: main, repo: HOME },
      head: { ref: "feature", sha: feature, repo: HOME },
      merged_at: null,
      closed_at: null,
      ...dated(3),
    },
    {
      type: "pull_request",
      url: `${HOME}/pull/3`,
      user: octo,
      title: "A further line",
      body: "",
      base: { ref: "main", sha: main, repo: HOME },
      head: { ref: "done", sha: merged, repo: null },
      merged_at: at(4),
      merge_commit_sha: main,
      closed_at: at(4),
      ...dated(3),
    },
  ],
  "issue_comments_000001.json": [
    { type: "issue_comment", url: `${HOME}/issues/1#issuecomment-11`, issue: `${HOME}/issues/1`, user: mona, body: "me too", ...dated(3) },
  ],
  "pull_request_reviews_000001.json": [
    {
      type: "pull_request_review",
      url: `${HOME}/pull/2/files#pullrequestreview-81`,
      pull_request: `${HOME}/pull/2`,
      user: octo,
      body: "nearly",
      head_sha: feature,
      state: 30,
      submitted_at: at(5),
      created_at: at(5),
    },
  ],
  "pull_request_review_comments_000001.json": [
    {
      type: "pull_request_review_comment",
      url: `${HOME}/pull/2/files#r91`,
      pull_request: `${HOME}/pull/2`,
      pull_request_review: `${HOME}/pull/2/files#pullrequestreview-81`,
      user: octo,
      body: "why another?",
      path: "src/app.txt",
      position: 5,
      original_position: 5,
      commit_id: feature,
      original_commit_id: feature,
      diff_hunk: "@@ -17,7 +17,7 @@ line 16\n line 17\n line 18\n line 19\n-line 20\n+another line 20",
      ...dated(5),
    },
  ],
  "releases_000001.json": [
    {
      type: "release",
      url: `${HOME}/releases/tag/v1`,
      user: octo,
      name: "One",
      tag_name: "v1",
      body: "it flies",
      state: "published",
      prerelease: false,
      target_commitish: "main",
      release_assets: [{ name: "rocket.zip", size: 6, asset_url: "tarball://root/release_assets/1/rocket.zip", created_at: at(6) }],
      created_at: at(6),
      published_at: at(6),
    },
  ],
  "attachments_000001.json": [
    {
      type: "attachment",
      url: "https://github.com/user-attachments/assets/1f0a",
      issue: `${HOME}/issues/1`,
      asset_name: "shot.png",
      asset_url: `tarball://root/attachments/${"long/".repeat(30)}shot.png`,
    },
  ],
  "protected_branches_000001.json": [
    { type: "protected_branch", name: "main", pull_request_reviews_enforcement_level: 2, required_approving_review_count: 1 },
  ],
})

const label = { id: 1, title: "bug", color: "#d9534f", description: "", type: "ProjectLabel" }
const times = (day: number) => ({ created_at: at(day), updated_at: at(day) })
const note = (id: number, text: string, members: object = {}) => ({
  id,
  note: text,
  author_id: 2,
  author: { name: "Sam" },
  ...times(3),
  ...members,
})

/** Files of an export of GitLab, as version 13 and newer write them. */
const gitlabFiles = ({ main, feature }: Commits): Readonly<Record<string, unknown>> => {
  const lines = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("")
  const position = { base_sha: main, start_sha: main, head_sha: feature, old_path: "src/app.txt", new_path: "src/app.txt", new_line: 20 }
  const issue = { author_id: 1, description: "", state: "opened", issue_assignees: [], notes: [], ...times(2) }
  return {
    VERSION: "0.2.4",
    "tree/project.json": { description: "goes up", visibility_level: 0, archived: false },
    "tree/project/project_members.ndjson": lines({ id: 1, access_level: 40, user: { id: 1, username: "jane", public_email: "" } }),
    "tree/project/labels.ndjson": lines(label),
    "tree/project/issues.ndjson": `${lines(
      {
        ...issue,
        id: 40,
        iid: 1,
        title: "issue 1",
        description: "See !1 and ![shot](/uploads/0123456789abcdef0123456789abcdef/shot.png)",
        label_links: [{ id: 1, label }],
        notes: [note(71, "me too"), note(72, "added a label", { system: true })],
      },
      { ...issue, id: 41, iid: 2, title: "a secret", confidential: true, notes: [note(73, "a secret answer")] },
    )}{"id":42,"iid\n`,
    "tree/project/merge_requests.ndjson": lines({
      ...issue,
      id: 50,
      iid: 1,
      title: "merge 1",
      source_branch: "feature",
      target_branch: "main",
      source_project_id: 5,
      target_project_id: 5,
      merge_request_diff: { head_commit_sha: feature, base_commit_sha: main },
      notes: [note(81, "this line?", { type: "DiffNote", position, discussion_id: "6a9c" }), note(82, "in general: good")],
      approvals: [{ user_id: 1, created_at: at(6) }],
    }),
    "tree/project/releases.ndjson": lines({ id: 1, tag: "v1", name: "One", description: "it flies", author_id: 1, released_at: at(6) }),
    "tree/project/boards.ndjson": lines({
      id: 1,
      name: "Development",
      lists: [
        { id: 1, list_type: "backlog" },
        { id: 2, list_type: "label", label },
      ],
    }),
    "tree/project/protected_branches.ndjson": lines({
      id: 1,
      name: "main",
      merge_access_levels: [{ access_level: 40 }],
      push_access_levels: [{ access_level: 0 }],
    }),
    "uploads/0123456789abcdef0123456789abcdef/shot.png": "picture",
  }
}

async function open(kind: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(kind, { migrations: { maxArchiveBytes: MOST } })
  const ann = await world.person("ann")
  const folder = mkdtempSync(join(tmpdir(), "hearth-archives-"))
  const { services } = world.hearth

  /** Packs files beside the repository, as an archive of one server or the other. */
  function pack(
    name: string,
    make: (commits: Commits) => Readonly<Record<string, unknown>>,
    before?: (root: string, repository: string) => void,
  ) {
    const root = join(folder, name)
    const repository = join(root, "repositories/octo/rocket.git")
    mkdirSync(repository, { recursive: true })
    const files = make(makeRepository(repository))
    if (files["VERSION"] !== undefined) {
      execFileSync("git", ["-C", repository, "bundle", "create", "--quiet", join(root, "project.bundle"), "--all"])
      rmSync(join(root, "repositories"), { recursive: true })
    }
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content))
    }
    before?.(root, repository)
    execFileSync("tar", ["-czf", `${root}.tar.gz`, "-C", root, "."])
    return `${root}.tar.gz`
  }
  return {
    ...world,
    ann,
    folder,
    pack,
    async bring(file: string, name: string, signal = new AbortController().signal) {
      const doer = await findUserById.first(services.database.read, { id: ann.id })
      if (!doer) throw new TypeError("ann is here")
      return importArchive(services, { file, doer, owner: doer, name, signal })
    },
    get: (path: string) => must(ann, "GET", `/repos/ann${path}`),
    async close() {
      rmSync(folder, { recursive: true, force: true })
      await world.close()
    },
  }
}

withWorld("an archive", { open }, ({ test, world }) => {
  test("of GitHub is brought with its reviews, files and links", async () => {
    const file = world.pack("github", githubFiles, (root) => {
      for (const [path, content] of [
        ["release_assets/1/rocket.zip", "engine"],
        [`attachments/${"long/".repeat(30)}shot.png`, "picture"],
      ] as const) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), content)
      }
    })
    const progress = await world.bring(file, "github")
    expect(progress).toMatchObject({
      issues: { done: 2, missing: 1 },
      pull_requests: { done: 2, missing: 0 },
      comments: { done: 1 },
      reviews: { done: 1 },
      branch_rules: { done: 1 },
      release_files: { done: 1, missing: 0 },
    })
    const home = `${world.hearth.url}/ann/github`
    const [shot] = await world.get("/github/issues/1/assets")
    expect(shot).toMatchObject({ name: "shot.png", size: 7 })
    expect(await world.get("/github")).toMatchObject({ private: true, description: "goes up", default_branch: "main" })
    expect(await world.get("/github/issues/1")).toMatchObject({
      original_author: "octocat",
      created_at: at(2),
      labels: [{ name: "bug" }],
      milestone: { title: "v1.0" },
      body: `See ${home}/pulls/2 and ![shot](${shot.browser_download_url})`,
    })
    expect(await world.get("/github/issues/4")).toMatchObject({ state: "closed", closed_at: at(5), original_author: "mona" })
    expect(await world.get("/github/pulls/3")).toMatchObject({ merged: true, merged_at: at(4) })
    expect((await world.get("/github/pulls/2/commits")).length).toBe(1)
    const [review] = await world.get("/github/pulls/2/reviews")
    expect(review).toMatchObject({ state: "REQUEST_CHANGES", body: "nearly", comments_count: 1 })
    expect(await world.get(`/github/pulls/2/reviews/${review.id}/comments`)).toMatchObject([{ body: "why another?", position: 20 }])
    const [release] = await world.get("/github/releases")
    expect(release.assets).toMatchObject([{ name: "rocket.zip", size: 6 }])
    expect((await world.get("/github/branches")).map(({ name }: { name: string }) => name).toSorted()).toEqual(["feature", "main"])
  })

  test("of GitLab is brought with its threads, and without what is confidential", async () => {
    const file = world.pack("gitlab", gitlabFiles)
    expect(await world.bring(file, "gitlab")).toMatchObject({
      issues: { done: 1, missing: 2 },
      pull_requests: { done: 1 },
      comments: { done: 2 },
      reviews: { done: 2 },
      boards: { done: 1 },
      branch_rules: { done: 1 },
    })
    const [shot] = await world.get("/gitlab/issues/1/assets")
    expect(await world.get("/gitlab/issues/1")).toMatchObject({
      original_author: "jane",
      labels: [{ name: "bug" }],
      comments: 1,
      body: `See #2 and ![shot](${shot.browser_download_url})`,
    })
    expect((await world.get("/gitlab/issues/comments")).map(({ body }: { body: string }) => body)).toEqual(["me too", "in general: good"])
    expect((await world.get("/gitlab/issues/1/comments"))[0].original_author).toBe("Sam")
    const reviews = await world.get("/gitlab/pulls/2/reviews")
    expect(reviews.map(({ state }: { state: string }) => state).toSorted()).toEqual(["APPROVED", "COMMENT"])
    const thread = reviews.find(({ state }: { state: string }) => state === "COMMENT")
    const [line] = await world.get(`/gitlab/pulls/2/reviews/${thread.id}/comments`)
    expect(line).toMatchObject({
      body: "this line?",
      path: "src/app.txt",
      position: 20,
      diff_hunk: expect.stringContaining("+another line 20"),
    })
  })

  test("that was interrupted goes on where it was, without doubles", async () => {
    const file = world.pack("halted", githubFiles)
    const stopped = new AbortController()
    const { database } = world.hearth.services
    const stop = database.observe(({ name }) => {
      if (name === "mirrors.advanceImport") stopped.abort()
    })
    await expect(world.bring(file, "halted", stopped.signal)).rejects.toThrow()
    stop()
    await world.bring(file, "halted")
    expect((await world.get("/halted/issues?state=all&type=issues")).length).toBe(2)
    expect((await world.get("/halted/import")).state).toBe("done")
    await expect(world.bring(file, "halted")).rejects.toThrow("already exists")
  })

  test("is sent, one of a person at a time, and is removed when its import has ended", async () => {
    const { services } = world.hearth
    const { blobs, database, jobs, now } = services
    const made = { userId: world.ann.id, name: "archives", scopes: ["all"], now: now() } as const
    const { token } = await database.write((tx) => createToken(tx, made))
    const send = async (file: string | Buffer, name: string, more = "") => {
      const form = new FormData()
      form.append("archive", new File([typeof file === "string" ? readFileSync(file) : file], "archive.tar.gz"))
      const headers = { authorization: `token ${token}` }
      const answer = await fetch(`${world.hearth.url}/api/v1/user/imports/archive?name=${name}${more}`, {
        method: "POST",
        headers,
        body: form,
      })
      return { status: answer.status, body: await answer.json() }
    }
    const kept = async () => {
      const keys: string[] = []
      for await (const { key } of blobs.list("uploads")) keys.push(key)
      return keys.length
    }
    const file = world.pack("sent", githubFiles)
    expect(await send(file, "sent")).toMatchObject({ status: 201, body: { state: "queued", repository: null, service: "archive" } })
    expect([(await send(file, "sent2")).status, await kept()]).toEqual([409, 1])
    await jobs.drain()
    expect(await kept()).toBe(0)
    expect(await world.get("/sent/import")).toMatchObject({ state: "done", error: "", service: "github-archive" })
    expect((await world.get("/sent/issues?state=all&type=issues")).length).toBe(2)

    // What can't be brought says so, and leaves nothing.
    const last = async () => (await must(world.ann, "GET", "/user/imports"))[0]
    expect((await send(Buffer.from("no archive"), "none")).status).toBe(201)
    await jobs.drain()
    expect(await last()).toMatchObject({ state: "failed", repository: null, error: expect.stringContaining("can't be unpacked") })
    expect((await send(file, "stopped")).status).toBe(201)
    await must(world.ann, "POST", `/user/imports/${(await last()).id}/stop`)
    await jobs.drain()
    expect((await last()).state).toBe("stopped")
    for (const name of ["none", "stopped"]) expect((await world.ann.call("GET", `/repos/ann/${name}`)).status).toBe(404)
    expect((await send(file, "sent")).status).toBe(409)
    expect((await send(file, "..")).status).toBe(422)
    expect((await send(file, "others", "&repo_owner=nobody")).status).toBe(422)
    expect((await send(Buffer.alloc(MOST + 1), "large")).status).toBe(413)
    expect(await kept()).toBe(0)

    // One that was swept while it waited fails with words.
    expect((await send(file, "swept")).status).toBe(201)
    await blobs.removeBelow("uploads/archives")
    await jobs.drain()
    expect(await last()).toMatchObject({ state: "failed", error: expect.stringContaining("send it again") })
    expect(await database.read.selectFrom("imports").select("id").where("phase", "=", "queued").execute()).toEqual([])
  })

  test("is unpacked without links, strange names and what git would read, and not beyond its limits", async () => {
    const { signal } = new AbortController()
    const file = world.pack("odd", githubFiles, (root, repository) => {
      symlinkSync("/etc/passwd", join(root, "users_000002.json"))
      writeFileSync(join(repository, "objects/info/alternates"), "/var/lib/elsewhere/objects\n")
      mkdirSync(join(root, "uploads"))
    })
    const outside = join(world.folder, "outside.tar.gz")
    writeFileSync(join(world.folder, "escaped_000001.json"), "[]")
    execFileSync("tar", ["-czPf", outside, "-C", join(world.folder, "odd/uploads"), "../../escaped_000001.json"])
    const { folder, names, remove } = await unpack(file, signal)
    expect([...names].filter((name) => name.startsWith("users"))).toEqual(["users_000001.json"])
    const found = execFileSync("find", [
      folder,
      "(",
      "-type",
      "l",
      "-o",
      "-name",
      "config",
      "-o",
      "-name",
      "alternates",
      "-o",
      "-path",
      "*hooks*",
      ")",
    ])
    expect(found.toString()).toBe("")
    await remove()
    const empty = await unpack(outside, signal)
    expect([...empty.names]).toEqual([])
    await empty.remove()
    await expect(unpack(file, signal, { files: 5 })).rejects.toThrow("more than 5 files")
    await expect(unpack(file, signal, { bytes: 500 })).rejects.toThrow("more than 500 bytes")
    writeFileSync(join(world.folder, "none.tar.gz"), "no archive")
    await expect(world.bring(join(world.folder, "none.tar.gz"), "none")).rejects.toThrow("can't be unpacked")
    await expect(world.bring(outside, "none")).rejects.toThrow("neither")
    expect((await world.ann.call("GET", "/repos/ann/none")).status).toBe(404)
  })
})
