import { signedIn } from "../../../access/policies/site.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { form, type Typed } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { moved, numberIn, type Page, page, type Shown } from "../../../core/page.ts"
import { redirectsOf } from "../../../features/people/oauth2/applications.ts"
import { revokeGrant } from "../../../features/people/oauth2/grants.ts"
import { oauth2Operations, presentApplication } from "../../../features/people/oauth2/operations.ts"
import { inWords } from "../../../features/people/oauth2/scopes.ts"
import { countApplicationsOf, findApplicationOf, findApplicationsOf, findGrantsOf } from "../../../features/people/oauth2/store.ts"
import { empty, notice, pager, person, rowsOr, toCopy } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { confirmedFirst, confirmedSession } from "../../parts/sign-in/confirmed.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const GRANTS = `${SETTINGS_PATH}/applications/grants` as const
const APPLICATIONS = `${SETTINGS_PATH}/applications/oauth2` as const
const NEW = `${APPLICATIONS}/new` as const

// --- what was granted to applications ----------------------------------------------------------------------------------------------

const grants: Page = page({
  id: "personal.grants",
  address: `GET ${GRANTS}`,
  access: signedIn,
  answer: async ({ services, db, me }) => {
    const rows = await findGrantsOf(db, { userId: me.id })
    const now = services.now()
    return personalSettings({
      part: "grants",
      title: t("Authorized applications"),
      body: html`
        <h1>Authorized applications</h1>
        <p class="muted">You have authorized these applications to access your account.</p>
        ${rowsOr(
          rows,
          (row) =>
            html`
              <li>
                ${icon("check-circle")}
                <div class="main">
                  <span class="title"><bdi>${row.application_name}</bdi></span>
                  <span class="muted small">
                    ${row.owner_name === null ? t("Of this site") : html`Created by ${person({ name: row.owner_name })}`}
                  </span>
                  <ul>
                    ${inWords(row.scopes.split(",")).map((words) => html`<li>${words}</li>`)}
                  </ul>
                  <span class="muted small">
                    Authorized ${time(row.created_at, now)}, ${
                      row.last_used_at === 0 ? t("never used") : html`last used ${time(row.last_used_at, now)}`
                    }
                  </span>
                </div>
                ${formButton(revoke, { id: String(row.id) }, html`Revoke<span class="hidden-text"> ${row.application_name}</span>`)}
              </li>
            `,
          empty("check-circle", t("No authorized applications"), t("Applications that you authorize are listed here.")),
        )}
      `,
    })
  },
})

const revoke: Page = page({
  id: "personal.revokeGrant",
  address: `POST ${GRANTS}/{id}/revoke`,
  access: signedIn,
  answer: async ({ services, me, path }) => {
    await services.database.write((tx) => revokeGrant(tx, me, numberIn(path, "id")))
    return moved(GRANTS, { flash: t("Application revoked.") })
  },
})

// --- one's own applications --------------------------------------------------------------------------------------------------------

const applications: Page = page({
  id: "personal.applications",
  address: `GET ${APPLICATIONS}`,
  access: signedIn,
  answer: async ({ services, db, me, page, reader }) => {
    const total = (await countApplicationsOf.first(db, { ownerId: me.id }))?.total ?? 0
    const rows = await findApplicationsOf(db, { ownerId: me.id, limit: page.limit, offset: page.offset })
    const now = services.now()
    return personalSettings({
      part: "applications",
      title: t("OAuth2 applications"),
      body: html`
        <div class="bar">
          <h1>OAuth2 applications</h1>
          <a class="button primary end" href="${NEW}">${icon("plus")} Add an application</a>
        </div>
        <p class="muted">
          Applications that you registered: users can sign in to them with their account here, and authorize them.
        </p>
        ${rowsOr(
          rows,
          (row) =>
            html`
              <li>
                ${icon("code-square")}
                <div class="main">
                  <a class="title" href="${APPLICATIONS}/${row.id}"><bdi>${row.name}</bdi></a>
                  <span class="muted small">
                    Client ID <code class="break">${row.client_id}</code>, added ${time(row.created_at, now)}
                  </span>
                </div>
              </li>
            `,
          empty("code-square", t("No OAuth2 applications"), t("Add one to get a client ID and a client secret.")),
        )}
        ${pager(reader.url, page, total)}
      `,
    })
  },
})

const fields: readonly Field[] = [
  {
    kind: "line",
    name: "name",
    label: t("Name"),
    hint: t("Shown to users when they are asked to authorize it."),
    required: true,
    maxlength: 255,
  },
  {
    kind: "text",
    name: "redirect_uris",
    label: t("Redirect URIs"),
    required: true,
    hint: t("One absolute URI per line."),
    placeholder: "https://…",
  },
  {
    kind: "box",
    name: "confidential_client",
    label: t("Confidential client"),
    value: true,
    hint: t("For applications that run on a server and can keep a secret."),
  },
  {
    kind: "box",
    name: "device_flow",
    label: t("Device flow"),
    hint: t("For command lines and televisions: users type a code on another device. Not for confidential clients."),
  },
  { kind: "box", name: "skip_secondary_authorization", label: t("Skip the authorization page for people who have granted access before") },
]
const taken = fields.flatMap((each) => ("name" in each ? [each.name] : []))

/** The addresses, of which the form has one on each line. */
const withAddresses = (body: Readonly<Record<string, unknown>>, typed: Typed) => ({
  ...body,
  redirect_uris: (typed["redirect_uris"] ?? [])
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== ""),
})

const add: Page = page({
  id: "personal.newApplication",
  address: `GET ${NEW}`,
  access: signedIn,
  changesWithTime: true,
  answer: async ({ services, reader, draft }) => {
    const session = await confirmedSession(services, reader, NEW)
    if ("kind" in session) return session
    return personalSettings({
      part: "applications",
      title: t("Add an application"),
      body: html`
        <h1>Add an application</h1>
        ${formView(create, { draft, fields, submit: t("Add"), beside: html`<a href="${APPLICATIONS}">Back</a>` })}
      `,
    })
  },
})

/** The page that shows the secret, once. */
const withSecret = ({ record }: { readonly record: unknown }): Shown =>
  personalSettings({
    part: "applications",
    title: t("The application’s secret"),
    isPrivate: true,
    body: html`
      <h1>The application’s secret</h1>
      ${notice("good", t("Copy it now: you won’t be able to see it again."))}
      ${values([
        [t("Client ID"), String(memberOf(record, "client_id")), t("Copy the client ID")],
        [t("Client secret"), String(memberOf(record, "client_secret")), t("Copy the client secret")],
      ])}
      <p><a class="button primary" href="${APPLICATIONS}/${String(memberOf(record, "id"))}">${t("Done|action")}</a></p>
    `,
  })

const values = (rows: readonly (readonly [name: Text, value: string, copies: Text])[]): Html =>
  html`
    <dl>
      ${rows.map(
        ([name, value, copies]) => html`
          <dt>${name}</dt>
          <dd>${toCopy(value, copies)}</dd>
        `,
      )}
    </dl>
  `

const create = form({
  id: "personal.createApplication",
  address: `POST ${NEW}`,
  does: named(oauth2Operations, "userCreateOAuth2Application"),
  on: add,
  takes: taken,
  body: withAddresses,
  before: confirmedFirst(NEW),
  shows: withSecret,
})

const application: Page = page({
  id: "personal.application",
  address: `GET ${APPLICATIONS}/{id}`,
  access: signedIn,
  answer: async ({ db, me, path, draft }) => {
    const row = await findApplicationOf.first(db, { id: numberIn(path, "id"), ownerId: me.id })
    if (!row) throw refuse.notFound()
    const record = { ...presentApplication(row), redirect_uris: redirectsOf(row).join("\n") }
    const shown = { path, record, draft } as const
    return personalSettings({
      part: "applications",
      title: row.name,
      body: html`
        <h1><bdi>${row.name}</bdi></h1>
        ${values([[t("Client ID"), row.client_id, t("Copy the client ID")]])}${formView(edit, { ...shown, fields, submit: t("Save") })}
        <h2 id="secret">Secret</h2>
        <p>The current secret stops working at once. Existing authorizations stay.</p>
        ${formView(renew, {
          ...shown,
          look: "plain",
          submit: t("Regenerate secret"),
          fields: Object.entries(record).flatMap(([name, value]) =>
            taken.includes(name) ? [{ kind: "hidden", name, value: String(value) } as const] : [],
          ),
        })}
        <h2 id="danger">Danger zone</h2>
        ${formView(remove, {
          ...shown,
          look: "danger",
          submit: t("Delete this application"),
          fields: [{ kind: "content", content: html`<p>Users can no longer sign in with it, and its tokens stop working at once.</p>` }],
        })}
      `,
    })
  },
})

const edit = form({
  id: "personal.editApplication",
  address: `POST ${APPLICATIONS}/{id}`,
  does: named(oauth2Operations, "userUpdateOAuth2Application"),
  on: application,
  takes: taken,
  body: withAddresses,
  query: () => ({ keep_secret: "true" }),
  done: t("Saved."),
})

const renew = form({
  id: "personal.renewApplicationSecret",
  address: `POST ${APPLICATIONS}/{id}/secret`,
  does: named(oauth2Operations, "userUpdateOAuth2Application"),
  on: application,
  takes: taken,
  body: withAddresses,
  before: confirmedFirst(APPLICATIONS),
  shows: withSecret,
})

const remove = form({
  id: "personal.deleteApplication",
  address: `POST ${APPLICATIONS}/{id}/delete`,
  does: named(oauth2Operations, "userDeleteOAuth2Application"),
  on: application,
  done: t("Application deleted."),
  to: () => APPLICATIONS,
})

/** Applications that act for a person, and those that a person offers to others. */
export const oauth2Pages: readonly Page[] = [grants, revoke, applications, add, create, application, edit, renew, remove]
