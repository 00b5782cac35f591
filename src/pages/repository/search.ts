import { Mode } from "../../access/modes.ts"
import { unitMode } from "../../access/permission.ts"
import { readableKinds } from "../../access/policies/issues.ts"
import { type OnRepository, onRepository } from "../../access/policies/repositories.ts"
import { refuse } from "../../core/errors.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import type { Page as ListPage, Request } from "../../core/operation.ts"
import { type Page, page, type Reader } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import { resolveRevision } from "../../features/code/commits/revision.ts"
import { inRepository } from "../../features/planning/issues/list-store.ts"
import { repositoryPath, withQuery } from "../../web/address.ts"
import { empty, filterForm, notice, pager, type Tab, tabs } from "../../web/components.ts"
import { codeSearch, codeSearchFields, countCode } from "../parts/code-results.ts"
import { countIssueResults, issueResults } from "../parts/issues/results-view.ts"
import { definitionsOf, definitionsView } from "./definitions.ts"
import { repositoryPage } from "./frame.ts"

const KINDS = ["code", "issues", "pulls"] as const
type Kind = (typeof KINDS)[number]

const PARTS = {
  code: { text: t("Code"), icon: "code" },
  issues: { text: t("Issues"), icon: "issue-opened" },
  pulls: { text: t("Pull requests"), icon: "git-pull-request" },
} as const

/** What is searched in place of the default branch; undefined for that. Refuses `notFound` for what is no branch, tag or commit. */
async function otherRevision({ services: { git }, repository, owner }: OnRepository & Pick<Request, "services">, ref: string | undefined) {
  if (ref === undefined || ref === "" || ref === repository.default_branch) return undefined
  const revision = await resolveRevision(git, repository, ref)
  if (!revision) throw refuse.notFound()
  const { id: commit, tree } = revision.commit
  const foundIn = { id: repository.id, owner: owner.name, name: repository.name, commitId: commit }
  return { name: revision.name, at: { git, repository: git.at(repository.storage, repository.object_format), tree, commit, foundIn } }
}

const withoutIndex = (name: string, onDefault: string): Html =>
  notice(
    "info",
    html`
      This searches <bdi>${name}</bdi>, which has no index: its files are searched one by one, for a few seconds at
      most. <a href="${onDefault}">Search the default branch</a>
    `,
  )

/** The same search in all that the reader may see. */
const everywhere = (q: string): Html => {
  const href = withQuery("/search", { q: q === "" ? undefined : q })
  return html`<p class="small muted">Only this repository is searched. <a class="in-text" href="${href}">Search everywhere</a></p>`
}

/** The search of one repository: its code, its issues and its pull requests, as far as the reader may read them. */
export const repositorySearchPages: readonly Page[] = [
  page({
    id: "repository.search",
    address: "GET /{owner}/{repo}/search",
    access: onRepository,
    query: { ...codeSearchFields, type: Type.Optional(oneOf(KINDS)), ref: Type.Optional(Type.String()) },
    answer: async (call) => {
      const { db, actor, repository, permission, query, page: rows, reader } = call
      const kinds = readableKinds(call)
      const readable: Readonly<Record<Kind, boolean>> = {
        code: unitMode(permission, repository, "repo.code") >= Mode.read,
        issues: kinds.issues,
        pulls: kinds.pulls,
      }
      const shown = KINDS.filter((kind) => readable[kind])
      const { q = "" } = query
      const action = `${repositoryPath(call)}/search`
      const within = [inRepository(repository.id)]
      const revision = readable.code ? await otherRevision(call, query.ref) : undefined
      const countOf = async (kind: Kind): Promise<Pick<Tab, "count" | "isAtLeast">> =>
        kind === "code"
          ? countCode(call, { repositoryId: repository.id, ...(revision && { at: revision.at }) })
          : { count: await countIssueResults({ db, actor }, { q, kind, within }) }
      const counts = new Map(await Promise.all(shown.map(async (kind) => [kind, q.trim() === "" ? {} : await countOf(kind)] as const)))
      // The first kind with results is shown, unless one is asked for; another branch is one of its code.
      const first = revision ? shown[0] : shown.find((kind) => (counts.get(kind)?.count ?? 0) > 0)
      const type = shown.find((kind) => kind === query.type) ?? first ?? shown[0]
      if (type === undefined) throw refuse.notFound()
      const items = shown.map(
        (kind): Tab => ({
          ...PARTS[kind],
          href: withQuery(reader.url, { type: kind, search_mode: undefined, case: undefined }),
          current: kind === type,
          ...counts.get(kind),
        }),
      )
      const bar = html`${tabs(t("Search in"), items)}${everywhere(q)}`
      const keep: Readonly<Record<string, string>> = query.type === undefined ? {} : { type }
      const frame = { tab: type, title: q.trim() === "" ? t("Search") : `${q.trim().slice(0, 100)} · Search`, unlisted: true } as const
      if (type === "code") {
        const options = revision
          ? { keep: { ...keep, ref: revision.name }, scope: { repositoryId: repository.id, at: revision.at } }
          : { keep, scope: { repositoryId: repository.id } }
        const definitions = revision || rows.number > 1 ? undefined : await definitionsOf(call, q)
        const note = revision
          ? html`${bar}${withoutIndex(revision.name, withQuery(reader.url, { ref: undefined }))}`
          : html`${bar}${definitions && definitions.length > 0 && definitionsView(definitions)}`
        return repositoryPage(call, {
          ...frame,
          body: html`
            <h1>Search</h1>
            ${await codeSearch(call, { action, ...options, below: note })}
          `,
        })
      }
      return repositoryPage(call, { ...frame, body: await issuesFound(call, { q, kind: type, within }, { action, keep, bar, rows }) })
    },
  }),
]

interface Around {
  readonly action: string
  readonly keep: Readonly<Record<string, string>>
  readonly bar: Html
  readonly rows: ListPage
}

async function issuesFound(
  call: Pick<Request, "services" | "db" | "actor"> & { readonly reader: Reader },
  sought: Parameters<typeof issueResults>[1],
  { action, keep, bar, rows }: Around,
): Promise<Html> {
  const { q } = sought
  const found = await issueResults(call, sought, rows)
  const isIssues = sought.kind === "issues"
  const search = isIssues ? t("Search issues") : t("Search pull requests")
  return html`
    <h1>Search</h1>
    ${filterForm(action, q, search, keep)}${bar}
    ${
      found.total > 0
        ? found.rows
        : empty(
            "search",
            q.trim() === "" ? search : isIssues ? t("No issue matches") : t("No pull request matches"),
            t("Searches titles, descriptions and comments for all words; the beginning of a word is enough."),
          )
    }
    ${pager(call.reader.url, rows, found.total)}
  `
}
