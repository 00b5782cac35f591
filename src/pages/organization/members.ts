import { onOrganization, onOrganizationAsMember } from "../../access/policies/organizations.ts"
import type { User } from "../../core/actor.ts"
import { form } from "../../core/forms/form.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { moved, type Page, page } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import { organizationMemberOperations } from "../../features/people/organizations/member-operations.ts"
import { removeMember } from "../../features/people/organizations/rules.ts"
import { findMembers, findMemberships, shownTo } from "../../features/people/organizations/store.ts"
import { findTeamsOfMembers } from "../../features/people/teams/store.ts"
import { type Plan, planFilter } from "../../features/planning/issues/filter-conditions.ts"
import { filterEverywhere } from "../../features/planning/issues/filter-store.ts"
import { ofOwner } from "../../features/planning/issues/list-store.ts"
import { viewIssues } from "../../features/planning/issues/present.ts"
import { path } from "../../web/address.ts"
import { empty, pager, state } from "../../web/components.ts"
import { formButton } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { problem } from "../../web/problem.ts"
import { organizationPage } from "../parts/account/frame.ts"
import { accountRows } from "../parts/account/list-view.ts"
import type { InOrganization } from "../parts/account/shared.ts"
import { type FilterBar, filterBar } from "../parts/issues/filter-bar.ts"
import { filterOf, listFields } from "../parts/issues/list.ts"
import { issueRows } from "../parts/issues/list-view.ts"
import { pullNotes } from "../parts/issues/pull-notes.ts"

/** The pages of an organisation. */

const NOTHING_OFFERED = { labels: [], milestones: [], projects: [] } as const

/** What the organisation's repositories have of issues or pull requests, for readers of these. */
function issuesOf(kind: "issues" | "pulls"): Page {
  const title = kind === "issues" ? t("Issues") : t("Pull requests")
  return page({
    id: `organization.${kind}`,
    address: kind === "issues" ? "GET /org/{org}/issues" : "GET /org/{org}/pulls",
    access: onOrganization,
    query: listFields,
    answer: async (call) => {
      const { services, db, actor, organization, query, page: rows, reader } = call
      const filter = filterOf(query, NOTHING_OFFERED)
      const plan: Plan = { ...planFilter(actor, filter), kind }
      const found = await filterEverywhere(db, actor, plan, rows, [ofOwner(organization.id)])
      const issues = await viewIssues(db, actor, found.rows)
      const notes = kind === "pulls" ? await pullNotes(db, found.rows) : undefined
      const at = path("org", organization.name, kind)
      const bar: FilterBar = { at, filter, plan, found, kind, isSignedIn: actor.kind === "user", usual: "is:open label:bug" }
      return organizationPage(call, organization, {
        tab: kind,
        title,
        body: html`
          <h2>${title}</h2>
          ${filterBar(bar)}
          ${
            issues.length > 0
              ? issueRows(issues, { withRepository: true, ...(notes && { notes }), now: services.now() })
              : empty(
                  kind === "issues" ? "issue-opened" : "git-pull-request",
                  t("Nothing found"),
                  t("Results from all repositories of the organization are listed here."),
                )
          }
          ${pager(reader.url, rows, found.total)}
        `,
      })
    },
  })
}

const members: Page = page({
  id: "organization.members",
  address: "GET /org/{org}/members",
  access: onOrganization,
  query: { factor: Type.Optional(oneOf(["missing"])) },
  answer: async (call) => {
    const { db, actor, organization, role, page: rows, reader, draft, query } = call
    const isFiltered = role.isOwner && query.factor === "missing"
    const { rows: found, total } = await findMembers(db, organization, actor, shownTo(actor, role), rows, isFiltered)
    const beside = actor.kind === "user" && (role.isMember || role.isOwner) ? await membershipsOf({ ...call, actor }, found) : undefined
    return organizationPage(call, organization, {
      tab: "members",
      title: t("People"),
      body: html`
        ${problem(draft?.refusal)}
        ${role.isOwner && factorFilter(organization, isFiltered)}
        ${
          found.length > 0
            ? accountRows(found, beside)
            : isFiltered
              ? empty("shield-check", t("Everyone has a second factor"), t("Members without one would be listed here."))
              : empty("people", t("No members to show"), t("Members choose whether their membership is public."))
        }
        ${pager(reader.url, rows, total)}
        ${
          role.isOwner &&
          html`
            <p class="muted small">
              Users become members when they are added to a first <a href="${path("org", organization.name, "teams")}">team</a>.
            </p>
          `
        }
      `,
    })
  },
})

/** Owners see who has no second factor, and since when these have no access. */
const factorFilter = ({ name, second_factor_due_at: due }: User, isFiltered: boolean): Html =>
  html`
    <p class="small">
      ${
        isFiltered
          ? html`<a href="${path("org", name, "members")}">All members</a>`
          : html`<a href="${path("org", name, "members")}?factor=missing">Members without two-factor authentication</a>`
      }
      ${due > 0 && html`<span class="muted">${t("This organization requires it.")}</span>`}
    </p>
  `

const show = form({
  id: "organization.showMember",
  address: "POST /org/{org}/members/{username}/show",
  does: named(organizationMemberOperations, "orgPublicizeMember"),
  on: members,
  done: t("Membership is now public."),
})

const hide = form({
  id: "organization.hideMember",
  address: "POST /org/{org}/members/{username}/hide",
  does: named(organizationMemberOperations, "orgConcealMember"),
  on: members,
  done: t("Membership is now private."),
})

const remove = form({
  id: "organization.removeMember",
  address: "POST /org/{org}/members/{username}/remove",
  does: named(organizationMemberOperations, "orgDeleteMember"),
  on: members,
  done: t("Member removed."),
})

/** The API has no operation for members themselves. */
const leave: Page = page({
  id: "organization.leave",
  address: "POST /org/{org}/leave",
  access: onOrganizationAsMember,
  again: async (call, refusal) => ({
    kind: "shown",
    title: t("Leave {name}", { name: call.organization.name }),
    width: "narrow",
    unlisted: true,
    body: html`
      <h1>You can’t leave <bdi>${call.organization.name}</bdi></h1>
      ${problem(refusal)}
      <p>You are the last owner. Make someone else an owner first, or delete the organization.</p>
      <p><a class="button" href="${path("org", call.organization.name, "members")}">Back</a></p>
    `,
  }),
  answer: async ({ services, me, organization }) => {
    await services.database.write((tx) => removeMember(tx, organization.id, me.id, me))
    return moved("/", { flash: t("You have left {name}.", { name: organization.name }) })
  },
})

export const organizationPages: readonly Page[] = [
  members,
  show,
  hide,
  remove,
  leave,
  issuesOf("issues"),
  issuesOf("pulls"),

  page({
    id: "organization.dashboard",
    address: "GET /org/{org}/dashboard",
    access: onOrganization,
    answer: ({ organization }) => moved(`${path(organization.name)}?tab=activity`),
  }),
]

/** What members see of each other's memberships, and owners besides: two queries for all of them. */
async function membershipsOf(
  { db, actor, organization, role }: InOrganization,
  members: readonly User[],
): Promise<(account: User) => Content> {
  const userIds = members.map(({ id }) => id)
  const memberships = new Map(
    (await findMemberships(db, { organizationId: organization.id, userIds })).map((membership) => [membership.user_id, membership]),
  )
  const teams = Map.groupBy(await findTeamsOfMembers(db, organization.id, actor, userIds), ({ user_id }) => user_id)
  return (account) => {
    const membership = memberships.get(account.id)
    if (!membership) return undefined
    const isPublic = membership.is_public === 1
    const at = { org: organization.name, username: account.name }
    return html`
      <div class="membership small">
        <p class="bar">
          <span class="chip">${membership.is_owner === 1 ? t("Owner") : t("Member")}</span>
          ${
            role.isOwner &&
            (membership.has_second_factor === 1
              ? state("success", "shield-check", t("Two-factor on"))
              : state("pending", "shield", t("Two-factor off")))
          }
          <span>${icon(isPublic ? "eye" : "eye-closed")} ${isPublic ? t("Public") : t("Private")}</span>
        </p>
        <p class="bar">
          ${(teams.get(account.id) ?? []).map(
            ({ name }) => html`<a href="${path("org", organization.name, "teams", name)}">${icon("organization")} <bdi>${name}</bdi></a>`,
          )}
        </p>
        ${
          (role.isOwner || account.id === actor.user.id) &&
          formButton(
            isPublic ? hide : show,
            at,
            html`${isPublic ? t("Make private") : t("Make public")}<span class="hidden-text">: ${account.name}</span>`,
          )
        }
        ${
          account.id === actor.user.id
            ? formButton(leave, at, t("Leave"))
            : role.isOwner && formButton(remove, at, html`Remove<span class="hidden-text"> ${account.name}</span>`)
        }
      </div>
    `
  }
}
