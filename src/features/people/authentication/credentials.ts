/** What a request presents: read from its headers, not yet believed. */
export type Presented =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "basic"; readonly login: string; readonly password: string }

const NONE: Presented = { kind: "none" }

/**
 * Reads an Authorization header. Forms that are not ours count as nothing, so that a public thing stays public for whoever sends one.
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

/** Tokens of ours: forty hex digits. Anything else need not be looked up. */
export const isTokenText = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)
