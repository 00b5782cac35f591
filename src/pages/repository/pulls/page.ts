import { onIssue } from "../../../access/policies/issues.ts"
import { type OnPull, onPull, onPulls, onPullToChange } from "../../../access/policies/pulls.ts"
import { requireUnarchived } from "../../../access/policies/repositories.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type Draft, moved, type Page, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { type ListedCommit, listCommitsForPages } from "../../../features/code/history/list.ts"
import { atQuery } from "../../../features/planning/issues/records.ts"
import { commitsOf, rangeOf } from "../../../features/review/pulls/contents.ts"
import { revertPull } from "../../../features/review/revert/rules.ts"
import { path, withQuery } from "../../../web/address.ts"
import { empty, pager, personWithAvatar, state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { type ConversationCall, conversationPath } from "../../parts/conversation/call.ts"
import { type ConversationOptions, conversation, conversationQuery } from "../../parts/conversation/conversation.ts"
import { type ConversationForms, conversationForms } from "../../parts/conversation/forms.ts"
import { commentForm } from "../../parts/conversation/reply.ts"
import { listBody, listFields, listFollowed } from "../../parts/issues/list.ts"
import { checkState, pullNotes } from "../../parts/issues/pull-notes.ts"
import { pushedBranches } from "../code/browse/pushed-branches.ts"
import { repositoryPage } from "../frame.ts"
import { kept } from "../issues/page.ts"
import { pullFilePages, pullFiles } from "./files.ts"
import { pullPage, shapeOf } from "./frame.ts"
import { pullLines } from "./lines.ts"
import { mergeBox } from "./merge-box.ts"
import { mergeForms, REVERT } from "./merge-forms.ts"
import { pullReply } from "./reply.ts"
import { deleteReview, filesForms, reviewForms } from "./review-forms.ts"
import { reviewersPart } from "./reviewers.ts"
import { drawReviews } from "./reviews-view.ts"
import { mergeStackForm } from "./stack-form.ts"
import { suggestionsForm } from "./suggestions.ts"
import { versionsPage } from "./versions.ts"
import { viewedForm } from "./viewed.ts"

/** The pages of a repository's pull requests. */

interface Options extends Pick<ConversationOptions, "all" | "draft" | "quote"> {
  /** The style of the merge that is proposed. */
  readonly style?: string | undefined
}

async function conversationPage(
  call: ConversationCall & OnPull & { readonly draft?: Draft | undefined },
  { style, ...options }: Options,
): Promise<Shown> {
  const shape = await shapeOf(call)
  const { stackBox } = await import("./stack-view.ts")
  const body = await conversation(call, shape.view, {
    ...options,
    forms,
    reviewsOf: (ids, actions) => drawReviews(call, ids, actions),
    below: html`${await stackBox(shape)}${await mergeBox({ ...shape.call, draft: call.draft }, shape.pull, style)}`,
    side: await reviewersPart(shape, call.draft),
  })
  return pullPage(shape, "conversation", body)
}

/** The page of a pull request, which most of its forms stand on. */
export const pullConversation: Page = page({
  id: "pull.show",
  address: "GET /{owner}/{repo}/pulls/{index}",
  access: onIssue,
  query: { ...conversationQuery, ...atQuery, style: Type.Optional(Type.String()) },
  // What is pushed, checked or protected decides about the merge.
  live: ({ issue: { id, repository_id: repositoryId } }) => [
    { repositoryId, issueIds: new Set([id]) },
    { repositoryId, kinds: ["reference.", "commit.checked", "protection.", "queue."] },
  ],
  answer: async (call) => {
    if (call.issue.is_pull === 0) return moved(kept(conversationPath(call), call))
    const { all, at, quote, style } = call.query
    if (at !== undefined) return (await import("../../parts/conversation/as-of.ts")).asOfPage(call, "pulls", at)
    return conversationPage({ ...call, ...(await onPull.open(call)) }, { all: all === true, quote, style })
  },
})

const forms: ConversationForms = conversationForms("pull", pullConversation, deleteReview)

export const pullPages: readonly Page[] = [
  page({
    id: "pull.list",
    address: "GET /{owner}/{repo}/pulls",
    access: onPulls,
    query: listFields,
    live: listFollowed,
    answer: async (call) =>
      repositoryPage(call, {
        tab: "pulls",
        title: t("Pull requests"),
        modules: ["live"],
        body: html`
          ${await pushedBranches(call)}
          ${await listBody(call, { kind: "pulls", notesOf: (issues) => pullNotes(call.db, issues, call.repository) })}
        `,
      }),
  }),

  // The number of an issue leads to the issue.
  pullConversation,
  ...forms.pages,

  // The form of other forges.
  page({
    id: "pull.shown",
    address: "GET /{owner}/{repo}/pull/{index}",
    access: onIssue,
    answer: (call) => moved(kept(conversationPath(call), call)),
  }),

  commentForm("pull", async (call, draft) => conversationPage({ ...call, ...(await onPull.open(call)) }, { all: false, draft })),

  page({
    id: REVERT.id,
    address: `POST ${REVERT.address}`,
    access: onPullToChange,
    once: true,
    again: async (call, refusal) => {
      const draft = { form: REVERT.id, refusal, typed: {} }
      return { ...(await conversationPage({ ...call, draft }, { all: false })), isPrivate: true }
    },
    answer: async (call) => {
      requireUnarchived(call)
      const { owner, repository, issue, pull } = call
      const { on, branch } = await revertPull(call.services, call)
      const head = `${on.repository.id === repository.id ? "" : `${encodeURIComponent(on.owner.name)}:`}${escapePath(branch)}`
      const body = `Reverts #${issue.number}`
      const to = `${path(owner.name, repository.name)}/compare/${escapePath(pull.base_branch)}...${head}`
      return moved(withQuery(to, { expand: 1, title: `Revert "${issue.title}"`.slice(0, 255), body }), {
        flash: t("The branch {branch} has the revert. Open a pull request for it here.", { branch }),
      })
    },
  }),

  page({
    id: "pull.commits",
    address: "GET /{owner}/{repo}/pulls/{index}/commits",
    access: onPull,
    rows: 50,
    answer: async (call) => {
      const shape = await shapeOf(call)
      const { services, db } = call
      const { commits, total } = await commitsOf(services, rangeOf(services, call, shape.call.pull), call.page)
      const listed = await listCommitsForPages(services, db, call, commits)
      const rows = listed.map((each) => commitRow(conversationPath(call), each))
      return pullPage(
        shape,
        "commits",
        html`
          <h2 class="hidden-text">Commits</h2>
          <p class="small"><a href="${conversationPath(call)}/versions">${icon("history")} Versions</a></p>
          ${
            rows.length > 0
              ? html`<ul class="rows">${rows}</ul>`
              : empty("git-commit", t("No commits"), t("The base branch has all commits of the head."))
          }
          ${pager(`${conversationPath(call)}/commits`, call.page, total)}
        `,
      )
    },
  }),

  ...pullFilePages,
  pullLines,
  versionsPage,
  pullReply,
  ...[...mergeForms, mergeStackForm, ...reviewForms].map(({ on }) => on(pullConversation)),
  ...filesForms.map(({ on }) => on(pullFiles)),
  suggestionsForm,
  viewedForm,
]

function commitRow(at: string, { commit, author, verification, status }: ListedCommit): Html {
  const subject = commit.message.split("\n", 1)[0]
  const link = `${at}/commits/${commit.id}`
  return html`
    <li>
      ${icon("git-commit")}
      <div class="main">
        <h3 class="title"><a href="${link}" dir="auto">${subject || commit.id.slice(0, 10)}</a></h3>
        <p class="meta">
          <span>
            ${author ? personWithAvatar(author, 18) : html`<bdi class="strong">${commit.author.name}</bdi>`}${" "}
            committed ${time(commit.committer.when)}
          </span>
          ${
            verification.signature !== "" &&
            (verification.verified ? state("success", "verified", t("Verified")) : state("draft", "unverified", t("Unverified")))
          }
          ${checkState(status)}
        </p>
      </div>
      <a class="mono small" href="${link}">${commit.id.slice(0, 10)}</a>
    </li>
  `
}
