import type { Share } from "../../../core/cluster/share.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import type { StoredEvent } from "../../../core/events/log.ts"
import { type Hear, type Hearing, tailOf } from "../../../core/events/tail.ts"
import { type Followed, NOTIFICATIONS, type Page, type PageEvent, type SentEvents } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { waitAtMost } from "../../../core/timeout.ts"
import { inTurns } from "../../../core/work.ts"
import { queryOf } from "../../../web/address.ts"

/**
 * Pages that are open and follow what happens. A follower is told that something happened to their page, and their browser asks for the page again: at once,
 * but no more than once a second. Nothing is kept of what they are slow to hear.
 */

const CALM_MS = 1_000
/** Pages that one person, or one address where no one is signed in, may follow at once; browsers follow only the page that is seen. */
const OF_ONE = 20
const OF_ALL = 2_000
/** Followers who are told together: for each it is looked whether they may still see the page. */
const TOGETHER = 10

/** Events that can take access away, or give a page another address: those who follow are looked at again, whatever they follow. */
const OF_ACCESS = ["repository.", "collaborator.", "access.", "team.", "organization.", "user.", "account."]

/** `changed`: the page, `notified`: only the reader's notifications; `access`: perhaps who may see it. */
type News = "changed" | "notified" | "access"

interface Follower {
  readonly who: string
  /** 0 where no one is signed in. */
  readonly userId: number
  followed: readonly Followed[]
  /** Their notifications when they were looked at last; undefined until then. */
  notified: string | undefined
  /** What they were not told yet. */
  readonly news: Set<News>
  readonly wake: () => void
}

interface Follow {
  readonly who: string
  readonly userId: number
  /** Decides about access, and gives what the page follows by now. */
  readonly followed: () => Promise<readonly Followed[]>
}

/** Whether a script asks to be told when the page changes. */
export const isFollowed = ({ live }: Page, { url }: { readonly url: string }): boolean => live !== undefined && queryOf(url).has("live")

export interface LivePages {
  /**
   * A stream of `changed` and `notified`, for someone who may see the page: `followed` decides so before each of them. Refuses with `busy` where
   * too many follow.
   */
  readonly follow: (follow: Follow) => SentEvents
}

/** A text for each of these people that is another one when their notifications are. */
type Notified = (db: Handle, userIds: readonly number[]) => Promise<ReadonlyMap<number, string>>

export function openLivePages(services: Services, notifiedOf: Notified): LivePages {
  const { database, share } = services
  const followers = new Set<Follower>()
  let hearing: Hearing | undefined

  const notificationsOf = async (of: readonly Follower[]): Promise<ReadonlyMap<number, string>> => {
    const ids = new Set(of.flatMap(({ userId }) => (userId === 0 ? [] : userId)))
    return ids.size === 0 ? new Map() : notifiedOf(database.read, [...ids])
  }

  const hear: Hear = async ({ events }) => {
    const all = [...followers]
    tellOfEvents(all, events)
    tellOfNotifications(all, await notificationsOf(all))
    const told = all.filter(({ news }) => news.size > 0)
    await inTurns(told, TOGETHER, (some) => {
      for (const { wake } of some) wake()
    })
  }

  /** What happens once this has resolved is told: the browser asks for the page then, and would not ask again for what came between. */
  async function begin(follower: Follower): Promise<void> {
    followers.add(follower)
    hearing ??= tailOf(services).follow(hear)
    await hearing.begun
    follower.notified = (await notificationsOf([follower])).get(follower.userId) ?? ""
  }

  function end(follower: Follower): void {
    followers.delete(follower)
    if (followers.size > 0) return
    hearing?.stop()
    hearing = undefined
  }

  return { follow: (follow) => ({ kind: "events", events: (signal) => changes({ followers, share, begin, end }, follow, signal) }) }
}

function tellOfEvents(followers: readonly Follower[], events: readonly StoredEvent[]): void {
  for (const { followed, news } of followers)
    for (const event of events) {
      if (followed.some((topic) => isAbout(event, topic))) news.add("changed")
      else if (begins(event.kind, OF_ACCESS) && mayTouch(event, followed)) news.add("access")
    }
}

/** Tells those whose notifications are not what they were. */
function tellOfNotifications(followers: readonly Follower[], now: ReadonlyMap<number, string>): void {
  for (const follower of followers) {
    const notified = now.get(follower.userId) ?? ""
    if (follower.notified === undefined || follower.notified === notified) continue
    follower.notified = notified
    follower.news.add(follower.followed.includes(NOTIFICATIONS) ? "changed" : "notified")
  }
}

interface Following {
  readonly followers: Set<Follower>
  readonly share: Share
  readonly begin: (follower: Follower) => Promise<void>
  readonly end: (follower: Follower) => void
}

/** What one follower is told, until they are gone. */
async function* changes(
  { followers, share, begin, end }: Following,
  { who, userId, followed: look }: Follow,
  signal: AbortSignal,
): AsyncGenerator<PageEvent, void> {
  const followed = await look()
  const mine = [...followers].filter((each) => each.who === who).length
  if (mine >= share(OF_ONE) || followers.size >= share(OF_ALL))
    throw refuse.busy("too many live pages are open; reload the page to see what is new")
  const news = new Set<News>()
  let happened = Promise.withResolvers<void>()
  const wake = () => happened.resolve()
  const gone = Promise.withResolvers<void>()
  const leave = () => {
    gone.resolve()
    wake()
  }
  const follower: Follower = { who, userId, followed, notified: undefined, news, wake }
  signal.addEventListener("abort", leave)
  try {
    await Promise.race([begin(follower), gone.promise])
    yield { name: "following", data: {} }
    while (!signal.aborted) {
      await happened.promise
      if (signal.aborted) return
      happened = Promise.withResolvers<void>()
      const name = news.has("changed") ? "changed" : news.has("notified") ? "notified" : undefined
      news.clear()
      follower.followed = await look()
      if (!name) continue
      yield { name, data: {} }
      await waitAtMost(CALM_MS, gone.promise)
    }
  } catch (error) {
    // Who may not see the page any more is told nothing; their browser finds out when it asks for the page.
    if (!(error instanceof Refusal || error instanceof Renamed)) throw error
  } finally {
    signal.removeEventListener("abort", leave)
    end(follower)
  }
}

const begins = (kind: string, kinds: readonly string[]): boolean => kinds.some((start) => kind.startsWith(start))

const projectOf = ({ data }: StoredEvent): unknown => data["projectId"] ?? data["project"]

const isAbout = (subject: StoredEvent, topic: Followed): boolean =>
  topic !== NOTIFICATIONS &&
  (topic.repositoryId === undefined || subject.repositoryId === topic.repositoryId) &&
  (topic.issueIds === undefined || topic.issueIds.has(subject.issueId)) &&
  (topic.projectId === undefined || projectOf(subject) === topic.projectId) &&
  (topic.kinds === undefined || begins(subject.kind, topic.kinds))

/** Whether it happened to the repository that the page is of, or to none. */
const mayTouch = ({ repositoryId }: StoredEvent, followed: readonly Followed[]): boolean =>
  repositoryId === 0 ||
  followed.some((topic) => topic !== NOTIFICATIONS && (topic.repositoryId === undefined || topic.repositoryId === repositoryId))
