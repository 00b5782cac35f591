import { anyone } from "../../access/policies/site.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { pathNumber } from "../../core/operation.ts"
import { type Page, page, type SentText, sentText } from "../../core/page.ts"
import {
  countMappedAccounts,
  countMappedRepositories,
  findMappedAccounts,
  findMappedRepositories,
} from "../../features/site/information/store.ts"
import { path } from "../../web/address.ts"
import { asXml } from "../../web/feed.ts"

/** The addresses of what everyone may see, for crawlers. A map is limited to 50,000 addresses and 50 MB; parts of 5,000 are made quickly. */

const PART = 5_000
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

interface SitemapEntry {
  readonly path: string
  /** Seconds. */
  readonly updatedAt: number
}

interface Kind {
  readonly count: (db: Handle) => Promise<number>
  /** Those after the first `offset`. */
  readonly entries: (db: Handle, offset: number) => Promise<readonly SitemapEntry[]>
}

const KINDS: Readonly<Record<"repos" | "users", Kind>> = {
  repos: {
    count: countMappedRepositories,
    entries: async (db, offset) => {
      const rows = await findMappedRepositories(db, { offset, limit: PART })
      return rows.map((row) => ({ path: path(row.owner_name, row.name), updatedAt: row.updated_at }))
    },
  },
  users: {
    count: countMappedAccounts,
    entries: async (db, offset) => {
      const rows = await findMappedAccounts(db, { offset, limit: PART })
      return rows.map((row) => ({ path: path(row.name), updatedAt: row.updated_at }))
    },
  },
}

const xml = (content: { readonly toString: () => string }): SentText =>
  sentText("application/xml;charset=utf-8", asXml(content), { "cache-control": "public, max-age=3600" })

const part = (name: keyof typeof KINDS): Page =>
  page({
    id: `site.sitemap.${name}`,
    address: `GET /explore/${name}/sitemap-{number}.xml`,
    access: anyone,
    answer: async ({ services: { site }, db, path: { number } }) => {
      const at = pathNumber(number)
      const entries = at === 0 ? [] : await KINDS[name].entries(db, (at - 1) * PART)
      if (entries.length === 0) throw refuse.notFound()
      return xml(
        html`
          <urlset xmlns="${NAMESPACE}">
            ${entries.map(
              (entry) =>
                html`
                  <url>
                    <loc>${site.rootUrl}${entry.path}</loc>
                    <lastmod>${new Date(entry.updatedAt * 1000).toISOString()}</lastmod>
                  </url>
                `,
            )}
          </urlset>
        `,
      )
    },
  })

export const sitemapPages: readonly Page[] = [
  page({
    id: "site.sitemap",
    address: "GET /sitemap.xml",
    access: anyone,
    answer: async ({ services: { site }, db }) => {
      const parts = await Promise.all(
        (["repos", "users"] as const).map(async (name) => {
          const parts = Math.ceil((await KINDS[name].count(db)) / PART)
          return Array.from({ length: parts }, (_, index) => `${site.rootUrl}/explore/${name}/sitemap-${index + 1}.xml`)
        }),
      )
      return xml(
        html`
          <sitemapindex xmlns="${NAMESPACE}">
            ${parts.flat().map((address) => html`<sitemap><loc>${address}</loc></sitemap>`)}
          </sitemapindex>
        `,
      )
    },
  }),
  part("repos"),
  part("users"),
]
