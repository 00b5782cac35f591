import { TOTP } from "otpauth"
import { parse } from "parse5"
import { type Browser, openBrowser, type Page } from "../../../../tests/support/browser.ts"
import type { FreshKind } from "../../../../tests/support/database.ts"
import { freshHearth } from "../../../../tests/support/hearth.ts"
import { findUserByName } from "../../../access/store.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
import { enableTwoFactor } from "../../../features/people/authentication/two-factor.ts"

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
