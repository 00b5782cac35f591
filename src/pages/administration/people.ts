import { siteAdministratorOnUser } from "../../access/policies/people.ts"
import { siteAdministrator } from "../../access/policies/site.ts"
import type { User } from "../../core/actor.ts"
import { memberOf } from "../../core/check.ts"
import { refuse } from "../../core/errors.ts"
import { addressOf, form } from "../../core/forms/form.ts"
import { type Html, html } from "../../core/html.ts"
import { named } from "../../core/operation.ts"
import { type Moved, type Page, page, type Reader } from "../../core/page.ts"
import { oneOf } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import type { Services } from "../../core/services.ts"
import { administrationOperations as userOperations } from "../../features/people/users/administration-operations.ts"
import { presentUser } from "../../features/people/users/present.ts"
import { listAddresses, listPeople, type PeopleFilter } from "../../features/people/users/store.ts"
import { administrationOperations } from "../../features/site/administration/operations.ts"
import { path, withQuery } from "../../web/address.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { avatar, choices, empty, filterForm, pager, state } from "../../web/components.ts"
import { type Field, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { dayOf, time } from "../../web/time.ts"
import { confirmedSession } from "../parts/sign-in/confirmed.ts"

/** The accounts of people, for site administrators. */

const PEOPLE = `${ADMINISTRATION_PATH}/users` as const
const EMAILS = `${ADMINISTRATION_PATH}/emails` as const

/** What the list can be limited to. */
const ONLY = {
  administrators: { text: "Administrators", filter: { isAdmin: true } },
  suspended: { text: "Suspended", filter: { prohibitLogin: true } },
  inactive: { text: "Not activated", filter: { isActive: false } },
  restricted: { text: "Restricted", filter: { isRestricted: true } },
  never_signed_in: { text: "Never signed in", filter: { hasSignedIn: false } },
  two_factors: { text: "Second factor", filter: { hasTwoFactor: true } },
  one_factor: { text: "No second factor", filter: { hasTwoFactor: false } },
} as const satisfies Readonly<Record<string, { readonly text: string; readonly filter: PeopleFilter }>>
type Only = keyof typeof ONLY
const ONLY_NAMES = Object.keys(ONLY).filter((name): name is Only => name in ONLY)

const VISIBILITIES = [
  ["public", "Everybody"],
  ["limited", "People who have signed in"],
  ["private", "Those with whom they work"],
] as const

const states = (user: User): Html =>
  html`
    ${user.is_admin === 1 && state("info", "shield", "Administrator")}${" "}
    ${user.prohibit_login === 1 && state("error", "no-entry", "Suspended")}${" "}
    ${user.is_active === 0 && state("neutral", "hourglass", "Not activated")}${" "}
    ${user.is_restricted === 1 && state("neutral", "lock", "Restricted")}
  `

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
      text: name ? ONLY[name].text : "All",
      current: name === only,
    }))
    return administrationPage({
      part: "people",
      title: "People",
      body: html`
        <div class="bar">
          <h1>People</h1>
          <a class="button primary end" href="${PEOPLE}/new">${icon("person-add")}New account</a>
        </div>
        <div class="bar">
          ${filterForm(PEOPLE, q, "Search names and addresses", { only })}${choices("Only", filters)}
        </div>
        ${
          people.length === 0
            ? empty("people", "Nobody matches", "Look for part of a name or of an address.")
            : html`
              <ul class="rows">
                ${people.map((user) => {
                  const record = presentUser(services.site, user, actor)
                  return html`
                    <li>
                      ${avatar(record, 32)}
                      <div class="main">
                        <h2 class="title">
                          <a href="${PEOPLE}/${encodeURIComponent(user.name)}"><bdi>${user.name}</bdi></a>
                          ${user.full_name !== "" && html` <span class="muted" dir="auto">${user.full_name}</span>`}
                        </h2>
                        <p class="meta">
                          <span class="break">${record.email}</span><span>since ${dayOf(user.created_at)}</span>
                          <span>
                            ${user.last_login_at > 0 ? html`signed in ${time(user.last_login_at, now)}` : "never signed in"}
                          </span>
                        </p>
                      </div>
                      <div>${states(user)}</div>
                    </li>
                  `
                })}
              </ul>
              ${pager(reader.url, rows, total)}
            `
        }
        <h2 id="invite">Invite a user</h2>
        ${
          services.config.users.registration === "closed"
            ? html`
              <p class="muted">
                Only administrators make accounts here. Set <code>users.registration</code> to <code>invitation</code>${" "}
                or <code>open</code> for people to make their own.
              </p>
            `
            : formView(invitation, {
                draft,
                submit: "Invite",
                look: "plain",
                fields: [{ kind: "line", name: "email", label: "E-mail address", type: "email", required: true, maxlength: 254 }],
              })
        }
      `,
    })
  },
})

const invitation = form({
  id: "admin.person.invite",
  address: `POST ${PEOPLE}/invite`,
  does: named(administrationOperations, "adminInvite"),
  on: list,
  takes: ["email"],
  shows: ({ record, field }) =>
    administrationPage({
      part: "people",
      title: "Invitation",
      isPrivate: true,
      body: html`
        <h1>Invitation</h1>
        <p>
          With this link <span class="break">${field("email")}</span> can make an account, once. Where the site sends
          mail, they get it.
        </p>
        <pre tabindex="0" aria-label="The link"><code>${String(memberOf(record, "link"))}</code></pre>
        <p><a href="${PEOPLE}">Back to the people</a></p>
      `,
    }),
})

const aboutFields: readonly Field[] = [
  { kind: "line", name: "full_name", label: "Full name", maxlength: 100 },
  { kind: "line", name: "email", label: "E-mail address", type: "email", required: true, maxlength: 254 },
]

const fresh: Page = page({
  id: "admin.person.new",
  address: `GET ${PEOPLE}/new`,
  access: siteAdministrator,
  answer: ({ services, draft }) =>
    administrationPage({
      part: "people",
      title: "New account",
      body: html`
        <h1>New account</h1>
        ${
          services.config.users.registration !== "closed" &&
          html`<p class="muted">People can also be <a href="${PEOPLE}#invite">invited</a> to make their account themselves.</p>`
        }
        ${formView(create, {
          draft,
          submit: "Create account",
          fields: [
            {
              kind: "line",
              name: "username",
              label: "Name",
              required: true,
              maxlength: 40,
              hint: "Letters and digits, with -, _ and . between them.",
            },
            ...aboutFields,
            {
              kind: "line",
              name: "password",
              label: "Password",
              type: "password",
              autocomplete: "new-password",
              required: true,
              maxlength: 255,
            },
            { kind: "box", name: "must_change_password", label: "Must change the password at the next sign-in", value: true },
            { kind: "menu", name: "visibility", label: "Visibility", options: [["", "As the site has it"], ...VISIBILITIES] },
            {
              kind: "box",
              name: "restricted",
              label: "Restricted",
              hint: "Restricted users only see what they are explicitly given access to.",
            },
            { kind: "box", name: "send_notify", label: "Notify by mail" },
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
  done: "Account created.",
  to: ({ field }) => path("-", "admin", "users", field("username")),
})

const profileFields: readonly Field[] = [
  ...aboutFields,
  { kind: "line", name: "website", label: "Website", type: "url", maxlength: 255 },
  { kind: "line", name: "location", label: "Location", maxlength: 50 },
  { kind: "line", name: "description", label: "About", maxlength: 255 },
  { kind: "menu", name: "visibility", label: "Visibility", options: VISIBILITIES },
]

const accountFields: readonly Field[] = [
  {
    kind: "box",
    name: "prohibit_login",
    label: "Suspended",
    hint: "Suspended users can't sign in, and their tokens and keys are refused. Nothing is deleted.",
  },
  { kind: "box", name: "active", label: "Activated", hint: "The e-mail address counts as confirmed." },
  { kind: "box", name: "admin", label: "Site administrator", hint: "Full access, including these pages." },
  { kind: "box", name: "restricted", label: "Restricted", hint: "Restricted users only see what they are explicitly given access to." },
  { kind: "box", name: "allow_create_organization", label: "Can create organizations" },
  { kind: "line", name: "max_repo_creation", label: "Repository limit", type: "number", hint: "-1 uses the limit of the site." },
]

const namesOf = (fields: readonly Field[]): readonly string[] => fields.flatMap((each) => ("name" in each ? [each.name] : []))

const shown: Page = page({
  id: "admin.person",
  address: `GET ${PEOPLE}/{username}`,
  access: siteAdministratorOnUser,
  answer: ({ services, actor, user, draft }) => {
    if (user.kind !== "person") throw refuse.notFound()
    const record = {
      ...presentUser(services.site, user, actor),
      admin: user.is_admin === 1,
      allow_create_organization: user.allow_create_organization === 1,
      max_repo_creation: user.max_repositories,
      login_name: user.login_name || user.name,
    }
    // What the operation needs in each call.
    const loginName: Field = { kind: "hidden", name: "login_name", value: record.login_name }
    const view = { path: { username: user.name }, record, draft } as const
    return administrationPage({
      part: "people",
      title: user.name,
      body: html`
        <p class="crumbs"><a href="${PEOPLE}">People</a><span class="sep">/</span><bdi>${user.name}</bdi></p>
        <div class="bar">
          ${avatar(record, 40)}
          <h1><bdi>${user.name}</bdi></h1>
          ${states(user)}<a class="button small end" href="${path(user.name)}">Profile</a>
        </div>
        <h2 id="account">Account</h2>
        ${formView(changeAccount, { ...view, submit: "Save account", fields: [loginName, ...accountFields] })}
        <h2 id="profile">Profile</h2>
        ${formView(changeProfile, { ...view, submit: "Save profile", fields: [loginName, ...profileFields] })}
        <h2 id="password">Password</h2>
        ${formView(changePassword, {
          ...view,
          record: undefined,
          submit: "Set password",
          fields: [
            loginName,
            {
              kind: "line",
              name: "password",
              label: "New password",
              type: "password",
              autocomplete: "new-password",
              required: true,
              maxlength: 255,
            },
            { kind: "box", name: "must_change_password", label: "Must be changed at the first sign-in", value: true },
          ],
        })}
        <h2 id="name">Name</h2>
        ${formView(rename, {
          ...view,
          submit: "Rename",
          look: "plain",
          fields: [
            {
              kind: "line",
              name: "new_username",
              label: "New name",
              value: user.name,
              required: true,
              maxlength: 40,
              hint: "The old name redirects to the new one.",
            },
          ],
        })}
        <h2 id="danger">Danger zone</h2>
        ${formView(remove, {
          ...view,
          look: "danger",
          confirm: user.name,
          submit: "Delete account",
          fields: [
            {
              kind: "content",
              content: html`
                <p>
                  Nobody can bring it back. What they wrote stays, without their name. To keep somebody out for a time,
                  suspend them.
                </p>
              `,
            },
            {
              kind: "box",
              name: "purge",
              label: "Delete their repositories and packages too, and remove their memberships",
              hint: "Otherwise an account that has any is not deleted.",
            },
          ],
        })}
      `,
    })
  },
})

/** Asks for the password once more before what an open browser must not suffice for. */
const confirmed = async ({ services, reader }: { readonly services: Services; readonly reader: Reader }): Promise<Moved | undefined> => {
  const asked = await confirmedSession(services, reader, reader.url.replace(/\/[^/]*$/, ""))
  return "kind" in asked ? asked : undefined
}

const edit = { does: named(userOperations, "adminEditUser"), on: shown, done: "Saved." } as const

const changeAccount = form({
  ...edit,
  id: "admin.person.account",
  address: `POST ${PEOPLE}/{username}/account`,
  takes: ["login_name", ...namesOf(accountFields)],
  before: confirmed,
})

const changeProfile = form({
  ...edit,
  id: "admin.person.profile",
  address: `POST ${PEOPLE}/{username}/profile`,
  takes: ["login_name", ...namesOf(profileFields)],
})

const changePassword = form({
  ...edit,
  id: "admin.person.password",
  address: `POST ${PEOPLE}/{username}/password`,
  takes: ["login_name", "password", "must_change_password"],
  before: confirmed,
  done: "Password set.",
})

const rename = form({
  id: "admin.person.rename",
  address: `POST ${PEOPLE}/{username}/rename`,
  does: named(userOperations, "adminRenameUser"),
  on: shown,
  takes: ["new_username"],
  done: "Renamed.",
  to: ({ field }) => addressOf(shown, { username: field("new_username") }),
})

const remove = form({
  id: "admin.person.delete",
  address: `POST ${PEOPLE}/{username}/delete`,
  does: named(administrationOperations, "adminDeleteUser"),
  on: shown,
  also: ["purge"],
  query: (typed) => ({ purge: typed["purge"]?.[0] ?? "false" }),
  confirms: ({ username = "" }) => username,
  before: confirmed,
  done: "Account deleted.",
  to: () => PEOPLE,
})

const emails = page({
  id: "admin.emails",
  address: `GET ${EMAILS}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()) },
  answer: async ({ db, query, page: rows, reader }) => {
    const { q = "" } = query
    const { rows: addresses, total } = await listAddresses(db, q.trim(), rows)
    return administrationPage({
      part: "emails",
      title: "E-mail addresses",
      body: html`
        <h1>E-mail addresses</h1>
        ${filterForm(EMAILS, q, "Search addresses and names")}
        ${
          addresses.length === 0
            ? empty("mail", "No address matches")
            : html`
              <div class="scrolls card" tabindex="0" role="group" aria-label="Addresses">
                <table class="data">
                  <thead>
                    <tr>
                      <th scope="col">Address</th>
                      <th scope="col">Whose</th>
                      <th scope="col">State</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${addresses.map(
                      (each) =>
                        html`
                          <tr>
                            <td class="break">${each.email}</td>
                            <td><a href="${PEOPLE}/${encodeURIComponent(each.name)}"><bdi>${each.name}</bdi></a></td>
                            <td>
                              ${each.is_activated === 1 ? state("success", "check", "Proven") : state("neutral", "hourglass", "Not proven")}
                              ${each.is_primary === 1 && html` <span class="chip">primary</span>`}
                            </td>
                          </tr>
                        `,
                    )}
                  </tbody>
                </table>
              </div>
              ${pager(reader.url, rows, total)}
            `
        }
      `,
    })
  },
})

export const peopleAdministrationPages: readonly Page[] = [
  list,
  invitation,
  fresh,
  create,
  shown,
  changeAccount,
  changeProfile,
  changePassword,
  rename,
  remove,
  emails,
]
