import { Mode } from "../../../access/modes.ts"
import type { Owned } from "../../../access/permission.ts"
import { type OnIssue, readableKinds } from "../../../access/policies/issues.ts"
import { findKnown } from "../../../access/policies/people.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { signedIn } from "../../../access/policies/site.ts"
import {
  managesTimes,
  onIssueAsTracker,
  onIssueTimes,
  onRepositoryTimes,
  onRepositoryTimesOfPerson,
} from "../../../access/policies/tracking.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { secondsOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { type KnownSubjects, presentTimes } from "./present.ts"
import { AddTimeOption, TrackedTime, timesQuery } from "./records.ts"
import { addTime, deleteTime, resetTimes } from "./rules.ts"
import { stopwatchOperations } from "./stopwatch-operations.ts"
import { findAllTimes, findTimes, ofIssue, ofReadable, ofRepository, type TimesFilter } from "./store.ts"

const ofIssues = { tag: "issue", scope: ["issue"] } as const
const ofRepositories = { tag: "repository", scope: ["repository"] } as const

const managed = {
  ...timesQuery,
  user: Type.Optional(Type.String({ description: "only what this person spent; others than oneself for those who manage the issues" })),
}

interface Period {
  readonly since?: string
  readonly before?: string
}

const period = ({ since, before }: Period): TimesFilter => ({ since: secondsOf(since), before: secondsOf(before) })

/**
 * The filter of a list of times: those of all users, or of the given one. Users who don't manage the issues see only their own. Refuses
 * `forbidden` to them the times of another user, and `notFound` an unknown user.
 */
async function filterOf(db: Handle, found: OnRepository & Me, query: Period & { readonly user?: string }): Promise<TimesFilter> {
  const name = query.user?.trim() ?? ""
  const manages = managesTimes(found)
  if (name === "") return { ...period(query), userId: manages ? undefined : found.me.id }
  const user = await namedUser(db, found, name, "user")
  if (!manages && user.id !== found.me.id) throw refuse.forbidden("query by user not allowed; not enough rights")
  return { ...period(query), userId: user.id }
}

async function namedUser(db: Handle, found: OnRepository & Me, name: string, field: string): Promise<User> {
  const user = await findKnown(db, found.actor, name, managesTimes(found) ? found.owner : undefined)
  if (!user) throw refuse.notFound(t`${field}: there is no user ${name}`)
  return user
}

/** The user who spent the time: the caller, or the one named in the body. Only administrators of the repository may record time for others. */
async function userOfTime(db: Handle, found: OnRepository & Me, name = ""): Promise<User> {
  const { me, permission } = found
  if (name === "" || name.toLowerCase() === me.lower_name) return me
  if (permission.mode < Mode.admin) throw refuse.forbidden("user_name: only administrators of the repo may track time for others")
  const user = await namedUser(db, found, name, "user_name")
  if (user.kind !== "person") throw refuse.invalid("user_name", t`${user.name} is an organization`)
  return user
}

const inRepository = ({ owner, repository }: Owned): KnownSubjects => ({ owned: [{ owner, repository }] })
const onIssue = (found: OnIssue): KnownSubjects => ({ ...inRepository(found), issues: [found.issue] })

export const trackingOperations: readonly Operation[] = [
  operation({
    ...ofIssues,
    id: "issueTrackedTimes",
    route: "GET /repos/{owner}/{repo}/issues/{index}/times",
    summary: "List the tracked times of an issue",
    description: "Everybody's for those who manage the issues of the repository, the own for others.",
    access: onIssueTimes,
    query: managed,
    paged: true,
    answers: { 200: Type.Array(TrackedTime) },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, query, page, ...found }) => {
      const { rows, total } = await findTimes(db, ofIssue(found.issue.id), await filterOf(db, found, query), page)
      return listed(await presentTimes(db, services.site, found.actor, rows, onIssue(found)), total)
    },
  }),

  operation({
    ...ofIssues,
    id: "issueAddTime",
    route: "POST /repos/{owner}/{repo}/issues/{index}/times",
    summary: "Add tracked time to an issue",
    description: "For oneself; administrators of the repository may book for others.",
    access: onIssueAsTracker,
    archived: "refused",
    body: AddTimeOption,
    answers: { 200: TrackedTime },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ db, services, body, ...found }) => {
      const user = await userOfTime(db, found, body.user_name)
      const now = services.now()
      const spentAt = secondsOf(body.created) ?? now
      const time = await services.database.write((tx) => addTime(tx, { issue: found.issue, user, seconds: body.time, spentAt, now }))
      const [record] = await presentTimes(db, services.site, found.actor, [{ ...time, user_name: user.name }], inRepository(found))
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...ofIssues,
    id: "issueResetTime",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/times",
    summary: "Delete all times that the caller tracked on an issue",
    description: "The timeline keeps what was booked.",
    access: onIssueAsTracker,
    archived: "refused",
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, issue, me }) => {
      await services.database.write((tx) => resetTimes(tx, issue, me, services.now()))
      return noContent()
    },
  }),

  operation({
    ...ofIssues,
    id: "issueDeleteTime",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/times/{id}",
    summary: "Delete a tracked time",
    description: "One's own; site administrators may delete any. The timeline keeps what was booked.",
    access: onIssueAsTracker,
    archived: "refused",
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, issue, me, path }) => {
      await services.database.write((tx) => deleteTime(tx, issue, path.id, me, services.now()))
      return noContent()
    },
  }),

  operation({
    ...ofRepositories,
    id: "repoTrackedTimes",
    route: "GET /repos/{owner}/{repo}/times",
    summary: "List the tracked times of a repository",
    description: "Everybody's for those who manage the issues of the repository, the own for others.",
    access: onRepositoryTimes,
    query: managed,
    paged: true,
    answers: { 200: Type.Array(TrackedTime) },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ db, services, query, page, ...found }) => {
      const where = ofRepository(found.repository.id, readableKinds(found).pulls)
      const { rows, total } = await findTimes(db, where, await filterOf(db, found, query), page)
      return listed(await presentTimes(db, services.site, found.actor, rows, inRepository(found)), total)
    },
  }),

  operation({
    ...ofRepositories,
    id: "userTrackedTimes",
    route: "GET /repos/{owner}/{repo}/times/{user}",
    summary: "List the times that a user tracked in a repository",
    description: "All of them at once. The list of the repository's times takes the person as a filter, and comes in pages.",
    deprecated: true,
    access: onRepositoryTimesOfPerson,
    answers: { 200: Type.Array(TrackedTime) },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ db, services, actor, user, ...found }) => {
      const rows = await findAllTimes(db, ofRepository(found.repository.id, readableKinds(found).pulls), { userId: user.id })
      return ok(await presentTimes(db, services.site, actor, rows, inRepository(found)))
    },
  }),

  operation({
    tag: "user",
    scope: ["user"],
    id: "userCurrentTrackedTimes",
    route: "GET /user/times",
    summary: "List the times that the caller tracked",
    description: "On all issues that the caller can still read.",
    access: signedIn,
    publicOnly: "refused",
    query: timesQuery,
    paged: true,
    answers: { 200: Type.Array(TrackedTime) },
    refuses: ["invalid"],
    handle: async ({ db, services, actor, me, query, page }) => {
      const { rows, total } = await findTimes(db, ofReadable(actor), { ...period(query), userId: me.id }, page)
      return listed(await presentTimes(db, services.site, actor, rows), total)
    },
  }),

  ...stopwatchOperations,
]
