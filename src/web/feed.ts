import { html } from "../core/html.ts"

/** Feeds for the programs that people read news with: Atom (RFC 4287) and RSS 2.0. */

export interface FeedEntry {
  /** A URI that stays the same, and is not an address. */
  readonly id: string
  readonly title: string
  /** The whole address of its page. */
  readonly href: string
  /** Seconds. */
  readonly at: number
  readonly author: string
  /** Plain text; "" for none. */
  readonly text: string
}

export interface Feed {
  readonly title: string
  readonly description: string
  /** The whole address of the page that the feed is of, and that of the feed. */
  readonly href: string
  readonly self: string
  /** The newest first. */
  readonly entries: readonly FeedEntry[]
}

export const FEED_FORMS = ["atom", "rss"] as const
export type FeedForm = (typeof FEED_FORMS)[number]

/** The feed in a form, with its media type. */
export const feedIn = (form: FeedForm, feed: Feed): { readonly type: string; readonly body: string } =>
  form === "atom"
    ? { type: "application/atom+xml;charset=utf-8", body: asXml(atom(feed)) }
    : { type: "application/rss+xml;charset=utf-8", body: asXml(rss(feed)) }

const moment = (seconds: number): string => new Date(seconds * 1000).toISOString()

const atom = ({ title, description, href, self, entries }: Feed) =>
  html`
    <feed xmlns="http://www.w3.org/2005/Atom">
      <id>${self}</id>
      <title>${title}</title>
      <subtitle>${description}</subtitle>
      <link rel="alternate" type="text/html" href="${href}"/>
      <link rel="self" type="application/atom+xml" href="${self}"/>
      <updated>${moment(entries[0]?.at ?? 0)}</updated>
      ${entries.map(
        (entry) =>
          html`
            <entry>
              <id>${entry.id}</id>
              <title>${entry.title}</title>
              <link rel="alternate" type="text/html" href="${entry.href}"/>
              <updated>${moment(entry.at)}</updated><author><name>${entry.author}</name></author>
              ${entry.text !== "" && html`<content type="text">${entry.text}</content>`}
            </entry>
          `,
      )}
    </feed>
  `

const rss = ({ title, description, href, self, entries }: Feed) =>
  html`
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel>
        <title>${title}</title>
        <link>
        ${href}
        </link>
        <description>${description}</description><atom:link rel="self" type="application/rss+xml" href="${self}"/>
        ${entries.map(
          (entry) =>
            html`
              <item>
                <guid isPermaLink="false">${entry.id}</guid>
                <title>${entry.title}</title>
                <link>
                ${entry.href}
                </link>
                <pubDate>${new Date(entry.at * 1000).toUTCString()}</pubDate><dc:creator>${entry.author}</dc:creator>
                ${entry.text !== "" && html`<description>${entry.text}</description>`}
              </item>
            `,
        )}
      </channel>
    </rss>
  `

/** A document of XML; characters that XML can't hold, which texts of people may, are left out. */
export const asXml = (content: { readonly toString: () => string }): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${content
    .toString()
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")}\n`
