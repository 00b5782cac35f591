import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Keys that the service signs commits with: its own, and those that it keeps for people. Rows of former keys stay, so that their signatures verify. */
export interface SigningKeysTable {
  id: Generated<number>
  /** Whose commits it signs; null for the site's own key. */
  owner_id: number | null
  kind: "ssh" | "openpgp"
  /** An SSH fingerprint, or the 16 upper-case hexadecimal digits of the OpenPGP key that signs. */
  key_id: string
  /** A line of OpenSSH, or an OpenPGP certificate in base64. */
  public_key: string
  /** The sealed private key; "" for a former key. */
  sealed_key: string
  /** Whether new commits are signed with it. */
  is_current: Flag
  created_at: Seconds
}

export interface SigningTables {
  signing_keys: SigningKeysTable
}
