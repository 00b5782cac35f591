import type { Seconds } from "./types.ts"

/** Tries of a secret since the last right one. Rows of subjects at rest for a day are removed. */
export interface GuessesTable {
  kind: "password" | "secondFactor" | "clientSecret"
  /**
   * The id of the account; for names without an account a negative number that several of them share. For secrets of applications a number that
   * follows from the client and the network that tries.
   */
  subject: number
  tries: number
  /** How long no further try is taken after the last one; 0 while there were few. */
  wait_seconds: number
  tried_at: Seconds
}

/** From where an account was signed in to with its password. */
export interface SignInAddressesTable {
  user_id: number
  /** A keyed digest of account and network, from which no address can be read. */
  digest: string
  /** When it was noted last, to the day. */
  seen_at: Seconds
}

export interface GuessTables {
  guesses: GuessesTable
  sign_in_addresses: SignInAddressesTable
}
