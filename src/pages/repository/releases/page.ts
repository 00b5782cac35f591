import { type OnRepository, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { type Html, html } from "../../../core/html.ts"
import type { Request } from "../../../core/operation.ts"
import { moved, type Page, page, sentText } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { admitRelease, locateReleaseOfTag, seesDrafts } from "../../../features/code/releases/locate.ts"
import { presentRelease, presentReleases } from "../../../features/code/releases/present.ts"
import type { Release } from "../../../features/code/releases/records.ts"
import { findLatestRelease, listReleases } from "../../../features/code/releases/store.ts"
import { localPath, repositoryPath } from "../../../web/address.ts"
import { empty, pager, personWithAvatar } from "../../../web/components.ts"
import { FEED_FORMS, feedIn } from "../../../web/feed.ts"
import { icon } from "../../../web/icon.ts"
import { bytes, count, plural, timeOf } from "../../../web/time.ts"
import { renderText } from "../../parts/texts.ts"
import { releaseTabs } from "../code/tags/tabs.ts"
import { repositoryPage } from "../frame.ts"

type Call = OnRepository & Pick<Request, "services" | "db" | "actor">

const access = onRepositoryUnitRead("releases")

export const releasePages: readonly Page[] = [
  page({
    id: "releases.list",
    address: "GET /{owner}/{repo}/releases",
    access,
    rows: 10,
    answer: async (call) => {
      const { services, db, actor, repository, page: rows, reader } = call
      const filter = { repositoryId: repository.id, drafts: seesDrafts(actor, call), draft: undefined, prerelease: undefined }
      const { rows: found, total } = await listReleases(db, filter, rows)
      const records = await presentReleases(db, services, call, found)
      const latest = await findLatestRelease.first(db, { repositoryId: repository.id })
      const cards: Html[] = []
      for (const record of records) cards.push(await releaseCard(call, record, record.id === latest?.id))
      return repositoryPage(call, {
        tab: "releases",
        title: "Releases",
        feed: `${repositoryPath(call)}/releases.atom`,
        body: html`
          <div class="bar">
            <h1>Releases</h1>
            ${releaseTabs(call, "releases")}
            <a class="button small" href="${repositoryPath(call)}/releases.atom">${icon("rss", "Feed")}</a>
            ${
              filter.drafts &&
              html`
                <a class="button small primary" href="${repositoryPath(call)}/releases/new" rel="nofollow">
                  ${icon("plus")}New release
                </a>
              `
            }
          </div>
          ${
            cards.length > 0
              ? cards
              : empty("rocket", "Nothing is released yet", "A release is a tag with notes and files for those who use this.")
          }
          ${pager(reader.url, rows, total)}
        `,
      })
    },
  }),
  ...FEED_FORMS.map((form) =>
    page({
      id: `releases.${form}`,
      address: `GET /{owner}/{repo}/releases.${form}`,
      access,
      programs: ["repository"],
      answer: async (call) => {
        const { services, db, repository, owner, page: rows } = call
        // Programs that read feeds show them to whomever they like: without drafts, whoever asks.
        const filter = { repositoryId: repository.id, drafts: false, draft: undefined, prerelease: undefined }
        const { rows: found } = await listReleases(db, filter, rows)
        const records = await presentReleases(db, services, call, found)
        const at = `${services.site.rootUrl}${repositoryPath(call)}`
        const { type, body } = feedIn(form, {
          title: `${owner.name}/${repository.name}: releases`,
          description: repository.description,
          href: `${at}/releases`,
          self: `${at}/releases.${form}`,
          entries: records.map((record) => ({
            id: `${at}/releases#${record.id}`,
            title: record.name || record.tag_name,
            href: `${at}/releases/tag/${escapePath(record.tag_name)}`,
            at: Date.parse(record.published_at) / 1000,
            author: record.author.login,
            text: record.body,
          })),
        })
        return sentText(type, body)
      },
    }),
  ),
  page({
    id: "releases.latest",
    address: "GET /{owner}/{repo}/releases/latest",
    access,
    answer: async (call) => {
      const release = admitRelease(call.actor, call, await findLatestRelease.first(call.db, { repositoryId: call.repository.id }))
      return moved(`${repositoryPath(call)}/releases/tag/${escapePath(release.tag_name)}`, { status: 302 })
    },
  }),
  page({
    id: "releases.show",
    address: "GET /{owner}/{repo}/releases/tag/{tag}",
    access,
    answer: async (call) => {
      const release = await locateReleaseOfTag(call, call.path.tag)
      const record = await presentRelease(call.db, call.services, call, release)
      const latest = await findLatestRelease.first(call.db, { repositoryId: call.repository.id })
      return repositoryPage(call, {
        tab: "releases",
        title: record.name || record.tag_name,
        body: html`
          <div class="bar">
            <h1 dir="auto">${record.name || record.tag_name}</h1>
            ${releaseTabs(call, "releases")}
          </div>
          ${await releaseCard(call, record, record.id === latest?.id, false)}
        `,
      })
    },
  }),
]

async function releaseCard(call: Call, release: Release, isLatest: boolean, withTitle = true): Promise<Html> {
  const at = repositoryPath(call)
  const link = `${at}/releases/tag/${escapePath(release.tag_name)}`
  return html`
    <article class="card">
      <div class="head">
        ${withTitle && html`<h2><a href="${link}" dir="auto">${release.name || release.tag_name}</a></h2>`}
        ${isLatest && html`<span class="state badge success">Latest</span>`}
        ${release.draft && html`<span class="state badge draft">Draft</span>`}
        ${release.prerelease && html`<span class="state badge warning">Pre-release</span>`}
        <span class="meta end">
          ${
            // A draft's tag is made when it is published.
            release.draft
              ? html`<span>${icon("tag")} ${release.tag_name}</span>`
              : html`<a href="${at}/src/tag/${escapePath(release.tag_name)}">${icon("tag")} ${release.tag_name}</a>`
          }
          <span>${personWithAvatar(release.author)} ${timeOf(release.published_at)}</span>
          ${
            seesDrafts(call.actor, call) &&
            html`
              <a class="button small" href="${at}/releases/edit/${escapePath(release.tag_name)}" rel="nofollow">
                ${icon("pencil", `Edit ${release.name || release.tag_name}`)}
              </a>
            `
          }
        </span>
      </div>
      <div class="inside stack">
        ${release.body === "" ? html`<p class="muted">No notes.</p>` : await renderText(call, release.body, { style: "comment" })}
        <details open>
          <summary>${plural(release.assets.length + (release.zipball_url ? 2 : 0), "file")}</summary>
          <ul class="rows">
            ${release.assets.map(
              (asset) =>
                html`
                  <li>
                    ${icon("package")}
                    <div class="main">
                      <a href="${localPath(asset.browser_download_url)}"><bdi>${asset.name}</bdi></a>
                    </div>
                    <span class="muted small nowrap">
                      ${bytes(asset.size)} · ${count(asset.download_count)} downloads
                    </span>
                  </li>
                `,
            )}
            ${
              release.zipball_url &&
              html`
                <li>
                  ${icon("file-zip")}
                  <div class="main"><a href="${localPath(release.zipball_url)}" rel="nofollow">Source (ZIP)</a></div>
                </li>
              `
            }
            ${
              release.tarball_url &&
              html`
                <li>
                  ${icon("file-zip")}
                  <div class="main"><a href="${localPath(release.tarball_url)}" rel="nofollow">Source (tar.gz)</a></div>
                </li>
              `
            }
          </ul>
        </details>
      </div>
    </article>
  `
}
