/** The credentials that a request presents: read from its headers, not yet verified. */
export type Presented =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "basic"; readonly login: string; readonly password: string }

const NONE: Presented = { kind: "none" }

/**
 * Reads an Authorization header. Unknown forms count as no credentials, so that a caller who sends one can still read public resources.
 * Known forms: `token T`, `Bearer T` (the word in any case), `Basic base64(login:password)`.
 */
export function readAuthorization(header: string | undefined): Presented {
  if (header === undefined) return NONE
  const [scheme, value, ...more] = header.trim().split(/ +/)
  if (scheme === undefined || value === undefined || more.length > 0) return NONE
  switch (scheme.toLowerCase()) {
    case "token":
    case "bearer":
      return { kind: "token", token: value }
    case "basic": {
      const pair = Buffer.from(value, "base64").toString("utf8")
      const colon = pair.indexOf(":")
      return colon < 0 ? NONE : { kind: "basic", login: pair.slice(0, colon), password: pair.slice(colon + 1) }
    }
    default:
      return NONE
  }
}

/** Whether the text has the form of a token that an application got by OAuth2. Anything else need not be looked up. */
export const isApplicationTokenText = (text: string): boolean => /^gtu_[a-z2-7]{52}$/.test(text)

/** Whether the text has the form of an access token: forty hex digits. Anything else need not be looked up. */
export const isTokenText = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)
