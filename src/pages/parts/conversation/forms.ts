import { type OnComment, onComment, onCommentAsAuthor } from "../../../access/policies/comments.ts"
import { onIssueAsAuthor } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { wholeNumber } from "../../../core/forms/fields.ts"
import { addressOf, form, type Sketch } from "../../../core/forms/form.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named, type Operation, ok, type Request } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
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
import { beforeDeletion, undoDeletion, unlessKept } from "../deleted.ts"
import type { ConversationCall } from "./call.ts"
import { taskForms } from "./task-forms.ts"

/** What can be done with an issue or a pull request from the page of its conversation. The same for both; each has its own addresses, since a form belongs to a page. */

const edit = named(issueOperations, "issueEditIssue")
const reads = named(issueOperations, "issueGetIssue")

type Path = Readonly<Record<string, string>>

/** Where the conversation is: the kind of its issue, and the page that shows it. */
interface Where {
  readonly kind: "issue" | "pull"
  readonly on: Page
  readonly at: `/{owner}/{repo}/${"issues" | "pulls"}/{index}`
  readonly tab: "issues" | "pulls"
  /** What deletes a review, where the text of one is edited. */
  readonly deleteReview?: Sketch | undefined
}

/** Declares a form on the page of the conversation, with its address below the page's. */
const declaring =
  ({ kind, on, at }: Where) =>
  (name: string, below: string, does: Operation, rest: Partial<Omit<Parameters<typeof form<string>>[0], "id" | "address" | "on">> = {}) =>
    form<string>({ id: `${kind}.${name}`, address: `POST ${at}/${below}`, does, on, ...rest })

type Declare = ReturnType<typeof declaring>

interface Back {
  readonly path: Path
  readonly field: (name: string) => string
}

/** The page that a form leads back to: comments on lines stand on that of the conversation, and on that of the files. */
const pageOf = ({ on }: Where, path: Path, from: string | undefined): string => `${addressOf(on, path)}${from === "files" ? "/files" : ""}`

/** Leads back to the comment of the path. */
const toComment =
  (where: Where) =>
  ({ path, field }: Back): string =>
    `${pageOf(where, path, field("from"))}#issuecomment-${path["id"] ?? ""}`

export type ConversationForms = ReturnType<typeof conversationForms>

/** The forms of the page `on`, which shows the conversation. */
export function conversationForms(kind: "issue" | "pull", on: Page, deleteReview?: Sketch) {
  const tab = kind === "issue" ? "issues" : "pulls"
  const where: Where = { kind, on, tab, deleteReview, at: `/{owner}/{repo}/${tab}/{index}` }
  const declare = declaring(where)
  const { editor, save } = editorOf(where)
  const { commentEditor, saveComment, deleteComment } = commentEditorOf(where)
  const forms = {
    save,
    saveComment,
    deleteComment,
    ...reactionForms(declare, toComment(where)),
    ...taskForms(declare, where.on, toComment(where)),
    ...fieldForms(declare),
    ...dependencyForms(declare),
    ...timeForms(declare, where),
    ...stateForms(declare, where),
  }
  return { ...forms, editor, commentEditor, pages: [editor, commentEditor, ...Object.values(forms)] as readonly Page[] }
}

function editorOf({ kind, on, at, tab }: Where) {
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
        title: t("Edit #{number}", { number: issue.number }),
        unlisted: true,
        modules: ["composer"],
        body: html`
          <h1>Edit <span class="muted">#${issue.number}</span></h1>
          ${isStale && asItIs(record)}
          ${formView(save, {
            path: call.path,
            record,
            draft,
            submit: isStale ? t("Overwrite with mine") : t("Save"),
            beside: html`<a class="button" href="${addressOf(on, call.path)}">Cancel</a>`,
            fields: [
              { kind: "line", name: "title", label: t("Title"), required: true, maxlength: 255 },
              { kind: "markdown", name: "body", label: t("Text"), rows: 16, repository: repositoryPath(call), files: takesFiles(services) },
              // What was read: until a conflict is shown, what someone else wrote meanwhile is not to be replaced.
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
    done: t("Saved."),
    to: ({ path }) => addressOf(on, path),
  })
  return { editor, save }
}

/** Any text as it is now: the operation for it tells of comments that are on no line. */
const readsText = {
  open: async (request: Request) => {
    const { comment } = await onComment.open(request)
    return { run: () => ok({ body: comment.content }) }
  },
}

type EditorCall = OnComment & Me & Pick<ConversationCall, "path" | "draft" | "services">

/** The part of the editor that deletes: a comment, or by its summary the whole review, which its reviewer alone can do. */
function deletion(call: EditorCall, { deleteReview }: Where, deleteComment: Page, from: string): Content {
  const { path, draft, comment, me } = call
  if (comment.kind !== "review")
    return html`
      <h2 id="delete">Delete</h2>
      <p>This deletes the comment with its attachments and reactions.</p>
      ${beforeDeletion(call)}
      ${formView(deleteComment, {
        path,
        draft,
        submit: t("Delete comment"),
        look: "danger",
        fields: [{ kind: "hidden", name: "from", value: from }],
      })}
    `
  if (!deleteReview || (comment.author_id !== me.id && me.is_admin === 0)) return undefined
  const review = { ...path, id: String(comment.review_id ?? 0) }
  return html`
    <h2 id="delete">Delete</h2>
    <p>This deletes the whole review with its verdict, its comments on lines and the replies to them, and cannot be undone.</p>
    ${formView(deleteReview, { path: review, draft, submit: t("Delete review"), look: "danger" })}
  `
}

function commentEditorOf(where: Where) {
  const { kind, at, tab } = where
  const commentEditor: Page = page({
    id: `${kind}.commentEditor`,
    address: `GET ${at}/comments/{id}/edit`,
    access: onCommentAsAuthor,
    query: { from: Type.Optional(Type.String()) },
    answer: (call) => {
      const { path, draft, comment, issue, query } = call
      const repository = repositoryPath(call)
      const from = { kind: "hidden", name: "from", value: draft?.typed["from"]?.[0] ?? query.from ?? "" } as const
      const back = pageOf(where, path, from.value)
      return repositoryPage(call, {
        tab,
        title: t("Edit a comment on #{number}", { number: issue.number }),
        unlisted: true,
        modules: ["composer"],
        body: html`
          <h1>Edit a comment on <span class="muted">#${issue.number}</span></h1>
          ${formView(saveComment, {
            path,
            record: { body: comment.content },
            draft,
            submit: t("Save"),
            beside: html`<a class="button" href="${back}#issuecomment-${comment.id}" data-cancel>Cancel</a>`,
            fields: [
              from,
              { kind: "markdown", name: "body", label: t("Text"), rows: 12, required: true, repository, files: takesFiles(call.services) },
            ],
          })}
          ${deletion(call, where, deleteComment, from.value)}
        `,
      })
    },
  })
  const saveComment = form({
    id: `${kind}.editComment`,
    address: `POST ${at}/comments/{id}/edit`,
    does: named(commentOperations, "issueEditComment"),
    on: commentEditor,
    reads: readsText,
    guards: ["body"],
    takes: ["body"],
    also: ["from"],
    once: true,
    done: t("Saved."),
    to: toComment(where),
  })
  const deleteComment = form({
    id: `${kind}.deleteComment`,
    address: `POST ${at}/comments/{id}/delete`,
    does: named(commentOperations, "issueDeleteComment"),
    on: commentEditor,
    also: ["from"],
    done: unlessKept(t("Comment deleted.")),
    undo: undoDeletion("comment"),
    to: ({ path, field }) => pageOf(where, path, field("from")),
  })
  return { commentEditor, saveComment, deleteComment }
}

function reactionForms(declare: Declare, to: ReturnType<typeof toComment>) {
  const does = (id: string) => named(reactionOperations, id)
  const takes = ["content"]
  const toText = { takes, also: ["from"], to }
  return {
    react: declare("react", "reactions", does("issuePostIssueReaction"), { takes }),
    unreact: declare("unreact", "reactions/remove", does("issueDeleteIssueReaction"), { takes }),
    reactToComment: declare("reactToComment", "comments/{id}/reactions", does("issuePostCommentReaction"), toText),
    unreactToComment: declare("unreactToComment", "comments/{id}/reactions/remove", does("issueDeleteCommentReaction"), toText),
  }
}

/** Labels, milestone, assignees and the due date: what was chosen before can be had back. */
const fieldForms = (declare: Declare) => ({
  retitle: declare("retitle", "title", edit, {
    takes: ["title"],
    reads,
    guards: ["title"],
    done: t("Title updated."),
    undo: { fields: ({ before }) => ({ title: String(memberOf(before, "title")) }) },
  }),
  projects: declare("projects", "projects", edit, {
    takes: ["projects"],
    done: t("Projects updated."),
    reads,
    undo: { fields: ({ before }) => ({ projects: textsIn(before, "projects", "id") }) },
  }),
  labels: declare("labels", "labels", named(issueLabelOperations, "issueReplaceLabels"), {
    also: ["labels"],
    body: (_, typed) => ({ labels: (typed["labels"] ?? []).map(wholeNumber) }),
    done: t("Labels updated."),
    reads,
    undo: { fields: ({ before }) => ({ labels: textsIn(before, "labels", "id") }) },
  }),
  milestone: declare("milestone", "milestone", edit, {
    takes: ["milestone"],
    done: t("Milestone updated."),
    reads,
    undo: { fields: ({ before }) => ({ milestone: String(memberOf(memberOf(before, "milestone"), "id") ?? 0) }) },
  }),
  assignees: declare("assignees", "assignees", edit, {
    takes: ["assignees"],
    done: t("Assignees updated."),
    reads,
    undo: { fields: ({ before }) => ({ assignees: textsIn(before, "assignees", "login") }) },
  }),
  assignMe: declare("assignMe", "assignees/add", named(assigneeOperations, "issueAddAssignees"), { takes: ["assignees"] }),
  due: declare("due", "due", named(issueOperations, "issueEditIssueDeadline"), {
    also: ["due_date"],
    body: (_, { due_date: [day = ""] = [] }) => ({ due_date: day === "" ? null : `${day}T00:00:00Z` }),
    done: t("Due date updated."),
    reads,
    undo: { fields: ({ before }) => ({ due_date: String(memberOf(before, "due_date") ?? "").slice(0, 10) }) },
  }),
})

/** A member of each of what a record lists. */
function textsIn(record: unknown, list: string, member: string): readonly string[] {
  const all = memberOf(record, list)
  return Array.isArray(all) ? all.map((each) => String(memberOf(each, member))) : []
}

function dependencyForms(declare: Declare) {
  const depend = declare("depend", "dependencies", named(dependencyOperations, "issueCreateIssueDependencies"), {
    also: ["issue", "owner", "repo"],
    // What was typed names another issue: where there is none, the form says so.
    picks: (path) => path,
    body: (_, { issue: [text = ""] = [], owner: [owner = ""] = [], repo: [repo = ""] = [] }) => ({
      ...issueNamed("issue", text, { owner, repo }),
    }),
  })
  const undepend = declare("undepend", "dependencies/remove", named(dependencyOperations, "issueRemoveIssueDependencies"), {
    takes: ["owner", "repo", "index"],
    done: t("Dependency removed."),
    undo: { by: depend, fields: ({ field }) => ({ issue: `#${field("index")}`, owner: field("owner"), repo: field("repo") }) },
  })
  return { depend, undepend }
}

function timeForms(declare: Declare, { on }: Where) {
  /** The header has these buttons too: they lead back to the page that they stood on. Where that is another site, the server leads to the front page. */
  const ending = {
    also: ["back"],
    to: ({ path, field }: Back): string => field("back") || addressOf(on, path),
  }
  return {
    startTimer: declare("startTimer", "timer/start", named(stopwatchOperations, "issueStartStopWatch")),
    stopTimer: declare("stopTimer", "timer/stop", named(stopwatchOperations, "issueStopStopWatch"), { ...ending, done: t("Time added.") }),
    cancelTimer: declare("cancelTimer", "timer/cancel", named(stopwatchOperations, "issueDeleteStopWatch"), ending),
    addTime: declare("addTime", "times", named(trackingOperations, "issueAddTime"), {
      also: ["time"],
      once: true,
      body: (_, { time: [text = ""] = [] }) => {
        const time = secondsIn(text)
        if (time === undefined) throw refuse.invalid("time", "must be like 1h 30m")
        return { time }
      },
    }),
    deleteTime: declare("deleteTime", "times/{id}/delete", named(trackingOperations, "issueDeleteTime")),
  }
}

function stateForms(declare: Declare, { kind, tab }: Where) {
  const does = (id: string) => named(issueOperations, id)
  const subscribe = declare("subscribe", "subscriptions/{user}", named(issueSubscriptionOperations, "issueAddSubscription"))
  return {
    pin: declare("pin", "pin", does("pinIssue")),
    unpin: declare("unpin", "unpin", does("unpinIssue")),
    lock: declare("lock", "lock", does("issueLockIssue"), { takes: ["lock_reason"] }),
    unlock: declare("unlock", "unlock", does("issueUnlockIssue")),
    subscribe,
    unsubscribe: declare("unsubscribe", "subscriptions/{user}/remove", named(issueSubscriptionOperations, "issueDeleteSubscription"), {
      done: t("Unsubscribed. You are still notified when you are mentioned."),
      undo: { by: subscribe, fields: () => ({}) },
    }),
    remove: declare("delete", "delete", does("issueDelete"), {
      confirms: ({ index }) => `#${index}`,
      done: unlessKept(t("Deleted.")),
      undo: undoDeletion(kind),
      to: ({ path }) => `/${path["owner"]}/${path["repo"]}/${tab}`,
    }),
  }
}

const CHANGED_MEANWHILE = t(
  "This text was changed by someone else while you were editing. Nothing is saved yet: compare the current version with yours.",
)

/** What someone else has written meanwhile, beside what was typed. */
const asItIs = ({ title, body }: { readonly title: string; readonly body: string }): Html =>
  html`
    ${notice("warn", CHANGED_MEANWHILE)}
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
