import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"

/** The addresses at which applications receive their codes. */

/** The most that an application may have, and their longest, in characters. */
const MOST = 50
const LONGEST = 2_000

/** `http://127.0.0.1` or `http://[::1]`, its port, and its path. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(:\d{1,5})?(\/[^\\]*)?$/

/** The schemes of the setting `oauth2.customSchemes`. */
const customSchemes = (setting: string): readonly string[] =>
  setting
    .split(",")
    .map((scheme) => scheme.trim())
    .filter((scheme) => scheme !== "")

/**
 * Refuses as `invalid` a list without an address, and as `badRequest` what is no absolute address, has another scheme than http, https or one of the
 * site's custom ones, or a fragment, a user or a password.
 */
export function requireRedirects(addresses: readonly string[], setting: string): void {
  if (addresses.length === 0 || addresses.length > MOST) throw refuse.invalid("redirect_uris", t`must have between 1 and ${MOST} addresses`)
  const custom = customSchemes(setting)
  for (const address of addresses) {
    const url = isPlain(address) ? URL.parse(address) : null
    const scheme = url?.protocol.slice(0, -1) ?? ""
    const isWeb = /^https?:\/\/[^/]/i.test(address) && url?.hostname !== ""
    if (!url || !((/^https?$/.test(scheme) && isWeb) || custom.includes(scheme)))
      throw refuse.badRequest(
        t`[redirect_uris]: ${JSON.stringify(address.slice(0, 200))} must be an absolute address with ${["http", "https", ...custom].join(", ")}`,
      )
    // Other letters in a host would have a meaning in headers where the address is named.
    if (isWeb && !/^(\[[\da-f:.]+\]|[\w.-]+)$/.test(url.hostname)) throw refuse.badRequest("[redirect_uris]: must have a plain host name")
    if (address.includes("#")) throw refuse.badRequest("[redirect_uris]: must have no fragment (#)")
    if (url.username !== "" || url.password !== "") throw refuse.badRequest("[redirect_uris]: must have no user and password")
  }
}

/** Printable ASCII as it stands in a header, without what browsers change when they read an address: blanks, control characters, backslashes. */
const isPlain = (address: string): boolean => address.length <= LONGEST && /^[!-[\]-~]*$/.test(address)

/**
 * Whether a code may be sent to `asked`: it is one of the registered addresses, letter by letter. A program on the user's own machine can't know its port
 * beforehand: a public client may add one to a loopback address that was registered without (RFC 8252, 7.3).
 */
export function isRegistered(
  asked: string,
  { registered, isPublic }: { readonly registered: readonly string[]; readonly isPublic: boolean },
) {
  if (!isPlain(asked) || asked.includes("#")) return false
  if (registered.includes(asked)) return true
  const [, host, port, path = "/"] = LOOPBACK.exec(asked) ?? []
  if (!isPublic || host === undefined || (port !== undefined && Number(port.slice(1)) > 65_535)) return false
  return registered.some((address) => {
    const [, registeredHost, registeredPort, registeredPath = "/"] = LOOPBACK.exec(address) ?? []
    return registeredPort === undefined && registeredHost === host && registeredPath === path
  })
}

/** The address with these parameters added to its query; undefined ones are left out. */
export function withParameters(address: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value)
  return `${address}${address.includes("?") ? "&" : "?"}${query}`
}
