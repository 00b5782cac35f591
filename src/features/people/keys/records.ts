import { dateTime, int64, record, recordNamed } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { User } from "../users/records.ts"

// --- SSH -------------------------------------------------------------------------------------------------------------------------

export const PublicKey = record("PublicKey", {
  id: int64(),
  key: Type.String({ description: "one line: the kind of key, the key in base64, and a comment where there is one" }),
  url: Type.String({ format: "uri" }),
  title: Type.String(),
  fingerprint: Type.String({ description: "SHA256: and the digest, as OpenSSH shows it" }),
  created_at: dateTime(),
  last_used_at: dateTime({ description: "to the minute; the same as created_at until it is used" }),
  user: Type.Optional(User),
  read_only: Type.Boolean({ description: "it may fetch but not push" }),
  key_type: Type.Optional(Type.String({ description: "user; like user itself shown to the owner and to site administrators" })),
})
export type PublicKey = Static<typeof PublicKey>

/** Characters. */
const TITLE = 255

export const CreateKeyOption = record("CreateKeyOption", {
  title: Type.String({ minLength: 1, maxLength: TITLE, pattern: "\\S" }),
  key: Type.String({ minLength: 1, description: "a public key: a line of OpenSSH, a block of RFC 4716, or PEM" }),
  read_only: Type.Optional(Type.Boolean({ description: "it may fetch but not push" })),
})
export type CreateKeyOption = Static<typeof CreateKeyOption>

// --- OpenPGP ---------------------------------------------------------------------------------------------------------------------

export const GPGKeyEmail = record("GPGKeyEmail", {
  email: Type.String({ format: "email" }),
  verified: Type.Boolean({ description: "an activated address of the account" }),
})
export type GPGKeyEmail = Static<typeof GPGKeyEmail>

const gpgKeyFields = {
  id: int64(),
  primary_key_id: Type.String({ description: "of a subkey, the key_id of the key that it belongs to; else empty" }),
  key_id: Type.String({ description: "16 upper-case hexadecimal digits" }),
  public_key: Type.String({ description: "an armoured block; of a subkey with its primary key" }),
  emails: Type.Array(GPGKeyEmail, { description: "addresses that the key and the account shared when it was added; none of a subkey" }),
  can_sign: Type.Boolean({ description: "keys of its algorithm can" }),
  can_encrypt_comms: Type.Boolean({ description: "keys of its algorithm can" }),
  can_encrypt_storage: Type.Boolean({ description: "keys of its algorithm can" }),
  can_certify: Type.Boolean({ description: "the same as can_sign" }),
  verified: Type.Boolean({ description: "its owner has signed with it what only the owner was asked to sign" }),
  created_at: dateTime({ description: "when it was added" }),
  expires_at: dateTime({ description: "year 1 where it doesn't expire" }),
}

export interface GPGKey extends Static<ReturnType<typeof Type.Object<typeof gpgKeyFields>>> {
  subkeys: GPGKey[]
}
export const GPGKey = record("GPGKey", { ...gpgKeyFields, subkeys: Type.Array(recordNamed<GPGKey>("GPGKey")) })

export const CreateGPGKeyOption = record("CreateGPGKeyOption", {
  armored_public_key: Type.String({ minLength: 1, description: "one public key, armoured" }),
  armored_signature: Type.Optional(
    Type.String({
      description: "a detached signature over the text of /user/gpg_key_token; needed where the key has no address of the account",
    }),
  ),
})
export type CreateGPGKeyOption = Static<typeof CreateGPGKeyOption>

export const VerifyGPGKeyOption = record("VerifyGPGKeyOption", {
  key_id: Type.String({ minLength: 1, description: "of the key or of one of its subkeys" }),
  armored_signature: Type.String({ minLength: 1, description: "a detached signature over the text of /user/gpg_key_token" }),
})
export type VerifyGPGKeyOption = Static<typeof VerifyGPGKeyOption>
