import { onRepositoryUnitRead } from "../../../../access/policies/repositories.ts"
import { html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import { type Page, page } from "../../../../core/page.ts"
import Type from "../../../../core/schema.ts"
import { findBranches } from "../../../../features/code/branches/store.ts"
import { readGraph } from "../../../../features/code/history/graph.ts"
import { repositoryPath, withQuery } from "../../../../web/address.ts"
import { empty, menu } from "../../../../web/components.ts"
import { icon } from "../../../../web/icon.ts"
import { repositoryPage } from "../../frame.ts"
import { graphView } from "./view.ts"

const access = onRepositoryUnitRead("code")
/** The most branches in the menu of the graph. */
const MOST_IN_MENU = 50

/** The graph of the histories of branches. */
export const historyPages: readonly Page[] = [
  page({
    id: "code.graph",
    address: "GET /{owner}/{repo}/graph",
    access,
    query: { branch: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })) },
    answer: async (call) => {
      const { services, db, query, repository, reader } = call
      const only = query.branch ?? []
      const graph = await readGraph(services, db, call, only)
      const { rows: branches } = await findBranches(db, repository.id, "", { number: 1, limit: MOST_IN_MENU, offset: 0 })
      const to = (name: string | undefined) => withQuery(reader.url, { branch: name })
      return repositoryPage(call, {
        tab: "code",
        title: t("Graph"),
        unlisted: true,
        body: html`
          <div class="bar">
            <h1>Graph</h1>
            ${menu(
              html`
                ${icon("git-branch")}<span class="break">${only.length === 0 ? t("All branches") : only.join(", ")}</span>
                ${icon("triangle-down")}
              `,
              html`
                <a href="${to(undefined)}">All branches</a>
                ${branches.map(
                  ({ name }) => html`<a href="${to(name)}" rel="nofollow">${icon("git-branch")}<span class="break">${name}</span></a>`,
                )}
              `,
            )}
            <a class="button small" href="${repositoryPath(call)}/commits">${icon("history")}Commits</a>
          </div>
          ${graph.rows.length === 0 ? empty("git-commit", t("No commits")) : graphView(call, graph)}
        `,
      })
    },
  }),
]
