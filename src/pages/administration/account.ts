import { siteAdministratorOnUser } from "../../access/policies/people.ts"
import type { User } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import { addressOf, form } from "../../core/forms/form.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Moved, type Page, page, type Reader } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { administrationOperations as userOperations } from "../../features/people/users/administration-operations.ts"
import { presentUser } from "../../features/people/users/present.ts"
import { administrationOperations } from "../../features/site/administration/operations.ts"
import { path } from "../../web/address.ts"
import { administrationPage, ADMINISTRATION_PEOPLE as PEOPLE } from "../../web/administration.ts"
import { avatar, state } from "../../web/components.ts"
import { type Field, formView } from "../../web/form.ts"
import { confirmedSession } from "../parts/sign-in/confirmed.ts"

/** The account of a person, for site administrators. */

export const VISIBILITIES = [
  ["public", t("Everyone")],
  ["limited", t("People who have signed in")],
  ["private", t("Those with whom they work")],
] as const

export const states = (user: User): Html =>
  html`
    ${user.is_admin === 1 && state("info", "shield", t("Administrator"))}${" "}
    ${user.prohibit_login === 1 && state("error", "no-entry", t("Suspended"))}${" "}
    ${user.is_active === 0 && state("neutral", "hourglass", t("Not activated"))}${" "}
    ${user.is_restricted === 1 && state("neutral", "lock", t("Restricted"))}
  `

export const aboutFields: readonly Field[] = [
  { kind: "line", name: "full_name", label: t("Full name"), maxlength: 100 },
  { kind: "line", name: "email", label: t("E-mail address"), type: "email", required: true, maxlength: 254 },
]

const profileFields: readonly Field[] = [
  ...aboutFields,
  { kind: "line", name: "website", label: t("Website"), type: "url", maxlength: 255 },
  { kind: "line", name: "location", label: t("Location"), maxlength: 50 },
  { kind: "line", name: "description", label: t("About"), maxlength: 255 },
  { kind: "menu", name: "visibility", label: t("Visibility"), options: VISIBILITIES },
]

const accountFields: readonly Field[] = [
  {
    kind: "box",
    name: "prohibit_login",
    label: t("Suspended"),
    hint: t("Suspended users can't sign in, and their tokens and keys stop working. Nothing is deleted."),
  },
  { kind: "box", name: "active", label: t("Activated"), hint: t("The e-mail address is verified.") },
  { kind: "box", name: "admin", label: t("Site administrator"), hint: t("Full access, including these pages.") },
  {
    kind: "box",
    name: "restricted",
    label: t("Restricted"),
    hint: t("Restricted users only see what they are explicitly given access to."),
  },
  { kind: "box", name: "allow_create_organization", label: t("Can create organizations") },
  { kind: "line", name: "max_repo_creation", label: t("Repository limit"), type: "number", hint: t("Use -1 for the site default.") },
]

const passwordFields: readonly Field[] = [
  {
    kind: "line",
    name: "password",
    label: t("New password"),
    type: "password",
    autocomplete: "new-password",
    required: true,
    maxlength: 255,
  },
  { kind: "box", name: "must_change_password", label: t("Require a password change at the first sign-in"), value: true },
]

const newName = {
  kind: "line",
  name: "new_username",
  label: t("New name"),
  required: true,
  maxlength: 40,
  hint: t("The old name redirects to the new name."),
} as const satisfies Field

const removalFields: readonly Field[] = [
  {
    kind: "content",
    content: html`
      <p>
        This cannot be undone. Their issues and comments stay, without their name. To block access temporarily, suspend the account instead.
      </p>
    `,
  },
  {
    kind: "box",
    name: "purge",
    label: t("Delete their repositories and packages too, and remove their memberships"),
    hint: t("Otherwise, an account that owns any is not deleted."),
  },
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
          ${avatar(user, 40)}
          <h1><bdi>${user.name}</bdi></h1>
          ${states(user)}<a class="button small end" href="${path(user.name)}">Profile</a>
        </div>
        <h2 id="account">Account</h2>
        ${formView(changeAccount, { ...view, submit: t("Save account"), fields: [loginName, ...accountFields] })}
        <h2 id="profile">Profile</h2>
        ${formView(changeProfile, { ...view, submit: t("Save profile"), fields: [loginName, ...profileFields] })}
        <h2 id="password">Password</h2>
        ${formView(changePassword, { ...view, record: undefined, submit: t("Set password"), fields: [loginName, ...passwordFields] })}
        <h2 id="name">Name</h2>
        ${formView(rename, {
          ...view,
          submit: t("Rename"),
          look: "plain",
          fields: [{ ...newName, value: user.name }],
        })}
        <h2 id="danger">Danger zone</h2>
        ${formView(remove, {
          ...view,
          look: "danger",
          confirm: user.name,
          submit: t("Delete account"),
          fields: removalFields,
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

const edit = { does: named(userOperations, "adminEditUser"), on: shown, done: t("Saved.") } as const

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
  done: t("Password set."),
})

const rename = form({
  id: "admin.person.rename",
  address: `POST ${PEOPLE}/{username}/rename`,
  does: named(userOperations, "adminRenameUser"),
  on: shown,
  takes: ["new_username"],
  done: t("Renamed."),
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
  done: t("Account deleted."),
  to: () => PEOPLE,
})

export const accountAdministrationPages: readonly Page[] = [shown, changeAccount, changeProfile, changePassword, rename, remove]
