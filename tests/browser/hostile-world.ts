/** A forge in which every text that people write is an attack. */

import { appendLog } from "../../src/features/actions/runs/logs.ts"
import { addRunner, endJob, takeJob } from "../../src/features/actions/testing.ts"
import type { FreshKind } from "../support/database.ts"
import { type Caller, freshHearth, PASSWORD } from "../support/hearth.ts"
import { sessionOf } from "../support/session.ts"
import { FILES, LONG, NAME, REFERENCE, SHORT, SVG, TEXT } from "./attacks.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")
const BOX = "/repos/ann/box"

export interface HostileWorld {
  readonly url: string
  /** The cookie of ann, who has written all of it. */
  readonly cookie: string
  /** Where all of it can be found by following links. */
  readonly entries: readonly string[]
  /** What is sent as it was uploaded. */
  readonly raw: readonly string[]
  readonly close: () => Promise<void>
}

/** With everything that the API takes of it; throws where it refuses what it took when this was written. */
export async function openHostileWorld(kind: FreshKind): Promise<HostileWorld> {
  const forge = await freshHearth(kind, { markup: { remoteImages: "proxy" } })
  const { services, url } = forge.hearth
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds
  const must = async (who: Caller, route: string, body?: unknown): Promise<any> => {
    const answer = await forge.call(who, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${String(JSON.stringify(answer.body)).slice(0, 300)}`)
    return answer.body
  }
  const ann = await forge.person("ann", { full_name: NAME })
  const bob = await forge.person("bob", { full_name: "&lt;x-pwned&gt;" })
  const about = { full_name: NAME, location: NAME, description: TEXT.slice(0, 255) }
  await must(ann, "PATCH /user/settings", { ...about, description: SHORT.join("\n").slice(0, 255) })
  await must(bob, "PATCH /user/settings", { location: SHORT[3], description: LONG[20] })

  await must(ann, "POST /orgs", { username: "guild", full_name: NAME, description: SHORT.join(" ").slice(0, 255), location: NAME })
  await must(ann, "POST /orgs/guild/teams", { name: "crew", description: NAME, permission: "read", units_map: { "repo.code": "read" } })
  await must(ann, "POST /orgs/guild/labels", { name: NAME.slice(0, 50), description: NAME, color: "#112233" })

  await must(ann, "POST /user/repos", { name: "box", description: SHORT.join(" ").slice(0, 255), default_branch: "main" })
  await must(ann, `PUT ${BOX}/collaborators/bob`, { permission: "write" })
  const person = { name: NAME, email: "evil@example.com" }
  const commit = {
    message: `${NAME}\n\n${TEXT.slice(0, 4_000)}\n\nCo-authored-by: ${NAME} <javascript:pwned=1>`,
    author: person,
    committer: person,
  }
  await must(ann, `POST ${BOX}/contents`, {
    ...commit,
    files: Object.entries(FILES).map(([path, text]) => ({ operation: "create", path, content: base64(text) })),
  })
  const { sha } = await must(ann, `GET ${BOX}/contents/README.md`)
  const changed = await must(ann, `PUT ${BOX}/contents/README.md`, {
    ...commit,
    sha,
    content: base64(`${NAME}\n${SHORT.toReversed().join("\n")}\n\n${TEXT}`),
    new_branch: REFERENCE,
    branch: "main",
  })
  await must(ann, `POST ${BOX}/tags`, { tag_name: `v-${REFERENCE}`, message: TEXT.slice(0, 2_000), target: "main" })
  await must(ann, `POST ${BOX}/statuses/${changed.commit.sha}`, {
    state: "failure",
    context: NAME,
    description: NAME,
    target_url: "https://evil.example/",
  })

  for (const name of SHORT) await must(ann, `POST ${BOX}/labels`, { name: name.slice(0, 50), description: name, color: "#aabbcc" })
  const labels: readonly { readonly id: number }[] = await must(ann, `GET ${BOX}/labels?limit=50`)
  const milestone = await must(ann, `POST ${BOX}/milestones`, { title: NAME, description: TEXT })
  // All texts in one, and each by itself: one that swallows what follows would hide the others.
  const issue = await must(ann, `POST ${BOX}/issues`, {
    title: NAME,
    body: TEXT,
    labels: labels.map(({ id }) => id),
    milestone: milestone.id,
    assignees: ["ann", "bob"],
  })
  for (const text of LONG) await must(bob, `POST ${BOX}/issues/${issue.number}/comments`, { body: text })
  for (const title of SHORT) await must(bob, `POST ${BOX}/issues`, { title, body: title })
  await must(ann, `PATCH ${BOX}/issues/${issue.number}`, { title: SHORT[2], body: `${TEXT}\n\n@bob` })

  const pull = await must(ann, `POST ${BOX}/pulls`, {
    title: NAME,
    body: TEXT,
    head: REFERENCE,
    base: "main",
    labels: labels.map(({ id }) => id),
  })
  await must(bob, `POST ${BOX}/pulls/${pull.number}/reviews`, {
    event: "REQUEST_CHANGES",
    body: TEXT,
    comments: LONG.slice(0, 12).map((body, index) => ({ path: "README.md", body, new_position: index + 1 })),
  })

  const project = await must(ann, `POST ${BOX}/projects`, { title: NAME, description: TEXT, template_type: "basic_kanban" })
  const column = await must(ann, `POST ${BOX}/projects/${project.id}/columns`, { title: NAME, color: "#123456" })
  await must(ann, `POST ${BOX}/projects/${project.id}/columns/${column.id}/issues/${issue.id}`)

  const release = await must(ann, `POST ${BOX}/releases`, { tag_name: `r-${REFERENCE}`, name: NAME, body: TEXT, target_commitish: "main" })
  const raw: string[] = []
  for (const name of [`${NAME}.svg`, "page.html", "picture.svg"]) {
    const form = new FormData()
    form.append("attachment", new Blob([name.endsWith("html") ? (FILES["pages/page.html"] ?? "") : SVG]), name)
    const asset = await must(ann, `POST ${BOX}/releases/${release.id}/assets?name=${encodeURIComponent(name)}`, form)
    raw.push(`/attachments/${asset.uuid}`)
  }
  for (const name of ["Home", "_Sidebar", "_Footer", NAME])
    await must(ann, `POST ${BOX}/wiki/new`, { title: name, content_base64: base64(TEXT), message: NAME })

  const workflow = JSON.stringify({
    name: NAME,
    "run-name": SHORT[2],
    on: "push",
    jobs: { play: { name: NAME, "runs-on": "nowhere", steps: [{ name: NAME, run: NAME }] } },
  })
  await must(ann, `POST ${BOX}/contents/.gitea/workflows/play.yml`, { message: NAME, content: base64(workflow), branch: "main" })
  await services.jobs.drain()
  const run = (await must(ann, `GET ${BOX}/actions/runs`)).workflow_runs[0]
  const [job] = (await must(ann, `GET ${BOX}/actions/runs/${run.id}/jobs`)).jobs
  const runner = await addRunner(forge, BOX, { name: NAME, labels: ["nowhere"] })
  const taskId = await takeJob(forge, Number(job.id), runner, [[NAME, "failure"]])
  const repository = await services.database.read
    .selectFrom("repositories")
    .selectAll()
    .where("lower_name", "=", "box")
    .executeTakeFirstOrThrow()
  const colored = [
    ...LONG,
    `::group::${NAME}`,
    `\u001b]8;;javascript:pwned=1\u0007link\u001b]8;;\u0007`,
    `\u001b[31m${NAME}`,
    `::error::${NAME}`,
  ]
  const lines = colored.flatMap((text) => text.split("\n")).map((content) => ({ seconds: 1_700_000_000, nanos: 0, content }))
  await appendLog(services, { repository, taskId, index: 0, lines, isLast: true })
  await endJob(forge, Number(job.id), "failure")

  for (const view of ["raw", "media"])
    for (const path of Object.keys(FILES)) raw.push(`/ann/box/${view}/branch/main/${path.split("/").map(encodeURIComponent).join("/")}`)
  return {
    url,
    cookie: await sessionOf(url, "ann", PASSWORD, { "user-agent": NAME }),
    entries: [
      "/",
      "/ann/box",
      "/guild",
      "/ann",
      `/ann/box/issues/${issue.number}?all=1`,
      `/ann/box/pulls/${pull.number}/files`,
      `/ann/box/projects/${project.id}`,
      `/ann/box/actions/runs/${run.id}/jobs/${job.id}`,
      "/notifications",
      "/explore/repos",
      "/search?q=pwned",
      "/ann/box/search?q=pwned",
      ...Object.keys(FILES).map((path) => `/ann/box/src/branch/main/${path.split("/").map(encodeURIComponent).join("/")}`),
      `/ann/box/src/branch/${encodeURIComponent(REFERENCE)}`,
    ],
    raw,
    close: forge.close,
  }
}
