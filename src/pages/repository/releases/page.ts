import { type OnRepository, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { moved, type Page, page, sentText } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { admitRelease, locateReleaseOfTag, seesDrafts } from "../../../features/code/releases/locate.ts"
import { assetPath, type ReleaseView, releaseUrl, viewRelease, viewReleases } from "../../../features/code/releases/present.ts"
import { findLatestRelease, listReleases, type Release } from "../../../features/code/releases/store.ts"
import { repositoryPath } from "../../../web/address.ts"
import { empty, pager, personWithAvatar } from "../../../web/components.ts"
import { FEED_FORMS, feedIn } from "../../../web/feed.ts"
import { icon } from "../../../web/icon.ts"
import { bytes, plural, time } from "../../../web/time.ts"
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
      const { db, actor, repository, page: rows, reader } = call
      const filter = { repositoryId: repository.id, drafts: seesDrafts(actor, call), draft: undefined, prerelease: undefined }
      const { rows: found, total } = await listReleases(db, filter, rows)
      const views = await viewReleases(db, found)
      const latest = await findLatestRelease.first(db, { repositoryId: repository.id })
      const cards: Html[] = []
      for (const view of views) cards.push(await releaseCard(call, view, view.release.id === latest?.id))
      return repositoryPage(call, {
        tab: "releases",
        title: t("Releases"),
        feed: `${repositoryPath(call)}/releases.atom`,
        body: html`
          <div class="bar">
            <h1>Releases</h1>
            ${releaseTabs(call, "releases")}
            <a class="button small" href="${repositoryPath(call)}/releases.atom">${icon("rss", t("Feed"))}</a>
            ${
              filter.drafts &&
              html`
                <a class="button primary" href="${repositoryPath(call)}/releases/new" rel="nofollow">
                  ${icon("plus")}New release
                </a>
              `
            }
          </div>
          ${cards.length > 0 ? cards : empty("rocket", t("No releases yet"), t("A release is a tag with release notes and files."))}
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
        // Feed readers may show them to anyone: never with drafts.
        const filter = { repositoryId: repository.id, drafts: false, draft: undefined, prerelease: undefined }
        const { rows: found } = await listReleases(db, filter, rows)
        const views = await viewReleases(db, found)
        const at = `${services.site.rootUrl}${repositoryPath(call)}`
        const { type, body } = feedIn(form, {
          title: `${owner.name}/${repository.name}: releases`,
          description: repository.description,
          href: `${at}/releases`,
          self: `${at}/releases.${form}`,
          entries: views.map(({ release, publisher }) => ({
            id: `${at}/releases#${release.id}`,
            title: titleOf(release),
            href: releaseUrl(at, release),
            at: release.created_at,
            author: publisher.name,
            text: release.note,
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
      const latest = await findLatestRelease.first(call.db, { repositoryId: call.repository.id })
      return repositoryPage(call, {
        tab: "releases",
        title: titleOf(release),
        body: html`
          <div class="bar">
            <h1 dir="auto">${titleOf(release)}</h1>
            ${releaseTabs(call, "releases")}
          </div>
          ${await releaseCard(call, await viewRelease(call.db, release), release.id === latest?.id, false)}
        `,
      })
    },
  }),
]

const titleOf = ({ title, tag_name }: Release): string => title || tag_name

async function releaseCard(call: Call, view: ReleaseView, isLatest: boolean, withTitle = true): Promise<Html> {
  const { note } = view.release
  return html`
    <article class="card">
      ${cardHead(call, view, isLatest, withTitle)}
      <div class="inside stack">
        ${note === "" ? html`<p class="muted">No notes.</p>` : await renderText(call, note, { style: "comment" })}
        ${filesOf(call, view)}
      </div>
    </article>
  `
}

function cardHead(call: Call, { release, publisher }: ReleaseView, isLatest: boolean, withTitle: boolean): Html {
  const at = repositoryPath(call)
  const tag = html`${icon("tag")} ${release.tag_name}`
  return html`
    <div class="head">
      ${withTitle && html`<h2><a href="${releaseUrl(at, release)}" dir="auto">${titleOf(release)}</a></h2>`}
      ${isLatest && html`<span class="state badge success">Latest</span>`}
      ${release.is_draft === 1 && html`<span class="state badge draft">Draft</span>`}
      ${release.is_prerelease === 1 && html`<span class="state badge warning">Pre-release</span>`}
      <span class="meta end">
        ${
          // A draft's tag is made when it is published.
          release.is_draft === 1 ? html`<span>${tag}</span>` : html`<a href="${at}/src/tag/${escapePath(release.tag_name)}">${tag}</a>`
        }
        <span>${personWithAvatar(publisher)} ${time(release.created_at)}</span>
        ${
          seesDrafts(call.actor, call) &&
          html`
            <a class="button small" href="${at}/releases/edit/${escapePath(release.tag_name)}" rel="nofollow">
              ${icon("pencil", t("Edit {release}", { release: titleOf(release) }))}
            </a>
          `
        }
      </span>
    </div>
  `
}

/** The files that were added, and the archives of the source. */
function filesOf(call: Call, { release, files }: ReleaseView): Html {
  const at = `${repositoryPath(call)}/archive/${encodeURIComponent(release.tag_name)}`
  const archives = call.services.config.archives.enabled ? [["ZIP", "zip"] as const, ["tar.gz", "tar.gz"] as const] : []
  return html`
    <details open>
      <summary>${plural(files.length + archives.length, "file")}</summary>
      <ul class="rows">
        ${files.map(
          (file) =>
            html`
              <li>
                ${icon("package")}
                <div class="main">
                  <a href="${assetPath(call, release, file)}"><bdi>${file.name}</bdi></a>
                </div>
                <span class="muted small nowrap">
                  ${bytes(file.size)} · ${plural(file.download_count, "download")}
                </span>
              </li>
            `,
        )}
        ${archives.map(
          ([kind, ending]) =>
            html`
              <li>
                ${icon("file-zip")}
                <div class="main"><a href="${at}.${ending}" rel="nofollow">Source (${kind})</a></div>
              </li>
            `,
        )}
      </ul>
    </details>
  `
}
