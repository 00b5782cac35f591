import { createHash } from "node:crypto"
import { type Filler, openFiller, type Row } from "./filler.ts"

/**
 * The rows of a world of a size: what several thousand people have left behind in some years. All sizes have the same shape: a busy repository has a tenth of all
 * issues, a busy issue a hundredth of all comments, and one reader a tenth of all notifications and feed entries.
 */
export interface World {
  readonly people: number
  readonly organizations: number
  readonly repositories: number
  /** The first so many of the repositories have issues. */
  readonly planned: number
  readonly issues: number
  /** Of the first repository, which is also the first in all other ways. */
  readonly busyIssues: number
  readonly comments: number
  readonly busyComments: number
  readonly notifications: number
  readonly readerNotifications: number
  readonly activities: number
  readonly readerActivities: number
  readonly events: number
  readonly stars: number
  readonly readerRepositories: number
  readonly readerWatches: number
  readonly topics: number
  readonly labels: number
  readonly milestones: number
}

/** The world of a size: 1 is a million issues. */
export function worldOf(factor: number): World {
  const part = (whole: number, least = 1): number => Math.max(least, Math.round(whole * factor))
  return {
    people: part(50_000, 40),
    organizations: part(1_000, 4),
    repositories: part(100_000, 40),
    planned: part(1_000, 4),
    issues: part(1_000_000, 1_000),
    busyIssues: part(100_000, 100),
    comments: part(1_000_000, 1_000),
    busyComments: part(10_000, 40),
    notifications: part(1_000_000, 1_000),
    readerNotifications: part(100_000, 100),
    activities: part(1_000_000, 1_000),
    readerActivities: part(100_000, 100),
    events: part(1_000_000, 1_000),
    stars: part(1_000_000, 1_000),
    readerRepositories: part(1_000, 10),
    readerWatches: part(1_000, 4),
    topics: part(500, 5),
    labels: 20,
    milestones: 5,
  }
}

/** The first ids that rows of the world have; those before are of what the server made itself. */
const FIRST = 1_000
export const READER = { name: "reader", password: "reader-pass-1" } as const
export const BUSY = { owner: "org-0", name: "repository-0" } as const
const START = 1_600_000_000

/** Whole numbers from 0, the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}

const SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qi", "ro", "su", "ta", "ve", "wi", "xo", "zu"]
const syllable = (index: number): string => SYLLABLES[index % SYLLABLES.length] ?? ""
/** The word of a rank: 0 is the most frequent. Three syllables, so that none is the beginning of another one. */
export const word = (rank: number): string => syllable(rank) + syllable(Math.floor(rank / 20)) + syllable(Math.floor(rank / 400))
const VOCABULARY = 8_000
/** So many issues share a rare word, whatever the size of the world. */
const RARE = 20
export const rareWord = (index: number): string => `needle${index}x`

function texts(roll: (below: number) => number): (words: number) => string {
  // Rank r has a share like 1 / r, as words of languages have.
  const one = () => word(Math.floor(VOCABULARY ** (roll(1_000_000) / 1_000_000)) - 1)
  return (words) => Array.from({ length: words }, one).join(" ")
}

/** Fills the tables of a server that has just been made, with the reader's account, and is stopped. */
export async function fillWorld(databaseUrl: string, world: World): Promise<void> {
  const filler = await openFiller(databaseUrl)
  const readerId = await filler.numberOf(`select id from users where lower_name = '${READER.name}'`)
  await fillPeople(filler, world, readerId)
  await fillRepositories(filler, world, readerId)
  await fillIssues(filler, world, readerId)
  await fillAttention(filler, world, readerId)
  await count(filler)
  await filler.finish()
}

const personId = (index: number): number => FIRST + index
const organizationId = (world: World, index: number): number => FIRST + world.people + index
const repositoryId = (index: number): number => FIRST + index

function* range(length: number): Generator<number> {
  for (let index = 0; index < length; index++) yield index
}

function* rowsOf(length: number, row: (index: number) => Row): Generator<Row> {
  for (const index of range(length)) yield row(index)
}

async function fillPeople(filler: Filler, world: World, readerId: number): Promise<void> {
  const { people, organizations } = world
  const columns = ["id", "kind", "name", "lower_name", "full_name", "email", "visibility", "created_at", "updated_at"]
  const visibilityOf = (index: number) => (index % 100 === 7 ? "private" : index % 50 === 3 ? "limited" : "public")
  await filler.insert(
    "users",
    columns,
    rowsOf(people, (index) => {
      const name = `person-${index}`
      const at = START + index * 1000
      return [personId(index), "person", name, name, `Person ${word(index)}`, `${name}@example.com`, visibilityOf(index), at, at]
    }),
  )
  await filler.insert(
    "users",
    columns,
    rowsOf(organizations, (index) => {
      const name = `org-${index}`
      return [organizationId(world, index), "organization", name, name, "", "", visibilityOf(index), START + index, START + index]
    }),
  )
  await filler.insert(
    "teams",
    ["id", "organization_id", "name", "lower_name", "mode", "includes_all_repositories", "can_create_repositories", "created_at"],
    rowsOf(organizations * 2, (index) => {
      const isOwners = index % 2 === 0
      const name = isOwners ? "Owners" : "Makers"
      const organization = organizationId(world, Math.floor(index / 2))
      return [FIRST + index, organization, name, name.toLowerCase(), isOwners ? 4 : 2, isOwners ? 1 : 0, isOwners ? 1 : 0, START]
    }),
  )
  const units = ["repo.code", "repo.issues", "repo.pulls", "repo.releases", "repo.wiki", "repo.projects", "repo.packages", "repo.actions"]
  await filler.insert(
    "team_units",
    ["team_id", "unit", "mode"],
    rowsOf(organizations * 2 * units.length, (index) => {
      const team = Math.floor(index / units.length)
      return [FIRST + team, units[index % units.length] ?? "", team % 2 === 0 ? 4 : 2]
    }),
  )
  // The reader makes things in the first organisation; each other one has ten members, the first of whom owns it.
  const members: (readonly [organization: number, person: number, isOwner: boolean])[] = [[0, readerId, false]]
  const roll = dice(1)
  for (const index of range(organizations)) {
    const first = roll(Math.max(1, people - 10))
    for (const place of range(10)) members.push([index, personId(first + place), place === 0])
  }
  await filler.insert(
    "organization_members",
    ["organization_id", "user_id", "is_public"],
    members.map(([organization, person], index) => [organizationId(world, organization), person, index % 2]),
  )
  await filler.insert(
    "team_members",
    ["team_id", "user_id", "organization_id"],
    members.map(([organization, person, isOwner]) => [
      FIRST + organization * 2 + (isOwner ? 0 : 1),
      person,
      organizationId(world, organization),
    ]),
  )
  await filler.insert("follows", ["follower_id", "followed_id", "created_at"], follows(world, readerId))
}

/** A fiftieth of all people follow the reader, who follows a hundredth of them; the others follow two each. */
function* follows({ people }: World, readerId: number): Generator<Row> {
  for (const index of range(people)) {
    if (index % 50 === 1) yield [personId(index), readerId, START + index]
    if (index % 100 === 2) yield [readerId, personId(index), START + index]
    yield [personId(index), personId((index + 1) % people), START]
    yield [personId(index), personId((index + 7) % people), START]
  }
}

/** Whom a repository belongs to: the first to an organisation of which the reader is a member, some to the reader, the others to people and organisations in turn. */
function ownerOf(world: World, readerId: number, index: number): number {
  if (index === 0 || index % 100 === 5) return organizationId(world, 0)
  if (index % 100 === 10 && index < world.readerRepositories * 100) return readerId
  return index % 4 === 1 ? organizationId(world, index % world.organizations) : personId((index * 7) % world.people)
}

async function fillRepositories(filler: Filler, world: World, readerId: number): Promise<void> {
  const { repositories } = world
  const roll = dice(2)
  const text = texts(roll)
  const languages = ["Go", "TypeScript", "Rust", "Python", "C"]
  const topicsOf = (index: number) => (index % 5 === 0 ? [index % world.topics, (index + 1) % world.topics] : [])
  const topicName = (index: number) => `topic-${word(index)}`
  await filler.insert(
    "repositories",
    [
      ...["id", "owner_id", "name", "lower_name", "storage", "description", "default_branch", "is_private", "is_template", "is_archived"],
      ...["fork_of_id", "created_at", "updated_at", "git_size", "language", "topics"],
    ],
    rowsOf(repositories, (index) => {
      const name = index === 0 ? BUSY.name : `${word(roll(VOCABULARY))}-${index}`
      const storage = createHash("sha256").update(String(index)).digest("hex").slice(0, 32)
      const fork = index > 200 && index % 20 === 3 ? repositoryId(index % 10) : null
      const flags = [index % 10 === 9 ? 1 : 0, index % 100 === 50 ? 1 : 0, index % 50 === 20 ? 1 : 0]
      return [
        ...[repositoryId(index), ownerOf(world, readerId, index), name, name, `${storage.slice(0, 2)}/${storage}`, text(8), "main"],
        ...flags,
        ...[fork, START + index * 100, START + 10_000_000 + roll(100_000_000), 1000 + roll(1_000_000), languages[index % 5] ?? ""],
        JSON.stringify(topicsOf(index).map(topicName)),
      ]
    }),
  )
  await filler.insert(
    "topics",
    ["id", "name", "created_at", "updated_at"],
    rowsOf(world.topics, (index) => [FIRST + index, topicName(index), START, START]),
  )
  await filler.insert(
    "repository_topics",
    ["repository_id", "topic_id"],
    [...range(repositories)].flatMap((index) => topicsOf(index).map((topic) => [repositoryId(index), FIRST + topic])),
  )
  await filler.insert("team_repositories", ["team_id", "repository_id", "organization_id"], teamRepositories(world, readerId))
  await filler.insert(
    "collaborations",
    ["repository_id", "user_id", "mode", "created_at"],
    // A five-hundredth of all are open to the reader that way, half of them private.
    [...range(repositories)].flatMap((index) =>
      index % 500 === 19 || index % 500 === 28 ? [[repositoryId(index), readerId, 2, START]] : [],
    ),
  )
  await filler.insert("stars", ["user_id", "repository_id", "created_at"], stars(world, readerId))
  await filler.insert("watches", ["user_id", "repository_id", "mode", "created_at"], watches(world, readerId))
}

function* teamRepositories(world: World, readerId: number): Generator<Row> {
  const first = organizationId(world, 0)
  for (const index of range(world.repositories)) {
    const owner = ownerOf(world, readerId, index)
    if (owner < first) continue
    const organization = owner - first
    yield [FIRST + organization * 2, repositoryId(index), owner]
    if (index % 2 === 0) yield [FIRST + organization * 2 + 1, repositoryId(index), owner]
  }
}

/** The first repository has a fiftieth of all stars, and the reader gave a five-hundredth; the others are spread. */
function* stars(world: World, readerId: number): Generator<Row> {
  const { people, repositories } = world
  const ofBusy = Math.floor(Math.min(people, world.stars / 50))
  const ofReader = Math.floor(Math.min(repositories - 1, world.stars / 500))
  for (const index of range(ofBusy)) yield [personId(index), repositoryId(0), START + index]
  for (const index of range(ofReader)) yield [readerId, repositoryId(1 + index), START + index]
  // All pairs are different: person and repository move on together, a round after the other with another distance.
  const others = world.stars - ofBusy - ofReader
  for (const index of range(others)) {
    const round = Math.floor(index / people)
    yield [personId(index % people), repositoryId(1 + ((index * 3 + round * 31) % (repositories - 1))), START + index]
  }
}

/** Everyone watches what they own; the reader watches a hundredth of all, and a tenth of all people the first. */
function* watches(world: World, readerId: number): Generator<Row> {
  const first = organizationId(world, 0)
  for (const index of range(world.repositories)) {
    const owner = ownerOf(world, readerId, index)
    if (owner < first && owner !== readerId) yield [owner, repositoryId(index), "auto", START]
  }
  for (const index of range(world.readerWatches)) yield [readerId, repositoryId(index), "normal", START]
  for (const index of range(Math.floor(world.people / 10))) yield [personId(index * 10 + 1), repositoryId(0), "normal", START]
}

interface Place {
  readonly repository: number
  readonly number: number
}

/** Where the issue of an index is: nine of ten are spread evenly, in the order of their creation. */
function placeOf({ busyIssues, issues, planned }: World, index: number): Place {
  const every = issues / busyIssues
  if (index % every === 0) return { repository: 0, number: index / every + 1 }
  const others = index - Math.floor(index / every) - 1
  return { repository: 1 + (others % (planned - 1)), number: Math.floor(others / (planned - 1)) + 1 }
}

const isPull = (index: number): boolean => Math.floor(index / 10) % 10 === 3
const SPAN = 150_000_000

async function fillIssues(filler: Filler, world: World, readerId: number): Promise<void> {
  const { issues, planned, people } = world
  const roll = dice(3)
  const text = texts(roll)
  const person = () => (roll(200) === 0 ? readerId : personId(roll(people)))
  const at = (index: number): number => START + Math.floor((index / issues) * SPAN)
  await filler.insert(
    "labels",
    ["id", "repository_id", "name", "color", "created_at", "updated_at"],
    rowsOf(planned * world.labels, (index) => {
      const place = index % world.labels
      return [
        FIRST + index,
        repositoryId(Math.floor(index / world.labels)),
        place === 0 ? "bug" : `kind-${word(place)}`,
        "00aabb",
        START,
        START,
      ]
    }),
  )
  await filler.insert(
    "milestones",
    ["id", "repository_id", "title", "due_at", "created_at", "updated_at"],
    rowsOf(planned * world.milestones, (index) => [
      ...[FIRST + index, repositoryId(Math.floor(index / world.milestones)), `Release ${index % world.milestones}`],
      ...[START + SPAN + index, START, START],
    ]),
  )
  await filler.insert(
    "issues",
    [
      ...["id", "repository_id", "number", "is_pull", "author_id", "title", "content", "milestone_id", "is_closed", "closed_at"],
      ...["created_at", "updated_at"],
    ],
    rowsOf(issues, (index) => {
      const { repository, number } = placeOf(world, index)
      const closed = roll(10) < 6
      const milestone = roll(10) === 0 ? FIRST + repository * world.milestones + roll(world.milestones) : null
      const changed = at(index) + roll(10_000_000)
      // Words of which each is in twenty issues, all in a row of the repository's numbers.
      const rare = index % 10 === 4 ? ` ${rareWord(Math.floor(index / 10 / RARE))}` : ""
      return [
        ...[
          FIRST + index,
          repositoryId(repository),
          number,
          isPull(index) ? 1 : 0,
          person(),
          `Plan ${text(4)}`,
          text(20) + rare,
          milestone,
        ],
        ...[closed ? 1 : 0, closed ? changed : 0, at(index), changed],
      ]
    }),
  )
  await filler.insert(
    "pulls",
    [
      ...["issue_id", "repository_id", "base_branch", "head_repository_id", "head_branch", "head_id", "base_id", "merge_base"],
      "mergeability",
    ],
    pulls(world),
  )
  await filler.insert("issue_labels", ["issue_id", "label_id"], issueLabels(world))
  const concerned = (share: number, ofReader: number) =>
    [...range(issues)].flatMap((index): readonly Row[] =>
      index % share === 0 ? [[FIRST + index, index % (share * ofReader) === 0 ? readerId : personId(index % people)]] : [],
    )
  await filler.insert("issue_assignees", ["issue_id", "user_id"], concerned(10, 20))
  await filler.insert("issue_mentions", ["issue_id", "user_id"], concerned(50, 10))
  await filler.insert("issue_counters", ["repository_id", "last_number"], [])
  await filler.run(
    "insert into issue_counters (repository_id, last_number) select repository_id, max(number) from issues group by repository_id",
  )
  await filler.insert(
    "comments",
    ["id", "issue_id", "kind", "author_id", "content", "created_at", "updated_at"],
    rowsOf(world.comments, (index) => {
      const issue = index < world.busyComments ? 0 : roll(issues)
      const made = at(issue) + 100 + index
      return [FIRST + index, FIRST + issue, "comment", person(), text(12), made, made]
    }),
  )
  await filler.insert(
    "tracked_times",
    ["issue_id", "user_id", "seconds", "created_at"],
    rowsOf(Math.floor(issues / 50), (index) => [
      FIRST + index * 50,
      index % 20 === 0 ? readerId : personId(index % people),
      600,
      at(index),
    ]),
  )
}

function* pulls(world: World): Generator<Row> {
  const id = "a".repeat(40)
  for (const index of range(world.issues)) {
    if (!isPull(index)) continue
    const repository = repositoryId(placeOf(world, index).repository)
    yield [FIRST + index, repository, "main", repository, `change-${index}`, id, id, id, "mergeable"]
  }
}

/** One label each; the first of its repository is on a twentieth of the issues. */
function* issueLabels(world: World): Generator<Row> {
  for (const index of range(world.issues)) {
    const { repository, number } = placeOf(world, index)
    yield [FIRST + index, FIRST + repository * world.labels + (number % world.labels)]
  }
}

async function fillAttention(filler: Filler, world: World, readerId: number): Promise<void> {
  const { issues, people, planned } = world
  const statuses = ["unread", "read", "read"]
  await filler.insert(
    "notifications",
    ["user_id", "repository_id", "subject", "issue_id", "status", "created_at", "updated_at"],
    rowsOf(world.notifications, (index) => {
      const ofReader = index < world.readerNotifications
      const issue = ofReader ? index * Math.floor(issues / world.readerNotifications) : index % issues
      const made = START + index
      const repository = repositoryId(placeOf(world, issue).repository)
      const user = ofReader ? readerId : personId(index % people)
      return [user, repository, isPull(issue) ? "pull" : "issue", FIRST + issue, statuses[index % 3] ?? "", made, made]
    }),
  )
  await filler.insert(
    "activities",
    ["receiver_id", "actor_id", "op_type", "repository_id", "unit", "is_private", "content", "created_at"],
    rowsOf(world.activities, (index) => {
      const ofReader = index < world.readerActivities
      // What the reader is told of happens in what they watch; a tenth of the rest in the first repository.
      const repository = ofReader ? index % Math.min(planned, world.readerWatches) : index % 10 === 0 ? 0 : index % world.repositories
      // Twenty people each are busy in a repository.
      const actor = personId((repository * 20 + (Math.floor(index / planned) % 20)) % people)
      return [
        ...[ofReader ? readerId : actor, actor, "create_issue", repositoryId(repository), "repo.issues", repository % 10 === 9 ? 1 : 0],
        ...[`${(index % 100) + 1}|Plan ${word(index % VOCABULARY)}`, START + index],
      ]
    }),
  )
  await filler.insert(
    "events",
    ["kind", "actor_id", "repository_id", "issue_id", "data", "created_at"],
    rowsOf(world.events, (index) => [
      ...["issue.created", personId(index % people), repositoryId(placeOf(world, index % issues).repository), FIRST + (index % issues)],
      ...["{}", START + index],
    ]),
  )
}

/** What the application counts as it writes. */
async function count(filler: Filler): Promise<void> {
  const counts: readonly (readonly [table: string, column: string, counted: string, by: string, where?: string])[] = [
    ["repositories", "stars_count", "stars", "repository_id"],
    ["repositories", "watchers_count", "watches", "repository_id"],
    ["repositories", "forks_count", "repositories", "fork_of_id"],
    ["repositories", "open_issues_count", "issues", "repository_id", "is_closed = 0 and is_pull = 0"],
    ["repositories", "open_pulls_count", "issues", "repository_id", "is_closed = 0 and is_pull = 1"],
    ["users", "followers_count", "follows", "followed_id"],
    ["users", "following_count", "follows", "follower_id"],
    ["users", "stars_count", "stars", "user_id"],
    ["users", "repositories_count", "repositories", "owner_id"],
    ["milestones", "open_issues_count", "issues", "milestone_id", "is_closed = 0"],
    ["milestones", "closed_issues_count", "issues", "milestone_id", "is_closed = 1"],
    ["topics", "repositories_count", "repository_topics", "topic_id"],
    ["issues", "comments_count", "comments", "issue_id"],
  ]
  for (const [table, column, counted, by, where = "1 = 1"] of counts)
    await filler.run(
      `update ${table} set ${column} = found.total from (select ${by} as id, count(*) as total from ${counted} where ${where} group by ${by}) as found
       where found.id = ${table}.id`,
    )
}
