import { siteAdministrator } from "../../access/policies/site.ts"
import type { User } from "../../core/actor.ts"
import { memberOf } from "../../core/check.ts"
import { form } from "../../core/forms/form.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import { administrationOperations as userOperations } from "../../features/people/users/administration-operations.ts"
import { shownAddress } from "../../features/people/users/present.ts"
import { listPeople, type PeopleFilter } from "../../features/people/users/store.ts"
import { administrationOperations } from "../../features/site/administration/operations.ts"
import { path, withQuery } from "../../web/address.ts"
import { administrationPage, ADMINISTRATION_PEOPLE as PEOPLE } from "../../web/administration.ts"
import { avatar, choices, empty, filterForm, pager, rowsOr, toCopy } from "../../web/components.ts"
import { formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { dayOf, time } from "../../web/time.ts"
import { aboutFields, accountAdministrationPages, states, VISIBILITIES } from "./account.ts"
import { emails } from "./emails.ts"
import { tokenAdministrationPages } from "./tokens.ts"

/** The accounts of people, for site administrators. */

/** What the list can be limited to. */
const ONLY = {
  administrators: { text: t("Administrators"), filter: { isAdmin: true } },
  suspended: { text: t("Suspended"), filter: { prohibitLogin: true } },
  inactive: { text: t("Not activated"), filter: { isActive: false } },
  restricted: { text: t("Restricted"), filter: { isRestricted: true } },
  never_signed_in: { text: t("Never signed in"), filter: { hasSignedIn: false } },
  two_factors: { text: t("Second factor"), filter: { hasTwoFactor: true } },
  one_factor: { text: t("No second factor"), filter: { hasTwoFactor: false } },
} as const satisfies Readonly<Record<string, { readonly text: Text; readonly filter: PeopleFilter }>>
type Only = keyof typeof ONLY
const ONLY_NAMES = Object.keys(ONLY).filter((name): name is Only => name in ONLY)

const list: Page = page({
  id: "admin.people",
  address: `GET ${PEOPLE}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()), only: Type.Optional(oneOf(ONLY_NAMES)) },
  answer: async ({ services, db, actor, query, page: rows, reader, draft }) => {
    const { q = "", only } = query
    const { rows: people, total } = await listPeople(db, { keyword: q.trim(), ...(only && ONLY[only].filter) }, rows)
    const now = services.now()
    const filters = [undefined, ...ONLY_NAMES].map((name) => ({
      href: withQuery(PEOPLE, { q: q || undefined, only: name }),
      text: name ? ONLY[name].text : t("All"),
      current: name === only,
    }))
    return administrationPage({
      part: "people",
      title: t("People"),
      body: html`
        <div class="bar">
          <h1>People</h1>
          <a class="button primary end" href="${PEOPLE}/new">${icon("person-add")}New account</a>
        </div>
        <div class="bar">
          ${filterForm(PEOPLE, q, t("Search names and addresses"), { only })}${choices(t("Only"), filters)}
        </div>
        ${rowsOr(
          people,
          (user) => personRow(user, shownAddress(services.site, user, actor), now),
          empty("people", t("No users found"), t("Search for part of a name or an address.")),
          pager(reader.url, rows, total),
        )}
        <h2 id="invite">Invite a user</h2>
        ${
          services.config.users.registration === "closed"
            ? html`
              <p class="muted">
                Only administrators can create accounts. Set <code>users.registration</code> to <code>invitation</code>${" "}
                or <code>open</code> to let people sign up.
              </p>
            `
            : formView(invitation, {
                draft,
                submit: t("Invite"),
                look: "plain",
                fields: [{ kind: "line", name: "email", label: t("E-mail address"), type: "email", required: true, maxlength: 254 }],
              })
        }
      `,
    })
  },
})

const personRow = (user: User, address: string, now: number): Html =>
  html`
    <li>
      ${avatar(user, 32)}
      <div class="main">
        <h2 class="title">
          <a href="${PEOPLE}/${encodeURIComponent(user.name)}"><bdi>${user.name}</bdi></a>
          ${user.full_name !== "" && html` <span class="muted" dir="auto">${user.full_name}</span>`}
        </h2>
        <p class="meta">
          <span class="break">${address}</span><span>since ${dayOf(user.created_at)}</span>
          <span>
            ${user.last_login_at > 0 ? html`signed in ${time(user.last_login_at, now)}` : t("never signed in")}
          </span>
        </p>
      </div>
      <div>${states(user)}</div>
    </li>
  `

const invitation = form({
  id: "admin.person.invite",
  address: `POST ${PEOPLE}/invite`,
  does: named(administrationOperations, "adminInvite"),
  on: list,
  takes: ["email"],
  shows: ({ record, field }) =>
    administrationPage({
      part: "people",
      title: t("Invitation"),
      isPrivate: true,
      body: html`
        <h1>Invitation</h1>
        <p>
          With this link <span class="break">${field("email")}</span> can create an account, once. The invitation is
          also sent by mail if the site sends mail.
        </p>
        ${toCopy(String(memberOf(record, "link")), t("Copy the link"))}
        <p><a href="${PEOPLE}">Back to the people</a></p>
      `,
    }),
})

const fresh: Page = page({
  id: "admin.person.new",
  address: `GET ${PEOPLE}/new`,
  access: siteAdministrator,
  answer: ({ services, draft }) =>
    administrationPage({
      part: "people",
      title: t("New account"),
      body: html`
        <h1>New account</h1>
        ${
          services.config.users.registration !== "closed" &&
          html`<p class="muted">People can also be <a href="${PEOPLE}#invite">invited</a> to create their account themselves.</p>`
        }
        ${formView(create, {
          draft,
          submit: t("Create account"),
          fields: [
            {
              kind: "line",
              name: "username",
              label: t("Name"),
              required: true,
              maxlength: 40,
              hint: t("Letters and digits, with -, _ and . between them."),
            },
            ...aboutFields,
            {
              kind: "line",
              name: "password",
              label: t("Password"),
              type: "password",
              autocomplete: "new-password",
              required: true,
              maxlength: 255,
            },
            { kind: "box", name: "must_change_password", label: t("Require a password change at the next sign-in"), value: true },
            { kind: "menu", name: "visibility", label: t("Visibility"), options: [["", t("Site default")], ...VISIBILITIES] },
            {
              kind: "box",
              name: "restricted",
              label: t("Restricted"),
              hint: t("Restricted users only see what they are explicitly given access to."),
            },
            { kind: "box", name: "send_notify", label: t("Notify by mail") },
          ],
        })}
      `,
    }),
})

const create = form({
  id: "admin.person.create",
  address: `POST ${PEOPLE}/new`,
  does: named(userOperations, "adminCreateUser"),
  on: fresh,
  takes: ["username", "full_name", "email", "password", "must_change_password", "visibility", "restricted", "send_notify"],
  once: true,
  done: t("Account created."),
  to: ({ field }) => path("-", "admin", "users", field("username")),
})

export const peopleAdministrationPages: readonly Page[] = [
  list,
  invitation,
  fresh,
  create,
  ...accountAdministrationPages,
  emails,
  ...tokenAdministrationPages,
]
