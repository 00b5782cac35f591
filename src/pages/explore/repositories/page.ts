import { onRepository } from "../../../access/policies/repositories.ts"
import { anyone } from "../../../access/policies/site.ts"
import { html } from "../../../core/html.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import { forkNetwork } from "../../../features/code/repositories/network.ts"
import { forkOf } from "../../../features/code/repositories/search.ts"
import { repositoryPath } from "../../../web/address.ts"
import { empty } from "../../../web/components.ts"
import { exploreTabs } from "../../../web/explore.ts"
import { icon } from "../../../web/icon.ts"
import { repositoryFilters, repositoryList } from "../../parts/repositories/list.ts"
import { networkView } from "../../repository/forks/view.ts"
import { repositoryPage } from "../../repository/frame.ts"

export const repositoryPages: readonly Page[] = [
  page({ id: "explore", address: "GET /explore", access: anyone, answer: () => moved("/explore/repos") }),

  page({
    id: "explore.repositories",
    address: "GET /explore/repos",
    access: anyone,
    query: repositoryFilters,
    answer: async (call) => ({
      kind: "shown",
      title: "Explore repositories",
      body: html`<h1>Explore</h1>${exploreTabs("repos")}${await repositoryList(call, {
        action: "/explore/repos",
        empty: empty("repo", "There is no repository to see here yet", "Repositories that you may read are listed here."),
      })}`,
    }),
  }),

  page({
    id: "repository.forks",
    address: "GET /{owner}/{repo}/forks",
    access: onRepository,
    query: repositoryFilters,
    answer: async (call) =>
      repositoryPage(call, {
        tab: undefined,
        title: "Forks",
        body: html`<div class="bar"><h1>Forks</h1><span class="end"></span><a class="button small" href="${repositoryPath(call)}/network">${icon("repo-forked")}Network</a></div>${await repositoryList(
          call,
          {
            action: `${repositoryPath(call)}/forks`,
            where: [forkOf(call.repository.id)],
            empty: empty(
              "repo-forked",
              "There is no fork that you may see",
              "A fork is a repository of one’s own with all that this one has, to change as one likes.",
            ),
          },
        )}`,
      }),
  }),

  page({
    id: "repository.network",
    address: "GET /{owner}/{repo}/network",
    access: onRepository,
    answer: async (call) =>
      repositoryPage(call, {
        tab: undefined,
        title: "Network",
        body: html`<div class="bar"><h1>Network of forks</h1><span class="end"></span><a class="button small" href="${repositoryPath(call)}/forks">${icon("list-unordered")}Forks of this one</a></div>${networkView(await forkNetwork(call.db, call.actor, call.repository.id), call.repository.id)}`,
      }),
  }),
]
