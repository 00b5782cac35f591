import { randomBytes } from "node:crypto"
import { tokenDigest } from "../sign-in/credentials/tokens.ts"

/** The secrets of OAuth2: 260 random bits behind four letters that say what they are. The database holds their digests. */

const LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
const LENGTH = 52

const PREFIXES = { secret: "gto_", code: "gta_", access: "gtu_", refresh: "gtr_", device: "gtd_" } as const

export const newText = (kind: keyof typeof PREFIXES): string =>
  PREFIXES[kind] + Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte % LETTERS.length)).join("")

/** The digest under which they are stored and found, as that of people's tokens. */
export const digestOf = tokenDigest
