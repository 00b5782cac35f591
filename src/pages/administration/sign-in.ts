import { siteAdministrator } from "../../access/policies/site.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { page } from "../../core/page.ts"
import { callbackPath } from "../../features/people/sign-in/providers/providers.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, rowsOr } from "../../web/components.ts"

/** Where people sign in, and what their groups there mean. All of it comes from the settings. */
export const signInSources = page({
  id: "admin.signInSources",
  address: `GET ${ADMINISTRATION_PATH}/auths`,
  access: siteAdministrator,
  answer: ({ services: { config, site } }) => {
    const { directories, providers, proxy } = config.signIn
    const sources: readonly Source[] = [
      ...providers.map((each) => ({ ...each, kind: "OpenID Connect", at: [each.issuer, site.rootUrl + callbackPath(each.name)] })),
      ...directories.map((each) => ({ ...each, kind: "LDAP", at: [each.url, each.userBase] })),
      ...(proxy.header === "" ? [] : [{ name: proxy.header, kind: "HTTP", at: [proxy.networks] }]),
    ]
    return administrationPage({
      part: "signIn",
      title: t("Sign-in sources"),
      body: html`
        <h1>Sign-in sources</h1>
        <p class="muted">Besides passwords and passkeys of this site. Change them in the configuration, and restart.</p>
        ${rowsOr(sources, sourceRow, empty("key", t("No other sign-in sources")))}
      `,
    })
  },
})

interface Source {
  readonly name: string
  readonly title?: string
  readonly kind: string
  readonly at: readonly string[]
  readonly requiredGroups?: readonly string[]
  readonly adminGroups?: readonly string[]
  readonly teams?: readonly string[]
}

const sourceRow = ({ name, title, kind, at, requiredGroups = [], adminGroups = [], teams = [] }: Source): Html =>
  html`
    <li>
      <div class="main">
        <h2 class="title">${title ?? name}</h2>
        <p class="muted small">${kind}</p>
        <p class="break">${at.map((each) => html`<code>${each}</code> `)}</p>
        <dl>
          ${requiredGroups.length > 0 && groupsView(t("Required groups"), requiredGroups)}
          ${adminGroups.length > 0 && groupsView(t("Groups of administrators"), adminGroups)}
          ${teams.length > 0 && groupsView(t("Teams"), teams)}
        </dl>
      </div>
    </li>
  `

const groupsView = (label: ReturnType<typeof t>, names: readonly string[]): Html =>
  html`
    <dt>${label}</dt>
    <dd>${names.map((name) => html`<code class="break">${name}</code> `)}</dd>
  `
