import type { Repository } from "../../../../access/permission.ts"
import { writesCode } from "../../../../access/policies/code.ts"
import { type OnRepository, onRepositoryUnit, onRepositoryUnitRead } from "../../../../access/policies/repositories.ts"
import { refuse } from "../../../../core/errors.ts"
import { form } from "../../../../core/forms/form.ts"
import { flagged, type Html, html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import { named } from "../../../../core/operation.ts"
import { type Draft, type Page, page, sentText } from "../../../../core/page.ts"
import Type from "../../../../core/schema.ts"
import { escapePath } from "../../../../core/text/escape-path.ts"
import { tagOperations } from "../../../../features/code/tags/operations.ts"
import { findTag, listTags } from "../../../../features/code/tags/store.ts"
import { path, repositoryPath } from "../../../../web/address.ts"
import { empty, filterForm, pager } from "../../../../web/components.ts"
import { FEED_FORMS, feedIn } from "../../../../web/feed.ts"
import { formView } from "../../../../web/form.ts"
import { icon } from "../../../../web/icon.ts"
import { time } from "../../../../web/time.ts"
import { comingFrom, comingFromField } from "../../../parts/code/revisions.ts"
import { repositoryPage } from "../../frame.ts"
import { releaseTabs } from "./tabs.ts"

const list: Page = page({
  id: "tags.list",
  address: "GET /{owner}/{repo}/tags",
  access: onRepositoryUnitRead("code"),
  rows: 30,
  query: { q: Type.Optional(Type.String({ maxLength: 255 })), ...comingFromField },
  answer: async (call) => {
    const { db, repository, page: rows, reader, draft, query } = call
    const isWriter = writesCode(call)
    const text = query.q?.trim() ?? ""
    const { rows: tags, total } = await listTags(db, repository.id, rows, text)
    const at = repositoryPath(call)
    return repositoryPage(call, {
      tab: "releases",
      title: t("Tags"),
      feed: `${at}/tags.atom`,
      body: html`
        <div class="bar">
          <h1>Tags</h1>
          ${releaseTabs(call, "tags")}<a class="button small" href="${at}/tags.atom">${icon("rss", t("Feed"))}</a>
          ${isWriter && repository.is_empty === 0 && newTag(repository, call.path, draft)}
        </div>
        ${(total > 0 || text !== "") && filterForm(`${at}/tags`, text, t("Search tags"), { path: query.path })}
        ${
          tags.length === 0 && text !== ""
            ? empty("tag", t("No tags found"), html`<a href="${at}/tags">Show all tags</a>`)
            : tags.length === 0
              ? empty("tag", t("No tags yet"), html`Create one with <code>git tag v1.0 &amp;&amp; git push --tags</code>.`)
              : html`<ul class="rows">${tags.map((tag) => tagRow(call, tag, isWriter, query.path))}</ul>`
        }
        ${pager(reader.url, rows, total)}
      `,
    })
  },
})

const newTag = ({ default_branch }: Repository, path: Readonly<Record<string, string>>, draft: Draft | undefined): Html =>
  html`
    <details class="menu" ${flagged("open", draft !== undefined)}>
      <summary class="button primary">${icon("plus")}New tag</summary>
      ${formView(create, {
        path,
        draft,
        submit: t("Create tag"),
        fields: [
          { kind: "line", name: "tag_name", label: t("Name"), required: true, maxlength: 240 },
          { kind: "line", name: "target", label: t("Target"), value: default_branch, hint: t("A branch, a tag or a commit.") },
          { kind: "text", name: "message", label: t("Message"), rows: 3, hint: t("With a message, the tag is annotated.") },
        ],
      })}
    </details>
  `

type Tag = Awaited<ReturnType<typeof listTags>>["rows"][number]

function tagRow(on: OnRepository, { name, message, tagged_at, target_id }: Tag, isWriter: boolean, from: string | undefined): Html {
  const at = repositoryPath(on)
  const tag = escapePath(name)
  return html`
    <li>
      ${icon("tag")}
      <div class="main">
        <h2 class="title">
          <a href="${comingFrom(on, from, "tag", name)}"><bdi>${name}</bdi></a>
        </h2>
        ${message !== "" && html`<p class="muted break" dir="auto">${message.split("\n", 1)[0]}</p>`}
        <p class="meta">
          <span>${time(tagged_at)}</span><a class="mono" href="${at}/commit/${target_id}">${target_id.slice(0, 10)}</a>
          <a href="${at}/archive/${tag}.zip" rel="nofollow">${icon("file-zip")} ZIP</a>
          <a href="${at}/archive/${tag}.tar.gz" rel="nofollow">${icon("file-zip")} tar.gz</a>
          <a href="${at}/releases/tag/${tag}">Release</a>
          ${isWriter && html`<a href="${at}/tags/delete/${tag}" rel="nofollow">Delete</a>`}
        </p>
      </div>
    </li>
  `
}

const confirmDelete: Page = page({
  id: "tags.confirmDelete",
  address: "GET /{owner}/{repo}/tags/delete/{tag}",
  access: onRepositoryUnit("code", "write"),
  answer: async (call) => {
    const { db, repository, draft } = call
    const tag = await findTag.first(db, { repositoryId: repository.id, name: call.path.tag })
    if (!tag || !writesCode(call)) throw refuse.notFound()
    return repositoryPage(call, {
      tab: "releases",
      title: t("Delete tag {name}", { name: tag.name }),
      unlisted: true,
      body: html`
        <h1>Delete tag <bdi>${tag.name}</bdi></h1>
        <p>
          The commit <a class="mono" href="${repositoryPath(call)}/commit/${tag.target_id}">
            ${tag.target_id.slice(0, 10)}
          </a> stays. Clones that have fetched the tag keep it.
        </p>
        ${formView(remove, {
          path: call.path,
          draft,
          look: "danger",
          submit: t("Delete tag"),
          beside: html`<a class="button quiet" href="${repositoryPath(call)}/tags">Cancel</a>`,
        })}
      `,
    })
  },
})

const create = form({
  id: "tags.create",
  address: "POST /{owner}/{repo}/tags",
  does: named(tagOperations, "repoCreateTag"),
  on: list,
  takes: ["tag_name", "target", "message"],
  // What it is made at may be missing: a problem of the form.
  picks: (values) => values,
  once: true,
  done: t("Tag created."),
})

const remove = form({
  id: "tags.delete",
  address: "POST /{owner}/{repo}/tags/delete/{tag}",
  does: named(tagOperations, "repoDeleteTag"),
  on: confirmDelete,
  done: t("Tag deleted."),
  to: ({ path: { owner, repo } }) => path(owner, repo, "tags"),
})

export const tagPages: readonly Page[] = [
  list,
  confirmDelete,
  create,
  remove,
  ...FEED_FORMS.map((form) =>
    page({
      id: `tags.${form}`,
      address: `GET /{owner}/{repo}/tags.${form}`,
      access: onRepositoryUnitRead("code"),
      programs: ["repository"],
      rows: 20,
      answer: async (call) => {
        const { services, db, repository, owner, page: rows } = call
        const { rows: tags } = await listTags(db, repository.id, rows)
        const at = `${services.site.rootUrl}${repositoryPath(call)}`
        const { type, body } = feedIn(form, {
          title: `${owner.name}/${repository.name}: tags`,
          description: repository.description,
          href: `${at}/tags`,
          self: `${at}/tags.${form}`,
          entries: tags.map((tag) => ({
            id: `${at}/tags#${encodeURIComponent(tag.name)}`,
            title: tag.name,
            href: `${at}/src/tag/${escapePath(tag.name)}`,
            at: tag.tagged_at,
            author: owner.name,
            text: tag.message,
          })),
        })
        return sentText(type, body)
      },
    }),
  ),
]
