import { onPull, onPullAsAuthor, onPulls, onPullsSignedIn } from "../../../access/policies/pulls.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { accepted, created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { int64, knownWord, STATE_SYNONYMS } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { headNamed } from "../../code/commits/heads.ts"
import { filterUser } from "../../planning/issues/filters.ts"
import { AT, atQuery } from "../../planning/issues/records.ts"
import { findIssueById, findPinned } from "../../planning/issues/store.ts"
import { gateAt } from "../../planning/newcomers/gate.ts"
import { HeldRequest } from "../../planning/newcomers/records.ts"
import { createPull } from "./create.ts"
import { editPull } from "./edit.ts"
import { listPulls, PULL_SORTS, withPulls } from "./list-store.ts"
import { ensureMergeability, withMergeability } from "./mergeability.ts"
import { presentPull, presentPulls } from "./present.ts"
import { CreatePullRequestOption, EditPullRequestOption, PullRequest } from "./records.ts"
import { findUnmergedBetween } from "./store.ts"

const shared = { tag: "repository", scope: ["repository"] } as const
const changes = { ...shared, archived: "refused" } as const

const SORT_SYNONYMS = {
  newest: ["latest", "created"],
  recentupdate: ["updated", "recentupdated"],
  leastupdate: ["leastupdated"],
  mostcomment: ["comments", "mostcomments", "popularity"],
  leastcomment: ["leastcomments"],
} as const

const CLOSED = { open: 0, closed: 1, all: undefined } as const

export const pullOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoListPullRequests",
    route: "GET /repos/{owner}/{repo}/pulls",
    summary: "List the pull requests of a repository",
    description: "Newest first unless told otherwise. With several labels those that bear any of them.",
    access: onPulls,
    paged: true,
    query: {
      base_branch: Type.Optional(Type.String({ description: "only those to be merged into this branch" })),
      state: Type.Optional(knownWord(["open", "closed", "all"], { description: "all unless told otherwise", synonyms: STATE_SYNONYMS })),
      sort: Type.Optional(knownWord(PULL_SORTS, { description: "newest first unless told otherwise", synonyms: SORT_SYNONYMS })),
      milestone: Type.Optional(int64({ description: "id of a milestone" })),
      labels: Type.Optional(Type.Array(int64({ description: "id of a label" }))),
      poster: Type.Optional(Type.String({ description: "name of the author" })),
    },
    answers: { 200: Type.Array(PullRequest) },
    refuses: ["badRequest", "forbidden", "invalid"],
    handle: async ({ services, db, actor, query, page, ...found }) => {
      const { state = "all", sort = "newest", base_branch, milestone = 0, labels = [], poster } = query
      const author = poster ? await filterUser(db, actor, poster) : undefined
      if (poster && !author) throw refuse.badRequest(t`there is no user ${poster}`)
      const { pulls, total } = await listPulls(
        db,
        found.repository,
        {
          isClosed: CLOSED[state],
          sort,
          ...(base_branch && { base: base_branch }),
          ...(milestone > 0 && { milestoneId: milestone }),
          ...(labels.length > 0 && { labelIds: labels }),
          ...(author && { authorId: author.id }),
        },
        page,
      )
      const known = await withMergeability(services, pulls)
      return listed(await presentPulls(db, services, actor, known, { owned: [found] }), total)
    },
  }),

  operation({
    ...changes,
    id: "repoCreatePullRequest",
    route: "POST /repos/{owner}/{repo}/pulls",
    summary: "Create a pull request",
    description:
      "From a branch of the repository, or of a fork (owner:branch, owner/repository:branch). For those who belong to the repository, and for " +
      "people with write access to the head. Labels, milestone and assignees count only from those who may write to pull requests; from " +
      "others they are passed over. Reviewers may be asked by everyone who may create it. All or nothing. Where newcomers are held, theirs is answered with " +
      "202, and created when it is approved.",
    access: onPullsSignedIn,
    body: CreatePullRequestOption,
    answers: { 201: PullRequest, 202: HeldRequest },
    refuses: ["badRequest", "forbidden", "conflict", "invalid", "tooMany"],
    handle: async ({ services, db, body, ...found }) => {
      const gate = gateAt(services.config, found) && (await import("./newcomers.ts"))
      const held = await gate?.holdPull(services, db, found, body)
      if (held) return accepted(held)
      const made = await createPull(services, found, body, async (tx) => gate?.requireFewOpened(tx, services, found))
      return created(await presentPull(db, services, found.actor, made))
    },
  }),

  operation({
    ...shared,
    id: "repoListPinnedPullRequests",
    route: "GET /repos/{owner}/{repo}/pulls/pinned",
    summary: "List the pinned pull requests of a repository",
    access: onPulls,
    answers: { 200: Type.Array(PullRequest) },
    refuses: ["forbidden"],
    handle: async ({ services, db, actor, ...found }) => {
      const pinned = await withPulls(db, await findPinned(db, { repositoryId: found.repository.id, isPull: 1 }))
      const known = await withMergeability(services, pinned)
      return ok(await presentPulls(db, services, actor, known, { owned: [found] }))
    },
  }),

  operation({
    ...shared,
    id: "repoGetPullRequestByBaseHead",
    route: "GET /repos/{owner}/{repo}/pulls/{base}/{head}",
    summary: "Get the pull request from one branch to another",
    description: "The newest that is not merged. The head is named as where one is created.",
    access: onPulls,
    answers: { 200: PullRequest },
    refuses: ["forbidden"],
    handle: async ({ services, db, actor, path, ...found }) => {
      const head = await headNamed(db, actor, found, path.head)
      const between = head && { repositoryId: found.repository.id, headRepositoryId: head.repositoryId, headBranch: head.branch }
      const pull = between && (await findUnmergedBetween.first(db, { ...between, baseBranch: path.base }))
      const issue = pull && (await findIssueById.first(db, { id: pull.issue_id }))
      if (!pull || !issue) throw refuse.notFound()
      return ok(await presentPull(db, services, actor, { issue, pull: await ensureMergeability(services, pull) }, found))
    },
  }),

  operation({
    ...shared,
    id: "repoGetPullRequest",
    route: "GET /repos/{owner}/{repo}/pulls/{index}",
    summary: "Get a pull request",
    description: `${AT} Its commits and whether it can be merged are those of now.`,
    access: onPull,
    query: atQuery,
    answers: { 200: PullRequest },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, db, actor, issue, pull, query: { at }, ...found }) => {
      const now = await presentPull(db, services, actor, { issue, pull: await ensureMergeability(services, pull) }, found)
      return ok(at === undefined ? now : await (await import("./as-of.ts")).pullAt(services, db, actor, { ...found, issue }, now, at))
    },
  }),

  operation({
    ...changes,
    id: "repoEditPullRequest",
    route: "PATCH /repos/{owner}/{repo}/pulls/{index}",
    summary: "Edit a pull request",
    description:
      "All or nothing. With content_version the edit is refused where the body has been written since. Labels, assignees and " +
      "milestone count only from those who may write to pull requests; from the author they are passed over.",
    access: onPullAsAuthor,
    body: EditPullRequestOption,
    answers: { 201: PullRequest },
    refuses: ["badRequest", "forbidden", "conflict", "preconditionFailed", "invalid"],
    handle: async ({ services, db, body, ...found }) => {
      const { issue, pull } = await editPull(services, found, body)
      return created(await presentPull(db, services, found.actor, { issue, pull: await ensureMergeability(services, pull) }))
    },
  }),

  operation({
    ...shared,
    id: "repoPullRequestIsMerged",
    route: "GET /repos/{owner}/{repo}/pulls/{index}/merge",
    summary: "Check whether a pull request is merged",
    access: onPull,
    answers: { 204: null },
    refuses: ["forbidden"],
    handle: ({ pull }) => {
      if (pull.is_merged === 0) throw refuse.notFound()
      return noContent()
    },
  }),
]
