import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Programs that people may let act for them. */
export interface OAuth2ApplicationsTable {
  id: Generated<number>
  /** Null for those that come with every site. */
  owner_id: number | null
  name: string
  client_id: string
  /** SHA-256, hex: 260 random bits need no slow hash. "" for those that come with every site. */
  secret_digest: string
  /** JSON: the addresses in their order. */
  redirect_uris: string
  is_confidential: Flag
  /** Whether people who have agreed once are not asked again although the client is public. */
  skips_consent: Flag
  /** Whether it may ask by a code that a person types on another device (RFC 8628). */
  allows_device: Generated<Flag>
  created_at: Seconds
  updated_at: Seconds
}

/** What a person has agreed to: one row for a person and an application. */
export interface OAuth2GrantsTable {
  id: Generated<number>
  application_id: number
  user_id: number
  /** Comma separated: all that was ever agreed to. */
  scopes: string
  created_at: Seconds
  /** To the minute. */
  last_used_at: Seconds
}

/** One authorization: its code, and the tokens that follow from it. They end together. */
export interface OAuth2AuthorizationsTable {
  id: Generated<number>
  grant_id: number
  scopes: string
  redirect_uri: string
  /** Of PKCE, S256; "" without. */
  challenge: string
  nonce: string
  /** When the person signed in to the session that agreed. */
  signed_in_at: Seconds
  code_digest: string
  code_expires_at: Seconds
  /** 0 while it was not used. */
  code_used_at: Seconds
  created_at: Seconds
  /** When the last of its tokens ends. */
  expires_at: Seconds
}

export interface OAuth2TokensTable {
  id: Generated<number>
  authorization_id: number
  kind: "access" | "refresh"
  /** SHA-256, hex. */
  digest: string
  scopes: string
  created_at: Seconds
  /** Of a refresh token, which is kept until it ends so that its second use is noticed; 0 before. */
  used_at: Generated<Seconds>
  expires_at: Seconds
}

/** A device that waits until a person has typed its code elsewhere (RFC 8628). */
export interface OAuth2DeviceCodesTable {
  id: Generated<number>
  application_id: number
  /** Null until a person has agreed. */
  grant_id: number | null
  scopes: string
  /** SHA-256, hex. */
  device_digest: string
  /** With the site's key: what a person types is too short for a plain digest. */
  user_digest: string
  /** From where the device asked, as limits count addresses. */
  network: string
  is_denied: Generated<Flag>
  /** When the person signed in to the session that agreed. */
  signed_in_at: Generated<Seconds>
  /** How long the device has to wait before it asks again. */
  interval_seconds: number
  polled_at: Generated<Seconds>
  created_at: Seconds
  expires_at: Seconds
}

/** The key pair that id tokens are signed with. */
export interface OAuth2KeysTable {
  purpose: "id token"
  /** The thumbprint of RFC 7638. */
  key_id: string
  /** PKCS #8 in PEM, sealed with the site's key. */
  sealed_key: string
  /** JWK. */
  public_key: string
  created_at: Seconds
}

export interface OAuth2Tables {
  oauth2_applications: OAuth2ApplicationsTable
  oauth2_grants: OAuth2GrantsTable
  oauth2_authorizations: OAuth2AuthorizationsTable
  oauth2_tokens: OAuth2TokensTable
  oauth2_device_codes: OAuth2DeviceCodesTable
  oauth2_keys: OAuth2KeysTable
}
