import { findIssueById, findRepositoryById, findUserById } from "../../../access/store.ts"
import type { EventOf } from "../../../core/events/event.ts"
import type { Delivery, Listener } from "../../../core/events/events.ts"
import { closePullsFrom, renameBranchInPulls } from "./branches.ts"
import { followPullTitle } from "./ready.ts"
import { removePullRefs } from "./refs.ts"
import { renameTopics } from "./store.ts"
import { topicsOf } from "./topics.ts"

/** Updates pull requests when their branches, repository or title change. */
export const pulls: Listener = {
  name: "pull requests",
  async hear(delivery) {
    const { tx, services, events } = delivery
    for (const event of events) {
      switch (event.kind) {
        case "branch.renamed":
          await renameBranchInPulls(tx, event.repository.id, event.from, event.to)
          break
        case "repository.deleted":
          await closePullsFrom(tx, services, { repository: event.repository, actor: event.actor, now: event.at })
          break
        case "user.renamed":
          if (event.from.toLowerCase() !== event.user.lower_name)
            await renameTopics(tx, { authorId: event.user.id, from: topicsOf(event.from), to: topicsOf(event.user.name) })
          break
        case "issue.deleted":
          if (event.issue.is_pull === 1)
            await services.jobs.enqueue(tx, removePullRefs, { repositoryId: event.issue.repository_id, number: event.issue.number })
          break
        case "issue.edited":
          if (event.issue.is_pull === 1 && event.changes.title) await followTitle(delivery, event, event.changes.title.from)
          break
      }
    }
  },
}

async function followTitle(
  { tx, services }: Delivery,
  { issue: { id }, actor, at }: EventOf<"issue.edited">,
  before: string,
): Promise<void> {
  const issue = await findIssueById.first(tx, { id })
  const repository = issue && (await findRepositoryById.first(tx, { id: issue.repository_id }))
  const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
  if (issue && owner) await followPullTitle(tx, services, { issue, repository, owner, before, me: actor, now: at })
}
