import { onIssue, onIssueSignedIn, onIssueSubscription } from "../../../access/policies/issues.ts"
import { listed, type Operation, ok, operation } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { WatchInfo } from "../../code/repositories/records.ts"
import { repositoryApiUrl } from "../../code/repositories/urls.ts"
import { presentUser } from "../../people/users/present.ts"
import { User } from "../../people/users/records.ts"
import { isSubscribed, setSubscribed } from "./rules.ts"
import { findSubscribers } from "./store.ts"

const shared = { tag: "issue", scope: ["issue"] } as const
/** 201 for a change, 200 where nothing changes. */
const answers = { 200: null, 201: null } as const
const answer = (changed: boolean) => ({ status: changed ? 201 : 200, body: undefined }) as const

export const issueSubscriptionOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueSubscriptions",
    route: "GET /repos/{owner}/{repo}/issues/{index}/subscriptions",
    summary: "List the subscribers of an issue",
    description:
      "By name, of those whom the caller may know of: who asked for it, author, assignees, commenters, requested reviewers, and watchers of the " +
      "repository; without those who have declined.",
    access: onIssue,
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, issue, page }) => {
      const { rows, total } = await findSubscribers(db, actor, issue, page)
      return listed(
        rows.map((user) => presentUser(services.site, user, actor)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "issueCheckSubscription",
    route: "GET /repos/{owner}/{repo}/issues/{index}/subscriptions/check",
    summary: "Check whether the caller is subscribed to an issue",
    access: onIssueSignedIn,
    answers: { 200: WatchInfo },
    refuses: ["notFound"],
    handle: async ({ db, services, me, owner, repository, issue }) => {
      const subscribed = await isSubscribed(db, issue, me)
      const url = repositoryApiUrl(services.site, owner.name, repository.name)
      return ok({
        subscribed,
        ignored: !subscribed,
        reason: null,
        created_at: rfc3339(issue.created_at),
        url: `${url}/issues/${issue.number}/subscriptions`,
        repository_url: url,
      })
    },
  }),

  operation({
    ...shared,
    id: "issueAddSubscription",
    route: "PUT /repos/{owner}/{repo}/issues/{index}/subscriptions/{user}",
    summary: "Subscribe to an issue",
    description: "201 where that is new. Site administrators may ask for others.",
    access: onIssueSubscription,
    answers,
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, issue, user }) =>
      answer(await services.database.write((tx) => setSubscribed(tx, issue, user, me, true, services.now()))),
  }),

  operation({
    ...shared,
    id: "issueDeleteSubscription",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/subscriptions/{user}",
    summary: "Unsubscribe from an issue",
    description: "Not even as its author or as a watcher of the repository. 201 where that is new. Site administrators may ask for others.",
    access: onIssueSubscription,
    answers,
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, issue, user }) =>
      answer(await services.database.write((tx) => setSubscribed(tx, issue, user, me, false, services.now()))),
  }),
]
