import type { Owned } from "../../access/permission.ts"
import { anyone } from "../../access/policies/site.ts"
import type { SignedIn } from "../../core/actor.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { pathNumber, type Request } from "../../core/operation.ts"
import { type Page, page, type Reader, type Shown } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import { concerning, conditionsOf, listRepositories, MODES, ownedBy } from "../../features/code/repositories/search-store.ts"
import { withOwners } from "../../features/code/repositories/store.ts"
import { sshRoot } from "../../features/code/repositories/urls.ts"
import { contributionsOf } from "../../features/events/feed/heatmap-store.ts"
import { findOrganizationsOf } from "../../features/people/organizations/store.ts"
import { path, withQuery } from "../../web/address.ts"
import { avatar, choices, empty, filterForm } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { dayOfAddress, heatmap } from "../parts/account/heatmap.ts"
import { readGroups } from "../parts/feed/groups.ts"
import { feedLines } from "../parts/feed/view.ts"
import { repositoryIcon, repositoryRows } from "../parts/repositories/list-view.ts"
import { waitingFor } from "./waiting.ts"

const SIDE = 12

interface Call extends Request {
  readonly reader: Reader
  readonly query: {
    readonly date?: string
    readonly from?: string
    readonly q?: string
    readonly kind?: (typeof MODES)[number]
  }
}

export const dashboardPages: readonly Page[] = [
  page({
    id: "home",
    address: "GET /",
    access: anyone,
    query: {
      date: Type.Optional(Type.String()),
      from: Type.Optional(Type.String()),
      q: Type.Optional(Type.String()),
      kind: Type.Optional(oneOf(MODES)),
    },
    answer: (call) => (call.actor.kind === "user" ? dashboard(call, call.actor) : frontPage(call)),
  }),
]

/** For those who have not signed in: what this is, and what there is to see. */
async function frontPage({ services, db, actor }: Call): Promise<Shown> {
  const { site } = services
  const order = { by: "updated", direction: "desc" } as const
  const { rows, total } = await listRepositories(db, actor, { where: [], order }, { limit: SIDE, offset: 0 })
  const repositories = await withOwners(db, rows)
  return {
    kind: "shown",
    title: t("Hearth"),
    canonical: "/",
    body: html`
      <section class="hero">
        <h1>Hearth</h1>
        <p>Git repositories with issues, pull requests, reviews, workflows, packages and wikis.</p>
        <p class="muted">Clone a repository:</p>
        <div class="prose">
          <pre tabindex="0">
            <code>git clone ${site.rootUrl}/owner/name.git</code>
            ${site.sshPort !== undefined && html`${"\n"}<code>git clone ${sshRoot(site)}owner/name.git</code>`}
          </pre>
        </div>
        <div class="bar">
          <a class="button primary" href="/user/login">${icon("sign-in")} Sign in</a>
          <a class="button" href="/explore/repos">${icon("telescope")} Explore</a>
          <a class="button" href="/api/swagger">${icon("code-square")} The API</a>
        </div>
      </section>
      ${
        repositories.length > 0 &&
        html`
          <section class="stack" aria-label="Public repositories">
            <div class="bar">
              <h2>Recently updated</h2>
              ${total > SIDE && html`<a href="/explore/repos">All ${total}</a>`}
            </div>
            ${repositoryRows(repositories)}
          </section>
        `
      }
    `,
  }
}

/** For those who have: what waits for them, their repositories, and what has happened around them. */
async function dashboard(call: Call, actor: SignedIn): Promise<Shown> {
  const { services, db, query, reader } = call
  const me = actor.user
  const now = services.now()
  const day = dayOfAddress(query.date)
  const from = pathNumber(query.from)
  const found = await readGroups(
    db,
    actor,
    { feed: { of: "account", receiverId: me.id, performedOnly: false }, withPrivate: true, ofAnybody: true, day },
    from,
  )
  const contributions = await contributionsOf(db, actor, me, now)
  const isFirst = day === undefined && from === 0
  const waiting = isFirst ? await waitingFor({ services, db, actor }) : undefined
  const repositories = await ownRepositories(call, actor)
  const isNew = isFirst && !waiting && found.groups.length === 0 && !repositories.hasAny
  const lines = found.groups.length > 0 ? await feedLines(db, found, { now, url: reader.url }) : undefined
  return {
    kind: "shown",
    title: t("Dashboard"),
    feed: `${path(me.name)}.atom`,
    body: html`
      <h1 class="hidden-text">Dashboard</h1>
      <div class="columns home">
        <div>${isNew ? welcome(me.name) : isFirst && (waiting ?? NOTHING_WAITS)}</div>
        <aside class="side">${repositories.view}${await ownOrganizations(call, actor)}</aside>
        <div>
          ${!isNew && heatmap({ contributions, now, selected: query.date, href: (date) => `/?date=${date}` })}
          <section class="stack" aria-label="Activity">
            <div class="bar">
              <h2>${day ? t("Activity on {date}", { date: query.date ?? "" }) : t("Activity")}</h2>
              ${day && html`<a href="/">Show all days</a>`}
            </div>
            ${
              lines ??
              empty(
                "pulse",
                day ? t("No activity on this day") : t("No activity yet"),
                t("Your activity, and activity in repositories that you watch, is listed here."),
                html`<a class="button" href="/explore/repos">${icon("telescope")} Explore repositories</a>`,
              )
            }
          </section>
        </div>
      </div>
    `,
  }
}

const NOTHING_WAITS = html`
  <p class="muted waits-not">${icon("check-circle")} Nothing waits for you: no reviews, no assigned issues, no unread mentions.</p>
`

/** What someone new can begin with. */
const welcome = (name: string): Html =>
  html`
    <section class="stack" aria-label="Welcome">
      <h2>Welcome, <bdi>${name}</bdi></h2>
      <ul class="plain grid starts">
        ${start("/repo/create", "repo", t("Create a repository"), t("A place for your code, with issues, pull requests and workflows."))}
        ${start("/repo/migrate", "repo-push", t("Import a repository"), t("From GitHub, GitLab, Gitea, or wherever git can clone from."))}
        ${start("/explore/repos", "telescope", t("Explore"), t("See what others work on. What you watch has its news on this page."))}
        ${start("/user/settings/keys", "key", t("Add an SSH key"), t("Then you push and fetch without a password."))}
      </ul>
    </section>
  `

const start = (href: string, name: IconName, title: Text, text: Text): Html =>
  html`
    <li class="card">
      <a class="inside" href="${href}">
        ${icon(name)}
        <span><strong>${title}</strong><span class="muted small">${text}</span></span>
      </a>
    </li>
  `

const KINDS = [
  [undefined, t("All")],
  ["source", t("Sources")],
  ["fork", t("Forks")],
  ["mirror", t("Mirrors")],
  ["collaborative", t("Others’")],
] as const

async function ownRepositories({ services, db, query, reader }: Call, actor: SignedIn) {
  const me = actor.user
  const { q = "", kind } = query
  const where = [
    ...(kind === "collaborative" ? [] : [kind === undefined ? concerning(me.id) : ownedBy(me.id)]),
    ...conditionsOf(actor, {
      keyword: { text: q, topicsOnly: false, inDescriptions: false },
      uid: kind === "collaborative" ? me.id : undefined,
      exclusive: false,
      mode: kind,
      withHidden: true,
    }),
  ]
  const order = { by: "updated", direction: "desc" } as const
  const { rows, total } = await listRepositories(db, actor, { where, order }, { limit: SIDE, offset: 0 })
  const repositories = await withOwners(db, rows)
  const hasAny = total > 0 || q !== "" || kind !== undefined
  const view = html`
    <section>
      <div class="bar">
        <h2>Repositories</h2>
        <a class="button small end" href="/repo/create">${icon("plus", t("New repository"))}</a>
      </div>
      ${
        hasAny
          ? html`
            ${filterForm("/", q, t("Find a repository"), { kind })}
            ${choices(
              t("Kinds of repositories"),
              KINDS.map(([name, text]) => ({ href: withQuery(reader.url, { kind: name }), text, current: name === kind })),
            )}
            ${repositories.length > 0 ? shortList(repositories) : html`<p class="muted small">No repositories found.</p>`}
            ${total > SIDE && html`<p class="small"><a href="${path(me.name)}?tab=repositories">All your repositories</a></p>`}
          `
          : html`
            <p class="small">No repositories yet.</p>
            <p class="bar">
              <a class="button small primary" href="/repo/create">${icon("plus")}New repository</a>
              <a class="button small" href="/repo/migrate">${icon("repo-push")}Import one</a>
            </p>
            ${
              services.config.git.pushToCreate.user &&
              html`
                <p class="small">Or create one by pushing:</p>
                <div class="prose small">
                  <pre tabindex="0"><code>git push ${services.site.rootUrl}/${me.name}/name.git main</code></pre>
                </div>
              `
            }
          `
      }
    </section>
  `
  return { hasAny, view }
}

const shortList = (repositories: readonly Owned[]): Html =>
  html`
    <ul class="plain stack tight">
      ${repositories.map(
        ({ repository, owner }) =>
          html`
            <li class="break">
              ${icon(repositoryIcon(repository))}${" "}
              <a href="${path(owner.name, repository.name)}"><bdi>${owner.name}/${repository.name}</bdi></a>
            </li>
          `,
      )}
    </ul>
  `

async function ownOrganizations({ db }: Call, actor: SignedIn): Promise<Html> {
  const { rows, total } = await findOrganizationsOf(db, actor, actor.user.id, { number: 1, limit: SIDE, offset: 0 })
  if (total === 0) return html``
  return html`
    <section>
      <h2>Organizations</h2>
      <ul class="plain stack tight">
        ${rows.map((row) => html`<li>${avatar(row)} <a href="${path(row.name)}"><bdi>${row.name}</bdi></a></li>`)}
      </ul>
      ${total > SIDE && html`<p class="small"><a href="${path(actor.user.name)}?tab=organizations">All ${total}</a></p>`}
    </section>
  `
}
