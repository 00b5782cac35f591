import { onIssues } from "../../../access/policies/issues.ts"
import { plansIn } from "../../../access/policies/planning.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { LABEL_SORTS, labelQuery } from "../../../features/planning/labels/records.ts"
import { countOpen, findLabels, type Label, ofOrganization, ofRepository } from "../../../features/planning/labels/store.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { empty, label, menu, pager } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { plural } from "../../../web/time.ts"
import { repositoryPage } from "../frame.ts"

const ORDERS = {
  alphabetically: t("By name"),
  reversealphabetically: t("By name, reversed"),
  mostissues: t("Most issues"),
  leastissues: t("Fewest issues"),
} as const satisfies Readonly<Record<(typeof LABEL_SORTS)[number], Text>>

type Counts = (labelId: number, isPull: 0 | 1) => number

async function countsOf(db: Handle, repositoryId: number, labels: readonly Label[]): Promise<Counts> {
  const rows = await countOpen(db, { repositoryId, ids: labels.map(({ id }) => id) })
  return (labelId, isPull) => rows.find((row) => row.label_id === labelId && row.is_pull === isPull)?.total ?? 0
}

/** The organisation's labels are shown with a repository's first page. */
const MOST_SHARED = { number: 1, limit: 100, offset: 0 } as const

export const labelPages: readonly Page[] = [
  page({
    id: "label.list",
    address: "GET /{owner}/{repo}/labels",
    access: onIssues,
    rows: 100,
    query: { ...labelQuery, q: Type.Optional(Type.String()) },
    answer: async (call) => {
      const { db, repository, owner, query: asked, page: rows, reader } = call
      const sort = asked.sort ?? "alphabetically"
      const own = await findLabels(db, ofRepository(repository.id), sort, rows)
      const shared =
        owner.kind === "organization" ? await findLabels(db, ofOrganization(owner.id), sort, MOST_SHARED) : { rows: [], total: 0 }
      const counts = await countsOf(db, repository.id, [...own.rows, ...shared.rows])
      const at = repositoryPath(call)
      const plans = call.actor.kind === "user" && repository.is_archived === 0 && plansIn(call)
      return repositoryPage(call, {
        tab: "issues",
        title: t("Labels"),
        body: html`
          <div class="bar">
            <h1>Labels</h1>
            ${menu(
              html`${icon("sort-desc")}${ORDERS[sort]}`,
              LABEL_SORTS.map((name) => html`<a href="${withQuery(reader.url, { sort: name })}" rel="nofollow">${ORDERS[name]}</a>`),
            )}
            ${plans && html`<a class="button primary" href="${at}/labels/new" rel="nofollow">${icon("plus")}New label</a>`}
          </div>
          ${
            own.rows.length + shared.rows.length === 0
              ? empty("tag", t("No labels yet"), t("Labels categorize issues and pull requests."))
              : html`
                ${own.rows.length > 0 && labelRows(own.rows, at, counts, plans)}${pager(reader.url, rows, own.total)}
                ${
                  shared.rows.length > 0 &&
                  rows.number === 1 &&
                  html`
                    <h2>Labels of <bdi>${owner.name}</bdi></h2>
                    ${labelRows(shared.rows, at, counts)}
                  `
                }
              `
          }
        `,
      })
    },
  }),
]

const labelRows = (labels: readonly Label[], at: string, counts: Counts, plans = false): Html =>
  html`
    <ul class="rows labels">
      ${labels.map(({ id, name, color, description, exclusive, is_archived }) => {
        const to = (kind: string) => withQuery(`${at}/${kind}`, { q: `is:open label:"${name.replaceAll('"', "")}"` })
        return html`
          <li>
            <div class="main">
              <p class="bar">
                ${label(name, color, { href: to("issues") })}
                ${exclusive === 1 && html`<span class="muted small">one of its kind</span>`}
                ${is_archived === 1 && html`<span class="chip">Archived</span>`}
              </p>
              ${description !== "" && html`<p class="muted break" dir="auto">${description}</p>`}
            </div>
            <p class="meta">
              <a href="${to("issues")}">${plural(counts(id, 0), "open issue")}</a>
              <a href="${to("pulls")}">${plural(counts(id, 1), "open pull request")}</a>
              ${plans && html`<a href="${at}/labels/${id}/edit" rel="nofollow" aria-label="Edit ${name}">${icon("pencil")}</a>`}
            </p>
          </li>
        `
      })}
    </ul>
  `
