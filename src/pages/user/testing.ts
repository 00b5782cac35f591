import { TOTP } from "otpauth"
import { parse } from "parse5"
import { expect } from "vitest"
import { type Browser, openBrowser, type Page } from "../../../tests/support/browser.ts"
import type { FreshKind } from "../../../tests/support/database.ts"
import { basic, freshHearth } from "../../../tests/support/hearth.ts"
import { findUserByName } from "../../access/store.ts"
import type { User } from "../../core/actor.ts"
import type { ConfigOverrides } from "../../core/config.ts"
import { mailConfig, openMailServer } from "../../features/events/mail/testing.ts"
import { enableTwoFactor } from "../../features/people/sign-in/second-factor/two-factor.ts"
import { findAddressesOf } from "../../features/people/users/addresses-store.ts"
import { makeCode, type Purpose } from "../../features/people/users/codes.ts"

export const SECURITY = "/user/settings/security"

/** A server with its own clock, and browsers, for tests of the pages that people sign in on. */
export async function openSignInWorld(kind: FreshKind, config: ConfigOverrides = {}) {
  const clock = { now: 1_800_000_000 }
  const forge = await freshHearth(kind, config, { now: () => clock.now })
  const { services, url } = forge.hearth
  const browser = (): Browser => openBrowser(url)
  const userOf = async (name: string) => {
    const user = await findUserByName.first(services.database.read, { lowerName: name })
    if (!user) throw new Error(`there is no ${name}`)
    return user
  }
  return {
    ...forge,
    clock,
    services,
    url,
    browser,
    userOf,
    isSignedIn: async (which: Browser) => (await which.get(SECURITY)).status === 200,
    factorOf: async (name: string) => {
      const user = await userOf(name)
      return services.database.write((tx) => enableTwoFactor(services, tx, user))
    },
    codeFor: (secret: string) => new TOTP({ secret }).generate({ timestamp: clock.now * 1000 }),
  }
}

export interface PasskeyForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: the options are what the tests are about
  readonly options: any
}

interface Element {
  readonly nodeName: string
  readonly attrs?: readonly { readonly name: string; readonly value: string }[]
  readonly childNodes?: readonly Element[]
}

const inside = (element: Element): readonly Element[] => [element, ...(element.childNodes ?? []).flatMap(inside)]
const valueIn = (element: Element, name: string): string => element.attrs?.find((each) => each.name === name)?.value ?? ""

/** The form of a page that asks the browser for a passkey. */
export function passkeyFormOf({ text, status }: Page): PasskeyForm {
  const form = inside(parse(text)).find((element) => element.nodeName === "form" && valueIn(element, "data-passkey") !== "")
  if (!form) throw new Error(`the page asks for no passkey: ${status}`)
  const fields = inside(form).filter(({ nodeName }) => nodeName === "input")
  return {
    action: valueIn(form, "action"),
    fields: Object.fromEntries(fields.map((input) => [valueIn(input, "name"), valueIn(input, "value")])),
    options: JSON.parse(valueIn(form, "data-options")),
  }
}

export const FORGOT = "/user/forgot_password"
export const RECOVER = "/user/recover_account"
export const ACTIVATE = "/user/activate"
export const OLD = "pass-word-1"
export const NEW = "another-Pass-9"
export const INVALID_LINK = "This link has expired"

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A server with its pages, the mail server that it sends to, and helpers for tests. */
export async function openWebWorld(kind: FreshKind, users: { readonly activateByMail?: boolean } = {}) {
  const server = await openMailServer()
  const forge = await freshHearth(kind, { mail: mailConfig(server), users, security: { rememberSignInSeconds: 300 } })
  const { services } = forge.hearth
  const { database, jobs, now, secrets } = services
  const request = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(path.startsWith("http") ? path : `${forge.hearth.url}${path}`, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const userOf = (name: string): Promise<User> =>
    database.read.selectFrom("users").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
  return {
    forge,
    ...forge,
    server,
    close: async () => {
      await forge.close()
      await server.close()
    },
    request,
    userOf,
    post: (path: string, fields: Readonly<Record<string, string>>) => request(path, { method: "POST", body: new URLSearchParams(fields) }),
    /** Sends the waiting mail, and gives the link in it; "" where it has none, undefined where there is no mail. */
    async mailed(to: string): Promise<string | undefined> {
      await jobs.drain()
      const mails = server.arrived.splice(0)
      expect(mails.length).toBeLessThan(2)
      if (mails[0]) expect(mails[0].to).toBe(to)
      return mails[0] && (/\?code=(\S+)/.exec(mails[0].parts.get("text/plain") ?? "")?.[1] ?? "")
    },
    /** Lets the pause between two mails pass. */
    wait: (seconds: number) =>
      database.write((tx) =>
        tx
          .updateTable("account_mails")
          .set((eb) => ({ sent_at: eb("sent_at", "-", seconds) }))
          .execute(),
      ),
    change: (name: string, changes: Partial<Pick<User, "is_active" | "prohibit_login" | "must_change_password">>) =>
      database.write((tx) => tx.updateTable("users").set(changes).where("lower_name", "=", name).execute()),
    /** A code as this site would mail it. */
    async codeFor(name: string, purpose: Purpose, expiresIn = 60, email?: string): Promise<string> {
      const user = await userOf(name)
      const addresses = await findAddressesOf(database.read, { userId: user.id })
      const address = email === undefined ? addresses[0] : addresses.find((each) => each.email === email)
      if (!address) throw new Error(`${name} has no such address`)
      return makeCode(secrets, { purpose, user, address }, now() + expiresIn)
    },
    signsIn: async (login: string, password: string) => (await forge.call(basic(login, password), "GET /user")).status === 200,
  }
}
