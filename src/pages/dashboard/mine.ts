import { signedIn } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import { type Plan, planFilter } from "../../features/planning/issues/filter-conditions.ts"
import { countByRepository, filterEverywhere } from "../../features/planning/issues/filter-store.ts"
import { hasOldParameters } from "../../features/planning/issues/filter-words.ts"
import {
  assignedTo,
  awaitingReviewBy,
  type Condition,
  createdBy,
  inRepositoriesOf,
  mentioning,
  reviewedBy,
} from "../../features/planning/issues/list-store.ts"
import { viewIssues } from "../../features/planning/issues/present.ts"
import { path, withQuery } from "../../web/address.ts"
import { empty, pager, sideNav, type Tab } from "../../web/components.ts"
import type { IconName } from "../../web/icon-names.ts"
import { type FilterBar, filterBar } from "../parts/issues/filter-bar.ts"
import { filterOf, listFields } from "../parts/issues/list.ts"
import { issueRows } from "../parts/issues/list-view.ts"
import { pullNotes } from "../parts/issues/pull-notes.ts"

/** Issues and pull requests of all repositories that have to do with the reader. */

const TYPES = ["your_repositories", "assigned", "created_by", "mentioned", "review_requested", "reviewed_by"] as const
type ListType = (typeof TYPES)[number]

interface Part {
  readonly text: Text
  readonly icon: IconName
  readonly condition: (userId: number) => Condition
}

const PARTS: Readonly<Record<ListType, Part>> = {
  your_repositories: { text: t("In your repositories"), icon: "repo", condition: inRepositoriesOf },
  assigned: { text: t("Assigned to you"), icon: "person", condition: assignedTo },
  created_by: { text: t("Opened by you"), icon: "pencil", condition: createdBy },
  mentioned: { text: t("Mentioning you"), icon: "mention", condition: mentioning },
  review_requested: { text: t("Waiting for your review"), icon: "eye", condition: awaitingReviewBy },
  reviewed_by: { text: t("Reviewed by you"), icon: "check-circle", condition: reviewedBy },
}

const nothingOffered = { labels: [], milestones: [], projects: [] } as const

type Kind = "issues" | "pulls"

const partTabs = (kind: Kind, current: ListType, q: string | undefined): readonly Tab[] =>
  TYPES.filter((each) => kind === "pulls" || (each !== "review_requested" && each !== "reviewed_by")).map((each) => ({
    href: withQuery(`/${kind}`, { type: each === "your_repositories" ? undefined : each, q }),
    text: PARTS[each].text,
    icon: PARTS[each].icon,
    current: each === current,
  }))

const repositoryTabs = (kind: Kind, places: Awaited<ReturnType<typeof countByRepository>>, q: string | undefined): readonly Tab[] =>
  places.map(({ owner, repository, total }) => ({
    href: withQuery(path(owner, repository, kind), { q }),
    text: `${owner}/${repository}`,
    icon: "repo",
    count: total,
  }))

const listOf = (kind: Kind): Page =>
  page({
    id: kind === "issues" ? "issue.mine" : "pull.mine",
    address: kind === "issues" ? "GET /issues" : "GET /pulls",
    access: signedIn,
    query: { ...listFields, type: Type.Optional(oneOf(TYPES)) },
    answer: async (call) => {
      const { services, db, actor, me, query, page: rows, reader } = call
      const { type = "your_repositories", ...others } = query
      const filter = filterOf(hasOldParameters({ ...others }) || others.q !== undefined ? others : {}, nothingOffered)
      const plan: Plan = { ...planFilter(actor, filter), kind }
      const where = [PARTS[type].condition(me.id)]
      const found = await filterEverywhere(db, actor, plan, rows, where)
      const issues = await viewIssues(db, actor, found.rows)
      const notes = kind === "pulls" ? await pullNotes(db, found.rows) : undefined
      const places = await countByRepository(db, actor, plan, where)
      const at = withQuery(`/${kind}`, { type: query.type })
      const bar: FilterBar = { at, filter, plan, found, kind, isSignedIn: true, usual: "is:open label:bug" }
      const what = kind === "issues" ? t("Issues") : t("Pull requests")
      return {
        kind: "shown",
        title: what,
        body: html`
          <h1>${what}</h1>
          <div class="columns start">
            <div>
              ${sideNav(what, partTabs(kind, type, query.q))}
              ${
                places.length > 0 &&
                html`
                  <h2>Repositories</h2>
                  ${sideNav(t("Repositories"), repositoryTabs(kind, places, query.q))}
                `
              }
            </div>
            <div>
              ${filterBar(bar)}
              ${
                issues.length > 0
                  ? issueRows(issues, { withRepository: true, ...(notes && { notes }), now: services.now() })
                  : empty(
                      kind === "issues" ? "issue-opened" : "git-pull-request",
                      t("Nothing found"),
                      t("Results from all repositories are listed here."),
                    )
              }
              ${pager(reader.url, rows, found.total)}
            </div>
          </div>
        `,
      }
    },
  })

export const myPages: readonly Page[] = [listOf("issues"), listOf("pulls")]
