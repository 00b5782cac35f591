import type { OnPull } from "../../../access/policies/pulls.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import type { Shown } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import { ensureMergeability } from "../../../features/review/pulls/mergeability.ts"
import { presentPull } from "../../../features/review/pulls/present.ts"
import type { PullRequest } from "../../../features/review/pulls/records.ts"
import { person, tabs } from "../../../web/components.ts"
import { plural, time } from "../../../web/time.ts"
import { type ConversationCall, conversationPath } from "../../parts/conversation/call.ts"
import { conversationHeader, viewOf } from "../../parts/conversation/conversation.ts"
import { repositoryPage } from "../frame.ts"
import type { MergeCall } from "./merge-forms.ts"

/** What all pages of a pull request have around them: title, state, and tabs. */

type PullTab = "conversation" | "commits" | "files"

/** What all pages of a pull request have. */
export interface Shape {
  readonly view: IssueView
  readonly pull: PullRequest
  readonly call: ConversationCall & MergeCall
}

export async function shapeOf(call: ConversationCall & OnPull): Promise<Shape> {
  const pull = await ensureMergeability(call.services, call.pull)
  const current = { ...call, pull }
  return { view: await viewOf(call), pull: await presentPull(call.db, call.services, call.actor, current, call), call: current }
}

export function pullPage(
  { view, pull, call }: Shape,
  tab: PullTab,
  body: Content,
  more: Pick<Shown, "rest" | "width" | "modules"> = {},
): Promise<Shown> {
  const here = conversationPath(call)
  const { commits_ahead } = call.pull
  const { issue } = view
  return repositoryPage(call, {
    tab: "pulls",
    title: `${tab === "conversation" ? "" : `${tab === "commits" ? "Commits" : "Files"} · `}#${issue.number} ${issue.title}`,
    canonical: tab === "conversation" ? here : `${here}/${tab}`,
    modules: tab === "conversation" ? ["composer", "conversation", "live"] : [],
    ...more,
    head: html`<link rel="alternate" type="text/x-diff" href="${here}.diff" title="Diff">`,
    body: html`
      ${conversationHeader(view, about(pull, call))}
      <div class="pull-tabs" id="pull-tabs" data-live>
        ${tabs("Pull request", [
          { href: here, text: "Conversation", icon: "comment-discussion", count: issue.comments_count, current: tab === "conversation" },
          { href: `${here}/commits`, text: "Commits", icon: "git-commit", count: commits_ahead, current: tab === "commits" },
          { href: `${here}/files`, text: "Files", icon: "file-diff", count: pull.changed_files, current: tab === "files" },
        ])}
        <span class="small lines">${linesOf(pull)}</span>
      </div>
      ${body}
    `,
  })
}

const linesOf = ({ additions, deletions }: { readonly additions: number; readonly deletions: number }): Html =>
  html`
    <span class="success">+${additions.toLocaleString("en")}<span class="hidden-text"> lines</span></span>${" "}
    <span class="failure">−${deletions.toLocaleString("en")}<span class="hidden-text"> lines</span></span>
  `

/** Who wants to merge what into what. */
function about(pull: PullRequest, { issue, pull: { commits_ahead, merged_at } }: OnPull): Html {
  const { base, head, merged } = pull
  const at = (info: PullRequest["base"]): Html => {
    const isElsewhere = info.repo !== null && info.repo.id !== base.repo?.id
    const name = html`${isElsewhere && html`${info.repo?.full_name}:`}<bdi>${info.label}</bdi>`
    return info.repo === null || info.ref !== info.label
      ? html`<code>${name}</code>`
      : html`<a href="/${escapePath(info.repo.full_name)}/src/branch/${escapePath(info.label)}"><code>${name}</code></a>`
  }
  return html`
    ${person(merged ? pull.merged_by : pull.user)}${" "}
    ${merged ? "merged" : pull.state === "closed" ? "wanted to merge" : "wants to merge"}${" "}
    ${plural(commits_ahead, "commit")} into ${at(base)} from ${at(head)} ·${" "}
    ${merged ? time(merged_at) : html`opened ${time(issue.created_at)}`}
  `
}
