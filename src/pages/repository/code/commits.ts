import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, type PageCall, page, type Shown, sentText } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { explicitForm, type Located, locateCode, locateDefault, type OnCode } from "../../../features/code/contents/locate.ts"
import { findEntry } from "../../../features/code/contents/paths.ts"
import { type HistoryCommit, type HistoryPage, historyPage } from "../../../features/code/history/list.ts"
import type { TreeEntry } from "../../../git/index.ts"
import { codePath, repositoryPath, withQuery } from "../../../web/address.ts"
import { copyButton, empty, filterForm, shortcut } from "../../../web/components.ts"
import { FEED_FORMS, feedIn } from "../../../web/feed.ts"
import { icon } from "../../../web/icon.ts"
import { dayOf, time } from "../../../web/time.ts"
import {
  commitLink,
  commitPath,
  commitPerson,
  idLink,
  restOfMessage,
  signatureMark,
  statusMark,
  subjectOf,
} from "../../parts/code/commits-view.ts"
import { finderLink } from "../../parts/code/finder.ts"
import { pathCrumbs, revisionMenu } from "../../parts/code/parts.ts"
import { nearestField, nearestPlace } from "../../parts/code/revisions.ts"
import { repositoryPage } from "../frame.ts"

const access = onRepositoryUnitRead("code")

/** The entries of a feed, and the most characters of a message in one. */
const IN_FEED = 20
const LONGEST_IN_FEED = 10_000

const listFields = {
  q: Type.Optional(Type.String({ maxLength: 1000 })),
  after: Type.Optional(Type.String()),
  "follow-rename": Type.Optional(Type.Boolean()),
} as const

/** Histories: of a revision, and of a path at it. */
export const commitsPages: readonly Page[] = [
  page({
    id: "commits.home",
    address: "GET /{owner}/{repo}/commits",
    access,
    answer: async (call) => {
      const located = await locateDefault(call)
      return moved(located ? codePath(call, "commits", located.revision) : repositoryPath(call))
    },
  }),
  page({
    id: "commits.list",
    address: "GET /{owner}/{repo}/commits/{filepath}",
    access,
    rows: 50,
    query: { ...listFields, ...nearestField },
    answer: async (call) => {
      const { path, query } = call
      const located = await locateCode(call, path.filepath)
      if (!located) return moved(`${repositoryPath(call)}/commits/${await explicitForm(call, path.filepath)}`)
      if (query.nearest === true) return nearestPlace(call, "commits", located)
      return listPage(call, located)
    },
  }),
  ...FEED_FORMS.map((form) =>
    page({
      id: `commits.${form}`,
      address: `GET /{owner}/{repo}/${form}/{filepath}`,
      access,
      programs: ["repository"],
      answer: async (call) => {
        const { services, db, path, repository, owner } = call
        const located = await locateCode(call, path.filepath)
        if (located?.revision.kind !== "branch") throw refuse.notFound()
        const { revision, parts } = located
        const wish = { revision: revision.commit.id, path: parts.join("/") }
        const { commits } = await historyPage(services, db, call, wish, IN_FEED)
        const { rootUrl } = services.site
        const { type, body } = feedIn(form, {
          title: `${owner.name}/${repository.name}: commits of ${[revision.name, ...parts].join("/")}`,
          description: repository.description,
          href: `${rootUrl}${codePath(call, "commits", revision, parts)}`,
          self: `${rootUrl}${feedPath(call, form, located)}`,
          entries: commits.map(({ commit }) => ({
            id: `urn:${repository.object_format}:${commit.id}`,
            title: subjectOf(commit),
            href: `${rootUrl}${commitPath(call, commit.id)}`,
            at: commit.committer.when,
            author: commit.author.name,
            text: commit.message.slice(0, LONGEST_IN_FEED).toWellFormed(),
          })),
        })
        return sentText(type, body)
      },
    }),
  ),
]

type ListCall = PageCall<string, OnCode, typeof listFields>

async function listPage(call: ListCall, located: Located): Promise<Shown> {
  const { services, db, query, page: rows, reader } = call
  const { git, revision, parts } = located
  const entry = await findEntry(services.git, git, revision.commit.tree, parts)
  const isFile = entry !== undefined && entry.mode !== "40000"
  const follows = isFile && query["follow-rename"] !== false
  const search = query.q?.trim() ?? ""
  const found = await historyPage(services, db, call, {
    revision: revision.commit.id,
    path: parts.join("/"),
    follow: follows,
    search,
    after: query.after ?? (rows.number > 1 ? `${revision.commit.id}.${rows.offset}` : undefined),
  })
  // A path that never was.
  if (!entry && found.commits.length === 0 && search === "" && query.after === undefined) throw refuse.notFound()
  const here = codePath(call, "commits", revision, parts)
  const what = parts.length === 0 ? revision.name : parts.join("/")
  return repositoryPage(call, {
    modules: ["refs", "finder"],
    tab: "code",
    title: t("Commits of {what}{value}", { what, value: parts.length === 0 ? "" : t(" at {name}", { name: revision.name }) }),
    unlisted: true,
    ...(revision.kind === "branch" ? { feed: feedPath(call, "atom", located) } : {}),
    body: html`
      <h1 class="hidden-text">Commits of <bdi>${what}</bdi></h1>
      ${placeBar(call, located, entry)}
      <div class="bar">
        ${filterForm(here, search, t("Search messages, author:name, before:2026-01-31"), {
          "follow-rename": isFile && !follows ? "false" : undefined,
        })}
        ${
          isFile &&
          html`
            <a
              class="button small"
              href="${withQuery(reader.url, { "follow-rename": follows ? "false" : undefined, after: undefined })}"
              rel="nofollow"
            >
              ${follows ? t("Don’t follow renames") : t("Follow renames")}
            </a>
          `
        }
      </div>
      ${
        found.commits.length === 0
          ? empty(
              "history",
              search === "" ? t("No commits") : t("No matching commits"),
              search !== "" && html`<a href="${here}">Show all commits</a>`,
            )
          : days(call, located, found.commits)
      }
      ${pagerOf(reader.url, found)}
    `,
  })
}

/** Which revision and path the list is of, and the other pages about them. */
function placeBar(call: OnCode, located: Located, entry: TreeEntry | undefined): Html {
  const { revision, parts } = located
  const isFile = entry !== undefined && entry.mode !== "40000"
  return html`
    <div class="bar">
      ${revisionMenu(call, located, "commits")}${pathCrumbs(call, located, "commits")}
      <span class="end"></span>${finderLink(call, located)}
      ${
        entry &&
        html`<a class="button small" href="${codePath(call, "src", revision, parts)}">${icon("code")}${isFile ? t("File") : t("Files")}</a>`
      }
      ${
        isFile &&
        html`
          <a class="button small" href="${codePath(call, "blame", revision, parts)}" rel="nofollow" ${shortcut("b")}>
            Blame
          </a>
        `
      }
      ${parts.length === 0 && html`<a class="button small" href="${repositoryPath(call)}/graph">${icon("git-merge")}Graph</a>`}
      ${revision.kind === "branch" && html`<a class="button small" href="${feedPath(call, "atom", located)}">${icon("rss", t("Feed"))}</a>`}
    </div>
  `
}

const feedPath = (call: OnCode, form: (typeof FEED_FORMS)[number], { revision, parts }: Located): string =>
  `${repositoryPath(call)}/${form}/branch/${escapePath([revision.name, ...parts].join("/"))}`

const DAY = 86_400

/** The commits under the days on which they were committed. */
function days(call: OnCode, located: Located, commits: readonly HistoryCommit[]): Html {
  const groups: { readonly day: number; readonly commits: HistoryCommit[] }[] = []
  for (const each of commits) {
    const day = Math.floor(each.commit.committer.when / DAY)
    const last = groups.at(-1)
    if (last?.day === day) last.commits.push(each)
    else groups.push({ day, commits: [each] })
  }
  return html`
    ${groups.map(
      (group) =>
        html`
          <section class="stack tight">
            <h2 class="day">${icon("git-commit")} ${dayOf(group.day * DAY)}</h2>
            <ul class="rows">${group.commits.map((each) => commitRow(call, located, each))}</ul>
          </section>
        `,
    )}
  `
}

function commitRow(call: OnCode, { parts }: Located, { commit, author, committer, verification, status, path }: HistoryCommit): Html {
  const { id } = commit
  const others = commit.committer.email.toLowerCase() !== commit.author.email.toLowerCase()
  const at = path === undefined ? parts : path.split("/")
  const former = path !== undefined && path !== parts.join("/") && path
  const there = { kind: "commit" as const, name: id, commit }
  return html`
    <li>
      <div class="main">
        <div class="title">
          ${commitLink(call, { id, subject: subjectOf(commit) }, "strong")} ${restOfMessage(commit)}
        </div>
        <div class="meta">
          <span>
            ${commitPerson(author, commit.author)} ${others ? t("authored") : t("committed")}${" "}
            ${time(others ? commit.author.when : commit.committer.when)}
          </span>
          ${others && html`<span>${commitPerson(committer, commit.committer)} committed ${time(commit.committer.when)}</span>`}
          ${former && html`<span>as <bdi>${former}</bdi></span>`}
        </div>
      </div>
      <div class="bar commit-tools">
        ${statusMark(status)}${signatureMark(verification)}${idLink(call, id)}
        ${copyButton(id, icon("copy", t("Copy commit SHA")), "quiet small")}
        <a class="button quiet small" href="${codePath(call, "src", there, at)}" rel="nofollow">
          ${icon("code", t("Browse repository at this commit"))}
        </a>
      </div>
    </li>
  `
}

/** Pages are named by the commit that the first one began with. */
function pagerOf(url: string, { next, previous }: HistoryPage): Html | undefined {
  if (next === undefined && previous === undefined) return undefined
  const to = (after: string) => withQuery(url, { after: after.endsWith(".0") ? undefined : after })
  return html`
    <nav class="pager" aria-label="Pages">
      ${previous !== undefined && html`<a class="button small" rel="prev" href="${to(previous)}">${icon("chevron-left")} Newer</a>`}
      ${next !== undefined && html`<a class="button small" rel="next" href="${to(next)}">Older ${icon("chevron-right")}</a>`}
    </nav>
  `
}
