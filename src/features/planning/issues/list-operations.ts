import { onIssues, readableKinds } from "../../../access/policies/issues.ts"
import { roleIn } from "../../../access/policies/organization-role.ts"
import { userVisible } from "../../../access/policies/people.ts"
import { anyone } from "../../../access/policies/site.ts"
import { findTeamMember } from "../../../access/store.ts"
import { teamVisible } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { listed, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { filterUser, milestonesNamed, namesIn, requireFilterUser, sharedConditions, sharedFilters, wantedKinds } from "./filters.ts"
import {
  assignedTo,
  awaitingReviewBy,
  type Condition,
  createdBy,
  inMilestones,
  inMilestonesTitled,
  labelledAny,
  labelledIn,
  listIssues,
  listOpen,
  mentioning,
  ofKind,
  ofOwner,
  ofTeam,
  reviewedBy,
  searchIssues,
} from "./list-store.ts"
import { findTeamNamed } from "./people-store.ts"
import { presentIssues } from "./present.ts"
import { Issue } from "./records.ts"

const shared = { tag: "issue", scope: ["issue"] } as const

const name = (description: string) => Type.Optional(Type.String({ description }))
const flag = (description: string) => Type.Optional(Type.Boolean({ description, default: false }))

export const issueListOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueListIssues",
    route: "GET /repos/{owner}/{repo}/issues",
    summary: "List the issues and pull requests of a repository",
    description:
      "Newest first, of the kinds that the caller may read. With several labels those that bear them all, with several milestones those in any.",
    access: onIssues,
    paged: true,
    query: {
      ...sharedFilters,
      created_by: name("name of the author"),
      assigned_by: name("name of an assignee"),
      mentioned_by: name("name of someone who is mentioned"),
    },
    answers: { 200: Type.Array(Issue) },
    refuses: ["invalid"],
    handle: async ({ services, db, actor, query, page, ...found }) => {
      const { repository } = found
      const readable = readableKinds(found)
      const kinds = wantedKinds(query.type, readable)
      if (!kinds.issues && !kinds.pulls) throw refuse.notFound()
      const conditions = [
        ...sharedConditions(query, repository.id),
        ...namesIn("labels", query.labels).map((label) => labelledIn(repository, label)),
      ]
      if (query.created_by) conditions.push(createdBy((await requireFilterUser(db, actor, query.created_by)).id))
      if (query.assigned_by) conditions.push(assignedTo((await requireFilterUser(db, actor, query.assigned_by)).id))
      if (query.mentioned_by) conditions.push(mentioning((await requireFilterUser(db, actor, query.mentioned_by)).id))
      const milestones = namesIn("milestones", query.milestones)
      if (milestones.length > 0) conditions.push(inMilestones(await milestonesNamed(db, repository.id, milestones)))
      // The only condition is then that of the state.
      const isOpen = query.state !== "closed" && query.state !== "all"
      const plain = isOpen && conditions.length === 1 && kinds.issues && kinds.pulls
      const { rows, total } = plain ? await listOpen(db, repository, page) : await listIssues(db, repository.id, kinds, conditions, page)
      return listed(await presentIssues(db, services.site, actor, rows, { owned: [found] }), total)
    },
  }),

  operation({
    ...shared,
    id: "issueSearchIssues",
    route: "GET /repos/issues/search",
    summary: "Search for issues and pull requests",
    description:
      "Newest first, in all repositories whose issues the caller may read. With several labels those that bear any of them. What is about " +
      "the caller counts only for those who have signed in.",
    access: anyone,
    paged: true,
    query: {
      ...sharedFilters,
      assigned: flag("only those that the caller is to do"),
      created: flag("only those that the caller has made"),
      mentioned: flag("only those that mention the caller"),
      review_requested: flag("only those that wait for a review by the caller"),
      reviewed: flag("only those that the caller has reviewed"),
      owner: name("name of the owner of the repositories"),
      team: name("name of a team of the owner that has the repositories"),
      created_by: name("name of the author"),
    },
    answers: { 200: Type.Array(Issue) },
    refuses: ["badRequest", "notFound", "invalid"],
    handle: async ({ services, db, actor, query, page }) => {
      const conditions = [...sharedConditions(query), ...(await placeConditions(db, actor, query.owner, query.team))]
      const kinds = wantedKinds(query.type, { issues: true, pulls: true })
      if (!kinds.pulls || !kinds.issues) conditions.push(ofKind(kinds.pulls ? 1 : 0))
      const labels = namesIn("labels", query.labels)
      if (labels.length > 0) conditions.push(labelledAny(labels))
      const milestones = namesIn("milestones", query.milestones)
      if (milestones.length > 0) conditions.push(inMilestonesTitled(milestones))
      if (query.created_by) conditions.push(createdBy((await requireFilterUser(db, actor, query.created_by)).id))
      if (actor.kind === "user") {
        if (query.assigned) conditions.push(assignedTo(actor.user.id))
        if (query.created) conditions.push(createdBy(actor.user.id))
        if (query.mentioned) conditions.push(mentioning(actor.user.id))
        if (query.review_requested) conditions.push(awaitingReviewBy(actor.user.id))
        if (query.reviewed) conditions.push(reviewedBy(actor.user.id))
      }
      const { rows, total } = await searchIssues(db, actor, conditions, page)
      return listed(await presentIssues(db, services.site, actor, rows), total)
    },
  }),
]

/** Conditions for the owner or team whose repositories are searched. Refuses `badRequest` an owner or a team that the caller may not see. */
async function placeConditions(
  db: Handle,
  actor: Actor,
  owner: string | undefined,
  team: string | undefined,
): Promise<readonly Condition[]> {
  if (!owner) {
    if (team) throw refuse.badRequest("owner organisation is required for filtering on team")
    return []
  }
  const user = await filterUser(db, actor, owner)
  if (!user || !(await userVisible(db, actor, user))) throw refuse.badRequest(t`there is no owner called ${owner}`)
  return team ? [ofOwner(user.id), ofTeam(await teamNamed(db, actor, user, team))] : [ofOwner(user.id)]
}

async function teamNamed(db: Handle, actor: Actor, organization: User, name: string): Promise<number> {
  const team = await findTeamNamed.first(db, { organizationId: organization.id, lowerName: name.toLowerCase() })
  const missing = refuse.badRequest(t`there is no team called ${name}`)
  if (!team || actor.kind === "anonymous") throw missing
  const isTeamMember = (await findTeamMember.first(db, { teamId: team.id, userId: actor.user.id })) !== undefined
  if (!teamVisible(actor, team, organization, await roleIn(db, actor, organization), isTeamMember)) throw missing
  return team.id
}
