import { onVisibleUser } from "../../access/policies/people.ts"
import { onRepository } from "../../access/policies/repositories.ts"
import { actorId } from "../../core/actor.ts"
import { said, type Text } from "../../core/language/message.ts"
import type { Request } from "../../core/operation.ts"
import { type Page, page, type SentText, sentText } from "../../core/page.ts"
import type { Site } from "../../core/site.ts"
import { type FeedQuery, readFeed } from "../../features/events/feed/feed-store.ts"
import { type ActivityView, viewActivities } from "../../features/events/feed/present.ts"
import { type LiveReferences, liveReferences } from "../../features/events/feed/references-store.ts"
import { path } from "../../web/address.ts"
import { FEED_FORMS, type FeedEntry, type FeedForm, feedIn } from "../../web/feed.ts"
import { type Part, sentenceOf } from "../parts/feed/words.ts"

const ENTRIES = 30

/** What accounts and repositories have done, for programs. */
export const feedPages: readonly Page[] = FEED_FORMS.flatMap((form) => [
  page({
    id: `feed.account.${form}`,
    address: `GET /{username}.${form}`,
    access: onVisibleUser,
    programs: ["user"],
    answer: (call) => {
      const { user } = call
      const own = actorId(call.actor) === user.id
      const feed = { of: "account", receiverId: user.id, performedOnly: user.kind === "person" } as const
      return send(call, form, { feed, withPrivate: own, ofAnybody: own }, [user.name])
    },
  }),

  page({
    id: `feed.repository.${form}`,
    address: `GET /{owner}/{repo}.${form}`,
    access: onRepository,
    programs: ["repository"],
    answer: (call) => {
      const { owner, repository } = call
      const feed = { of: "repository", repositoryId: repository.id } as const
      return send(call, form, { feed, withPrivate: true, ofAnybody: false }, [owner.name, repository.name])
    },
  }),
])

async function send({ services, db, actor }: Request, form: FeedForm, asked: FeedQuery, names: readonly string[]): Promise<SentText> {
  const { site } = services
  const { rows } = await readFeed(db, actor, asked, { number: 1, limit: ENTRIES, offset: 0 })
  const views = await viewActivities(db, rows)
  const href = `${site.rootUrl}${path(...names)}`
  const title = names.join("/")
  const live = await liveReferences(db, rows)
  const entries = views.map((view) => entryOf(site, view, live))
  const { type, body } = feedIn(form, { title, description: `What happened: ${title}`, href, self: `${href}.${form}`, entries })
  return sentText(type, body)
}

function entryOf(site: Site, view: ActivityView, live: LiveReferences): FeedEntry {
  const { message, parts, href, quote, commits } = sentenceOf(view, live)
  const author = view.doer?.name ?? "Ghost"
  // Programs that read news are told in English.
  const words = said(message, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, textOf(part)])))
  return {
    id: `tag:${site.host},2026:activity/${view.activity.id}`,
    title: `${author} ${words}`,
    href: site.rootUrl + href,
    at: view.activity.created_at,
    author,
    text: [quote, ...commits.map((commit) => `${commit.id} ${commit.title}`)].filter((line) => line !== "").join("\n"),
  }
}

const textOf = (part: Part): Text => (typeof part === "object" && "href" in part ? part.text : part)
