import { onWiki } from "../../../access/policies/wiki.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import type { OnCode } from "../../../features/code/contents/locate.ts"
import { titleOfAddress } from "../../../features/code/wiki/names.ts"
import { listPages, listRevisions, type PageLine, REVISIONS, readPage, type WholePage } from "../../../features/code/wiki/present.ts"
import { openView } from "../../../features/code/wiki/view.ts"
import { repositoryPath } from "../../../web/address.ts"
import { empty, pager } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { plural, time } from "../../../web/time.ts"
import { subjectOf } from "../../parts/code/commits-view.ts"
import { renderText } from "../../parts/texts.ts"
import { repositoryPage } from "../frame.ts"
import { mayWriteWiki } from "./edit.ts"

const HOME = "Home"

export const wikiPages: readonly Page[] = [
  page({
    id: "wiki.home",
    address: "GET /{owner}/{repo}/wiki",
    access: onWiki,
    query: { action: Type.Optional(Type.String()) },
    answer: (call) => (call.query.action === "_new" ? moved(`${repositoryPath(call)}/wiki/_new`) : showPage(call, HOME)),
  }),
  page({
    id: "wiki.page",
    address: "GET /{owner}/{repo}/wiki/{pageName}",
    access: onWiki,
    rows: 50,
    query: { action: Type.Optional(Type.String()) },
    answer: (call) => {
      const { pageName: address } = call.path
      if (call.query.action === "_pages" || address === "_pages") return showList(call)
      const { action } = call.query
      if (action === "_new") return moved(`${repositoryPath(call)}/wiki/_new`)
      if (action === "_edit" || action === "_delete") return moved(`${repositoryPath(call)}/wiki/${action}/${address}`)
      if (action === "_revision") return showRevisions(call, address)
      return address === HOME ? moved(`${repositoryPath(call)}/wiki`) : showPage(call, address)
    },
  }),
]

const wikiPath = (call: OnCode): string => `${repositoryPath(call)}/wiki`

const cloneAddress = (call: OnCode): string => `${call.services.site.rootUrl}${repositoryPath(call)}.wiki.git`

const textView = (call: OnCode, text: Buffer): Promise<Html> => renderText(call, text.toString("utf8"), { style: "wiki" })

/** What is shown in place of a page that isn't there: how to begin with the wiki, or with the page. */
async function missingPage(call: OnCode, address: string): Promise<Shown> {
  const writes = mayWriteWiki(call)
  if (address !== HOME && !writes) throw refuse.notFound()
  const title = titleOfAddress(address)
  const create =
    writes &&
    html`
      <a class="button primary" href="${wikiPath(call)}/_new?title=${encodeURIComponent(title)}" rel="nofollow">
        ${icon("plus")}Create page
      </a>
    `
  const shown = (body: Html, more: Pick<Shown, "unlisted"> = {}): Promise<Shown> =>
    repositoryPage(call, { tab: "wiki", title: t("Wiki"), body: html`<h1>Wiki</h1>${body}`, ...more })
  if (address !== HOME)
    return {
      ...(await shown(empty("book", t("This page doesn’t exist yet"), html`<bdi>${title}</bdi>`, create), { unlisted: true })),
      status: 404,
    }
  return shown(
    empty(
      "book",
      t("No pages yet"),
      t("A wiki is a place for documentation: how things are done, and why."),
      html`
        <p class="muted">
          The wiki is a git repository: <code>
            ${cloneAddress(call)}
          </code>
        </p>
        ${create}
      `,
    ),
  )
}

async function showPage(call: OnCode, address: string): Promise<Shown> {
  const found = await presentedPage(call, address)
  if (!found) return missingPage(call, address)
  const side = found.sidebar.length === 0 ? await pageLinks(call) : await textView(call, found.sidebar)
  const footer = found.footer.length === 0 ? undefined : await textView(call, found.footer)
  return repositoryPage(call, {
    tab: "wiki",
    title: found.title,
    body: html`
      ${pageHead(call, found)}
      <div class="columns">
        <div>
          <article class="card">
            <div class="inside">${await textView(call, found.content)}</div>
          </article>
          ${footer && html`<div class="muted">${footer}</div>`}
        </div>
        <aside class="side" aria-label="Pages">
          ${side}
          <section>
            <h2>Clone</h2>
            <p class="break"><code>${cloneAddress(call)}</code></p>
          </section>
        </aside>
      </div>
    `,
  })
}

function pageHead(call: OnCode, { title, address, commits, commit }: WholePage): Html {
  const at = wikiPath(call)
  return html`
    <div class="bar">
      <h1 dir="auto">${title}</h1>
      <a class="button small" href="${at}/_pages">${icon("list-unordered")}All pages</a>
      <a class="button small" href="${at}/${address}?action=_revision">
        ${icon("history")}${plural(commits, "revision")}
      </a>
      ${
        mayWriteWiki(call) &&
        html`
          <a class="button small" href="${at}/_edit/${address}" rel="nofollow">${icon("pencil")}Edit</a>
          <a class="button small" href="${at}/_new" rel="nofollow">${icon("plus")}New page</a>
          <a class="button small" href="${at}/_delete/${address}" rel="nofollow">${icon("trash", t("Delete"))}</a>
        `
      }
    </div>
    <p class="meta">
      ${
        commit &&
        html`
          <span>
            Changed by <span class="strong">${commit.author.name}</span>${" "}
            ${time(commit.author.when)}
          </span>
        `
      }
    </p>
  `
}

/** The page, or undefined where it isn't there. */
async function presentedPage(call: OnCode, address: string): Promise<WholePage | undefined> {
  try {
    return await readPage(call.services, { ...(await openView(call.services, call)), address })
  } catch (error) {
    if (error instanceof Refusal && error.kind === "notFound") return undefined
    throw error
  }
}

/** The most pages that the side bar lists by itself. */
const MOST_LINKS = 40

async function pageLinks(call: OnCode): Promise<Content> {
  const { pages, total } = await listPages(call.services, await openView(call.services, call), { limit: MOST_LINKS, offset: 0 })
  const at = wikiPath(call)
  return html`
    <section>
      <h2>Pages</h2>
      <ul class="plain stack tight">
        ${pages.map(({ title, address }) => html`<li><a href="${at}/${address}" dir="auto">${title}</a></li>`)}
      </ul>
      ${total > MOST_LINKS && html`<p><a href="${at}/_pages">All ${total} pages</a></p>`}
    </section>
  `
}

async function showList(call: OnCode & { readonly page: Parameters<typeof pager>[1]; readonly reader: { readonly url: string } }) {
  const { pages, total } = await listPages(call.services, await openView(call.services, call), call.page)
  const at = wikiPath(call)
  const row = ({ title, address, commit }: PageLine): Html =>
    html`
      <li>
        ${icon("book")}
        <div class="main">
          <h2 class="title"><a href="${at}/${address}" dir="auto">${title}</a></h2>
          <p class="meta">
            ${commit && html`<span dir="auto">${subjectOf(commit)}</span><span>${time(commit.author.when)}</span>`}
          </p>
        </div>
      </li>
    `
  return repositoryPage(call, {
    tab: "wiki",
    title: t("Pages of the wiki"),
    body: html`
      <div class="bar">
        <h1>Pages</h1>
        <a class="button small" href="${at}">${icon("home")}Home</a>
      </div>
      <ul class="rows">${pages.map(row)}</ul>
      ${pager(call.reader.url, call.page, total)}
    `,
  })
}

async function showRevisions(
  call: OnCode & { readonly page: Parameters<typeof pager>[1]; readonly reader: { readonly url: string } },
  address: string,
) {
  const view = { ...(await openView(call.services, call)), address }
  const { commits, total } = await listRevisions(call.services, view, call.page.number)
  const newest = call.page.number === 1 ? commits[0]?.id : undefined
  const title = titleOfAddress(address)
  return repositoryPage(call, {
    tab: "wiki",
    title: t("Revisions of {title}", { title }),
    body: html`
      <div class="bar">
        <h1 dir="auto">Revisions of ${title}</h1>
        <a class="button small" href="${repositoryPath(call)}/wiki/${address}">${icon("book")}Back to the page</a>
      </div>
      <ul class="rows">
        ${commits.map(
          ({ id, message, author }) =>
            html`
              <li>
                ${icon("git-commit")}
                <div class="main">
                  <h2 class="title" dir="auto">${subjectOf({ message })}</h2>
                  <p class="meta">
                    <span class="strong"><bdi>${author.name}</bdi></span><span>${time(author.when)}</span>
                    <code>${id.slice(0, 10)}</code>
                  </p>
                </div>
                ${
                  mayWriteWiki(call) &&
                  id !== newest &&
                  html`
                    <a
                      class="button small"
                      href="${repositoryPath(call)}/wiki/_revert/${address}?revision=${id}"
                      rel="nofollow"
                    >
                      ${icon("history")}Revert<span class="hidden-text"> ${id.slice(0, 10)}</span>
                    </a>
                  `
                }
              </li>
            `,
        )}
      </ul>
      ${pager(call.reader.url, { ...call.page, limit: REVISIONS }, total)}
    `,
  })
}
