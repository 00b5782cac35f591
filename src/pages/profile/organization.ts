import type { OnOrganization } from "../../access/policies/organizations.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import type { Shown } from "../../core/page.ts"
import type { Static, TObject } from "../../core/schema.ts"
import { ownedBy } from "../../features/code/repositories/search-store.ts"
import { findMembers, shownTo } from "../../features/people/organizations/store.ts"
import { path } from "../../web/address.ts"
import { icon } from "../../web/icon.ts"
import { faces, organizationPage } from "../parts/account/frame.ts"
import { PROFILE, PROFILE_FOR_MEMBERS, profileReadme } from "../parts/account/readme.ts"
import {
  activityOf,
  newRepository,
  noRepositories,
  type ProfileCall,
  type profileQuery,
  recentRepositories,
} from "../parts/account/shared.ts"
import { repositoryList } from "../parts/repositories/list.ts"

interface Call extends ProfileCall, OnOrganization {
  readonly query: Static<TObject<typeof profileQuery>>
}

const FACES = 30

/** The page at the organisation's name. `bond` is what the reader has to do with it. */
export async function organizationHome(call: Call, bond: Html | undefined): Promise<Shown> {
  const { db, actor, organization, role, query } = call
  const at = path(organization.name)
  if (query.tab === "repositories") {
    const empty = noRepositories(call, organization)
    const list = await repositoryList(call, { action: at, keep: { tab: "repositories" }, where: [ownedBy(organization.id)], empty })
    return organizationPage(call, organization, {
      tab: "repositories",
      title: t("Repositories"),
      body: html`${role.mayCreateRepositories && newRepository(organization)}${list}`,
    })
  }
  if (query.tab === "activity") {
    const body = await activityOf(call, organization, query, role.isMember)
    return organizationPage(call, organization, { tab: "activity", title: t("Activity"), body })
  }
  const readme = await profileReadme(call, organization, role.isMember ? [PROFILE_FOR_MEMBERS, PROFILE] : [PROFILE])
  const members = await findMembers(db, organization, actor, shownTo(actor, role), { number: 1, limit: FACES, offset: 0 })
  const hint =
    role.isOwner &&
    html`
      <p class="notice">
        ${icon("light-bulb")} Add a profile README: the <code>README.md</code> of a public repository
        called <code>${organization.name}/${PROFILE}</code> is shown here.
      </p>
    `
  return organizationPage(call, organization, {
    tab: "overview",
    title: "",
    canonical: at,
    body: html`
      <div class="columns">
        <div>${readme ?? hint}${await recentRepositories(call, organization)}</div>
        <aside class="side">
          ${bond}
          <section>
            <h2><a href="${path("org", organization.name, "members")}">People</a></h2>
            ${members.total > 0 ? faces(members.rows) : html`<p class="muted small">No public members.</p>`}
          </section>
        </aside>
      </div>
    `,
  })
}
