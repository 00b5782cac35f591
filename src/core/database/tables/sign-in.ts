import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Browsers in which a person is signed in. */
export interface SessionsTable {
  id: Generated<number>
  user_id: number
  /** A keyed digest of what the cookie holds. */
  digest: string
  method: "password" | "passkey" | "provider"
  /** From where the person signed in, as limits count addresses. */
  network: string
  /** Browser and system in our own words; "" for unknown ones. */
  agent: string
  /** Whether it outlives the browser's window. */
  is_remembered: Flag
  created_at: Seconds
  /** When the person last showed what they sign in with. */
  confirmed_at: Seconds
  /** To some minutes. */
  last_used_at: Seconds
  expires_at: Seconds
}

/** Codes that are good once in place of one of the authenticator app. */
export interface RecoveryCodesTable {
  user_id: number
  digest: string
}

/** Passkeys and security keys (WebAuthn). */
export interface PasskeysTable {
  id: Generated<number>
  user_id: number
  name: string
  /** Base64url, as browsers write it. */
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  /** The last one that the authenticator sent; 0 where it doesn't count. */
  counter: number
  /** Separated by commas: how a browser reaches it. */
  transports: string
  created_at: Seconds
  /** 0 before the first use. */
  last_used_at: Seconds
}

/** Accounts at other providers with which people sign in here. */
export interface LinkedAccountsTable {
  id: Generated<number>
  user_id: number
  /** The name of the provider in the settings. */
  provider: string
  /** The provider's lasting id of the account. */
  subject: string
  /** What people know the account by. */
  label: string
  created_at: Seconds
  last_used_at: Seconds
  /**
   * The version of the account's credentials with which it was closed because it is in none of the groups that the provider's settings require; 0 where it
   * wasn't. Who closes or opens it otherwise makes another version, and has the last word.
   */
  closed_version: Generated<number>
}

/** Addresses whose owner may make an account. The code of the mail is signed and not stored; using it removes the row. */
export interface InvitationsTable {
  id: Generated<number>
  lower_email: string
  /** Null where the person asked for it, or the operator did. */
  invited_by: number | null
  created_at: Seconds
  sent_at: Seconds
  expires_at: Seconds
}

/** What may be used once and was, until it would have ended by itself. */
export interface UsedTicketsTable {
  id: string
  expires_at: Seconds
}

export interface SignInTables {
  sessions: SessionsTable
  recovery_codes: RecoveryCodesTable
  passkeys: PasskeysTable
  linked_accounts: LinkedAccountsTable
  invitations: InvitationsTable
  used_tickets: UsedTicketsTable
}
