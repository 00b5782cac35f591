import type { OnRepository } from "../../../../access/policies/repositories.ts"
import { type Html, html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import { escapePath } from "../../../../core/text/escape-path.ts"
import type { BranchOnPage } from "../../../../features/code/history/branches.ts"
import type { AheadBehind } from "../../../../git/index.ts"
import { path, repositoryPath } from "../../../../web/address.ts"
import { icon } from "../../../../web/icon.ts"
import { time } from "../../../../web/time.ts"
import { commitLink, idLink, statusMark, subjectOf } from "../../../parts/code/commits-view.ts"
import { comingFrom } from "../../../parts/code/revisions.ts"

interface Reader {
  readonly isSignedIn: boolean
  readonly writes: boolean
  /** Where the reader comes from, see `comingFrom`. */
  readonly path: string | undefined
}

/** A page of branches; the bars are drawn to the scale of the page. */
export function branchesTable(on: OnRepository, branches: readonly BranchOnPage[], reader: Reader): Html {
  const most = Math.max(10, ...branches.flatMap(({ comparison }) => (comparison ? [comparison.ahead, comparison.behind] : [])))
  return html`<ul class="rows branches">${branches.map((each) => row(on, each, most, reader))}</ul>`
}

function row(on: OnRepository, each: BranchOnPage, most: number, reader: Reader): Html {
  const { branch, isDefault, comparison, status } = each
  const { name, commit } = branch
  return html`
    <li>
      <div class="main">
        <h2 class="title">
          <a href="${comingFrom(on, reader.path, "branch", name)}"><bdi>${name}</bdi></a>${" "}
          ${isDefault && html`<span class="chip">Default</span>`}${" "}
          ${branch.protection && html`<span class="chip">${icon("shield-lock")}Protected</span>`}
        </h2>
        <div class="meta">
          <span>${statusMark(status)} ${idLink(on, commit.id)}</span>
          <span class="break">${commitLink(on, { id: commit.id, subject: subjectOf(commit) }, "muted")}</span>
          <span><bdi>${commit.author.name}</bdi></span><span>${time(commit.author.when)}</span>
        </div>
      </div>
      ${!isDefault && html`<div class="apart">${apart(comparison, most, on.repository.default_branch)}</div>`}
      ${tools(on, each, reader)}
    </li>
  `
}

function tools(on: OnRepository, { branch, isDefault, pull }: BranchOnPage, { isSignedIn, writes }: Reader): Html {
  const at = repositoryPath(on)
  const name = escapePath(branch.name)
  return html`
    <div class="bar branch-tools">
      ${
        branch.protection?.enable_merge_queue === 1 &&
        html`<a class="button small" href="${at}/queue/${name}">${icon("git-merge")}Merge queue</a>`
      }
      ${
        pull
          ? html`
            <a
              class="state open"
              href="${path(pull.owner, pull.repository, "pulls", pull.number)}"
              title="${pull.title}"
            >
              ${icon("git-pull-request")}#${pull.number}
            </a>
          `
          : !isDefault &&
            isSignedIn &&
            html`
              <a class="button small" href="${at}/compare/${escapePath(on.repository.default_branch)}...${name}?expand=1" rel="nofollow">
                ${icon("git-pull-request")}New pull request
              </a>
            `
      }
      <a class="button quiet small" href="${at}/commits/branch/${name}" rel="nofollow">${icon("history", t("History"))}</a>
      <a class="button quiet small" href="${at}/archive/${name}.zip" rel="nofollow">
        ${icon("file-zip", t("Download as ZIP"))}
      </a>
      ${
        writes &&
        html`
          <a class="button quiet small" href="${at}/branches/edit/${name}" rel="nofollow">
            ${icon("pencil", t("Rename or delete {name}", { name: branch.name }))}
          </a>
        `
      }
    </div>
  `
}

/** Half of the drawing's width. */
const HALF = 60

/** How far a branch is from the default one, as two bars and in words. */
function apart(comparison: AheadBehind | undefined, most: number, base: string): Html {
  if (!comparison) return html`<span class="muted">…<span class="hidden-text">not computed yet</span></span>`
  const { ahead, behind } = comparison
  const width = (many: number) => (many === 0 ? 0 : Math.max(2, Math.round((Math.log1p(many) / Math.log1p(most)) * HALF)))
  return html`
    <span class="small" title="${behind} behind and ${ahead} ahead of ${base}">
      <span class="muted" aria-hidden="true">${behind}</span>
      <svg viewBox="0 0 ${2 * HALF} 10" width="${2 * HALF}" height="10" aria-hidden="true">
        <rect class="behind" x="${HALF - width(behind)}" y="2" width="${width(behind)}" height="6"/>
        <rect class="ahead" x="${HALF}" y="2" width="${width(ahead)}" height="6"/>
        <rect class="middle" x="${HALF - 0.5}" width="1" height="10"/>
      </svg>
      <span class="muted" aria-hidden="true">${ahead}</span>
      <span class="hidden-text">${behind} behind, ${ahead} ahead of ${base}</span>
    </span>
  `
}
