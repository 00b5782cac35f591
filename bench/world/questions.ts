import { BUSY, READER, rareWord, type World, word } from "./fill.ts"

/** What is asked of a world, by name: many addresses each, all different. */
export interface Question {
  readonly what: string
  readonly addresses: readonly string[]
  /** In a browser, by someone who is signed in; otherwise by a token. */
  readonly isPage?: boolean
  /** Why it grows with the world. */
  readonly grows?: string
}

const ASKED = 200
const times = <T>(make: (index: number) => T): readonly T[] => Array.from({ length: ASKED }, (_, index) => make(index))
/** Pages of thirty from the beginning, as people ask for them, of a list of this length. */
const early = (index: number, length: number): string => `limit=30&page=${1 + (index % Math.max(1, Math.min(10, Math.floor(length / 30))))}`
/** The last pages of it. */
const late = (index: number, length: number): string => `limit=30&page=${Math.max(1, Math.floor(length / 30) - (index % 10))}`

export function questionsOf(world: World): readonly Question[] {
  const busy = `/repos/${BUSY.owner}/${BUSY.name}`
  const place = `/${BUSY.owner}/${BUSY.name}`
  const number = (index: number) => 1 + ((index * 7919) % world.busyIssues)
  /** A number below `count` that isn't of someone who is hidden. */
  const shown = (index: number, count: number) => ((index * 37) % count) - (((index * 37) % count) % 100 === 7 ? 1 : 0)
  const person = (index: number) => `person-${shown(index, world.people)}`
  const issue = (query: string) => times((index) => `${busy}/issues?${early(index, world.busyIssues / 10)}&${query}&_=${index}`)
  const search = (path: string, query: (index: number) => string) => times((index) => `${path}?limit=30&${query(index)}`)
  const open = world.busyIssues * 0.4
  const mediumWord = (index: number) => word(700 + index)
  const rare = (index: number) => rareWord((index * 31) % Math.floor(world.issues / 10 / 20))
  const api: readonly Question[] = [
    // --- records
    { what: "repository", addresses: times((index) => `${busy}?_=${index}`) },
    { what: "issue", addresses: times((index) => `${busy}/issues/${number(index)}`) },
    { what: "pull request", addresses: times((index) => `${busy}/pulls/${pullNumber(world, index)}`) },
    { what: "person", addresses: times((index) => `/users/${person(index)}`) },
    { what: "organisation", addresses: times((index) => `/orgs/org-${shown(index, world.organizations)}?_=${index}`) },
    // --- issues of a repository
    { what: "issues, open", addresses: issue("state=open") },
    { what: "issues, closed", addresses: issue("state=closed") },
    { what: "issues, all", addresses: issue("state=all") },
    { what: "issues alone, open", addresses: issue("state=open&type=issues") },
    { what: "issues by label", addresses: issue("state=open&labels=bug") },
    { what: "issues by milestone", addresses: issue("state=all&milestones=Release%201") },
    { what: "issues by author", addresses: issue(`state=all&created_by=${READER.name}`) },
    { what: "issues by assignee", addresses: issue(`state=all&assigned_by=${READER.name}`) },
    { what: "issues since a time", addresses: issue("state=all&since=2024-12-01T00:00:00Z") },
    { what: "issues, last pages", addresses: times((index) => `${busy}/issues?${late(index, open)}&_=${index}`) },
    { what: "issues by a rare word", addresses: search(`${busy}/issues`, (index) => `state=all&q=${rare(index)}`) },
    { what: "issues by a word", addresses: search(`${busy}/issues`, (index) => `state=all&q=${mediumWord(index)}`) },
    {
      what: "issues by a frequent word",
      addresses: search(`${busy}/issues`, (index) => `state=all&q=${word(20 + (index % 20))}&_=${index}`),
    },
    { what: "pull requests, open", addresses: times((index) => `${busy}/pulls?state=open&${early(index, open / 10)}&_=${index}`) },
    { what: "pull requests, all", addresses: times((index) => `${busy}/pulls?state=all&${early(index, open / 10)}&_=${index}`) },
    {
      what: "pull requests, most commented",
      addresses: times((index) => `${busy}/pulls?state=all&sort=mostcomment&${early(index, open / 10)}&_=${index}`),
    },
    { what: "labels", addresses: times((index) => `${busy}/labels?_=${index}`) },
    { what: "milestones", addresses: times((index) => `${busy}/milestones?state=all&_=${index}`) },
    // --- an issue
    { what: "comments of an issue", addresses: times((index) => `${busy}/issues/${number(index + 1)}/comments`) },
    {
      what: "comments of the busiest issue",
      addresses: times((index) => `${busy}/issues/1/comments?_=${index}`),
      grows: "the answer has all of them",
    },
    {
      what: "timeline of the busiest issue",
      addresses: times((index) => `${busy}/issues/1/timeline?${early(index, world.busyComments)}&_=${index}`),
    },
    {
      what: "comments of a repository",
      addresses: times((index) => `${busy}/issues/comments?${early(index, world.comments / 10)}&_=${index}`),
    },
    { what: "times of a repository", addresses: times((index) => `${busy}/times?${early(index, world.issues / 500)}&_=${index}`) },
    // --- across repositories
    {
      what: "search of issues, open",
      addresses: search("/repos/issues/search", (index) => `state=open&page=${1 + (index % 10)}&_=${index}`),
    },
    {
      what: "search of issues, all",
      addresses: search("/repos/issues/search", (index) => `state=all&page=${1 + (index % 10)}&_=${index}`),
    },
    {
      what: "search of pull requests",
      addresses: search("/repos/issues/search", (index) => `type=pulls&page=${1 + (index % 10)}&_=${index}`),
    },
    { what: "search of issues, assigned", addresses: search("/repos/issues/search", (index) => `assigned=true&_=${index}`) },
    { what: "search of issues, created", addresses: search("/repos/issues/search", (index) => `created=true&_=${index}`) },
    { what: "search of issues by owner", addresses: search("/repos/issues/search", (index) => `owner=org-0&_=${index}`) },
    { what: "search of issues by label", addresses: search("/repos/issues/search", (index) => `labels=bug&_=${index}`) },
    { what: "search of issues, a rare word", addresses: search("/repos/issues/search", (index) => `state=all&q=${rare(index)}`) },
    { what: "search of issues, a word", addresses: search("/repos/issues/search", (index) => `state=all&q=${mediumWord(index)}`) },
    {
      what: "search of issues, two words",
      addresses: search("/repos/issues/search", (index) => `state=all&q=${word(50 + index)}%20${word(300 + index)}`),
    },
    {
      what: "search of issues, a frequent word",
      addresses: search("/repos/issues/search", (index) => `state=all&q=${word(20 + (index % 20))}&_=${index}`),
    },
    { what: "search of issues, no such word", addresses: search("/repos/issues/search", (index) => `state=all&q=zzz${index}`) },
    // --- repositories
    { what: "search of repositories", addresses: search("/repos/search", (index) => `page=${1 + (index % 10)}&_=${index}`) },
    ...(["updated", "created", "stars", "forks", "size", "alpha", "id"] as const).map((sort) => ({
      what: `search of repositories by ${sort}`,
      addresses: search("/repos/search", (index) => `sort=${sort}&order=desc&page=${1 + (index % 3)}&_=${index}`),
    })),
    { what: "search of repositories, a name", addresses: search("/repos/search", (index) => `q=${word(index * 40)}`) },
    {
      what: "search of repositories, a topic",
      addresses: search("/repos/search", (index) => `q=topic-${word(index % world.topics)}&topic=true&_=${index}`),
    },
    {
      what: "search of repositories, last pages",
      addresses: times((index) => `/repos/search?${late(index, world.repositories * 0.8)}&_=${index}`),
    },
    { what: "my repositories", addresses: times((index) => `/user/repos?${early(index, world.readerRepositories)}&_=${index}`) },
    {
      what: "repositories of an organisation",
      addresses: times((index) => `/orgs/org-0/repos?${early(index, world.repositories / 200)}&_=${index}`),
    },
    {
      what: "repositories of a person",
      addresses: times((index) => `/users/${READER.name}/repos?${early(index, world.readerRepositories)}&_=${index}`),
    },
    { what: "my stars", addresses: times((index) => `/user/starred?${early(index, world.stars / 500)}&_=${index}`) },
    { what: "my subscriptions", addresses: times((index) => `/user/subscriptions?${early(index, world.readerWatches)}&_=${index}`) },
    { what: "stargazers", addresses: times((index) => `${busy}/stargazers?${early(index, world.stars / 50)}&_=${index}`) },
    { what: "watchers", addresses: times((index) => `${busy}/subscribers?${early(index, world.people / 10)}&_=${index}`) },
    { what: "forks", addresses: times((index) => `${busy}/forks?${early(index, world.repositories / 200)}&_=${index}`) },
    { what: "topics", addresses: search("/topics/search", (index) => `q=${["ba", "ce", "topic"][index % 3]}&_=${index}`) },
    // --- people
    { what: "search of people, all", addresses: search("/users/search", (index) => `page=${1 + (index % 10)}&_=${index}`) },
    { what: "search of people, a name", addresses: search("/users/search", (index) => `q=person-${index}`) },
    { what: "organisations", addresses: times((index) => `/orgs?${early(index, world.organizations)}&_=${index}`) },
    { what: "followers", addresses: times((index) => `/users/${READER.name}/followers?${early(index, world.people / 50)}&_=${index}`) },
    // --- what happened
    { what: "notifications", addresses: times((index) => `/notifications?${early(index, world.readerNotifications / 3)}&_=${index}`) },
    {
      what: "notifications, all",
      addresses: times((index) => `/notifications?all=true&${early(index, world.readerNotifications)}&_=${index}`),
    },
    {
      what: "notifications of a repository",
      addresses: times((index) => `${busy}/notifications?all=true&${early(index, world.readerNotifications / 10)}&_=${index}`),
    },
    { what: "count of notifications", addresses: times((index) => `/notifications/new?_=${index}`) },
    {
      what: "my feed",
      addresses: times((index) => `/users/${READER.name}/activities/feeds?${early(index, world.readerActivities)}&_=${index}`),
    },
    {
      what: "feed of a repository",
      addresses: times((index) => `${busy}/activities/feeds?${early(index, world.activities / 10)}&_=${index}`),
    },
    { what: "feed of a person", addresses: times((index) => `/users/${person(index)}/activities/feeds?_=${index}`) },
    { what: "heatmap", addresses: times((index) => `/users/${person(index)}/heatmap?_=${index}`) },
  ]
  const pages: readonly Question[] = [
    { what: "dashboard", addresses: times((index) => `/?_=${index}`) },
    { what: "issues of a repository", addresses: times((index) => `${place}/issues?page=${1 + (index % 3)}&_=${index}`) },
    { what: "issues with a word", addresses: times((index) => `${place}/issues?q=${rare(index)}`) },
    { what: "pull requests of a repository", addresses: times((index) => `${place}/pulls?page=${1 + (index % 3)}&_=${index}`) },
    { what: "an issue", addresses: times((index) => `${place}/issues/${number(index + 1)}`) },
    { what: "the busiest issue", addresses: times((index) => `${place}/issues/1?_=${index}`) },
    { what: "my issues", addresses: times((index) => `/issues?_=${index}`) },
    { what: "inbox", addresses: times((index) => `/notifications?_=${index}`) },
    { what: "explore repositories", addresses: times((index) => `/explore/repos?page=${1 + (index % 3)}&_=${index}`) },
    { what: "explore people", addresses: times((index) => `/explore/users?page=${1 + (index % 3)}&_=${index}`) },
    { what: "explore organisations", addresses: times((index) => `/explore/organizations?_=${index}`) },
    { what: "search, a rare word", addresses: times((index) => `/search?q=${rare(index)}`) },
    { what: "milestones of a repository", addresses: times((index) => `${place}/milestones?_=${index}`) },
    { what: "labels of a repository", addresses: times((index) => `${place}/labels?_=${index}`) },
    { what: "stars of a repository", addresses: times((index) => `${place}/stars?_=${index}`) },
    { what: "a person", addresses: times((index) => `/${person(index)}`) },
    { what: "the reader", addresses: times((index) => `/${READER.name}?_=${index}`) },
    { what: "an organisation", addresses: times((index) => `/org-0?_=${index}`) },
  ]
  return [
    ...api.map((question) => ({ ...question, addresses: question.addresses.map((address) => `/api/v1${address}`) })),
    ...pages.map((question) => ({ ...question, what: `page: ${question.what}`, isPage: true })),
  ]
}

/** Every tenth ten of all issues are pull requests, and every tenth issue of all is the busy repository's: of its numbers those that end in 4. */
const pullNumber = ({ busyIssues }: World, index: number): number => 4 + 10 * ((index * 7) % Math.max(1, Math.floor(busyIssues / 10) - 1))
