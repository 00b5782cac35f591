import type { Owned } from "../../../access/permission.ts"
import type { OnPull } from "../../../access/policies/pulls.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Shown } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { IssueView } from "../../../features/planning/issues/present.ts"
import { ensureMergeability } from "../../../features/review/pulls/mergeability.ts"
import { type PullView, viewPull } from "../../../features/review/pulls/present.ts"
import { repositoryPath } from "../../../web/address.ts"
import { person, tabs } from "../../../web/components.ts"
import { number, plural, time } from "../../../web/time.ts"
import { type ConversationCall, conversationPath } from "../../parts/conversation/call.ts"
import { viewOf } from "../../parts/conversation/conversation.ts"
import { conversationHeader } from "../../parts/conversation/header.ts"
import { repositoryPage } from "../frame.ts"
import type { MergeCall } from "./merge-call.ts"

/** What all pages of a pull request have around them: title, state, and tabs. */

type PullTab = "conversation" | "commits" | "files"

/** What all pages of a pull request have. */
export interface Shape {
  readonly view: IssueView
  readonly pull: PullView
  readonly call: ConversationCall & MergeCall
}

export async function shapeOf(call: ConversationCall & OnPull): Promise<Shape> {
  const pull = await ensureMergeability(call.services, call.pull)
  const current = { ...call, pull }
  return { view: await viewOf(call), pull: await viewPull(call.db, call.actor, current, call), call: current }
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
    title: `${tab === "conversation" ? "" : `${tab === "commits" ? t("Commits") : t("Files")} · `}#${issue.number} ${issue.title}`,
    canonical: tab === "conversation" ? here : `${here}/${tab}`,
    modules: tab === "conversation" ? ["composer", "conversation", "live", "tasks", "picker"] : [],
    ...more,
    head: html`<link rel="alternate" type="text/x-diff" href="${here}.diff" title="Diff">`,
    body: html`
      ${conversationHeader(call, view, about(pull))}
      <div class="pull-tabs" id="pull-tabs" data-live>
        ${tabs(t("Pull request"), [
          { href: here, text: t("Conversation"), icon: "comment-discussion", count: issue.comments_count, current: tab === "conversation" },
          { href: `${here}/commits`, text: t("Commits"), icon: "git-commit", count: commits_ahead, current: tab === "commits" },
          {
            href: `${here}/files`,
            text: t("Files"),
            icon: "file-diff",
            count: call.pull.changed_files,
            current: tab === "files",
            keys: "f",
          },
        ])}
        <span class="small lines">${linesOf(call.pull)}</span>
      </div>
      ${body}
    `,
  })
}

const linesOf = ({ additions, deletions }: { readonly additions: number; readonly deletions: number }): Html =>
  html`
    <span class="success">+${number(additions)}<span class="hidden-text"> lines</span></span>${" "}
    <span class="failure">−${number(deletions)}<span class="hidden-text"> lines</span></span>
  `

/** Who wants to merge what into what. */
function about({ issue, pull, home, from, hasBranch, author, mergedBy }: PullView): Html {
  const at = (owned: Owned | undefined, branch: string, isThere: boolean): Html => {
    const isElsewhere = owned !== undefined && owned.repository.id !== home.repository.id
    const name = html`${isElsewhere && html`${owned.owner.name}/${owned.repository.name}:`}<bdi>${branch}</bdi>`
    return owned && isThere
      ? html`<a href="${repositoryPath(owned)}/src/branch/${escapePath(branch)}"><code>${name}</code></a>`
      : html`<code>${name}</code>`
  }
  const isMerged = pull.is_merged === 1
  return html`
    ${person(isMerged ? mergedBy : author)}${" "}
    ${isMerged ? t("merged") : issue.is_closed === 1 ? t("wanted to merge") : t("wants to merge")}${" "}
    ${plural(pull.commits_ahead, "commit")} into ${at(home, pull.base_branch, true)} from ${at(from, pull.head_branch, hasBranch)} ·${" "}
    ${isMerged ? time(pull.merged_at) : html`opened ${time(issue.created_at)}`}
  `
}
