import { onOrganization } from "../../../access/policies/organizations.ts"
import { onVisibleUser } from "../../../access/policies/people.ts"
import { onRepository } from "../../../access/policies/repositories.ts"
import { onTeam } from "../../../access/policies/teams.ts"
import { type Actor, actorId, isSiteAdministrator } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { listed, type Operation, ok, operation, type Page } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { UserHeatmapData } from "../../people/users/records.ts"
import { type FeedQuery, readFeed } from "./feed-store.ts"
import { contributionsOf } from "./heatmap-store.ts"
import { presentActivities } from "./present.ts"
import { Activity } from "./records.ts"

const date = Type.Optional(Type.String({ format: "date", description: "only what happened on this day (UTC), as 2026-01-31" }))

const DAY = 86_400

function dayOf(date: string | undefined): FeedQuery["day"] {
  if (date === undefined) return undefined
  const from = Date.parse(`${date}T00:00:00Z`) / 1000
  return { from, to: from + DAY }
}

interface Call {
  readonly db: Handle
  readonly services: Services
  readonly actor: Actor
  readonly page: Page
}

async function feed({ db, services, actor, page }: Call, asked: FeedQuery) {
  const { rows, total } = await readFeed(db, actor, asked, page)
  return listed(await presentActivities(db, services.site, actor, rows), total)
}

const about =
  "Newest first. Entries are shown to those who may see their repository now; of people who hide their activity, to themselves alone."

export const activityOperations: readonly Operation[] = [
  operation({
    tag: "user",
    scope: ["user"],
    id: "userListActivityFeeds",
    route: "GET /users/{username}/activities/feeds",
    summary: "List the activity of a user",
    description: `${about} Entries of private repositories stand in one’s own feed only.`,
    access: onVisibleUser,
    paged: true,
    query: { "only-performed-by": Type.Optional(Type.Boolean({ description: "only what the user did" })), date },
    answers: { 200: Type.Array(Activity) },
    refuses: ["notFound"],
    handle: (call) => {
      const own = actorId(call.actor) === call.user.id
      return feed(call, {
        feed: { of: "account", receiverId: call.user.id, performedOnly: call.query["only-performed-by"] === true },
        withPrivate: own || isSiteAdministrator(call.actor),
        ofAnybody: own,
        day: dayOf(call.query.date),
      })
    },
  }),

  operation({
    tag: "organization",
    scope: ["organization"],
    id: "orgListActivityFeeds",
    route: "GET /orgs/{org}/activities/feeds",
    summary: "List the activity of an organization",
    description: `${about} Entries of private repositories are shown to members.`,
    access: onOrganization,
    paged: true,
    query: { date },
    answers: { 200: Type.Array(Activity) },
    refuses: ["notFound"],
    handle: (call) =>
      feed(call, {
        feed: { of: "account", receiverId: call.organization.id, performedOnly: false },
        withPrivate: call.role.isMember || isSiteAdministrator(call.actor),
        ofAnybody: false,
        day: dayOf(call.query.date),
      }),
  }),

  operation({
    tag: "repository",
    scope: ["repository"],
    id: "repoListActivityFeeds",
    route: "GET /repos/{owner}/{repo}/activities/feeds",
    summary: "List the activity of a repository",
    description: about,
    access: onRepository,
    paged: true,
    query: { date },
    answers: { 200: Type.Array(Activity) },
    refuses: ["notFound"],
    handle: (call) =>
      feed(call, {
        feed: { of: "repository", repositoryId: call.repository.id },
        withPrivate: true,
        ofAnybody: false,
        day: dayOf(call.query.date),
      }),
  }),

  operation({
    tag: "organization",
    scope: ["organization"],
    id: "orgListTeamActivityFeeds",
    route: "GET /teams/{id}/activities/feeds",
    summary: "List the activity of a team's repositories",
    description: about,
    access: onTeam,
    paged: true,
    query: { date },
    answers: { 200: Type.Array(Activity) },
    refuses: ["notFound"],
    handle: (call) =>
      feed(call, {
        feed: { of: "team", teamId: call.team.id, organizationId: call.organization.id },
        withPrivate: true,
        ofAnybody: false,
        day: dayOf(call.query.date),
      }),
  }),
  operation({
    tag: "user",
    scope: ["user"],
    id: "userGetHeatmapData",
    route: "GET /users/{username}/heatmap",
    changesWithTime: true,
    summary: "Get a user's contribution heatmap: the last year by quarters of an hour",
    description: "Only what happened in repositories that the caller may know of; nothing where the user hides its activity.",
    access: onVisibleUser,
    answers: { 200: Type.Array(UserHeatmapData) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, user }) => {
      return ok([...(await contributionsOf(db, actor, user, services.now()))])
    },
  }),
]
