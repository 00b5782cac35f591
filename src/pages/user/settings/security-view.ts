import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { hasPasskeys } from "../../../features/people/sign-in/passkeys/passkeys.ts"
import type { findPasskeysOf } from "../../../features/people/sign-in/passkeys/store.ts"
import { titleFor, titleOf } from "../../../features/people/sign-in/providers/providers.ts"
import type { findLinksOf } from "../../../features/people/sign-in/providers/store.ts"
import type { listSessions } from "../../../features/people/sign-in/sessions/sessions.ts"
import { buttonForm, empty, notice, rowsOr } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { SETTINGS_PATH } from "./frame.ts"

export const SECURITY = `${SETTINGS_PATH}/security` as const
export const ENROLL = `${SECURITY}/two_factor/enroll`
export const NEW_PASSKEY = `${SECURITY}/passkeys/new`

export interface SignIns {
  readonly hasTwoFactor: boolean
  /** How many recovery codes are left. */
  readonly codes: number
  readonly passkeys: readonly Passkey[]
  readonly links: readonly Link[]
  readonly sessions: readonly ListedSession[]
  /** The session of this browser. */
  readonly here: number | undefined
}

type Passkey = Awaited<ReturnType<typeof findPasskeysOf>>[number]
type Link = Awaited<ReturnType<typeof findLinksOf>>[number]
type ListedSession = Awaited<ReturnType<typeof listSessions>>[number]

/** What a person signs in with, and where they are signed in. */
export function securityView(services: Services, { hasTwoFactor, codes, passkeys, links, sessions, here }: SignIns): Html {
  const now = services.now()
  return html`
    <section>
      <h2>Password</h2>
      <p><a class="button" href="/user/change_password">Change your password</a></p>
    </section>
    <section>
      <h2>Two-factor authentication</h2>
      ${twoSteps(hasTwoFactor, codes)}
    </section>
    <section>
      <h2>Passkeys</h2>
      ${rowsOr(passkeys, (row) => passkeyRow(row, now), html`<p>No passkeys yet. With a passkey you sign in without a password.</p>`)}
      ${
        hasPasskeys(services)
          ? html`<p><a class="button" href="${NEW_PASSKEY}">${icon("key")} Add a passkey</a></p>`
          : notice("info", t("Passkeys need HTTPS."))
      }
    </section>
    ${outside(services, links, now)}
    <section>
      <h2>Sessions</h2>
      ${rowsOr(sessions, (row) => sessionRow(row, row.id === here, now), empty("browser", t("No sessions")))}
      ${sessions.length > 1 && buttonForm(`${SECURITY}/sessions/end_others`, t("Sign out all other sessions"), {}, "danger")}
    </section>
  `
}

const passkeyRow = (row: Passkey, now: number): Html =>
  html`
    <li class="bar">
      <span>
        <strong>${row.name}</strong> <span class="muted">
          added ${time(row.created_at, now)}, ${row.last_used_at === 0 ? t("never used") : html`last used ${time(row.last_used_at, now)}`}
        </span>
      </span>
      ${buttonForm(`${SECURITY}/passkeys/remove`, html`Remove<span class="hidden-text"> ${row.name}</span>`, { id: row.id })}
    </li>
  `

const sessionRow = (row: ListedSession, isHere: boolean, now: number): Html =>
  html`
    <li class="bar">
      <span>
        <strong>${row.agent || t("Unknown browser")}</strong>${" "}
        ${isHere && html`<span class="chip">This browser</span>`}${" "}
        <span class="muted">
          from ${row.network}, by ${METHODS[row.method]}, since ${time(row.created_at, now)}, last used ${time(row.last_used_at, now)}
        </span>
      </span>
      ${
        !isHere &&
        buttonForm(
          `${SECURITY}/sessions/end`,
          html`Sign out<span class="hidden-text"> ${row.agent || t("this browser")} from ${row.network}</span>`,
          { id: row.id },
        )
      }
    </li>
  `

const METHODS = { password: t("password"), passkey: t("passkey"), provider: t("another provider") } as const

const twoSteps = (isOn: boolean, codes: number): Html =>
  isOn
    ? html`
      <p>
        Enabled: you are asked for a code from your authenticator app after your password. You have${" "}
        ${codes === 0 ? t("no recovery codes") : codes === 1 ? t("one recovery code") : t("{codes} recovery codes", { codes })} left.
      </p>
      <div class="bar">
        ${buttonForm(`${SECURITY}/two_factor/codes`, t("Generate new recovery codes"), {}, "")}
        ${buttonForm(`${SECURITY}/two_factor/disable`, t("Disable"), {}, "danger")}
      </div>
    `
    : html`
      <p>With two-factor authentication, your password alone is not enough to sign in.</p>
      <p><a class="button" href="${ENROLL}">${icon("shield")} Set up an authenticator app</a></p>
    `

function outside(services: Services, links: readonly Link[], now: number): Content {
  const { providers } = services.config.signIn
  if (providers.length === 0 && links.length === 0) return undefined
  const free = providers.filter(({ name }) => !links.some(({ provider }) => provider === name))
  return html`
    <section>
      <h2>Linked accounts</h2>
      ${
        links.length > 0 &&
        html`
          <ul class="rows">
            ${links.map(
              (row) =>
                html`
                  <li class="bar">
                    <span>
                      <strong>${row.label}</strong> at ${titleFor(services, row.provider)}${" "}
                      <span class="muted">last used ${time(row.last_used_at, now)}</span>
                    </span>
                    ${buttonForm(`${SECURITY}/links/remove`, html`Unlink<span class="hidden-text"> ${row.label}</span>`, { id: row.id })}
                  </li>
                `,
            )}
          </ul>
        `
      }
      <div class="bar">
        ${free.map((each) => buttonForm(`/user/oauth2/${each.name}`, t("Link your account at {each}", { each: titleOf(each) }), {}, ""))}
      </div>
    </section>
  `
}
