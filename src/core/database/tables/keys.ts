import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** Public SSH keys. Each is there once: as the key of one person, or as a key of repositories. */
export interface PublicKeysTable {
  id: Generated<number>
  /** Whose key it is; null for keys of repositories. */
  owner_id: number | null
  title: string
  /** `SHA256:` and the digest, as OpenSSH writes it. */
  fingerprint: string
  /** One line: the type, the key in base64, and a comment where there is one. */
  content: string
  created_at: Seconds
  last_used_at: Generated<Seconds>
}

/** What a key may do in one repository. */
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
  /** Of a primary key, all that belongs to it, in base64; "" of a subkey. */
  certificate: string
  /** The packet of the public key alone, in base64. */
  packet: string
  /** Whether its signatures count. */
  signs: Flag
  /** What keys of its algorithm can do. */
  can_sign: Flag
  can_encrypt: Flag
  /** Whether its owner has signed with it what only the owner was asked to sign. */
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
