import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { type Contribution, type Git, isGitError, isObjectId, type ObjectId, type Repository } from "../../../git/index.ts"
import { findPeople } from "../commits/people.ts"
import { resolveRevision } from "../commits/revision.ts"
import { backgroundOf } from "../repositories/background.ts"
import { findStored, putStored } from "./store.ts"

/** Who added how much to the default branch in which week, counted by a job after pushes and stored. A cache: rows may be removed at any time. */

/** The most commits that are counted of one history, the newest. */
const MOST_COMMITS = 50_000
/** The most people told of. */
const MOST_PEOPLE = 100
const DAY = 86_400
export const WEEK = 7 * DAY
/** Weeks begin on Sundays; 1970 began on a Thursday. */
const FIRST_WEEK = -4 * DAY

/** The beginning of a week, in Unix seconds. */
export const weekOf = (when: number): number => Math.floor((when - FIRST_WEEK) / WEEK) * WEEK + FIRST_WEEK

/** What was added in a week that begins at `week`, Unix seconds. */
export interface Week {
  readonly week: number
  readonly commits: number
  readonly additions: number
  readonly deletions: number
}

/** Someone who contributed, with the weeks in which they did, in their order. */
export interface Contributor extends Omit<Week, "week"> {
  readonly name: string
  readonly email: string
  /** The account that the address belongs to. */
  readonly user: User | undefined
  readonly weeks: readonly Week[]
}

export interface Contributions {
  /** The default branch has moved since, or nothing was counted yet: a job does it. */
  readonly isBeingComputed: boolean
  /** False where only the newest commits were counted: 50,000, or those for which there was time. */
  readonly isWhole: boolean
  /** Those with the most commits, at most a hundred. */
  readonly contributors: readonly Contributor[]
  /** What all together added in each week, in their order; weeks without commits are left out. */
  readonly weeks: readonly Week[]
}

type StoredWeek = readonly [week: number, commits: number, additions: number, deletions: number]

interface StoredAuthor {
  readonly name: string
  readonly email: string
  readonly weeks: readonly StoredWeek[]
}

/** What is stored of a repository's contributions. Two queries, and no git process. */
export async function findContributions(services: Pick<Services, "site">, db: Handle, repositoryId: number): Promise<Contributions> {
  const stored = await findStored.first(db, { repositoryId })
  const authors = readAuthors(stored?.authors)
  const commitsOf = ({ weeks }: StoredAuthor) => weeks.reduce((sum, [, commits]) => sum + commits, 0)
  const most = authors.toSorted((a, b) => commitsOf(b) - commitsOf(a)).slice(0, 2 * MOST_PEOPLE)
  const person = await findPeople(db, services.site, most)
  // Several addresses may be of one person.
  const people = new Map<string, { author: StoredAuthor; user: User | undefined; weeks: StoredWeek[] }>()
  for (const author of most) {
    const user = person(author)
    const key = user ? `user ${user.id}` : author.email
    const there = people.get(key)
    if (there) there.weeks.push(...author.weeks)
    else people.set(key, { author, user, weeks: [...author.weeks] })
  }
  const contributors = [...people.values()]
    .map(({ author: { name, email }, user, weeks }) => ({ name, email, user, weeks: byWeek(weeks), ...sumOf(weeks) }))
    .toSorted((a, b) => b.commits - a.commits)
  return {
    isBeingComputed: (stored?.tip ?? null) !== null && stored?.tip !== stored?.commit_id,
    isWhole: stored?.is_whole !== 0,
    contributors: contributors.slice(0, MOST_PEOPLE),
    weeks: byWeek(authors.flatMap(({ weeks }) => weeks)),
  }
}

/** What `findContributions` finds for a page; where it is out of date and no job has begun with it, counting begins in the background. */
export async function readContributions(services: Services, db: Handle, { repository }: Owned): Promise<Contributions> {
  const found = await findContributions(services, db, repository.id)
  if (found.isBeingComputed)
    void backgroundOf(services).begin(repository.storage, "contributions", (signal) => countContributions(services, repository.id, signal))
  return found
}

/** Counts what has come to the default branch since it was counted last; all of it where its history was rewritten. */
export const contributionsJob = defineJob({
  kind: "repository.contributions",
  payload: Type.Object({ repositoryId: int64() }),
  timeoutSeconds: 3_600,
  run: ({ repositoryId }, { context, signal }) => countContributions(context, repositoryId, signal),
})

/**
 * Counts, for as long as `limits.contributionsSeconds` says. What was counted by then, the newest commits, is stored as what there is: a history that takes too long to compare
 * would be begun again and again.
 */
export async function countContributions(
  { database, git, config, now }: Pick<Services, "database" | "git" | "config" | "now">,
  repositoryId: number,
  signal: AbortSignal,
): Promise<void> {
  const stored = await findStored.first(database.read, { repositoryId })
  const tip = stored && (await resolveRevision(git, stored, undefined))?.commit.id
  if (!stored || tip === undefined || stored.commit_id === tip) return
  const repository = git.at(stored.storage, stored.object_format)
  const from = await countedBefore(git, repository, stored.commit_id, tip)
  const before = from === undefined ? [] : readAuthors(stored.authors)
  const range = { to: tip, from, most: MOST_COMMITS, timeoutMs: config.limits.contributionsSeconds * 1000, signal }
  const { authors, count, isCut } = await countAll(git.history.contributions(repository, range), before)
  const isWhole = !isCut && count < MOST_COMMITS && (from === undefined || stored.is_whole === 1)
  await database.write(async (tx) => {
    if (!(await lockRow(tx, "repositories", repositoryId))) return
    await putStored(tx, { repositoryId, commitId: tip, isWhole: isWhole ? 1 : 0, authors: JSON.stringify(authors), now: now() })
  })
}

/** The commit up to which was counted, if it is still in the history. */
async function countedBefore(git: Git, repository: Repository, id: string | null, tip: ObjectId): Promise<ObjectId | undefined> {
  if (id === null || !isObjectId(id) || !(await git.objects.info(repository, id))) return undefined
  return (await git.history.isAncestor(repository, id, tip)) ? id : undefined
}

async function countAll(commits: AsyncIterable<Contribution>, before: readonly StoredAuthor[]) {
  const people = new Map(
    before.map(({ name, email, weeks }) => [email, { name, email, weeks: new Map(weeks.map((each) => [each[0], each])) }]),
  )
  let count = 0
  let isCut = false
  try {
    for await (const { name, email, when, additions, deletions } of commits) {
      count += 1
      const key = email.toLowerCase().replaceAll("\0", "")
      const person = people.get(key) ?? { name: name.replaceAll("\0", ""), email: key, weeks: new Map<number, StoredWeek>() }
      people.set(key, person)
      const week = weekOf(when)
      const [, c, a, d] = person.weeks.get(week) ?? [week, 0, 0, 0]
      person.weeks.set(week, [week, c + 1, a + additions, d + deletions])
    }
  } catch (error) {
    if (!isGitError(error, "timeout")) throw error
    isCut = true
  }
  return { authors: [...people.values()].map(({ weeks, ...person }) => ({ ...person, weeks: [...weeks.values()] })), count, isCut }
}

const sumOf = (weeks: readonly StoredWeek[]): Omit<Week, "week"> =>
  weeks.reduce(
    (sum, [, commits, additions, deletions]) => ({
      commits: sum.commits + commits,
      additions: sum.additions + additions,
      deletions: sum.deletions + deletions,
    }),
    { commits: 0, additions: 0, deletions: 0 },
  )

function byWeek(weeks: readonly StoredWeek[]): readonly Week[] {
  const sums = new Map<number, Week>()
  for (const [week, commits, additions, deletions] of weeks) {
    const there = sums.get(week) ?? { week, commits: 0, additions: 0, deletions: 0 }
    sums.set(week, {
      week,
      commits: there.commits + commits,
      additions: there.additions + additions,
      deletions: there.deletions + deletions,
    })
  }
  return [...sums.values()].sort((a, b) => a.week - b.week)
}

function readAuthors(text: string | null | undefined): readonly StoredAuthor[] {
  const read: unknown = JSON.parse(text ?? "[]")
  return Array.isArray(read) ? read : []
}
