import { nullable, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** An author or committer; `username` is empty if no account has the address. */
export const PayloadUser = record("PayloadUser", { name: Type.String(), email: Type.String(), username: Type.String() })
export type PayloadUser = Static<typeof PayloadUser>

export const PayloadCommitVerification = record("PayloadCommitVerification", {
  verified: Type.Boolean({ description: "signed with a key of the account that has the committer's address, or the tagger's" }),
  reason: Type.String({ description: "why it is not verified, or by whose key it is" }),
  signature: Type.String({ description: "empty where there is none" }),
  signer: nullable(PayloadUser),
  payload: Type.String({ description: "what was signed" }),
})
export type Verification = Static<typeof PayloadCommitVerification>

/** A key that the site keeps for a user. */
export const KeptKey = record("KeptSigningKey", {
  fingerprint: Type.String({ description: "as OpenSSH writes it" }),
  key: Type.String({ description: "the public half, a line of OpenSSH" }),
  is_current: Type.Boolean({ description: "whether new commits are signed with it" }),
  created_at: Type.String({ format: "date-time" }),
})
export type KeptKey = Static<typeof KeptKey>
