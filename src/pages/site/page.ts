import { anyone } from "../../access/policies/site.ts"
import { refuse } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { moved, type Page, page, sentText } from "../../core/page.ts"
import { assetAddress } from "../../web/assets.ts"
import { explainPages } from "./explain.ts"
import { sitemapPages } from "./sitemap.ts"
import { stylePage } from "./style.ts"

/** Pages of the site itself, and texts about it for browsers and crawlers. */
export const sitePages: readonly Page[] = [
  stylePage,

  page({
    id: "site.robots",
    address: "GET /robots.txt",
    access: anyone,
    answer: ({ services }) =>
      sentText("text/plain;charset=utf-8", robots(services.site.rootUrl), { "cache-control": "public, max-age=3600" }),
  }),

  page({
    id: "site.openSearch",
    address: "GET /opensearch.xml",
    access: anyone,
    answer: ({ services: { site } }) =>
      sentText(
        "application/opensearchdescription+xml",
        `<?xml version="1.0" encoding="UTF-8"?>\n${html`
          <OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
            <ShortName>Hearth</ShortName><Description>Search ${site.host}</Description>
            <Url type="text/html" template="${site.rootUrl}/search?q={searchTerms}"/>
          </OpenSearchDescription>
        `}`,
        { "cache-control": "public, max-age=3600" },
      ),
  }),

  page({
    id: "site.security",
    address: "GET /.well-known/security.txt",
    access: anyone,
    changesWithTime: true,
    answer: ({ services: { config, site, now } }) => {
      const { contact } = config.security
      if (contact === "") throw refuse.notFound()
      const expires = new Date((now() + VALID_SECONDS) * 1000).toISOString()
      return sentText(
        "text/plain;charset=utf-8",
        `Contact: ${contact.startsWith("https:") ? contact : `mailto:${contact}`}\nExpires: ${expires}\nCanonical: ${site.rootUrl}/.well-known/security.txt\n`,
        { "cache-control": "public, max-age=86400" },
      )
    },
  }),

  // Their targets change with their content, so that no browser may keep where they lead.
  page({ id: "site.favicon", address: "GET /favicon.ico", access: anyone, answer: () => moved(assetAddress("logo.svg"), { status: 302 }) }),
  page({
    id: "site.touchIcon",
    address: "GET /apple-touch-icon.png",
    access: anyone,
    answer: () => moved(assetAddress("touch-icon.png"), { status: 302 }),
  }),

  ...sitemapPages,
  ...explainPages,
]

/** The file security.txt must be renewed after this time. */
const VALID_SECONDS = 30 * 86_400

/** What costs much and says little is not for crawlers: each file of each commit, comparisons, archives, filtered lists. */
const CLOSED = [
  "blame",
  "compare",
  "raw",
  "media",
  "archive",
  "src/commit",
  "commits/commit",
  "graph",
  "search",
  "activity",
  "actions",
  "rss",
  "atom",
]

const robots = (rootUrl: string): string =>
  [
    "User-agent: *",
    ...CLOSED.map((part) => `Disallow: /*/*/${part}/`),
    "Disallow: /*?*q=",
    "Disallow: /*?*sort=",
    "Disallow: /*?*page=",
    "Disallow: /user/",
    "Disallow: /api/",
    "Disallow: /-/",
    `Sitemap: ${rootUrl}/sitemap.xml`,
    "",
  ].join("\n")
