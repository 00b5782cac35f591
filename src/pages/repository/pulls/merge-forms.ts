import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { writesKind } from "../../../access/policies/issues.ts"
import { asMe } from "../../../access/policies/site.ts"
import { type Sketch, sketch } from "../../../core/forms/form.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import type { Draft } from "../../../core/page.ts"
import { branchOperations } from "../../../features/code/branches/operations.ts"
import { findForkOf } from "../../../features/code/repositories/store.ts"
import { isUnfinished } from "../../../features/planning/issues/draft.ts"
import { allowedStyles } from "../../../features/review/merging/merge.ts"
import { proposedMessage } from "../../../features/review/merging/message.ts"
import { mergeOperations } from "../../../features/review/merging/operations.ts"
import type { MergeStyle } from "../../../features/review/merging/records.ts"
import { pullOperations } from "../../../features/review/pulls/operations.ts"
import type { PullView } from "../../../features/review/pulls/present.ts"
import { withQuery } from "../../../web/address.ts"
import { choices } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { sentence } from "../../../web/problem.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import type { MergeCall } from "./merge-call.ts"
import { queueForms } from "./queue-forms.ts"
import type { Queued } from "./queue-part.ts"

/** What can be done in the box about merging: the merge itself, now or later, and what prepares it and follows it. */

const PULL = "POST /{owner}/{repo}/pulls/{index}"

const mergeTakes = ["do", "merge_title_field", "merge_message_field", "head_commit_id", "delete_branch_after_merge"]

const merge = sketch({
  id: "pull.merge",
  address: `${PULL}/merge`,
  does: named(mergeOperations, "repoMergePullRequest"),
  takes: [...mergeTakes, "force_merge"],
  done: t("Merged."),
})

const mergeLater = sketch({
  id: "pull.mergeLater",
  address: `${PULL}/merge/later`,
  does: named(mergeOperations, "repoMergePullRequest"),
  takes: mergeTakes,
  always: { merge_when_checks_succeed: true },
  done: t("Auto-merge scheduled."),
})

const mergeByHand = sketch({
  id: "pull.mergeByHand",
  address: `${PULL}/merge/by-hand`,
  does: named(mergeOperations, "repoMergePullRequest"),
  takes: ["merge_commit_id"],
  always: { do: "manually-merged" },
  done: t("Marked as merged."),
})

const cancelMerge = sketch({
  id: "pull.cancelMerge",
  address: `${PULL}/merge/cancel`,
  does: named(mergeOperations, "repoCancelScheduledAutoMerge"),
  done: t("Auto-merge cancelled."),
})

const update = sketch({
  id: "pull.update",
  address: `${PULL}/update`,
  does: named(mergeOperations, "repoUpdatePullRequest"),
  also: ["style"],
  query: ({ style: [style = "merge"] = [] }) => ({ style }),
  done: t("Branch updated."),
})

const edit = named(pullOperations, "repoEditPullRequest")

const setReady = sketch({ id: "pull.ready", address: `${PULL}/ready`, does: edit, takes: ["draft"], done: t("Saved.") })
const setBase = sketch({
  id: "pull.base",
  address: `${PULL}/base`,
  does: edit,
  takes: ["base"],
  // A branch that isn't there is a mistake in the form.
  picks: (path) => path,
  done: t("Base branch changed."),
})
const setMaintainers = sketch({
  id: "pull.maintainers",
  address: `${PULL}/maintainers`,
  does: edit,
  takes: ["allow_maintainer_edit"],
  done: t("Saved."),
})

// Of a branch of the same repository; one of a fork has its own page there.
const restoreBranch = sketch({
  id: "pull.restoreBranch",
  address: `${PULL}/branch`,
  does: named(branchOperations, "repoCreateBranch"),
  takes: ["new_branch_name", "old_ref_name"],
  done: t("Branch restored."),
})
const deleteBranch = sketch({
  id: "pull.deleteBranch",
  address: `${PULL}/branch/delete/{branch}`,
  does: named(branchOperations, "repoDeleteBranch"),
  done: t("Branch deleted. It can be restored here."),
})

export const mergeForms: readonly Sketch[] = [
  merge,
  mergeLater,
  mergeByHand,
  cancelMerge,
  update,
  setReady,
  setBase,
  setMaintainers,
  restoreBranch,
  deleteBranch,
  ...queueForms,
]

export const STYLES: Readonly<Record<MergeStyle, readonly [short: Text, button: Text, about: Text]>> = {
  merge: [t("Merge commit"), t("Merge"), t("All commits will be added to the base branch with a merge commit.")],
  rebase: [t("Rebase"), t("Rebase and merge"), t("All commits will be rebased and added to the base branch.")],
  "rebase-merge": [
    t("Rebase and merge commit"),
    t("Rebase and merge"),
    t("All commits will be rebased, then added to the base branch with a merge commit."),
  ],
  squash: [t("Squash"), t("Squash and merge"), t("All commits will be combined into one commit on the base branch.")],
  "fast-forward-only": [
    t("Fast-forward"),
    t("Fast-forward"),
    t("The base branch will be fast-forwarded to the head; no merge commit is created."),
  ],
}

const takesMessage = (style: MergeStyle): boolean => style !== "rebase" && style !== "fast-forward-only"

/** What keeps the pull request from being merged, as far as it decides about the forms. */
export interface Prospect {
  /** Nothing is against it. */
  readonly isReady: boolean
  /** What is against it may come true by itself, or may be overridden: no conflict, and no draft. */
  readonly isPossible: boolean
  readonly mayMerge: boolean
  readonly mayOverride: boolean
  readonly isScheduled: boolean
  /** The base has a merge queue, and where the pull request is in it. */
  readonly hasQueue: boolean
  readonly queued: Queued | undefined
  /** The style that was asked for. */
  readonly style: string | undefined
}

/** The forms of an open pull request. */
export async function openForms(call: MergeCall, view: PullView, prospect: Prospect): Promise<Html | undefined> {
  const { actor, repository, issue } = call
  if (actor.kind === "anonymous" || repository.is_archived === 1) return undefined
  const isEditor = issue.author_id === actor.user.id || writesKind(call, issue)
  return html`
    ${prospect.mayMerge && (await mergePart(call, prospect))}
    ${prospect.queued && (isEditor || prospect.mayMerge) && (await queuedPart(call, prospect.queued))}
    ${prospect.isScheduled && formButton(cancelMerge, call.path, t("Cancel auto-merge"))}
    <div class="bar">
      ${isEditor && draftButton(call)}${(isEditor || prospect.mayMerge) && branchTools(call, view)}
      ${refusalOf([setReady, update, cancelMerge], call.draft)}
    </div>
    ${isEditor && editorForms(call)}${prospect.mayMerge && repository.allow_manual_merge === 1 && byHandForm(call)}
  `
}

const draftButton = ({ issue, path }: MergeCall): Html =>
  isUnfinished(issue.title)
    ? formButton(setReady, path, html`${icon("git-pull-request")}Ready for review`, { draft: "false" })
    : formButton(setReady, path, html`${icon("git-pull-request-draft")}Convert to draft`, { draft: "true" })

/** What brings the head up to date with its base. */
function branchTools(call: MergeCall, { hasBranch }: PullView): Content {
  const { repository, pull, path } = call
  if (!hasBranch) return undefined
  const isConflict = pull.mergeability === "conflict"
  return [
    isConflict &&
      html`
        <a class="button small" href="${conversationPath(call)}/conflicts" rel="nofollow">
          ${icon("git-merge")}Resolve conflicts
        </a>
      `,
    pull.commits_behind > 0 && [
      !isConflict && formButton(update, path, t("Update by merge"), { style: "merge" }),
      repository.allow_rebase_update === 1 && formButton(update, path, t("Update by rebase"), { style: "rebase" }),
    ],
  ]
}

/** For the author and for those who may write: another base, and whether maintainers may push to the head in a fork. */
const editorForms = ({ pull, path, draft }: MergeCall): Content => [
  folded(
    t("Change base"),
    draft?.form === setBase.id,
    formView(setBase, {
      path,
      draft,
      submit: t("Change base"),
      look: "plain",
      fields: [{ kind: "line", name: "base", label: t("Base branch"), value: pull.base_branch, required: true }],
    }),
  ),
  pull.head_repository_id !== pull.repository_id &&
    pull.is_offered === 0 &&
    folded(
      t("Edits by maintainers"),
      draft?.form === setMaintainers.id,
      formView(setMaintainers, {
        path,
        draft,
        record: { allow_maintainer_edit: pull.allow_maintainer_edit === 1 },
        submit: t("Save"),
        look: "plain",
        fields: [{ kind: "box", name: "allow_maintainer_edit", label: t("Allow edits by maintainers") }],
      }),
    ),
]

const byHandForm = ({ path, draft }: MergeCall): Html =>
  folded(
    t("Manually merged"),
    draft?.form === mergeByHand.id,
    formView(mergeByHand, {
      path,
      draft,
      submit: t("Mark as manually merged"),
      look: "plain",
      fields: [
        {
          kind: "line",
          name: "merge_commit_id",
          label: t("Merge commit ID"),
          hint: t("The full ID of a commit on the base branch."),
          required: true,
        },
      ],
    }),
  )

const folded = (title: Text, isOpen: boolean, content: Content): Html =>
  html`
    <details ${flagged("open", isOpen)}>
      <summary class="small">${title}</summary>
      ${content}
    </details>
  `

/** A refused form of one button is shown again with the reason, without its values. */
const refusalOf = (forms: readonly Pick<Sketch, "id">[], draft: Draft | undefined): Content =>
  draft && forms.some(({ id }) => id === draft.form) && html`<p class="fault">${sentence(draft.refusal.said)}</p>`

async function queuedPart(call: MergeCall, queued: Queued): Promise<Html> {
  const { priorityForm, withdrawButton } = await import("./queue-part.ts")
  return html`${withdrawButton(call)}${priorityForm(call, queued)}`
}

/** What a merge of this style asks for. */
async function mergeFields(call: MergeCall, style: MergeStyle): Promise<readonly Field[]> {
  const { services, pull, repository } = call
  const message = takesMessage(style) ? await proposedMessage(services, { ...call, ...asMe(call.actor) }, style) : undefined
  return [
    { kind: "hidden", name: "do", value: style },
    { kind: "hidden", name: "head_commit_id", value: pull.head_id },
    ...(message
      ? ([
          { kind: "line", name: "merge_title_field", label: t("Commit title"), value: message.title },
          { kind: "text", name: "merge_message_field", label: t("Message"), value: message.body },
        ] as const)
      : []),
    {
      kind: "box",
      name: "delete_branch_after_merge",
      label: t("Delete branch after merging"),
      value: repository.default_delete_branch_after_merge === 1,
    },
  ]
}

async function mergePart(call: MergeCall, prospect: Prospect): Promise<Content> {
  const { repository, path, draft } = call
  const { isReady, isPossible, mayOverride, isScheduled, hasQueue, queued } = prospect
  if (queued) return undefined
  const styles = allowedStyles(repository)
  if (!isPossible || styles.length === 0) return refusalOf([merge, mergeLater], draft)
  const refused = draft?.form === merge.id || draft?.form === mergeLater.id ? draft : undefined
  const asked = refused?.typed["do"]?.[0] ?? prospect.style
  const style = styles.find((each) => each === asked) ?? styles[0] ?? "merge"
  const [, button, about] = STYLES[style]
  const fields = await mergeFields(call, style)
  const shown = { path, draft, look: "primary" } as const
  const override: Field = { kind: "box", name: "force_merge", label: t("Bypass the branch protection and merge") }
  const here = conversationPath(call)
  const unasked = folded(
    t("Merge without waiting"),
    draft?.form === merge.id,
    formView(merge, { ...shown, look: "danger", submit: button, fields: [...fields, override] }),
  )
  if (hasQueue) {
    const { lineUpForm } = await import("./queue-part.ts")
    return html`
      <div class="stack tight" id="merge">
        ${isReady && lineUpForm(call)}
        ${
          !isReady &&
          !isScheduled &&
          formView(mergeLater, { ...shown, submit: html`${icon("clock")}Line up when all conditions are met`, fields })
        }
        ${mayOverride && unasked}
      </div>
    `
  }
  return html`
    <div class="stack tight" id="merge">
      ${
        styles.length > 1 &&
        choices(
          t("Merge style"),
          styles.map((each) => ({ href: `${withQuery(here, { style: each })}#merge`, text: STYLES[each][0], current: each === style })),
        )
      }
      <p class="muted small">${about}</p>
      ${!isReady && !mayOverride && refusalOf([merge], draft)}
      ${isReady && formView(merge, { ...shown, submit: html`${icon("git-merge")}${button}`, fields })}
      ${
        !isReady &&
        !isScheduled &&
        formView(mergeLater, { ...shown, submit: html`${icon("clock")}${button} when all conditions are met`, fields })
      }
      ${!isReady && mayOverride && unasked}
    </div>
  `
}

/** Calls a verb of its own, see `revert/`. */
export const REVERT = { id: "pull.revert", address: "/{owner}/{repo}/pulls/{index}/revert" } as const

/** Takes back what was merged: for those who may write to the repository, or have a fork of it. */
export async function revertForm(call: MergeCall, { pull }: PullView): Promise<Content> {
  const { db, actor, repository, permission, path, draft } = call
  if (pull.is_merged === 0 || actor.kind === "anonymous" || repository.is_archived === 1) return undefined
  const isElsewhere = unitMode(permission, repository, "repo.code") < Mode.write
  if (isElsewhere && !(await findForkOf.first(db, { ownerId: actor.user.id, repositoryId: repository.id }))) return undefined
  return html`
    <div class="bar">
      ${formButton(REVERT, path, html`${icon("history")}Revert`)}
      <span class="muted small">On a new branch${isElsewhere && t(", in your fork")}, for a new pull request.</span>
    </div>
    ${refusalOf([REVERT], draft)}
  `
}

/** What can be done about the branch of one that is merged or closed. */
export function branchForms(call: MergeCall, { hasBranch }: PullView): Content {
  const { actor, repository, pull, permission, path, draft } = call
  const { head_branch, head_id } = pull
  const isOwn =
    pull.head_repository_id === pull.repository_id && head_branch !== repository.default_branch && head_branch !== pull.base_branch
  if (actor.kind === "anonymous" || repository.is_archived === 1 || !isOwn || unitMode(permission, repository, "repo.code") < Mode.write)
    return undefined
  return html`
    <div class="bar">
      ${
        hasBranch
          ? formButton(deleteBranch, { ...path, branch: head_branch }, html`${icon("trash")}Delete branch`)
          : formButton(restoreBranch, path, html`${icon("git-branch")}Restore branch`, {
              new_branch_name: head_branch,
              old_ref_name: head_id,
            })
      }
      ${refusalOf([deleteBranch, restoreBranch], draft)}
    </div>
  `
}
