/**
 * What a domain event, or a reference that a push changed, is to the outside: its names to webhooks and workflows, and the payload. Both read it here, so a new
 * external event is an entry of this table and its name in names.ts; chat receivers of webhooks get a sentence in `events/webhooks/messages/summary.ts`.
 */
import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { DomainEvent, EventKind, EventOf } from "../../../core/events/event.ts"
import type { Services } from "../../../core/services.ts"
import { isMapping, membersOf } from "../../../core/yaml.ts"
import { branchOf, branchRef, isRefName, type RefName, tagRef } from "../../../git/index.ts"
import type { RefChange } from "../../code/pushes/step.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import type { Trigger } from "../definitions/triggers.ts"
import type { Run } from "../runs/store.ts"
import { type CommentEvent, commentPayload, type IssueChange, issuePayload } from "./issue-payload.ts"
import { type DefaultBranchEvent, type PullEvent, REVIEW_EVENTS, type WebhookEvent } from "./names.ts"
import {
  forkPayload,
  jobPayloads,
  packagePayload,
  releasePayload,
  repositoryPayload,
  runAction,
  runPayload,
  statusPayload,
  type VersionEvent,
} from "./payload.ts"
import { createdPayload, deletedPayload, isBranchOrTag, type PushedCommits, pushPayload } from "./push-payload.ts"

export interface External {
  /** Its name to webhooks; none where they aren't told. */
  readonly webhook?: WebhookEvent
  /** The branch or tag that it is about, which the filters of webhooks are asked about. */
  readonly ref?: RefName
  /** What it is to workflows of branches and tags; none where they don't hear of it. */
  readonly workflow?: ToWorkflows
  /** What it is to the workflows of the pull request that it is about. */
  readonly pull?: ToPullWorkflows
  /** The payload except for the repository and the user, read from the rows as they are now: it runs in the transaction of the change and may only query. */
  readonly payload: (db: Handle, services: Services, home: Owned) => Promise<object> | object
}

/** The reference is the one whose workflows are read: none for the default branch. */
type ToWorkflows = {
  readonly trigger?: Trigger
  /** The title of the runs; by default that of the commit. */
  readonly title?: string
  /** The run that it is about. */
  readonly runId?: number
} & (
  | { readonly event: DefaultBranchEvent; readonly ref?: undefined }
  | { readonly event: "push" | "create" | "release" | "merge_group"; readonly ref: RefName }
)

interface ToPullWorkflows {
  readonly issueId: number
  readonly events: readonly PullEvent[]
  readonly types: readonly string[]
  readonly change: IssueChange
  /** The head that it is about; "" for the current one. */
  readonly headId: string
}

/** Every event that others are told of; each has an actor, and belongs to a repository or an account. */
export const EXTERNAL: { readonly [Kind in EventKind]?: (event: EventOf<Kind>) => readonly External[] } = {
  "issue.opened": issue(() => [{ about: "state", action: "opened" }]),
  "issue.transferred": issue(() => [{ about: "state", action: "opened" }]),
  "issue.edited": issue(({ issue: { is_pull }, changes: text }) => [
    { about: "state", action: "edited", text },
    ...(is_pull === 1 && becomesDraft(text) ? [{ action: "converted_to_draft" }] : []),
  ]),
  "issue.closed": issue(({ commitId }) => [{ about: "state", action: "closed", commitId }]),
  "issue.reopened": issue(({ commitId }) => [{ about: "state", action: "reopened", commitId }]),
  "issue.deleted": issue(() => [{ about: "state", action: "deleted", types: [] }]),
  "issue.leaving": issue(() => [{ about: "state", action: "deleted", types: [] }]),
  "issue.restored": restored(issue(() => [{ about: "state", action: "opened" }])),
  "issue.labelled": issue(({ added, removed, cleared }) => [
    {
      about: "labels",
      action: cleared ? "label_cleared" : "label_updated",
      types: [...(added.length > 0 ? ["labeled"] : []), ...(removed.length > 0 ? ["unlabeled"] : [])],
      labels: { added, removed },
    },
  ]),
  "issue.milestoned": issue(({ to }) => [{ about: "milestone", action: to === null ? "demilestoned" : "milestoned" }]),
  "issue.assigned": issue(({ added, removed }) => [
    ...removed.map(() => ({ about: "assignees", action: "unassigned" }) as const),
    ...added.map(() => ({ about: "assignees", action: "assigned" }) as const),
  ]),
  "pull.pushed": issue(({ before, after }) =>
    before === null ? [] : [{ about: "commits", action: "synchronized", types: ["synchronize"], heads: { before, after } }],
  ),
  "pull.ready": pull("ready_for_review"),
  "pull.mergeScheduled": pull("auto_merge_enabled"),
  "pull.mergeCancelled": pull("auto_merge_disabled"),
  "pull.merged": issue(() => [{ about: "state", action: "closed" }]),
  "review.requested": issue(({ requests }) => asked("review_requested", requests)),
  "review.requestRemoved": issue(({ requests }) => asked("review_request_removed", requests)),
  "review.submitted": issue(({ review: { state }, header: { content } }) =>
    state === "PENDING" || state === "REQUEST_REVIEW" ? [] : [{ action: "reviewed", review: { type: REVIEW_EVENTS[state], content } }],
  ),
  "comment.created": comment("created"),
  "comment.edited": comment("edited"),
  "comment.deleted": comment("deleted"),
  "comment.restored": restored(comment("created")),
  "repository.created": repository("created"),
  "repository.deleted": repository("deleted"),
  "repository.restored": restored(repository("created")),
  "repository.renamed": ({ from }) => [
    { webhook: "repository", payload: (...to) => ({ ...repositoryPayload(...to, "renamed"), changes: renamedFrom(from) }) },
  ],
  "repository.forked": ({ fork }) => [{ webhook: "fork", workflow: { event: "fork" }, payload: (...to) => forkPayload(...to, fork) }],
  "branch.renamed": ({ from, to, tip }) => [...deleted(branchRef(from)), ...created(branchRef(to), tip)],
  "release.published": release("published"),
  "release.edited": release("edited", "updated"),
  "release.deleted": release("deleted"),
  "release.restored": restored(release("published")),
  "commit.checked": ({ commit, statuses }) =>
    statuses.map((status) => ({ webhook: "status", payload: (...to) => statusPayload(...to, commit, status) })),
  "queue.built": mergeGroup("checks_requested"),
  "queue.failed": mergeGroup("destroyed", "invalidated"),
  "queue.dropped": mergeGroup("destroyed", "dequeued"),
  "queue.landed": mergeGroup("destroyed", "merged"),
  "wiki.created": page("created"),
  "wiki.edited": page("edited"),
  "wiki.deleted": page("deleted"),
  "package.published": (event) => [externalOfPackage(event)],
  "package.deleted": (event) => [externalOfPackage(event)],
  "run.changed": ({ run, jobs, isRunChanged }) => {
    const payload = jobPayloads(jobs)
    return [
      ...jobs.map((job): External => ({ webhook: "workflow_job", payload: (...to) => payload(...to, job) })),
      ...(isRunChanged ? [ofRun(run)] : []),
    ]
  },
}

const tellOf = <Kind extends EventKind>(kind: Kind, event: EventOf<Kind>): readonly External[] => EXTERNAL[kind]?.(event) ?? []

/** What others are told of a domain event, in order. */
export const externalOf = (event: DomainEvent): readonly External[] => tellOf(event.kind, event)

/** The repository that an event is of; undefined where it is of none. */
export function repositoryOf(event: DomainEvent): number | undefined {
  if ("issue" in event) return event.issue.repository_id
  if ("release" in event) return event.release.repository_id
  if (event.kind === "run.changed") return event.run.repository_id
  if ("repositoryId" in event) return event.repositoryId ?? undefined
  return "repository" in event ? event.repository.id : undefined
}

// --- references ------------------------------------------------------------------------------------------------------------------

/**
 * What others are told of a reference that a push changed: of a new branch that it is created and pushed, of a deleted one only that, of tags always both.
 * `pushed`: its commits; without them no one is told of the push.
 */
export function externalOfPush({ ref, oldId, newId }: RefChange, pusher: User, pushed: PushedCommits | undefined): readonly External[] {
  const isBranch = branchOf(ref) !== undefined
  if (!isBranchOrTag(ref)) return []
  const push = pushed && { ref, before: oldId, after: newId, pushed, pusher }
  const told: readonly External[] = push
    ? [{ webhook: "push", ref, workflow: { event: "push", ref }, payload: (...to) => pushPayload(...to, push) }]
    : []
  if (newId === null) return [...(isBranch ? [] : told), ...deleted(ref)]
  return oldId === null ? [...created(ref, newId), ...told] : told
}

/** A new branch or tag, at a commit or an annotated tag. */
const created = (ref: RefName, id: string): readonly External[] => [
  { webhook: "create", ref, workflow: { event: "create", ref }, payload: () => createdPayload(ref, id) },
]

const deleted = (ref: RefName): readonly External[] => [
  { webhook: "delete", ref, workflow: { event: "delete" }, payload: () => deletedPayload(ref) },
]

// --- issues and pull requests ----------------------------------------------------------------------------------------------------

/** The names of changes to webhooks, of an issue and of a pull request; workflows know them as types of `issues` and `pull_request`. */
const CHANGES = {
  state: ["issues", "pull_request"],
  labels: ["issue_label", "pull_request_label"],
  milestone: ["issue_milestone", "pull_request_milestone"],
  assignees: ["issue_assign", "pull_request_assign"],
  commits: ["pull_request_sync", "pull_request_sync"],
  "review requests": ["pull_request_review_request", "pull_request_review_request"],
} as const satisfies Readonly<Record<string, readonly [WebhookEvent, WebhookEvent]>>

interface Change extends IssueChange {
  /** None for a review, and for what only workflows hear of. */
  readonly about?: keyof typeof CHANGES
  /** What workflows know it as, by default the action; none where they don't hear of it. */
  readonly types?: readonly string[]
}

type Changed = Pick<EventOf<"issue.edited">["issue"], "id" | "is_pull">

/** An event that changes an issue or a pull request; several changes where people are told of each. */
function issue<Event extends { readonly issue: Changed }>(changesOf: (event: Event) => readonly Change[]) {
  return (event: Event): readonly External[] => changesOf(event).map((change) => ofChange(event.issue, change))
}

function ofChange({ id, is_pull: isPull }: Changed, { about, types: known, ...change }: Change): External {
  const webhook = change.review?.type ?? (about && CHANGES[about][isPull])
  const types = known ?? [change.action]
  const toWorkflows = isPull === 1 ? { pull: toPull(id, change, types) } : ({ workflow: { event: "issues", trigger: { types } } } as const)
  return {
    ...(webhook && { webhook }),
    ...(types.length > 0 && toWorkflows),
    payload: (...to) => issuePayload(...to, id, change),
  }
}

/** Every review counts as submitted and as edited. */
function toPull(issueId: number, change: IssueChange, types: readonly string[]): NonNullable<External["pull"]> {
  const about = { issueId, change, headId: change.heads?.after ?? "" }
  if (!change.review) return { ...about, events: ["pull_request", "pull_request_target"], types }
  return change.review.type === REVIEW_EVENTS.COMMENT
    ? { ...about, events: ["pull_request_review_comment"], types: ["created", "edited"] }
    : { ...about, events: ["pull_request_review"], types: ["submitted", "edited"] }
}

/** A change of a pull request that only workflows hear of. */
function pull(action: string) {
  return ({ issue: { id } }: { readonly issue: Pick<Changed, "id"> }): readonly External[] => [ofChange({ id, is_pull: 1 }, { action })]
}

const becomesDraft = ({ title }: EventOf<"issue.edited">["changes"]): boolean =>
  title !== undefined && isUnfinished(title.to) && !isUnfinished(title.from)

const asked = (action: string, requests: EventOf<"review.requested">["requests"]): readonly Change[] =>
  requests.map(({ reviewer_id: reviewerId }) => ({ about: "review requests", action, reviewerId }))

function comment(action: string) {
  return (event: CommentEvent): readonly External[] => [
    {
      webhook: event.issue.is_pull === 1 ? "pull_request_comment" : "issue_comment",
      workflow: { event: "issue_comment", trigger: { types: [action] } },
      payload: (...to) => commentPayload(...to, action, event),
    },
  ]
}

// --- what was deleted and is there again --------------------------------------------------------------------------------------------

/**
 * Receivers know no restoring: to them it is made again, with `restored` beside what they know. Workflows hear nothing, so that nothing is answered, built or published a second time.
 */
function restored<Event>(made: (event: Event) => readonly External[]) {
  return (event: Event): readonly External[] =>
    made(event).map(({ webhook, payload }) => ({
      ...(webhook && { webhook }),
      payload: async (...to) => ({ ...(await payload(...to)), restored: true }),
    }))
}

// --- others ----------------------------------------------------------------------------------------------------------------------

/** The old name at both places where receivers look for it. */
const renamedFrom = (from: string) => ({ name: { from }, repository: { name: { from } } })

function repository(action: string) {
  return (): readonly External[] => [{ webhook: "repository", payload: (...to) => repositoryPayload(...to, action) }]
}

/** Releases, by the workflows of their tags; no one is told of drafts. */
function release(type: string, action = type) {
  return ({ release: row }: Pick<EventOf<"release.edited">, "release">): readonly External[] => {
    if (row.is_draft === 1) return []
    const workflow = { event: "release", ref: tagRef(row.tag_name), trigger: { types: [type] } } as const
    return [{ webhook: "release", workflow, payload: (...to) => releasePayload(...to, action, row) }]
  }
}

/** A trial of a merge queue, by the workflows of its own commit. */
function mergeGroup(action: "checks_requested" | "destroyed", reason?: string) {
  return ({ branch, ref, trial }: EventOf<"queue.built" | "queue.failed" | "queue.dropped" | "queue.landed">): readonly External[] => {
    if (!isRefName(ref)) return []
    const trigger = { types: [action], branch }
    return [
      {
        webhook: "merge_group",
        ref: branchRef(branch),
        ...(action === "checks_requested" && { workflow: { event: "merge_group", ref, trigger } as const }),
        payload: () => ({
          action,
          ...(reason !== undefined && { reason }),
          merge_group: { head_sha: trial.commit_id, head_ref: ref, base_sha: trial.base_id, base_ref: branchRef(branch) },
        }),
      },
    ]
  }
}

/** A page of a wiki. Workflows are told together of all that a transaction changed. */
function page(action: string) {
  return ({ page: name, comment: words }: EventOf<"wiki.edited" | "wiki.created" | "wiki.deleted">): readonly External[] => [
    { webhook: "wiki", workflow: { event: "gollum", title: words || name }, payload: () => ({ action, page: name, comment: words }) },
  ]
}

/** A version of a package, which may belong to no repository. */
export function externalOfPackage(event: VersionEvent) {
  const isNew = event.kind === "package.published"
  return {
    webhook: "package",
    ...(isNew && ({ workflow: { event: "registry_package", trigger: { types: ["published"] } } } as const)),
    payload: (db: Handle, services: Services, home: Owned | undefined) =>
      packagePayload(db, services, home, isNew ? "created" : "deleted", event),
  } as const
}

/** Runs of workflows: also of those that the clock or the token of a job started. */
const ofRun = (run: Run): External => ({
  webhook: "workflow_run",
  workflow: {
    event: "workflow_run",
    runId: run.id,
    trigger: { types: [runAction(run.state)], workflow: { name: run.workflow_name, file: run.workflow, branch: headBranchOf(run) } },
  },
  payload: (...to) => runPayload(...to, run),
})

/** The branch that a run is for: of a pull request its head. */
function headBranchOf({ ref, payload }: Run): string {
  const { pull_request: pull } = membersOf(payload)
  const head = isMapping(pull) ? pull["head"] : undefined
  const of = isMapping(head) ? head["ref"] : undefined
  return typeof of === "string" ? of : (branchOf(ref) ?? "")
}
