import { type Me, signedIn } from "../../../access/policies/site.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { t, Words } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import { type Draft, moved, numberIn, type Page, page, type Reader, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { dropAvatar } from "../../../features/people/avatars/pictures.ts"
import { findOrganizationsOf } from "../../../features/people/organizations/store.ts"
import { type Address, choosePrimaryAddress } from "../../../features/people/users/addresses.ts"
import { findAddressesOf } from "../../../features/people/users/addresses-store.ts"
import { renamePerson } from "../../../features/people/users/rules.ts"
import { settingsOperations } from "../../../features/people/users/settings-operations.ts"
import { deletePerson, OR_PURGE } from "../../../features/site/administration/delete-person.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { problem, withoutField } from "../../../web/problem.ts"
import { confirmedFirst, confirmedSession } from "../../parts/sign-in/confirmed.ts"
import { EXPORT } from "./export.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const ACCOUNT = `${SETTINGS_PATH}/account` as const

type Call = Request & Me & { readonly reader: Reader }

const account: Page = page({
  id: "personal.account",
  address: `GET ${ACCOUNT}`,
  access: signedIn,
  answer: (call) => accountPage(call, call.draft),
})

const NEW_NAME = {
  kind: "line",
  name: "new_username",
  label: t("New name"),
  required: true,
  maxlength: 40,
  hint: t("The URLs of your profile and repositories change. The old ones redirect until another account takes the name."),
} as const

async function accountPage({ services, db, actor, me }: Call, draft?: Draft): Promise<Shown> {
  const addresses = await findAddressesOf(db, { userId: me.id })
  const { total: organizations } = await findOrganizationsOf(db, actor, me.id, { number: 1, limit: 1, offset: 0 })
  const waits = services.config.mail.host !== "" && services.config.users.confirmEmails
  const atList = draft && [removeAddress.id, choosePrimary.id].includes(draft.form) ? draft.refusal : undefined
  return personalSettings({
    part: "account",
    title: t("Account"),
    body: html`
      <h1>Account</h1>
      <h2 id="password">Password</h2>
      <p><a class="button" href="/user/change_password">Change your password</a></p>
      <h2 id="emails">E-mail addresses</h2>
      ${problem(atList)}
      <ul class="rows">${addresses.map(addressRow)}</ul>
      ${formView(addAddress, {
        draft,
        submit: t("Add address"),
        look: "plain",
        fields: [
          {
            kind: "line",
            name: "emails",
            label: t("New address"),
            type: "email",
            required: true,
            maxlength: 254,
            hint: waits
              ? t("You will get an e-mail with a link to confirm it.")
              : t("Commits with this address are linked to your account."),
          },
        ],
      })}
      <h2 id="name">User name</h2>
      ${formView(rename, {
        draft,
        submit: t("Rename"),
        look: "plain",
        fields: [{ ...NEW_NAME, value: me.name }],
      })}
      <h2 id="export">Export</h2>
      <p>
        Your repositories with their issues, pull requests and files, and what you have written about yourself, in one archive. Another
        Hearth can take it over.
      </p>
      <p><a class="button" href="${EXPORT}" download>Download the archive</a></p>
      <h2 id="danger">Danger zone</h2>
      ${formView(remove, {
        draft,
        look: "danger",
        confirm: me.name,
        submit: t("Delete my account"),
        fields: [{ kind: "content", content: beforeDeletion(me.repositories_count, organizations) }],
      })}
    `,
  })
}

const addressRow = ({ id, email, is_primary, is_activated }: Address): Html =>
  html`
    <li>
      ${icon("mail")}
      <div class="main">
        <span class="title break">${email}</span>
        <span>
          ${is_primary === 1 && html`<span class="chip">Primary</span> `}
          <span class="chip">${is_activated === 1 ? t("Verified") : t("Unverified")}</span>
        </span>
      </div>
      ${
        is_primary === 0 &&
        html`
          <div class="acts">
            ${
              is_activated === 1 &&
              formButton(choosePrimary, { id: String(id) }, html`Make primary<span class="hidden-text">: ${email}</span>`)
            }
            ${formButton(removeAddress, {}, html`Remove<span class="hidden-text"> ${email}</span>`, { emails: email })}
          </div>
        `
      }
    </li>
  `

/** What is asked of someone before they can delete their account. */
function beforeDeletion(repositories: number, organizations: number): Html {
  const first = [
    repositories > 0 && html`delete or hand over <a href="/user/settings/repos">your repositories</a>`,
    organizations > 0 && html`leave <a href="/user/settings/organization">your organizations</a>`,
  ].filter((each) => each !== false)
  return html`
    <p>
      Your profile, keys, tokens and settings are deleted. This cannot be undone. Your issues and comments in other
      repositories stay, without your name.
    </p>
    ${first.length > 0 && html`<p>First, ${first.map((each, index) => html`${index > 0 && t(" and ")}${each}`)}.</p>`}
  `
}

const addAddress = form({
  id: "personal.addAddress",
  address: `POST ${ACCOUNT}/emails`,
  does: named(settingsOperations, "userAddEmail"),
  on: account,
  takes: ["emails"],
  before: confirmedFirst(ACCOUNT),
  done: t("Address added."),
})

const removeAddress = form({
  id: "personal.removeAddress",
  address: `POST ${ACCOUNT}/emails/delete`,
  does: named(settingsOperations, "userDeleteEmail"),
  on: account,
  takes: ["emails"],
  done: t("Address removed."),
})

const choosePrimary: Page = page({
  id: "personal.choosePrimaryAddress",
  address: `POST ${ACCOUNT}/emails/{id}/primary`,
  access: signedIn,
  again: (call, refusal) => accountPage(call, { form: choosePrimary.id, refusal, typed: {} }),
  answer: async ({ services, me, path, reader }) => {
    const session = await confirmedSession(services, reader, ACCOUNT)
    if ("kind" in session) return session
    await services.database.write((tx) => choosePrimaryAddress(tx, me.id, numberIn(path, "id"), services.now()))
    return moved(ACCOUNT, { flash: t("Account notifications will be sent to this address.") })
  },
})

const rename: Page = page({
  id: "personal.rename",
  address: `POST ${ACCOUNT}/rename`,
  access: signedIn,
  query: { new_username: Type.String() },
  again: (call, refusal) => accountPage(call, { form: rename.id, refusal, typed: { new_username: [call.query.new_username] } }),
  answer: async ({ services, me, reader, query }) => {
    const session = await confirmedSession(services, reader, ACCOUNT)
    if ("kind" in session) return session
    const renamed = await services.database.write((tx) => renamePerson(tx, me.id, query.new_username, services.now(), me))
    return moved(ACCOUNT, { flash: t("Your user name is now {name}.", { name: renamed.name }) })
  },
})

const remove: Page = page({
  id: "personal.deleteAccount",
  address: `POST ${ACCOUNT}/delete`,
  access: signedIn,
  query: { confirm: Type.String() },
  again: (call, refusal) => accountPage(call, { form: remove.id, refusal: ofOneself(refusal), typed: { confirm: [call.query.confirm] } }),
  answer: async ({ services, me, reader, query }) => {
    const session = await confirmedSession(services, reader, ACCOUNT)
    if ("kind" in session) return session
    if (query.confirm.trim() !== me.name) throw refuse.invalid("confirm", t`must be ${me.name}`)
    await services.database.write((tx) => deletePerson(tx, services, me, false))
    await dropAvatar(services, me.avatar)
    return moved("/", { flash: t("Your account has been deleted.") })
  },
})

/** Administrators name the account, and can purge it; here it is the reader's own. */
const ofOneself = (refusal: Refusal): Refusal =>
  refusal.field === "username"
    ? refuse.badRequest(new Words((language) => withoutField(refusal.said).in(language).replace(OR_PURGE.in(language), "")))
    : refusal

/** A person's own account: how it is reached, its name, and its end. */
export const accountPages: readonly Page[] = [account, addAddress, removeAddress, choosePrimary, rename, remove]
