import { Mode } from "../../../access/modes.ts"
import { type Owned, readersAmong } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { knownAmong } from "../../../access/policies/people.ts"
import { choosesReviewers } from "../../../access/policies/reviews.ts"
import { findMembership, findPullByIssue, findTeamMember } from "../../../access/store.ts"
import { type Team, teamVisible } from "../../../access/visibility.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { findProtection, officialReviewers } from "../../code/protections/rules.ts"
import { blockersAmong, requireUnblocked } from "../../people/blocks/rules.ts"
import { findMemberIds } from "../../people/organizations/members-store.ts"
import { findTeamRepository, findUnits } from "../../people/teams/store.ts"
import { lockIssue } from "../../planning/issues/lock.ts"
import { touchIssue } from "../../planning/issues/touch-store.ts"
import { restoreOfficial } from "./official.ts"
import type { CodeOwners } from "./owners.ts"
import { findPeopleByAddress, findPeopleByName, findTeamsNamed } from "./people-store.ts"
import { clearOfficial, deleteReviews, findRequests, findReviewsBy, insertReview, type Review } from "./store.ts"

/** A pull request and the user who asks for reviews of it. */
interface RequestContext extends Owned {
  readonly issue: Issue
  readonly actor: User
  readonly now: Seconds
}

/** Names of people, or their e-mail addresses, and names of teams of the owning organisation; other owners have no teams. */
interface ReviewerNames {
  readonly reviewers: readonly string[]
  readonly teams: readonly string[]
}

/**
 * Asks people and teams for a review, notifies them, and gives the new requests; all or none. Those who were asked already are skipped.
 * Refuses `notFound` names that are unknown to the actor; as invalid an actor who may not ask, the pull request's own author, organisations, and
 * users who can't read pull requests here; `forbidden` users who have approved or rejected what is closed by now, or have blocked the actor.
 */
export async function requestReviewers(tx: Transaction, context: RequestContext & ReviewerNames): Promise<readonly Review[]> {
  const people = await peopleNamed(tx, context, context.reviewers)
  const teams = await teamsNamed(tx, context, context.teams)
  if (people.length + teams.length === 0) return []
  await requireReviewers(tx, context, people)
  for (const team of teams)
    if (!(await readsPulls(tx, context, team))) throw refuse.invalid("team_reviewers", t`${team.name} can't read the pull requests`)
  if (!(await choosesReviewers(tx, context, context.actor, context.issue)))
    throw refuse.invalid("reviewers", "Doer can't choose reviewer: only the author and those who belong to the repository can")
  await requireUnblocked(tx, context.actor, people)
  for (const person of people)
    if ((await blockersAmong(tx, person, [context.owner.id])).size > 0)
      throw refuse.invalid("reviewers", t`${person.name} is blocked by the owner of the repository`)
  return request(tx, context, people, teams)
}

/** Refuses users who can't be asked. */
async function requireReviewers(tx: Transaction, context: RequestContext, people: readonly User[]): Promise<void> {
  const readers = new Set((await readersAmong(tx, context, "repo.pulls", people)).map(({ id }) => id))
  for (const { id, kind, name } of people) {
    if (kind === "organization") throw refuse.invalid("reviewers", t`${name} is an organization`)
    if (!readers.has(id)) throw refuse.invalid("reviewers", t`${name} can't read the pull requests`)
    if (id === context.issue.author_id) throw refuse.invalid("reviewers", t`${name} is the author of the pull request`)
  }
}

/**
 * Asks the owners of the changed files who can be asked: not the author, nor users who can't read the pull request, have blocked the author, or were
 * asked already.
 */
export async function requestCodeOwners(
  tx: Transaction,
  context: RequestContext & { readonly owners: CodeOwners },
): Promise<readonly Review[]> {
  const { owners, owner, issue, actor } = context
  const named = owners.people.length === 0 ? [] : await findPeopleByName(tx, { names: owners.people })
  const asked = named.filter(({ id, kind }) => kind === "person" && id !== issue.author_id && id !== actor.id)
  const readers = await readersAmong(tx, context, "repo.pulls", asked)
  const blockers = await blockersAmong(
    tx,
    actor,
    readers.map(({ id }) => id),
  )
  const people = readers.filter(({ id }) => !blockers.has(id))
  const own = owners.teams.filter(({ organization }) => owner.kind === "organization" && organization === owner.lower_name)
  const found = own.length === 0 ? [] : await findTeamsNamed(tx, { organizationId: owner.id, names: own.map(({ team }) => team) })
  const teams: Team[] = []
  for (const team of found) if (await readsPulls(tx, context, team)) teams.push(team)
  return people.length + teams.length === 0 ? [] : request(tx, context, people, teams)
}

/** Writes requests to those who can be asked. */
async function request(
  tx: Transaction,
  context: RequestContext,
  people: readonly User[],
  teams: readonly Team[],
): Promise<readonly Review[]> {
  const { repository, owner, actor, now } = context
  const issue = await lockIssue(tx, context.issue)
  const pull = await findPullByIssue.first(tx, { issueId: issue.id })
  if (!pull) throw refuse.notFound()
  const open = await findRequests(tx, { issueIds: [issue.id] })
  const protection = people.length === 0 ? undefined : await findProtection(tx, repository.id, pull.base_branch)
  const official = await officialReviewers(tx, protection, context, people)
  const row = { issueId: issue.id, state: "REQUEST_REVIEW", commitId: "", patchId: "", isStale: 0, now } as const
  const made: Review[] = []
  const told = new Set<number>()

  for (const user of people) {
    if (open.some(({ reviewer_id }) => reviewer_id === user.id)) continue
    const earlier = await findReviewsBy(tx, { issueId: issue.id, reviewerId: user.id })
    if (issue.is_closed === 1 && earlier.some(({ state }) => state === "APPROVED" || state === "REQUEST_CHANGES"))
      throw refuse.forbidden(t`${user.name} has reviewed the pull request, which is closed by now`)
    const review = await insertReview.first(tx, { ...row, reviewerId: user.id, teamId: null, isOfficial: flag(official.has(user.id)) })
    if (!review) throw new TypeError("an insert gives its row")
    if (official.has(user.id)) await clearOfficial(tx, { issueId: issue.id, reviewerId: user.id, exceptId: review.id })
    made.push(review)
    told.add(user.id)
  }
  for (const team of teams) {
    if (open.some(({ reviewer_team_id }) => reviewer_team_id === team.id)) continue
    const review = await insertReview.first(tx, { ...row, reviewerId: 0, teamId: team.id, isOfficial: 0 })
    if (!review) throw new TypeError("an insert gives its row")
    made.push(review)
    for (const { user_id } of await findMemberIds(tx, { teamId: team.id })) told.add(user_id)
  }
  if (made.length === 0) return []
  told.delete(issue.author_id)
  await touchIssue(tx, issue, now)
  publish(tx, {
    kind: "review.requested",
    issue,
    repository,
    owner,
    actor,
    requests: made,
    told: [...told].map((id) => ({ id })),
    at: now,
  })
  return made
}

/**
 * Removes requests; those who were not asked are skipped. Refuses `notFound` names that are unknown to the actor, and as invalid an actor who may not
 * choose reviewers, except for a request to the actor.
 */
export async function removeRequests(tx: Transaction, context: RequestContext & ReviewerNames): Promise<void> {
  const { actor, now } = context
  const people = await peopleNamed(tx, context, context.reviewers)
  const teams = await teamsNamed(tx, context, context.teams)
  const onlyOwn = teams.length === 0 && people.every(({ id }) => id === actor.id)
  if (!onlyOwn && !(await choosesReviewers(tx, context, actor, context.issue)))
    throw refuse.invalid("reviewers", "Doer can't remove reviewer: only the author and those who belong to the repository can")
  const issue = await lockIssue(tx, context.issue)
  const pull = await findPullByIssue.first(tx, { issueId: issue.id })
  if (!pull) throw refuse.notFound()
  const concerned = (review: Review): boolean =>
    people.some(({ id }) => id === review.reviewer_id) || teams.some(({ id }) => id === review.reviewer_team_id)
  const removed = (await findRequests(tx, { issueIds: [issue.id] })).filter(concerned)
  if (removed.length === 0) return
  await deleteReviews(tx, { ids: removed.map(({ id }) => id) })
  for (const review of removed) if (review.is_official === 1) await restoreOfficial(tx, context, pull, review)
  await touchIssue(tx, issue, now)
  publish(tx, { kind: "review.requestRemoved", issue, actor, requests: removed, at: now })
}

/** The accounts of these names and addresses, each once, in their order, of whom the actor may know. A hidden address finds its account only for its owner. */
async function peopleNamed(db: Handle, context: RequestContext, names: readonly string[]): Promise<readonly User[]> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))]
  const addresses = wanted.filter((name) => name.includes("@"))
  const byName =
    wanted.length === addresses.length ? [] : await findPeopleByName(db, { names: wanted.filter((name) => !name.includes("@")) })
  const byAddress = addresses.length === 0 ? [] : await findPeopleByAddress(db, { addresses })
  const { actor, owner } = context
  const someHide = byName.some(({ visibility }) => visibility !== "public")
  const actsFor = someHide && (await choosesReviewers(db, context, actor)) ? owner : undefined
  const known = new Map<string, User>((await knownAmong(db, signedInAs(actor), byName, actsFor)).map((user) => [user.lower_name, user]))
  for (const { lower_email, ...user } of byAddress) if (user.hide_email === 0 || user.id === actor.id) known.set(lower_email, user)
  const people = new Map<number, User>()
  for (const name of wanted) {
    const user = known.get(name)
    if (!user) throw refuse.notFound(t`user doesn't exist: ${name}`)
    people.set(user.id, user)
  }
  return [...people.values()]
}

/**
 * The organisation's teams of these names. A team that the actor may not see is unknown, unless it has the repository: then all its readers see it as
 * a reviewer. A user's repository has no teams; names of teams are ignored there, as clients expect.
 */
async function teamsNamed(db: Handle, { owner, repository, actor }: RequestContext, names: readonly string[]): Promise<readonly Team[]> {
  const wanted = owner.kind === "organization" ? [...new Set(names.map((name) => name.toLowerCase()))] : []
  if (wanted.length === 0) return []
  const found = new Map((await findTeamsNamed(db, { organizationId: owner.id, names: wanted })).map((team) => [team.lower_name, team]))
  const membership = await findMembership.first(db, { organizationId: owner.id, userId: actor.id })
  const standing = {
    isMember: membership !== undefined,
    isOwner: actor.is_admin === 1 || membership?.mode === Mode.owner,
    mayCreateRepositories: false,
    isWithheld: false,
  }
  const teams: Team[] = []
  for (const name of wanted) {
    const team = found.get(name)
    const isKnown =
      team &&
      ((await findTeamRepository.first(db, { teamId: team.id, repositoryId: repository.id })) !== undefined ||
        teamVisible(
          signedInAs(actor),
          team,
          owner,
          standing,
          (await findTeamMember.first(db, { teamId: team.id, userId: actor.id })) !== undefined,
        ))
    if (!team || !isKnown) throw refuse.notFound(t`team doesn't exist: ${name}`)
    teams.push(team)
  }
  return teams
}

/** Whether a team's members can read pull requests: through the team, or because the repository is readable without it. */
async function readsPulls(db: Handle, { repository, owner }: Owned, team: Team): Promise<boolean> {
  if (repository.has_pull_requests === 0) return false
  // Members of the organisation can read what is not private.
  if (repository.is_private === 0) return team.organization_id === owner.id
  if (!(await findTeamRepository.first(db, { teamId: team.id, repositoryId: repository.id }))) return false
  if (team.mode >= Mode.admin) return true
  const units = await findUnits(db, { teamIds: [team.id] })
  return units.some(({ unit, mode }) => unit === "repo.pulls" && mode >= Mode.read)
}
