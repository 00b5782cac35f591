import { listedUsers, publicRepositories } from "../../access/visibility.ts"
import type { User } from "../../core/actor.ts"
import { actorId } from "../../core/actor.ts"
import { avatarPath } from "../../core/avatar.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t, titled } from "../../core/language/message.ts"
import type { Shown } from "../../core/page.ts"
import type { Static, TObject } from "../../core/schema.ts"
import { ownedBy, starredBy, watchedBy } from "../../features/code/repositories/search-store.ts"
import { listFollows } from "../../features/people/follows/store.ts"
import { findOrganizationsOf } from "../../features/people/organizations/store.ts"
import { findBadgesOf } from "../../features/people/users/badges-store.ts"
import type { Found } from "../../features/people/users/store.ts"
import { path } from "../../web/address.ts"
import { empty, pager } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { count, dayOf, plural } from "../../web/time.ts"
import { faces, factsOf, personTabs } from "../parts/account/frame.ts"
import { accountRows } from "../parts/account/list-view.ts"
import { PROFILE, profileReadme } from "../parts/account/readme.ts"
import {
  activityOf,
  heatmapOf,
  newRepository,
  noRepositories,
  type ProfileCall,
  type profileQuery,
  recentRepositories,
} from "../parts/account/shared.ts"
import { repositoryList } from "../parts/repositories/list.ts"

/** The page of a person. */

const TABS = ["overview", "repositories", "activity", "stars", "watching", "followers", "following", "organizations"] as const
type Tab = (typeof TABS)[number]

const TITLES: Readonly<Record<Tab, Text>> = {
  overview: "",
  repositories: t("Repositories"),
  activity: t("Activity"),
  stars: t("Stars"),
  watching: t("Watching"),
  followers: t("Followers"),
  following: t("Following"),
  organizations: t("Organizations"),
}

interface Call extends ProfileCall {
  readonly query: Static<TObject<typeof profileQuery>>
}

/** `bond` is what the reader has to do with them. */
export async function personPage(call: Call, user: User, bond: Html | undefined): Promise<Shown> {
  const tab = TABS.find((name) => name === call.query.tab) ?? "overview"
  const at = path(user.name)
  return {
    kind: "shown",
    title: tab === "overview" ? user.name : titled(TITLES[tab], user.name),
    feed: `${at}.atom`,
    canonical: tab === "overview" ? at : `${at}?tab=${tab}`,
    body: html`
      <div class="columns start profile">
        ${await sideOf(call, user, bond)}
        <div>${personTabs(user, tab)}${await contentOf(call, user, tab)}</div>
      </div>
    `,
  }
}

async function sideOf({ db, actor }: Call, user: User, bond: Html | undefined): Promise<Html> {
  const at = path(user.name)
  const knowsAddress = actor.kind === "user" && user.hide_email === 0 && user.email !== ""
  const [organizations, badges] = await Promise.all([
    findOrganizationsOf(db, actor, user.id, { number: 1, limit: 20, offset: 0 }),
    findBadgesOf(db, { userId: user.id }),
  ])
  return html`
    <aside class="profile-side">
      <img class="avatar portrait" src="${avatarPath(user)}" width="160" height="160" alt="">
      <div class="stack tight">
        <h1><bdi>${user.full_name || user.name}</bdi></h1>
        ${user.full_name !== "" && html`<p class="muted account-name"><bdi>${user.name}</bdi></p>`}
        ${user.description !== "" && html`<p class="break" dir="auto">${user.description}</p>`}
        ${
          badges.length > 0 &&
          html`
            <p class="bar">
              ${badges.map((badge) => html`<span class="chip">${icon("trophy")}${badge.description || badge.slug}</span>`)}
            </p>
          `
        }
        ${bond}
        <p class="inline-links">
          ${icon("people")} <a href="${at}?tab=followers"><strong>${plural(user.followers_count, "follower")}</strong></a>${" "}
          · <a href="${at}?tab=following"><strong>${count(user.following_count)}</strong> following</a>
        </p>
        <ul class="plain stack tight small">
          ${
            user.visibility !== "public" &&
            html`<li>${icon("lock")} ${user.visibility === "private" ? t("Private profile") : t("Visible to signed-in users")}</li>`
          }
          ${factsOf(user, knowsAddress ? user.email : undefined)}
          <li>${icon("calendar")} Joined ${dayOf(user.created_at)}</li>
          <li><a href="${at}.atom">${icon("rss")} Feed</a></li>
        </ul>
        ${
          organizations.total > 0 &&
          html`
            <section class="stack tight">
              <h2 class="side-title"><a href="${at}?tab=organizations">Organizations</a></h2>
              ${faces(organizations.rows)}
            </section>
          `
        }
      </div>
    </aside>
  `
}

async function contentOf(call: Call, user: User, tab: Tab): Promise<Content> {
  const { db, actor, page, reader, query } = call
  const at = path(user.name)
  const isOwn = actorId(actor) === user.id
  // What is not open to all is visible only to that user: that they starred or watch it would tell of it.
  const shown = isOwn ? [] : [publicRepositories()]
  const accounts = async (found: Found<User>, title: Text, nothing: Text) =>
    html`
      <h2>${title}</h2>
      ${found.rows.length > 0 ? accountRows(found.rows) : empty("people", nothing)}
      ${pager(reader.url, page, found.total)}
    `
  switch (tab) {
    case "overview":
      return overviewOf(call, user, isOwn)
    case "repositories":
      return html`
        ${isOwn && newRepository(user)}
        ${await repositoryList(call, { action: at, keep: { tab }, where: [ownedBy(user.id)], empty: noRepositories(call, user) })}
      `
    case "activity":
      return user.hide_activity === 1 && !isOwn
        ? empty("eye-closed", t("This user’s activity is private"))
        : activityOf(call, user, query, false)
    case "stars":
      return repositoryList(call, {
        action: at,
        keep: { tab },
        where: [starredBy(user.id), ...shown],
        empty: empty("star", t("No stars yet"), isOwn && t("Starred repositories are listed here.")),
      })
    case "watching":
      return repositoryList(call, {
        action: at,
        keep: { tab },
        where: [watchedBy(user.id), ...shown],
        empty: empty(
          "eye",
          t("Not watching any repositories"),
          isOwn && t("You are notified about activity in repositories that you watch."),
        ),
      })
    case "followers":
    case "following": {
      const found = await listFollows(db, { direction: tab, userId: user.id, shown: listedUsers(actor) }, page)
      return accounts(found, TITLES[tab], tab === "followers" ? t("No followers yet") : t("Not following anyone yet"))
    }
    case "organizations":
      return accounts(await findOrganizationsOf(db, actor, user.id, page), TITLES[tab], t("No organizations"))
  }
}

async function overviewOf(call: Call, user: User, isOwn: boolean): Promise<Html> {
  const readme = await profileReadme(call, user, [PROFILE])
  return html`
    ${
      readme ??
      (isOwn &&
        html`
          <p class="notice">
            ${icon("light-bulb")} Add a profile README: the <code>README.md</code> of a public repository
            called <code>${user.name}/${PROFILE}</code> is shown here.
          </p>
        `)
    }
    ${await recentRepositories(call, user)}${await heatmapOf(call, user)}
  `
}
