import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Services } from "../../../core/services.ts"
import { isMapping } from "../../../core/yaml.ts"
import { branchRef, type RefName, tagRef } from "../../../git/index.ts"
import { createdPayload, deletedPayload } from "../../code/pushes/payload.ts"
import { releasePayload } from "../../code/releases/payload.ts"
import { forkPayload } from "../../code/repositories/payload.ts"
import { packagePayload } from "../../packages/packages/payload.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { changesOf, commentPayload, type IssueChange, issuePayload } from "../../review/pulls/payload.ts"
import { membersOf } from "../definitions/payload.ts"
import type { Trigger } from "../definitions/triggers.ts"
import { runAction, runPayload } from "../runs/payload.ts"
import type { DefaultBranchEvent } from "./listening.ts"

/** What workflows hear of domain events: under which name, with which types and with which payload. */

interface About {
  readonly repositoryId: number
  readonly actorId: number
  readonly trigger: Trigger
  /** The title of its runs; by default that of the commit. */
  readonly title?: string
  /** The run that it is about. */
  readonly runId?: number
  /** The payload without the repository and the user, read from the rows as they are now; it may only query. */
  readonly payload: (db: Handle, services: Services, home: Owned) => Promise<object> | object
}

/** An event, with the reference whose workflows listen to it: none for the default branch. */
export type Heard =
  | (About & { readonly event: DefaultBranchEvent; readonly ref?: undefined })
  | (About & { readonly event: "create" | "release"; readonly ref: RefName })

/** A change of a pull request, whose own workflows listen to it. */
export interface HeardOfPull {
  readonly issueId: number
  readonly actorId: number
  readonly events: readonly PullEvent[]
  readonly types: readonly string[]
  readonly change: IssueChange
  /** The head that it is about; "" for the current one. */
  readonly headId: string
}

export type PullEvent = "pull_request" | "pull_request_target" | "pull_request_review" | "pull_request_review_comment"

/** Whether the service did it with the token of a job, or by itself: that starts no workflows, so that none starts itself again and again. */
const isOfService = (event: DomainEvent): boolean => "actor" in event && event.actor?.id === ACTIONS_USER.id

/** What workflows of branches and tags hear of the events of a transaction; of pushes they hear by a step after the push. */
export function heardOf(events: readonly DomainEvent[]): readonly Heard[] {
  const heard = events.flatMap((event) => (event.kind !== "run.changed" && isOfService(event) ? [] : hear(event)))
  return [...heard, ...pagesOf(events.filter((event) => isOfWiki(event) && !isOfService(event)))]
}

function hear(event: DomainEvent): readonly Heard[] {
  switch (event.kind) {
    case "comment.created":
    case "comment.edited":
    case "comment.deleted":
      return [
        {
          event: "issue_comment",
          ...inIssue(event),
          trigger: { types: [event.kind.slice("comment.".length)] },
          payload: (db, services, home) => commentPayload(db, services, home, event),
        },
      ]
    case "release.published":
    case "release.edited":
    case "release.deleted":
      return hearRelease(event)
    case "repository.forked":
      return [
        {
          event: "fork",
          ...inRepository(event),
          trigger: {},
          payload: (db, { site }, home) => forkPayload(db, site, home, event.fork),
        },
      ]
    case "package.published": {
      const { repositoryId, actor } = event
      if (repositoryId === null) return []
      return [
        {
          event: "registry_package",
          repositoryId,
          actorId: actor.id,
          trigger: { types: ["published"] },
          payload: (db, services, home) => packagePayload(db, services, home, event),
        },
      ]
    }
    case "branch.renamed":
      return [
        { event: "delete", ...inRepository(event), trigger: {}, payload: () => deletedPayload(branchRef(event.from)) ?? {} },
        {
          event: "create",
          ref: branchRef(event.to),
          ...inRepository(event),
          trigger: {},
          payload: () => createdPayload(branchRef(event.to), event.tip) ?? {},
        },
      ]
    case "run.changed":
      return event.isRunChanged ? [hearRun(event)] : []
    default:
      return hearIssue(event)
  }
}

const inRepository = ({ repository, actor }: { readonly repository: { readonly id: number }; readonly actor: Pick<User, "id"> }) => ({
  repositoryId: repository.id,
  actorId: actor.id,
})

const inIssue = ({ issue, actor }: { readonly issue: { readonly repository_id: number }; readonly actor: Pick<User, "id"> }) => ({
  repositoryId: issue.repository_id,
  actorId: actor.id,
})

/** Issues; their deletion is nothing that workflows know. */
const hearIssue = (event: DomainEvent): readonly Heard[] =>
  changesOf(event).flatMap((change): readonly Heard[] => {
    if (
      !("issue" in event && "is_pull" in event.issue) ||
      event.issue.is_pull === 1 ||
      event.kind === "issue.deleted" ||
      event.kind === "issue.leaving"
    )
      return []
    const { id } = event.issue
    return [
      {
        event: "issues",
        ...inIssue(event),
        trigger: { types: typesOf(change) },
        payload: (db, services, home) => issuePayload(db, services, home, id, change),
      },
    ]
  })

/** The types of a change of an issue or a pull request, as workflows name them. */
function typesOf({ about, action, labels }: IssueChange): readonly string[] {
  if (about === "commits") return ["synchronize"]
  if (!labels) return [action]
  return [...(labels.added.length > 0 ? ["labeled"] : []), ...(labels.removed.length > 0 ? ["unlabeled"] : [])]
}

const RELEASE_TYPES = { "release.published": "published", "release.edited": "edited", "release.deleted": "deleted" } as const

/** Releases, by the workflows of their tags; drafts are nobody's business. */
function hearRelease(event: EventOf<keyof typeof RELEASE_TYPES>): readonly Heard[] {
  const { kind, release, actor } = event
  if (release.is_draft === 1) return []
  return [
    {
      event: "release",
      ref: tagRef(release.tag_name),
      repositoryId: release.repository_id,
      actorId: actor.id,
      trigger: { types: [RELEASE_TYPES[kind]] },
      payload: (db, services, home) => releasePayload(db, services, home, event),
    },
  ]
}

/** Runs of other workflows: also of those that the clock or the token of a job started. */
function hearRun({ run, actor }: EventOf<"run.changed">): Heard {
  return {
    event: "workflow_run",
    repositoryId: run.repository_id,
    actorId: actor.id,
    runId: run.id,
    trigger: { types: [runAction(run.state)], workflow: { name: run.workflow_name, file: run.workflow, branch: headBranchOf(run) } },
    payload: (db, services, home) => runPayload(db, services, home, run),
  }
}

/** The branch that a run is for: of a pull request its head. */
function headBranchOf({ ref, payload }: EventOf<"run.changed">["run"]): string {
  const { pull_request: pull } = membersOf(payload)
  const head = isMapping(pull) ? pull["head"] : undefined
  const of = isMapping(head) ? head["ref"] : undefined
  if (typeof of === "string") return of
  return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : ""
}

// --- wikis ---------------------------------------------------------------------------------------------------------------------------

const WIKI_ACTIONS = { "wiki.created": "created", "wiki.edited": "edited", "wiki.deleted": "deleted" } as const
type WikiEvent = EventOf<keyof typeof WIKI_ACTIONS>

const isOfWiki = (event: DomainEvent): event is WikiEvent => event.kind in WIKI_ACTIONS

/** The changed pages of a wiki: a transaction changes those of one, and they are told of together. */
function pagesOf(events: readonly DomainEvent[]): readonly Heard[] {
  const changes = events.filter(isOfWiki)
  const pages = changes.map(({ kind, page, comment }) => ({ action: WIKI_ACTIONS[kind], page, comment }))
  const [change] = changes
  const [first] = pages
  if (!change || !first) return []
  const title = first.comment || first.page
  return [{ event: "gollum", ...inRepository(change), trigger: {}, title, payload: () => ({ ...first, pages }) }]
}

// --- pull requests -------------------------------------------------------------------------------------------------------------------

const PULL = ["pull_request", "pull_request_target"] as const

/** What the workflows of pull requests hear of an event. */
export function heardOfPull(event: DomainEvent): readonly HeardOfPull[] {
  if (isOfService(event)) return []
  if (event.kind === "pull.mergeScheduled") return [ofPull(event, "auto_merge_enabled")]
  if (event.kind === "pull.mergeCancelled") return [ofPull(event, "auto_merge_disabled")]
  if (!("issue" in event && "is_pull" in event.issue) || event.issue.is_pull === 0 || event.kind === "issue.deleted") return []
  const { issue, actor } = event
  if (event.kind === "pull.ready") return [ofPull(event, "ready_for_review")]
  const changes = changesOf(event).map((change) => ({
    issueId: issue.id,
    actorId: actor.id,
    ...namesOf(change),
    change,
    headId: event.kind === "pull.pushed" ? event.after : "",
  }))
  return event.kind === "issue.edited" && becomesDraft(event) ? [...changes, ofPull(event, "converted_to_draft")] : changes
}

/** A change that only workflows hear of. */
const ofPull = (
  { issue, actor }: { readonly issue: { readonly id: number }; readonly actor: Pick<User, "id"> },
  action: string,
): HeardOfPull => ({ issueId: issue.id, actorId: actor.id, events: PULL, types: [action], change: { about: "state", action }, headId: "" })

/** Every review counts as submitted and as edited. */
function namesOf(change: IssueChange): Pick<HeardOfPull, "events" | "types"> {
  if (!change.review) return { events: PULL, types: typesOf(change) }
  return change.review.type === "pull_request_review_comment"
    ? { events: ["pull_request_review_comment"], types: ["created", "edited"] }
    : { events: ["pull_request_review"], types: ["submitted", "edited"] }
}

const becomesDraft = ({ changes: { title } }: EventOf<"issue.edited">): boolean =>
  title !== undefined && isUnfinished(title.to) && !isUnfinished(title.from)
