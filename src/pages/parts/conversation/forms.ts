import { onCommentAsAuthor } from "../../../access/policies/comments.ts"
import { onIssueAsAuthor } from "../../../access/policies/issues.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { wholeNumber } from "../../../core/forms/fields.ts"
import { addressOf, form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { commentOperations } from "../../../features/planning/comments/operations.ts"
import { dependencyOperations } from "../../../features/planning/dependencies/operations.ts"
import { assigneeOperations } from "../../../features/planning/issues/assignee-operations.ts"
import { issueLabelOperations } from "../../../features/planning/issues/label-operations.ts"
import { issueNamed } from "../../../features/planning/issues/named.ts"
import { issueOperations } from "../../../features/planning/issues/operations.ts"
import { presentIssue } from "../../../features/planning/issues/present.ts"
import { reactionOperations } from "../../../features/planning/reactions/operations.ts"
import { issueSubscriptionOperations } from "../../../features/planning/subscriptions/operations.ts"
import { trackingOperations } from "../../../features/planning/tracking/operations.ts"
import { stopwatchOperations } from "../../../features/planning/tracking/stopwatch-operations.ts"
import { secondsIn } from "../../../features/planning/tracking/time-text.ts"
import { repositoryPath } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { formView } from "../../../web/form.ts"
import { repositoryPage } from "../../repository/frame.ts"

/** What can be done with an issue or a pull request from the page of its conversation. The same for both; each has its own addresses, since a form belongs to a page. */

const edit = named(issueOperations, "issueEditIssue")
const reads = named(issueOperations, "issueGetIssue")

/** A member of each of the things that a record lists. */
function textsIn(record: unknown, list: string, member: string): readonly string[] {
  const things = memberOf(record, list)
  return Array.isArray(things) ? things.map((each) => String(memberOf(each, member))) : []
}

export type ConversationForms = ReturnType<typeof conversationForms>

/** The forms of the page `on`, which shows the conversation. */
export function conversationForms(kind: "issue" | "pull", on: Page) {
  const at = `/{owner}/{repo}/${kind === "issue" ? "issues" : "pulls"}/{index}` as const
  const tab = kind === "issue" ? "issues" : "pulls"
  const toComment = ({ path }: { readonly path: Readonly<Record<string, string>> }): string =>
    `${addressOf(on, path)}#issuecomment-${path["id"] ?? ""}`

  const editor: Page = page({
    id: `${kind}.editor`,
    address: `GET ${at}/edit`,
    access: onIssueAsAuthor,
    answer: async (call) => {
      const { services, db, actor, issue, draft } = call
      const record = await presentIssue(db, services.site, actor, issue, call)
      const isStale = draft?.refusal.kind === "conflict"
      return repositoryPage(call, {
        tab,
        title: `Edit #${issue.number}`,
        unlisted: true,
        modules: ["composer"],
        body: html`
          <h1>Edit <span class="muted">#${issue.number}</span></h1>
          ${isStale && asItIs(record)}
          ${formView(save, {
            path: call.path,
            record,
            draft,
            submit: isStale ? "Overwrite with mine" : "Save",
            beside: html`<a class="button" href="${addressOf(on, call.path)}">Cancel</a>`,
            fields: [
              { kind: "line", name: "title", label: "Title", required: true, maxlength: 255 },
              { kind: "markdown", name: "body", label: "Text", rows: 16, repository: repositoryPath(call), files: takesFiles(services) },
              // What was read: until a conflict is shown, what somebody else wrote meanwhile is not to be replaced.
              {
                kind: "hidden",
                name: "content_version",
                value: (isStale ? undefined : draft?.typed["content_version"]?.[0]) ?? String(issue.content_version),
              },
            ],
          })}
        `,
      })
    },
  })
  const save = form({
    id: `${kind}.edit`,
    address: `POST ${at}/edit`,
    does: edit,
    on: editor,
    takes: ["title", "body", "content_version"],
    once: true,
    done: "Saved.",
    to: ({ path }) => addressOf(on, path),
  })

  const commentEditor: Page = page({
    id: `${kind}.commentEditor`,
    address: `GET ${at}/comments/{id}/edit`,
    access: onCommentAsAuthor,
    answer: (call) => {
      const { path, draft, comment, issue } = call
      return repositoryPage(call, {
        tab,
        title: `Edit a comment on #${issue.number}`,
        unlisted: true,
        modules: ["composer"],
        body: html`
          <h1>Edit a comment on <span class="muted">#${issue.number}</span></h1>
          ${formView(saveComment, {
            path,
            record: { body: comment.content },
            draft,
            submit: "Save",
            beside: html`<a class="button" href="${addressOf(on, path)}">Cancel</a>`,
            fields: [
              {
                kind: "markdown",
                name: "body",
                label: "Text",
                rows: 12,
                required: true,
                repository: repositoryPath(call),
                files: takesFiles(call.services),
              },
            ],
          })}
          <h2>Delete</h2>
          <p>This deletes its text, attachments and reactions.</p>
          ${formView(deleteComment, { path, draft, submit: "Delete comment", look: "danger" })}
        `,
      })
    },
  })
  const saveComment = form({
    id: `${kind}.editComment`,
    address: `POST ${at}/comments/{id}/edit`,
    does: named(commentOperations, "issueEditComment"),
    on: commentEditor,
    reads: named(commentOperations, "issueGetComment"),
    guards: ["body"],
    takes: ["body"],
    once: true,
    done: "Saved.",
    to: toComment,
  })
  const deleteComment = form({
    id: `${kind}.deleteComment`,
    address: `POST ${at}/comments/{id}/delete`,
    does: named(commentOperations, "issueDeleteComment"),
    on: commentEditor,
    done: "Comment deleted.",
    to: ({ path }) => addressOf(on, path),
  })

  const react = form({
    id: `${kind}.react`,
    address: `POST ${at}/reactions`,
    does: named(reactionOperations, "issuePostIssueReaction"),
    on,
    takes: ["content"],
  })
  const unreact = form({
    id: `${kind}.unreact`,
    address: `POST ${at}/reactions/remove`,
    does: named(reactionOperations, "issueDeleteIssueReaction"),
    on,
    takes: ["content"],
  })
  const reactToComment = form({
    id: `${kind}.reactToComment`,
    address: `POST ${at}/comments/{id}/reactions`,
    does: named(reactionOperations, "issuePostCommentReaction"),
    on,
    takes: ["content"],
    to: toComment,
  })
  const unreactToComment = form({
    id: `${kind}.unreactToComment`,
    address: `POST ${at}/comments/{id}/reactions/remove`,
    does: named(reactionOperations, "issueDeleteCommentReaction"),
    on,
    takes: ["content"],
    to: toComment,
  })

  const labels = form({
    id: `${kind}.labels`,
    address: `POST ${at}/labels`,
    does: named(issueLabelOperations, "issueReplaceLabels"),
    on,
    also: ["labels"],
    body: (_, typed) => ({ labels: (typed["labels"] ?? []).map(wholeNumber) }),
    done: "Labels updated.",
    reads,
    undo: { fields: ({ before }) => ({ labels: textsIn(before, "labels", "id") }) },
  })
  const milestone = form({
    id: `${kind}.milestone`,
    address: `POST ${at}/milestone`,
    does: edit,
    on,
    takes: ["milestone"],
    done: "Milestone updated.",
    reads,
    undo: { fields: ({ before }) => ({ milestone: String(memberOf(memberOf(before, "milestone"), "id") ?? 0) }) },
  })
  const assignees = form({
    id: `${kind}.assignees`,
    address: `POST ${at}/assignees`,
    does: edit,
    on,
    takes: ["assignees"],
    done: "Assignees updated.",
    reads,
    undo: { fields: ({ before }) => ({ assignees: textsIn(before, "assignees", "login") }) },
  })
  const assignMe = form({
    id: `${kind}.assignMe`,
    address: `POST ${at}/assignees/add`,
    does: named(assigneeOperations, "issueAddAssignees"),
    on,
    takes: ["assignees"],
  })
  const due = form({
    id: `${kind}.due`,
    address: `POST ${at}/due`,
    does: named(issueOperations, "issueEditIssueDeadline"),
    on,
    also: ["due_date"],
    body: (_, { due_date: [day = ""] = [] }) => ({ due_date: day === "" ? null : `${day}T00:00:00Z` }),
    done: "Due date updated.",
    reads,
    undo: { fields: ({ before }) => ({ due_date: String(memberOf(before, "due_date") ?? "").slice(0, 10) }) },
  })

  const depend = form({
    id: `${kind}.depend`,
    address: `POST ${at}/dependencies`,
    does: named(dependencyOperations, "issueCreateIssueDependencies"),
    on,
    also: ["issue", "owner", "repo"],
    // What was typed names another issue: where there is none, the form says so.
    picks: (path) => path,
    body: (_, { issue: [text = ""] = [], owner: [owner = ""] = [], repo: [repo = ""] = [] }) => ({
      ...issueNamed("issue", text, { owner, repo }),
    }),
  })
  const undepend = form({
    id: `${kind}.undepend`,
    address: `POST ${at}/dependencies/remove`,
    does: named(dependencyOperations, "issueRemoveIssueDependencies"),
    on,
    takes: ["owner", "repo", "index"],
    done: "Dependency removed.",
    undo: {
      by: depend,
      fields: ({ field }) => ({ issue: `#${field("index")}`, owner: field("owner"), repo: field("repo") }),
    },
  })

  const startTimer = form({
    id: `${kind}.startTimer`,
    address: `POST ${at}/timer/start`,
    does: named(stopwatchOperations, "issueStartStopWatch"),
    on,
  })
  /** The header has these buttons too: they lead back to the page that they stood on. Where that is another site, the server leads to the front page. */
  const ending = {
    also: ["back"],
    to: ({ path, field }: { readonly path: Readonly<Record<string, string>>; readonly field: (name: string) => string }): string =>
      field("back") || addressOf(on, path),
  } as const
  const stopTimer = form({
    ...ending,
    id: `${kind}.stopTimer`,
    address: `POST ${at}/timer/stop`,
    does: named(stopwatchOperations, "issueStopStopWatch"),
    on,
    done: "Time added.",
  })
  const cancelTimer = form({
    ...ending,
    id: `${kind}.cancelTimer`,
    address: `POST ${at}/timer/cancel`,
    does: named(stopwatchOperations, "issueDeleteStopWatch"),
    on,
  })
  const addTime = form({
    id: `${kind}.addTime`,
    address: `POST ${at}/times`,
    does: named(trackingOperations, "issueAddTime"),
    on,
    also: ["time"],
    once: true,
    body: (_, { time: [text = ""] = [] }) => {
      const time = secondsIn(text)
      if (time === undefined) throw refuse.invalid("time", "must be like 1h 30m")
      return { time }
    },
  })
  const deleteTime = form({
    id: `${kind}.deleteTime`,
    address: `POST ${at}/times/{id}/delete`,
    does: named(trackingOperations, "issueDeleteTime"),
    on,
  })

  const pin = form({ id: `${kind}.pin`, address: `POST ${at}/pin`, does: named(issueOperations, "pinIssue"), on })
  const unpin = form({ id: `${kind}.unpin`, address: `POST ${at}/unpin`, does: named(issueOperations, "unpinIssue"), on })
  const lock = form({
    id: `${kind}.lock`,
    address: `POST ${at}/lock`,
    does: named(issueOperations, "issueLockIssue"),
    on,
    takes: ["lock_reason"],
  })
  const unlock = form({ id: `${kind}.unlock`, address: `POST ${at}/unlock`, does: named(issueOperations, "issueUnlockIssue"), on })
  const subscribe = form({
    id: `${kind}.subscribe`,
    address: `POST ${at}/subscriptions/{user}`,
    does: named(issueSubscriptionOperations, "issueAddSubscription"),
    on,
  })
  const unsubscribe = form({
    id: `${kind}.unsubscribe`,
    address: `POST ${at}/subscriptions/{user}/remove`,
    does: named(issueSubscriptionOperations, "issueDeleteSubscription"),
    on,
    done: "Unsubscribed. You are still notified when somebody mentions you.",
    undo: { by: subscribe, fields: () => ({}) },
  })
  const remove = form({
    id: `${kind}.delete`,
    address: `POST ${at}/delete`,
    does: named(issueOperations, "issueDelete"),
    on,
    confirms: ({ index }) => `#${index}`,
    done: "Deleted.",
    to: ({ path: { owner, repo } }) => `/${owner}/${repo}/${tab}`,
  })

  const forms = {
    save,
    saveComment,
    deleteComment,
    react,
    unreact,
    reactToComment,
    unreactToComment,
    labels,
    milestone,
    assignees,
    assignMe,
    due,
    depend,
    undepend,
    startTimer,
    stopTimer,
    cancelTimer,
    addTime,
    deleteTime,
    pin,
    unpin,
    lock,
    unlock,
    subscribe,
    unsubscribe,
    remove,
  }
  return { ...forms, editor, commentEditor, pages: [editor, commentEditor, ...Object.values(forms)] as readonly Page[] }
}

/** What somebody else has written meanwhile, beside what was typed. */
const asItIs = ({ title, body }: { readonly title: string; readonly body: string }): Html =>
  html`
    ${notice("warn", "Somebody changed the text while you were editing. Nothing is saved yet: compare the current version with yours.")}
    <section class="form">
      <h2>Current version</h2>
      <p class="strong" dir="auto">${title}</p>
      <div class="field">
        <label for="as-it-is">Text</label>
        <textarea id="as-it-is" rows="12" dir="auto" readonly>${"\n"}${body}</textarea>
      </div>
    </section>
    <h2>Your version</h2>
  `
