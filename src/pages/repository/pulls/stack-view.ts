import { asMe } from "../../../access/policies/site.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { findProtection, mayMerge } from "../../../features/code/protections/rules.ts"
import { isUnfinished } from "../../../features/planning/issues/draft.ts"
import { allowedStyles } from "../../../features/review/merging/merge.ts"
import { isOutdated, type Placed, stackOf } from "../../../features/review/stacks/members.ts"
import type { Member } from "../../../features/review/stacks/store.ts"
import { repositoryPath } from "../../../web/address.ts"
import { state } from "../../../web/components.ts"
import { formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import type { Shape } from "./frame.ts"
import { STYLES } from "./merge-forms.ts"
import { mergeStackForm } from "./stack-form.ts"

export { showVersions } from "./versions-view.ts"

/** The stack that a pull request is part of, with the one that the page is about. */

/** The box: nothing for a pull request that stands alone. */
export async function stackBox({ call }: Shape): Promise<Content> {
  const { db, actor, repository, pull, issue, path, draft } = call
  const stack = await stackOf(db, repository, pull)
  if (stack.length === 0) return undefined
  const open = belowAnd(stack, pull.id).filter(({ member }) => member.is_closed === 0)
  const protection = await findProtection(db, repository.id, open[0]?.member.base_branch ?? pull.base_branch)
  const may = actor.kind === "user" && repository.is_archived === 0 && (await mayMerge(db, protection, call, asMe(actor).me))
  const [style] = allowedStyles(repository)
  const isMergeable =
    may && style !== undefined && issue.is_closed === 0 && open.length > 1 && !open.some(({ member }) => isUnfinished(member.title))
  const at = repositoryPath(call)
  return html`
    <section class="card" id="stack" aria-labelledby="stack-title" data-live>
      <div class="head">
        <h2 id="stack-title">${icon("stack")} Stack</h2>
        <a class="small" href="${conversationPath(call)}/versions">Versions</a>
      </div>
      <ol class="rows stacked" reversed>
        ${stack
          .toReversed()
          .map((placed) => memberRow(at, placed, { isCurrent: placed.member.id === pull.id, isOutdated: isOutdated(placed, stack) }))}
      </ol>
      <div class="inside stack tight">
        <p class="small muted">The lowest goes into <code><bdi>${stack[0]?.member.base_branch}</bdi></code> first.</p>
        ${isMergeable && html`<p class="small muted">${STYLES[style][2]}</p>`}
        ${
          isMergeable &&
          formView(mergeStackForm, {
            path,
            draft,
            look: "plain",
            submit: html`${icon("git-merge")}Merge up to here`,
            fields: [
              { kind: "hidden", name: "do", value: style },
              { kind: "hidden", name: "head_commit_id", value: pull.head_id },
            ],
          })
        }
      </div>
    </section>
  `
}

/** One of a stack and those that it stands on. */
function belowAnd(stack: readonly Placed[], pullId: number): readonly Placed[] {
  const line: Placed[] = []
  for (let at: number | undefined = pullId; at !== undefined; ) {
    const placed = stack.find(({ member }) => member.id === at)
    if (placed) line.unshift(placed)
    at = placed?.belowId
  }
  return line
}

interface Row {
  readonly isCurrent: boolean
  readonly isOutdated: boolean
}

function memberRow(at: string, { member }: Placed, { isCurrent, isOutdated }: Row): Html {
  const { number, title, note } = member
  const name = html`<bdi>${title}</bdi> <span class="muted">#${number}</span>`
  return html`
    <li>
      <div class="main">
        <h3 class="title">
          ${isCurrent ? html`<span aria-current="true" class="strong">${name}</span>` : html`<a href="${at}/pulls/${number}">${name}</a>`}
        </h3>
        <p class="meta">
          ${stateWords(member)}${isCurrent && html`<span>${icon("arrow-left")} you are here</span>`}
          ${isOutdated && html`<span class="pending">${icon("history")} stands on an earlier version of the one below</span>`}
          ${note && html`<span class="failure">${icon("alert")} could not be rebased: <bdi>${note}</bdi></span>`}
        </p>
      </div>
    </li>
  `
}

function stateWords({ is_merged, is_closed, title }: Member): Html {
  const [tone, name, words] = stateParts({ is_merged, is_closed, title })
  return state(tone, name, words)
}

function stateParts({
  is_merged,
  is_closed,
  title,
}: Pick<Member, "is_merged" | "is_closed" | "title">): readonly [string, Parameters<typeof state>[1], Text] {
  if (is_merged === 1) return ["merged", "git-merge", t("Merged")]
  if (is_closed === 1) return ["closed", "git-pull-request-closed", t("Closed")]
  return isUnfinished(title) ? ["draft", "git-pull-request-draft", t("Draft")] : ["open", "git-pull-request", t("Open")]
}
