import { Mode } from "../../access/modes.ts"
import { unitMode } from "../../access/permission.ts"
import { locateFromPath, onRepository } from "../../access/policies/repositories.ts"
import { Refusal, refuse } from "../../core/errors.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { Request } from "../../core/operation.ts"
import { MissingWithin, type Page, page, type Shown } from "../../core/page.ts"
import { escapePath } from "../../core/text/escape-path.ts"
import { type Located, locateCode, type OnCode } from "../../features/code/contents/locate.ts"
import { explain } from "../../features/site/explain/explainer.ts"
import { codePath, loginFor, repositoryPath } from "../../web/address.ts"
import { whyLink } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { finderPath } from "../parts/code/finder.ts"
import { stepsView } from "../parts/explain.ts"
import { type RepositoryTab, repositoryPage } from "./frame.ts"

const WITHIN = "/{owner}/{repo}"

/**
 * What is missing in a repository that the caller may see is said in its frame; a repository that they may not see is missing as a whole. The words follow from the
 * address, so that what is hidden in it and what is not there are told alike.
 */
export function withinRepository(page: Page): Page {
  if (page.method !== "GET" || !page.address.startsWith(`${WITHIN}/`)) return page
  return {
    ...page,
    open: async (request) => {
      const answer = await orFramed(page, request, () => page.open(request))
      return (input) => orFramed(page, request, () => answer(input))
    },
  }
}

/** Answers what is asked for below a repository and is the address of no page. */
export const anythingElse: Page = withinRepository(
  page({
    id: "repository.missing",
    address: `GET ${WITHIN}/{name}`,
    access: onRepository,
    answer: () => {
      throw refuse.notFound()
    },
  }),
)

async function orFramed<Result>(page: Page, request: Request, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Refusal) || (error.kind !== "notFound" && error.kind !== "forbidden")) throw error
    const found = await locateFromPath(request).catch(() => undefined)
    if (!found) throw error
    throw new MissingWithin(error, () => missingPage(page, { ...request, ...found }))
  }
}

type Call = OnCode & Request

interface Missing {
  readonly title: Text
  readonly text: Content
  readonly links?: readonly Content[]
}

async function missingPage(page: Page, call: Call): Promise<Shown> {
  const { title, text, links = [] } = await missingOf(page, call)
  const at = repositoryPath(call)
  const url = page.address.replace(/\{(\w+)\}/g, (_, name: string) => escapePath(call.path[name] ?? ""))
  return repositoryPage(call, {
    tab: TABS[wordOf(page, call)] ?? "code",
    title,
    status: 404,
    unlisted: true,
    body: html`
      <section class="error-page">
        ${icon("telescope")}
        <h1>${title}</h1>
        <p class="break">${text}</p>
        <div class="bar">
          ${links}
          <a class="button" href="${at}">${icon("repo")}${call.repository.name}</a>
          ${call.actor.kind === "user" && whyLink(url)}
          ${call.actor.kind === "anonymous" && html`<a class="button" href="${loginFor(at)}" rel="nofollow">${icon("sign-in")}Sign in</a>`}
        </div>
        ${call.permission.mode >= Mode.admin && (await whyMissing(call, url))}
        <p class="muted small">Status 404</p>
      </section>
    `,
  })
}

/** What stands against it, for who administers the repository. */
async function whyMissing({ services, db, actor }: Call, url: string): Promise<Content> {
  const { steps } = await explain({ services, db, actor }, { method: "GET", path: url })
  return stepsView(
    steps.filter(({ holds, rule }) => !holds && /^(found|archived|repository\.(?!owns|open|collaboration|team|offer))/.test(rule)),
  )
}

/** The tab of what an address is about, by its first word. */
const TABS: Readonly<Record<string, RepositoryTab>> = {
  issues: "issues",
  issue: "issues",
  labels: "issues",
  milestone: "issues",
  milestones: "issues",
  pulls: "pulls",
  pull: "pulls",
  actions: "actions",
  projects: "projects",
  releases: "releases",
  tags: "releases",
  wiki: "wiki",
  activity: "activity",
}
const wordOf = ({ id, address }: Page, { path }: Call): string =>
  (id === anythingElse.id ? path["name"] : address.slice(WITHIN.length + 1))?.split(/[/.]/, 1)[0] ?? ""

function missingOf(page: Page, call: Call): Promise<Missing> | Missing {
  const { index, sha, tag, id, run, branch, pageName, filepath, name } = call.path
  if (filepath !== undefined) return missingCode(call, filepath)
  const at = repositoryPath(call)
  const word = wordOf(page, call)
  const all = (path: string, text: Text) => html`<a class="button primary" href="${at}/${path}">${text}</a>`
  if (sha !== undefined) return { title: t("Commit not found"), text: html`There is no commit <code>${sha}</code> in this repository.` }
  if (index !== undefined && TABS[word] === "pulls")
    return {
      title: t("Pull request not found"),
      text: html`There is no pull request #${index}.`,
      links: [all("pulls", t("All pull requests"))],
    }
  if (index !== undefined)
    return { title: t("Issue not found"), text: html`There is no issue #${index}.`, links: [all("issues", t("All issues"))] }
  if (tag !== undefined)
    return {
      title: t("Release not found"),
      text: html`There is no release <bdi class="strong">${tag}</bdi>.`,
      links: [all("releases", t("All releases"))],
    }
  if (run !== undefined) return { title: t("Run not found"), text: html`There is no run ${run}.`, links: [all("actions", t("All runs"))] }
  if (branch !== undefined)
    return {
      title: t("Branch not found"),
      text: html`There is no branch <bdi class="strong">${branch}</bdi>.`,
      links: [all("branches", t("All branches"))],
    }
  if (pageName !== undefined)
    return {
      title: t("Page not found"),
      text: html`There is no page <bdi class="strong">${pageName}</bdi> in the wiki.`,
      links: [all("wiki", t("The wiki"))],
    }
  if (id !== undefined && word.startsWith("milestone"))
    return { title: t("Milestone not found"), text: t("There is no such milestone."), links: [all("milestones", t("All milestones"))] }
  if (id !== undefined && word === "projects")
    return { title: t("Project not found"), text: t("There is no such project."), links: [all("projects", t("All projects"))] }
  if (page.id === anythingElse.id)
    return { title: t("Page not found"), text: html`There is no page <bdi class="strong">${name}</bdi> in this repository.` }
  return { title: t("Page not found"), text: t("There is nothing at this address in this repository, or you don’t have access to it.") }
}

async function missingCode(call: Call, text: string): Promise<Missing> {
  if (unitMode(call.permission, call.repository, "repo.code") < Mode.read)
    return { title: t("Page not found"), text: t("There is nothing at this address in this repository, or you don’t have access to it.") }
  const located = await locateCode(call, text).catch(() => undefined)
  if (located) return missingFile(call, located)
  const [kind = "", ...rest] = text.split("/")
  const name = html`<bdi class="strong">${rest.join("/")}</bdi>`
  const all = (path: string, label: Text): Html => html`<a class="button primary" href="${repositoryPath(call)}/${path}">${label}</a>`
  if (kind === "tag")
    return {
      title: t("Tag not found"),
      text: rest.length === 1 ? html`There is no tag ${name}.` : html`No tag is the beginning of ${name}.`,
      links: [all("tags", t("All tags"))],
    }
  if (kind === "commit") return { title: t("Commit not found"), text: html`There is no commit <code>${rest[0]}</code> in this repository.` }
  return {
    title: t("Branch not found"),
    text: rest.length === 1 ? html`There is no branch ${name}.` : html`No branch is the beginning of ${name}.`,
    links: [all("branches", t("All branches"))],
  }
}

function missingFile(call: Call, located: Located): Missing {
  const { revision, parts } = located
  const path = html`<bdi class="strong">${parts.join("/")}</bdi>`
  const name = html`<bdi class="strong">${revision.kind === "commit" ? revision.name.slice(0, 10) : revision.name}</bdi>`
  return {
    title: t("File not found"),
    text:
      revision.kind === "branch"
        ? html`There is no ${path} on the branch ${name}. It may have been moved or deleted.`
        : revision.kind === "tag"
          ? html`There is no ${path} at the tag ${name}.`
          : html`There is no ${path} at the commit ${name}.`,
    links: [
      html`
        <a class="button primary" href="${finderPath(call, located)}?q=${encodeURIComponent(parts.at(-1) ?? "")}" rel="nofollow">
          ${icon("search")}Find a file like it
        </a>
      `,
      html`<a class="button" href="${codePath(call, "src", revision)}">${icon("code")}All files</a>`,
    ],
  }
}
