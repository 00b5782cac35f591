import { onPull } from "../../../access/policies/pulls.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Page, type PageAnswer, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { commitById, gitOf } from "../../../features/code/commits/revision.ts"
import { listCommitsForPages } from "../../../features/code/history/list.ts"
import { commitsOf, rangeOf } from "../../../features/review/pulls/contents.ts"
import { findReviewsBy } from "../../../features/review/reviews/store.ts"
import type { Commit, ObjectId } from "../../../git/index.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { icon } from "../../../web/icon.ts"
import { plural, time } from "../../../web/time.ts"
import { commitPerson, idLink, signatureMark, statusMark, subjectOf } from "../../parts/code/commits-view.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { choicesFor, diffFields, fromOlderQuery } from "../../parts/diffs/choices.ts"
import { openDiff } from "../../parts/diffs/diffs.ts"
import type { LineNotes } from "../../parts/diffs/file-words.ts"
import { diffView } from "../../parts/diffs/view.ts"
import { pullPage, type Shape, shapeOf } from "./frame.ts"
import { type FilesCall, type LineForm, reviewing } from "./reviewing.ts"
import { drawThreads, suggestionsBox } from "./reviews-view.ts"

/** What a pull request changes, as a whole, between two commits, or in one of its commits. Comments on lines stand under them. */

const common = { access: onPull, changesWithTime: true, query: diffFields } as const

/** All changes of a pull request, where they are reviewed. */
export const pullFiles: Page = page({
  ...common,
  id: "pull.files",
  address: "GET /{owner}/{repo}/pulls/{index}/files",
  query: { ...diffFields, comment: Type.Optional(Type.String()) },
  answer: async (call) => {
    const shape = await shapeOf(call)
    const { from, to } = rangeOf(call.services, call, shape.call.pull)
    return filesPage(call, shape, { from, to, above: await sinceReview(call, to), isWhole: true })
  },
})

export const pullFilePages: readonly Page[] = [
  pullFiles,

  page({
    ...common,
    id: "pull.range",
    address: "GET /{owner}/{repo}/pulls/{index}/files/{range}",
    answer: async (call) => {
      const [, from = "", to = ""] = /^([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})$/i.exec(call.path.range) ?? []
      const [old, made] = [await commitById(call.services, call, from), await commitById(call.services, call, to)]
      const above = html`
        <p class="bar">
          <span>The changes from ${idLink(call, old.id)} to ${idLink(call, made.id)}</span>
          <a class="button small" href="${conversationPath(call)}/files">All changes</a>
        </p>
      `
      return filesPage(call, await shapeOf(call), { from: old.id, to: made.id, above })
    },
  }),

  page({
    ...common,
    id: "pull.commit",
    address: "GET /{owner}/{repo}/pulls/{index}/commits/{sha}",
    answer: async (call) => {
      const commit = await commitById(call.services, call, call.path.sha)
      const shape = await shapeOf(call)
      return filesPage(call, shape, {
        from: commit.parents[0] ?? null,
        to: commit.id,
        above: await oneCommit(call, shape, commit),
        isCommit: true,
      })
    },
  }),
]

interface Asked {
  readonly from: ObjectId | null
  readonly to: ObjectId
  readonly above: Content
  readonly isCommit?: boolean
  /** All changes: they can be reviewed. */
  readonly isWhole?: boolean
}

async function filesPage(
  call: FilesCall,
  shape: Shape,
  { from, to, above, isCommit = false, isWhole = false }: Asked,
): Promise<PageAnswer> {
  const older = fromOlderQuery(call)
  if (older) return older
  const choices = choicesFor(call)
  const { services, query, reader } = call
  const diff = await openDiff(services, { repository: gitOf(services, call), from, to, whitespace: choices.whitespace })
  const whole = rangeOf(services, call, shape.call.pull)
  const at = repositoryPath(call)
  const review = isWhole ? await reviewing(call, diff.files) : undefined
  // Comments have their places in the head; those on old lines, in the merge base.
  const noted = to === whole.to ? await notesOf(call, from === whole.from, review?.lineForm) : undefined
  const shown = await diffView(services, diff, {
    url: withQuery(reader.url, { comment: undefined }),
    query,
    choices,
    page: call.page,
    oldAt: at,
    newAt: at,
    ...(noted && { notes: noted.notes }),
    focus: review?.lineForm?.path,
    ...(review && { tools: review.tools, fileTools: review.fileTools, isClosed: review.isViewed }),
  })
  return pullPage(
    shape,
    isCommit ? "commits" : "files",
    html`${above}${review?.above}${noted && suggestionsBox(call, noted.hasSuggestions)}${shown.body}`,
    {
      modules: review ? ["diff", "review", "composer", "tasks"] : ["diff"],
      ...(shown.rest ? { rest: shown.rest } : {}),
    },
  )
}

async function notesOf(call: FilesCall, withOld: boolean, lineForm: LineForm | undefined) {
  const files = new Map<string, { readonly lines: Map<string, Content>; count: number }>()
  const fileOf = (path: string) => {
    const file = files.get(path) ?? { lines: new Map<string, Content>(), count: 0 }
    files.set(path, file)
    return file
  }
  const add = (path: string, line: number, content: Content) => {
    const { lines } = fileOf(path)
    const key = line < 0 ? `L${-line}` : `R${line}`
    lines.set(key, html`${lines.get(key)}${content}`)
  }
  let hasSuggestions = false
  for (const { path, line, content, comments, hasSuggestion } of await drawThreads(call)) {
    if (line < 0 && !withOld) continue
    add(path, line, content)
    fileOf(path).count += comments
    hasSuggestions ||= hasSuggestion
  }
  if (lineForm && lineForm.line !== 0) add(lineForm.path, lineForm.line, lineForm.content)
  const notes: LineNotes = { of: (path) => files.get(path)?.lines, count: (path) => files.get(path)?.count ?? 0 }
  return { notes, hasSuggestions }
}

/** A link to what changed since the reader's last review; nothing without one, or where nothing did. */
async function sinceReview(call: FilesCall, head: ObjectId): Promise<Html | undefined> {
  const { db, actor, issue } = call
  if (actor.kind !== "user") return undefined
  const reviews = await findReviewsBy(db, { issueId: issue.id, reviewerId: actor.user.id })
  const last = reviews.find(({ state, commit_id }) => state !== "PENDING" && state !== "REQUEST_REVIEW" && commit_id !== "")
  if (!last || last.commit_id === head) return undefined
  return html`
    <p>
      <a class="button small" href="${conversationPath(call)}/files/${last.commit_id}..${head}">
        ${icon("history")}Changes since your last review
      </a>
    </p>
  `
}

/** The most commits among which the one before and the one after are looked for. */
const MOST_COMMITS = 250

async function oneCommit(call: FilesCall, shape: Shape, commit: Commit): Promise<Html> {
  const { services, db } = call
  const { commits } = await commitsOf(services, rangeOf(services, call, shape.call.pull), { number: 1, limit: MOST_COMMITS, offset: 0 })
  const at = commits.findIndex(({ id }) => id === commit.id)
  const [listed] = await listCommitsForPages(services, db, call, [commit])
  const link = (to: Commit | undefined, text: Text, rel: "prev" | "next") =>
    to && html`<a class="button small" rel="${rel}" href="${conversationPath(call)}/commits/${to.id}">${text}</a>`
  const rest = commit.message.split("\n").slice(1).join("\n").trim()
  return html`
    <section class="card" aria-label="The commit">
      <div class="head">
        <h2 dir="auto">${subjectOf(commit)}</h2>
        <span class="end bar">
          ${
            at >= 0 && [
              link(commits[at + 1], t("Previous"), "prev"),
              html`<span class="muted small">${commits.length - at} of ${plural(commits.length, "commit")}</span>`,
              link(commits[at - 1], t("Next"), "next"),
            ]
          }
        </span>
      </div>
      <div class="inside stack">
        ${rest !== "" && html`<pre class="message" dir="auto" tabindex="0">${rest}</pre>`}
        <p class="meta">
          <span>${commitPerson(listed?.author, commit.author)} committed ${time(commit.committer.when)}</span>
          ${idLink(call, commit.id)}${listed && signatureMark(listed.verification)}${statusMark(listed?.status)}
        </p>
      </div>
    </section>
  `
}
