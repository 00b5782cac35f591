import { anyone } from "../../access/policies/site.ts"
import { findUserById } from "../../access/store.ts"
import { type Refusal, refuse } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { DEVICE_PATH } from "../../features/people/oauth2/device-paths.ts"
import { inWords, scopesOf } from "../../features/people/oauth2/scopes.ts"
import { LOGOUT_PATH, loginFor } from "../../web/address.ts"
import { field } from "../../web/components.ts"
import { faultOf, plainPage, problemBeside } from "../../web/sign-in.ts"
import { time } from "../../web/time.ts"
import { sessionOfReader } from "../parts/sign-in/confirmed.ts"
import { text } from "../parts/sign-in/steps.ts"
import { EVERYTHING } from "./oauth/authorize.ts"

const ANSWER_PATH = `${DEVICE_PATH}/answer` as const

const shared = { access: anyone, beforeSignIn: true } as const

/** It is loaded with the first device. */
const devices = () => import("../../features/people/oauth2/devices.ts")

/** Nothing of it is there where OAuth2 is switched off. */
const whereProvided = ({ config }: Services): void => {
  if (!config.oauth2.enabled) throw refuse.notFound()
}

const signInFirst = (typed: string) =>
  moved(loginFor(typed === "" ? DEVICE_PATH : `${DEVICE_PATH}?${new URLSearchParams({ user_code: typed })}`))

/** Where a person types the code that a device shows, sees who asks for what, and says yes or no. */
export const devicePages: readonly Page[] = [
  page({
    ...shared,
    id: "oauth2.device",
    address: `GET ${DEVICE_PATH}`,
    query: { user_code: text },
    answer: async ({ services, actor, query: { user_code: typed = "" } }) => {
      whereProvided(services)
      return actor.kind === "user" ? codePage((await devices()).shownCode(typed)) : signInFirst(typed.slice(0, 40))
    },
  }),

  page({
    ...shared,
    id: "oauth2.deviceCode",
    address: `POST ${DEVICE_PATH}`,
    query: { user_code: text },
    again: ({ query: { user_code: typed = "" } }, refusal) => codePage(typed.slice(0, 40), refusal),
    answer: async ({ services, reader, query: { user_code: typed = "" } }) => {
      whereProvided(services)
      const session = await sessionOfReader(services, reader)
      if (!session) return signInFirst(typed.slice(0, 40))
      const { findDevice, sealDevice, shownCode } = await devices()
      const device = await findDevice(services, session, typed, reader.ip)
      const scopes = [...scopesOf(device.scopes)]
      const owner = device.owner_id === null ? undefined : await findUserById.first(services.database.read, { id: device.owner_id })
      const by = owner
        ? html`made by <a href="/${encodeURIComponent(owner.name)}">${owner.name}</a>`
        : t("which comes with {host}", { host: services.site.host })
      return plainPage(
        t("Authorize {name}?", { name: device.name }),
        html`
          <p>The application <b>${device.name}</b>, ${by}, wants to access your account, <b>${session.user.name}</b>. It could:</p>
          <ul>${inWords(scopes).map((sentence) => html`<li>${sentence}</li>`)}</ul>
          ${scopes.includes("all") && EVERYTHING}
          <p class="notice bad" role="alert">
            Continue only if you started this yourself just now, and your device shows <b>${shownCode(typed)}</b>.
            Who sends you a code wants to use your account.
          </p>
          <p>Asked for from <code>${device.network}</code>, ${time(device.created_at, services.now())}.</p>
          <form class="form" method="post" action="${ANSWER_PATH}">
            <input name="request" type="hidden" value="${sealDevice(services, session, device)}">
            <div class="bar">
              <button class="primary" name="granted" value="true">Authorize</button>
              <button name="granted" value="false">Cancel</button>
            </div>
          </form>
          <p>
            You can revoke this at any time in <a href="/user/settings/applications/grants">
              your authorized applications
            </a>. Not ${session.user.name}? <a href="${LOGOUT_PATH}">Sign out</a>
          </p>
        `,
        { isPrivate: true },
      )
    },
  }),

  page({
    ...shared,
    id: "oauth2.deviceAnswer",
    address: `POST ${ANSWER_PATH}`,
    query: { request: text, granted: text },
    answer: async ({ services, reader, query: { request: sealed = "", granted } }) => {
      whereProvided(services)
      const session = await sessionOfReader(services, reader)
      const isGranted = granted === "true"
      const isTaken = session !== undefined && (await (await devices()).answerDevice(services, session, { sealed, isGranted }))
      if (!isTaken) return tooOld
      return isGranted
        ? plainPage(t("Your device is connected"), html`<p>You can close this page and go on there.</p>`)
        : plainPage(t("Your device is not connected"), html`<p>Nothing was given to it. You can close this page.</p>`)
    },
  }),
]

const tooOld = plainPage(
  t("Please start again"),
  html`
    <p class="notice bad" role="alert">This form has expired, was answered already, or you have signed in again since it was shown.</p>
    <p><a href="${DEVICE_PATH}">Type the code again</a></p>
  `,
  { status: 400 },
)

const codePage = (typed: string, refusal?: Refusal): Shown =>
  plainPage(
    t("Connect a device"),
    html`
      ${problemBeside(refusal, ["user_code"])}
      <p>Type the code that your device or command line shows.</p>
      <form class="form" method="post" action="${DEVICE_PATH}">
        ${field({
          label: t("Code"),
          name: "user_code",
          value: typed,
          autocomplete: "off",
          required: true,
          autofocus: true,
          maxlength: 40,
          placeholder: "XXXX-XXXX",
          fault: faultOf(refusal, "user_code"),
        })}
        <button class="primary">Continue</button>
      </form>
    `,
  )
