import { anyone } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { moved, type Page, page } from "../../core/page.ts"
import { empty } from "../../web/components.ts"
import { exploreTabs } from "../../web/explore.ts"
import { repositoryFilters, repositoryList } from "../parts/repositories/list.ts"

export const explorePages: readonly Page[] = [
  page({ id: "explore", address: "GET /explore", access: anyone, answer: () => moved("/explore/repos") }),

  page({
    id: "explore.repositories",
    address: "GET /explore/repos",
    access: anyone,
    mayBeOld: true,
    query: repositoryFilters,
    answer: async (call) => ({
      kind: "shown",
      title: t("Explore repositories"),
      body: html`
        <h1>Explore</h1>
        ${exploreTabs("repos")}
        ${await repositoryList(call, {
          action: "/explore/repos",
          empty: empty("repo", t("No repositories yet"), t("Repositories that you have access to are listed here.")),
        })}
      `,
    }),
  }),
]
