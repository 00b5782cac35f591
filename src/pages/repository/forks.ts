import { onRepository } from "../../access/policies/repositories.ts"
import { attribute, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import { forkNetwork, type Network, type NetworkNode } from "../../features/code/repositories/network.ts"
import { forkOf } from "../../features/code/repositories/search-store.ts"
import { path, repositoryPath } from "../../web/address.ts"
import { empty, notice } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { count, plural, time } from "../../web/time.ts"
import { repositoryFilters, repositoryList } from "../parts/repositories/list.ts"
import { repositoryPage } from "./frame.ts"

export const forksPages: readonly Page[] = [
  page({
    id: "repository.forks",
    address: "GET /{owner}/{repo}/forks",
    access: onRepository,
    query: repositoryFilters,
    answer: async (call) =>
      repositoryPage(call, {
        tab: undefined,
        title: t("Forks"),
        body: html`
          <div class="bar">
            <h1>Forks</h1>
            <span class="end"></span>
            <a class="button small" href="${repositoryPath(call)}/network">${icon("repo-forked")}Network</a>
          </div>
          ${await repositoryList(call, {
            action: `${repositoryPath(call)}/forks`,
            where: [forkOf(call.repository.id)],
            empty: empty("repo-forked", t("No forks yet"), t("Forks of this repository are listed here.")),
          })}
        `,
      }),
  }),

  page({
    id: "repository.network",
    address: "GET /{owner}/{repo}/network",
    access: onRepository,
    answer: async (call) =>
      repositoryPage(call, {
        tab: undefined,
        title: t("Network"),
        body: html`
          <div class="bar">
            <h1>Network of forks</h1>
            <span class="end"></span>
            <a class="button small" href="${repositoryPath(call)}/forks">${icon("list-unordered")}Forks</a>
          </div>
          ${networkView(await forkNetwork(call.db, call.actor, call.repository.id), call.repository.id)}
        `,
      }),
  }),
]

/** A network of forks as nested lists. The repository whose page it is stands out. */
function networkView({ roots, isCut }: Network, current: number): Html {
  const only = roots.length === 1 && roots[0]?.children.length === 0
  if (only) return empty("repo-forked", t("No forks yet"), t("Forks of this repository, and forks of these, are shown here as a tree."))
  return html`
    ${isCut && notice("info", t("Only the repositories nearest to the root are shown."))}
    <div class="card network">${treeOf(roots, current)}</div>
  `
}

const treeOf = (nodes: readonly NetworkNode[], current: number): Html =>
  html`
    <ul>
      ${nodes.map((node) => html`<li>${row(node, current)}${node.children.length > 0 && treeOf(node.children, current)}</li>`)}
    </ul>
  `

const row = ({ id, owner, name, isPrivate, isArchived, stars, forks, updatedAt }: NetworkNode, current: number): Html =>
  html`
    <p class="bar">
      ${icon(isPrivate ? "repo-locked" : "repo")}
      <a class="break" href="${path(owner, name)}" ${attribute("aria-current", id === current ? "true" : undefined)}>
        <bdi>${owner}</bdi> / <bdi>${name}</bdi>
      </a>
      ${isPrivate && html`<span class="chip">Private</span>`}${isArchived && html`<span class="chip">Archived</span>`}
      <span class="muted small">${icon("star", plural(stars, "star"))} <span aria-hidden="true">${count(stars)}</span></span>
      <span class="muted small">${icon("repo-forked", plural(forks, "fork"))} <span aria-hidden="true">${count(forks)}</span></span>
      <span class="muted small">Updated ${time(updatedAt)}</span>
    </p>
  `
