import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Public SSH keys. Each is stored once: as the key of one person, or as a deploy key of repositories. */
export interface PublicKeysTable {
  id: Generated<number>
  /** The owner of the key; null for deploy keys. */
  owner_id: number | null
  title: string
  /** `SHA256:` and the digest, as OpenSSH writes it. */
  fingerprint: string
  /** One line: the type, the key in base64, and a comment where there is one. */
  content: string
  /** Whether its owner may only fetch with it. Deploy keys have this for each repository. */
  is_read_only: Generated<Flag>
  created_at: Seconds
  last_used_at: Generated<Seconds>
}

/** The access that a deploy key gives to one repository. */
export interface DeployKeysTable {
  id: Generated<number>
  key_id: number
  repository_id: number
  title: string
  is_read_only: Flag
  created_at: Seconds
}

/** OpenPGP keys: primary keys, and their subkeys. */
export interface GpgKeysTable {
  id: Generated<number>
  owner_id: number
  /** The primary key that a subkey belongs to; null for primary keys. */
  primary_id: number | null
  /** 16 upper-case hexadecimal digits. */
  key_id: string
  /** For a primary key the whole key in base64; "" for a subkey. */
  certificate: string
  /** Whether it may be used to sign. */
  signs: Flag
  /** The capabilities of its algorithm. */
  can_sign: Flag
  can_encrypt: Flag
  /** Whether its owner has proved possession by signing a challenge. */
  is_verified: Flag
  created_at: Seconds
  expires_at: Seconds
}

/** Addresses that both the key and its owner had when it was added. */
export interface GpgKeyEmailsTable {
  gpg_key_id: number
  email: string
  lower_email: string
}

export interface KeyTables {
  public_keys: PublicKeysTable
  deploy_keys: DeployKeysTable
  gpg_keys: GpgKeysTable
  gpg_key_emails: GpgKeyEmailsTable
}
