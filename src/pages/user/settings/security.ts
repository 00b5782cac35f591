import { anyone, signedIn } from "../../../access/policies/site.ts"
import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Refusal } from "../../../core/errors.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Moved, moved, type Page, page, type Reader, type SessionText, type Shown, sentText } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { countRecoveryCodes, findTwoFactor } from "../../../features/people/sign-in/credentials/store.ts"
import { beginRegistration, register, removePasskey } from "../../../features/people/sign-in/passkeys/passkeys.ts"
import { findPasskeysOf } from "../../../features/people/sign-in/passkeys/store.ts"
import { unlink } from "../../../features/people/sign-in/providers/links.ts"
import { findLinksOf } from "../../../features/people/sign-in/providers/store.ts"
import {
  confirmAuthenticator,
  disableTwoFactor,
  proposeAuthenticator,
  renewRecoveryCodes,
} from "../../../features/people/sign-in/second-factor/two-factor.ts"
import {
  beginSession,
  endOtherSessions,
  endSessionById,
  listSessions,
  type Session,
} from "../../../features/people/sign-in/sessions/sessions.ts"
import { copyButton, field, notice } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { faultOf } from "../../../web/sign-in.ts"
import { confirmedSession, sessionOfReader } from "../../parts/sign-in/confirmed.ts"
import { personalSettings } from "./frame.ts"
import { qrCode } from "./qr.ts"
import { ENROLL, NEW_PASSKEY, SECURITY, securityView } from "./security-view.ts"

/** What a person signs in with: codes, passkeys, accounts elsewhere, and the browsers in which they are signed in. */
export const securityPages: readonly Page[] = [
  page({
    id: "security.overview",
    withoutFactor: true,
    address: `GET ${SECURITY}`,
    access: signedIn,
    // It depends on the session, by which pages are not kept.
    changesWithTime: true,
    answer: async ({ services, me, reader }) => shown(t("Security"), await overview(services, me, reader)),
  }),

  page({
    id: "security.enrollTwoFactor",
    withoutFactor: true,
    address: `GET ${ENROLL}`,
    access: signedIn,
    changesWithTime: true,
    answer: async ({ services, me, reader }) => {
      const session = await confirmedSession(services, reader, ENROLL)
      return "kind" in session ? session : enroll(services, me)
    },
  }),

  page({
    id: "security.confirmTwoFactor",
    withoutFactor: true,
    address: `POST ${ENROLL}`,
    access: signedIn,
    query: { proposal: Type.String(), code: Type.String() },
    again: ({ services, me, query }, refusal) => enroll(services, me, query.proposal, refusal),
    answer: async ({ services, me, reader, query }) => {
      const session = await confirmedSession(services, reader, ENROLL)
      if ("kind" in session) return session
      const given = { ticket: query.proposal, code: query.code.replace(/\s/g, "") }
      const codes = await confirmAuthenticator(services, me, given)
      return showCodes(codes, await signedInAnew(services, session, reader))
    },
  }),

  page({
    id: "security.disableTwoFactor",
    address: `POST ${SECURITY}/two_factor/disable`,
    access: signedIn,
    answer: async ({ services, me, reader }) => {
      const session = await confirmedSession(services, reader, SECURITY)
      if ("kind" in session) return session
      await services.database.write((tx) => disableTwoFactor(tx, me))
      const flash = t("Two-factor authentication disabled. All other sessions were signed out.")
      return moved(SECURITY, { flash, session: await signedInAnew(services, session, reader) })
    },
  }),

  page({
    id: "security.renewRecoveryCodes",
    withoutFactor: true,
    address: `POST ${SECURITY}/two_factor/codes`,
    access: signedIn,
    answer: async ({ services, me, reader }) => {
      const session = await confirmedSession(services, reader, SECURITY)
      if ("kind" in session) return session
      if (!(await findTwoFactor.first(services.database.read, { userId: me.id }))) return moved(SECURITY)
      return showCodes(await services.database.write((tx) => renewRecoveryCodes(services, tx, me)))
    },
  }),

  page({
    id: "security.newPasskey",
    withoutFactor: true,
    address: `GET ${NEW_PASSKEY}`,
    access: signedIn,
    changesWithTime: true,
    answer: async ({ services, me, reader }) => {
      const session = await confirmedSession(services, reader, NEW_PASSKEY)
      return "kind" in session ? session : newPasskey(services, me)
    },
  }),

  page({
    id: "security.addPasskey",
    withoutFactor: true,
    address: `POST ${NEW_PASSKEY}`,
    access: signedIn,
    query: { passkey_ticket: Type.String(), credential: Type.String(), name: Type.String() },
    again: ({ services, me, query }, refusal) => newPasskey(services, me, query.name, refusal),
    answer: async ({ services, me, reader, query }) => {
      const session = await confirmedSession(services, reader, NEW_PASSKEY)
      if ("kind" in session) return session
      await register(services, me, { ticket: query.passkey_ticket, credential: query.credential, name: query.name })
      await endOtherSessions(services, session)
      return moved(SECURITY, { flash: t("Passkey added. All other sessions were signed out.") })
    },
  }),

  page({
    id: "security.removePasskey",
    address: `POST ${SECURITY}/passkeys/remove`,
    access: signedIn,
    query: { id: Type.Integer() },
    answer: ({ services, me, reader, query }) =>
      whenConfirmed(services, reader, async (session) => {
        await removePasskey(services, me, query.id)
        await endOtherSessions(services, session)
        return t("Passkey deleted. All other sessions were signed out.")
      }),
  }),

  page({
    id: "security.removeLink",
    address: `POST ${SECURITY}/links/remove`,
    access: signedIn,
    query: { id: Type.Integer() },
    answer: ({ services, me, reader, query }) =>
      whenConfirmed(services, reader, async (session) => {
        await unlink(services, me, query.id)
        await endOtherSessions(services, session)
        return t("Account unlinked. All other sessions were signed out.")
      }),
  }),

  page({
    id: "security.endSession",
    address: `POST ${SECURITY}/sessions/end`,
    access: signedIn,
    query: { id: Type.Integer() },
    answer: async ({ services, me, query }) => {
      await endSessionById(services, me, query.id)
      return moved(SECURITY, { flash: t("Session signed out.") })
    },
  }),

  page({
    id: "security.endOtherSessions",
    address: `POST ${SECURITY}/sessions/end_others`,
    access: signedIn,
    answer: async ({ services, reader }) => {
      const session = await sessionOfReader(services, reader)
      const ended = session ? await endOtherSessions(services, session) : 0
      return moved(SECURITY, { flash: ended === 0 ? t("There were no other sessions.") : t("All other sessions are signed out.") })
    },
  }),

  page({
    id: "wellKnown.changePassword",
    address: "GET /.well-known/change-password",
    access: anyone,
    answer: () => moved("/user/change_password"),
  }),

  page({
    id: "wellKnown.passkeyEndpoints",
    address: "GET /.well-known/passkey-endpoints",
    access: anyone,
    answer: ({ services: { site } }) =>
      sentText("application/json", JSON.stringify({ enroll: site.rootUrl + NEW_PASSKEY, manage: site.rootUrl + SECURITY })),
  }),
]

const shown = (title: Text, body: Content, more: Partial<Omit<Shown, "kind" | "body">> = {}): Shown =>
  personalSettings({
    part: "security",
    title,
    isPrivate: true,
    ...more,
    body: html`
      <h1>${title}</h1>
      ${body}
    `,
  })

async function whenConfirmed(services: Services, reader: Reader, work: (session: Session) => Promise<Text>): Promise<Moved> {
  const session = await confirmedSession(services, reader, SECURITY)
  return "kind" in session ? session : moved(SECURITY, { flash: await work(session) })
}

/** A change of factors ends all sessions; the browser in which it was made gets a new one. */
async function signedInAnew(services: Services, { user, isRemembered }: Session, { ip, agent }: Reader): Promise<SessionText> {
  const changed = (await findUserById.first(services.database.read, { id: user.id })) ?? user
  const begun = { user: changed, method: "password", isRemembered, address: ip, agent, earlier: undefined } as const
  return { text: await beginSession(services, begun), isRemembered }
}

async function enroll(services: Services, me: User, proposal = "", refusal?: Refusal): Promise<Shown> {
  const { secret, address, ticket } = proposeAuthenticator(services, me, proposal)
  const fault = faultOf(refusal, "code")
  return shown(
    t("Set up an authenticator app"),
    html`
      ${fault === undefined && problem(refusal)}
      <div class="form">
        <p>Scan the QR code with your authenticator app, or enter the secret. Then enter the code that the app shows.</p>
        ${await qrCode(address, t("QR code for your authenticator app"))}
        <p class="bar">
          <span>Secret: <code>${secret.replace(/.{4}(?=.)/g, "$& ")}</code></span>
          ${copyButton(secret, icon("copy", t("Copy the secret")))}
        </p>
        <form class="form" method="post" action="${ENROLL}">
          <input type="hidden" name="proposal" value="${ticket}">
          ${field({ label: t("Code"), name: "code", autocomplete: "one-time-code", required: true, autofocus: true, maxlength: 10, fault })}
          <button class="primary">Enable</button>
        </form>
        <p><a href="${SECURITY}">Back</a></p>
      </div>
    `,
  )
}

/** The address of a text that no server has: the codes are told once. */
const asFile = (codes: readonly string[]): string => `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join("\n")}\n`)}`

const showCodes = (codes: readonly string[], session?: SessionText): Shown =>
  shown(
    t("Your recovery codes"),
    html`
      <div class="form">
        ${session && notice("good", t("Two-factor authentication enabled. All other sessions were signed out."))}
        <p>
          If you lose access to your authenticator app, each of these codes lets you sign in once. They won’t be
          shown again: store them in a safe place. Earlier recovery codes no longer work.
        </p>
        <ul>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
        <p class="bar">
          ${copyButton(codes.join("\n"), html`${icon("copy")}Copy`)}
          <a class="button small" href="${asFile(codes)}" download="hearth-recovery-codes.txt">${icon("download")}Download</a>
        </p>
        <p><a class="button primary" href="${SECURITY}">${t("Done|action")}</a></p>
      </div>
    `,
    session ? { session } : {},
  )

async function newPasskey(services: Services, me: User, name = "", refusal?: Refusal): Promise<Shown> {
  const ceremony = await beginRegistration(services, me)
  const title = t("Add a passkey")
  if (!ceremony) return shown(title, notice("info", t("Passkeys need HTTPS.")))
  const fault = faultOf(refusal, "name")
  return shown(
    title,
    html`
      ${fault === undefined && problem(refusal)}
      <div class="form">
        <p>
          A passkey is stored on your device, in your password manager or on a security key. You can sign in with it
          without a password, or use it as a second factor.
        </p>
        <form
          class="form"
          method="post"
          action="${NEW_PASSKEY}"
          data-passkey="create"
          data-options="${JSON.stringify(ceremony.options)}"
        >
          ${field({
            label: t("Name"),
            name: "name",
            value: name,
            required: true,
            autofocus: true,
            maxlength: 50,
            hint: t("For example, the name of the device."),
            fault,
          })}
          <input type="hidden" name="passkey_ticket" value="${ceremony.ticket}">
          <input type="hidden" name="credential" value=""><button class="primary">${icon("key")} Add passkey</button>
          <p class="fault" role="alert" hidden></p>
        </form>
        <noscript>
          <p>This needs JavaScript, which is disabled in your browser.</p>
        </noscript>
        <p><a href="${SECURITY}">Back</a></p>
      </div>
    `,
    { modules: ["passkey"] },
  )
}

async function overview(services: Services, me: User, reader: Reader): Promise<Html> {
  const { read } = services.database
  const [factor, codes, passkeys, links, sessions, here] = await Promise.all([
    findTwoFactor.first(read, { userId: me.id }),
    countRecoveryCodes.first(read, { userId: me.id }),
    findPasskeysOf(read, { userId: me.id }),
    findLinksOf(read, { userId: me.id }),
    listSessions(services, me),
    sessionOfReader(services, reader),
  ])
  return securityView(services, {
    hasTwoFactor: factor !== undefined,
    codes: codes?.total ?? 0,
    passkeys,
    links,
    sessions,
    here: here?.id,
  })
}
