import { Mode, type Unit } from "../../access/modes.ts"
import { unitEnabled, unitMode } from "../../access/permission.ts"
import { findReachable, type OnRepository } from "../../access/policies/repositories.ts"
import type { Actor } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { attribute, type Content, type Html, html } from "../../core/html.ts"
import { type Text, t, titled } from "../../core/language/message.ts"
import type { Request } from "../../core/operation.ts"
import type { Shown } from "../../core/page.ts"
import { findMarks } from "../../features/code/repositories/store.ts"
import { mayCreateRepositories } from "../../features/people/teams/rules.ts"
import { path, repositoryPath, revisionPath } from "../../web/address.ts"
import { buttonForm, notice, type Tab, tabs } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { count, dayOf, plural } from "../../web/time.ts"

/** What all pages of a repository have: its path, marks and counts, and the tabs of what the reader may see of it. */

export const REPOSITORY_TABS = ["code", "issues", "pulls", "actions", "packages", "projects", "releases", "wiki", "activity"] as const
export type RepositoryTab = (typeof REPOSITORY_TABS)[number]

interface TabOf {
  readonly text: Text
  readonly icon: IconName
  readonly keys?: Tab["keys"]
  readonly unit: Unit
  /** Below the repository's path. */
  readonly path: string
  readonly count?: (on: OnRepository) => number
}

const TABS: Readonly<Record<RepositoryTab, TabOf>> = {
  code: { text: t("Code"), keys: "g c", icon: "code", unit: "repo.code", path: "" },
  issues: {
    text: t("Issues"),
    keys: "g i",
    icon: "issue-opened",
    unit: "repo.issues",
    path: "/issues",
    count: ({ repository }) => repository.open_issues_count,
  },
  pulls: {
    text: t("Pull requests"),
    keys: "g p",
    icon: "git-pull-request",
    unit: "repo.pulls",
    path: "/pulls",
    count: ({ repository }) => repository.open_pulls_count,
  },
  actions: { text: t("Actions"), keys: "g a", icon: "play", unit: "repo.actions", path: "/actions" },
  packages: { text: t("Packages"), icon: "package", unit: "repo.packages", path: "/packages" },
  projects: { text: t("Projects"), keys: "g b", icon: "project", unit: "repo.projects", path: "/projects" },
  releases: {
    text: t("Releases"),
    keys: "g r",
    icon: "tag",
    unit: "repo.releases",
    path: "/releases",
    count: ({ repository }) => repository.releases_count,
  },
  wiki: { text: t("Wiki"), keys: "g w", icon: "book", unit: "repo.wiki", path: "/wiki" },
  activity: { text: t("Activity"), icon: "pulse", unit: "repo.code", path: "/activity" },
}

interface Part extends Omit<Shown, "kind" | "body"> {
  readonly tab: RepositoryTab | "settings" | undefined
  readonly body: Content
}

/** A page of a repository: one statement more than its own, and three for a fork. */
export async function repositoryPage(
  call: OnRepository & Pick<Request, "db" | "actor">,
  { tab, body, title, ...more }: Part,
): Promise<Shown> {
  const { actor, owner, repository, permission } = call
  const takesIssues = actor.kind === "user" && repository.is_archived === 0 && unitMode(permission, repository, "repo.issues") >= Mode.read
  return {
    kind: "shown",
    feed: `${repositoryPath(call)}.atom`,
    searchesIn: `${repositoryPath(call)}/search`,
    ...(takesIssues && { newIssue: `${repositoryPath(call)}/issues/new` }),
    ...more,
    title: titled(title, `${owner.name}/${repository.name}`),
    body: html`${await repositoryHeader(call, tab)}${body}`,
  }
}

type Current = RepositoryTab | "settings" | undefined

async function repositoryHeader(call: OnRepository & Pick<Request, "db" | "actor">, current: Current): Promise<Html> {
  const { db, actor, owner, repository } = call
  const at = repositoryPath(call)
  const { hasStar: stars, isWatching: watches, isOffered } = await marksOfReader(db, actor, repository.id)
  const parent = repository.fork_of_id === null ? undefined : await findReachable(db, actor, repository.fork_of_id)
  return html`
    <header class="repo-header" ${filesOf(call)}>
      <div class="title">
        <span class="path">
          ${icon(markOf(call))} <a href="${path(owner.name)}"><bdi>${owner.name}</bdi></a> /${" "}
          <a href="${at}"><bdi>${repository.name}</bdi></a>
        </span>
        ${marksOf(call)}
        <div class="bar end">
          ${counter(at, "watch", watches, t("Watch"), t("Unwatch"), "eye", repository.watchers_count, "watcher", actor)}
          ${counter(at, "star", stars, t("Star"), t("Unstar"), stars ? "star-fill" : "star", repository.stars_count, "star", actor)}
          ${forks(call)}
        </div>
      </div>
      ${
        parent &&
        html`<p class="muted small">forked from <a href="${repositoryPath(parent)}">${parent.owner.name}/${parent.repository.name}</a></p>`
      }
      ${
        repository.is_archived === 1 &&
        html`
          <div class="notice warn" role="status">
            Archived${repository.archived_at > 0 && html` on ${dayOf(repository.archived_at)}`}: it can be read, and not
            changed.
          </div>
        `
      }
      ${
        isOffered &&
        notice(
          "info",
          html`
            <bdi>${owner.name}</bdi> wants to transfer this repository to you or your organization.${" "}
            <a href="${at}/transfer">Review transfer</a>
          `,
        )
      }
      ${tabs(t("Repository"), tabsOf(call, current))}
    </header>
  `
}

/** What the key `t` needs, where there are files that the reader may see. */
const filesOf = (call: OnRepository): Content => {
  const { repository, permission } = call
  if (repository.is_empty === 1 || unitMode(permission, repository, "repo.code") < Mode.read) return false
  const files = revisionPath({ kind: "branch", name: repository.default_branch })
  return html`${attribute("data-files", files)} ${attribute("data-repository", repositoryPath(call))}`
}

/** What the reader may see of the repository, with trackers and wikis elsewhere. */
function tabsOf(call: OnRepository, current: Current): readonly Tab[] {
  const { repository, permission } = call
  const at = repositoryPath(call)
  const external = repository.has_wiki === 1 && repository.external_wiki_url !== "" ? repository.external_wiki_url : undefined
  const tracker = repository.has_issues === 1 && repository.external_tracker_url !== "" ? repository.external_tracker_url : undefined
  const shown = REPOSITORY_TABS.filter(
    (name) => unitEnabled(repository, TABS[name].unit) && unitMode(permission, repository, TABS[name].unit) >= Mode.read,
  )
  return [
    ...shown.map((name): Tab => {
      const tab = TABS[name]
      const many = tab.count?.(call)
      return {
        href: `${at}${tab.path}`,
        text: tab.text,
        icon: tab.icon,
        current: name === current,
        ...(tab.keys && { keys: tab.keys }),
        ...(many === undefined ? {} : { count: many }),
      }
    }),
    ...(tracker ? [{ href: tracker, text: t("Issues"), keys: "g i" as const, icon: "link-external" as const }] : []),
    ...(permission.mode >= Mode.admin
      ? [{ href: `${at}/settings`, text: t("Settings"), icon: "gear" as const, keys: "g s" as const, current: current === "settings" }]
      : []),
    ...(external ? [{ href: external, text: t("Wiki"), icon: "link-external" as const }] : []),
  ]
}

const markOf = ({ repository }: OnRepository): IconName =>
  repository.is_mirror === 1
    ? "mirror"
    : repository.is_private === 1
      ? "repo-locked"
      : repository.fork_of_id === null
        ? "repo"
        : "repo-forked"

function marksOf({ owner, repository }: OnRepository): Html {
  const marks = [
    repository.is_private === 1 ? t("Private") : owner.visibility === "private" ? t("Internal") : t("Public"),
    ...(repository.is_archived === 1 ? [t("Archived")] : []),
    ...(repository.is_mirror === 1 ? [t("Mirror")] : []),
    ...(repository.is_template === 1 ? [t("Template")] : []),
  ]
  return html`${marks.map((mark) => html`<span class="chip">${mark}</span>`)}`
}

/** A button that adds the reader to a count or takes them away, and a link to those who are counted. */
function counter(
  at: string,
  verb: "watch" | "star",
  is: boolean,
  add: Text,
  remove: Text,
  name: IconName,
  many: number,
  one: "watcher" | "star",
  actor: Actor,
): Html {
  const words = one === "star" ? plural(many, "star") : plural(many, "watcher")
  const counted = html`<a class="button small" href="${at}/${one}s" aria-label="${words}">${count(many)}</a>`
  if (actor.kind === "anonymous")
    return html`<span class="group"><span class="button small">${icon(name)}<span class="word">${add}</span></span>${counted}</span>`
  return html`
    <span class="group">
      ${buttonForm(`${at}/action/${is ? `un${verb}` : verb}`, html`${icon(name)}<span class="word">${is ? remove : add}</span>`)}${counted}
    </span>
  `
}

/** The ways to a repository of one's own with these files, and those that others have made. */
function forks(call: OnRepository & Pick<Request, "actor">): Html {
  const { actor, repository, permission } = call
  const at = repositoryPath(call)
  const mayTake = actor.kind === "user" && unitMode(permission, repository, "repo.code") >= Mode.read
  return html`
    <span class="group">
      ${
        mayTake
          ? html`<a class="button small" href="${at}/fork">${icon("repo-forked")}<span class="word">Fork</span></a>`
          : html`<span class="button small">${icon("repo-forked")}<span class="word">Fork</span></span>`
      }
      <a class="button small" href="${at}/forks" aria-label="${plural(repository.forks_count, "fork")}">
        ${count(repository.forks_count)}
      </a>
    </span>
    ${
      mayTake &&
      repository.is_template === 1 &&
      html`<a class="button small primary" href="${at}/generate">${icon("copy")}Use this template</a>`
    }
  `
}

interface Marks {
  readonly hasStar: boolean
  readonly isWatching: boolean
  /** Whether the reader is asked to take the repository over. */
  readonly isOffered: boolean
}

async function marksOfReader(db: Handle, actor: Actor, repositoryId: number): Promise<Marks> {
  const row = actor.kind === "user" ? await findMarks.first(db, { userId: actor.user.id, repositoryId }) : undefined
  return {
    hasStar: (row?.starred ?? null) !== null,
    isWatching: (row?.watched ?? "declined") !== "declined",
    isOffered: actor.kind === "user" && row ? await speaksFor(db, actor.user.id, row) : false,
  }
}

/** Only while an offer waits for an organisation this takes a further statement. */
const speaksFor = async (
  db: Handle,
  userId: number,
  { recipient_id: id, recipient_kind: kind }: { readonly recipient_id: number | null; readonly recipient_kind: string | null },
): Promise<boolean> => id !== null && (kind === "organization" ? mayCreateRepositories(db, { id }, userId) : id === userId)
