import { type Actor, isSiteAdministrator, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { NEVER, rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentUser } from "../users/present.ts"
import { armorCertificates, certificateOfSubkey } from "./openpgp.ts"
import type { GPGKey, GPGKeyEmail, PublicKey } from "./records.ts"
import { findGpgKeyEmails, findSubkeys, type GpgKeyRow, type PublicKeyRow } from "./store.ts"

/** A user's keys. Their owner and kind are shown to the owner and to site administrators only. */
export function presentPublicKeys(site: Site, actor: Actor, owner: User, rows: readonly PublicKeyRow[]): PublicKey[] {
  const shown = actor.kind === "user" && (actor.user.id === owner.id || isSiteAdministrator(actor))
  const more = shown ? { user: presentUser(site, owner, actor), key_type: "user" } : {}
  return rows.map(({ id, content, title, fingerprint, created_at, last_used_at, is_read_only }) => ({
    id,
    key: content,
    url: `${site.rootUrl}/api/v1/user/keys/${id}`,
    title,
    fingerprint,
    created_at: rfc3339(created_at),
    last_used_at: rfc3339(last_used_at || created_at),
    read_only: is_read_only === 1,
    ...more,
  }))
}

type Part = Omit<GPGKey, "emails" | "subkeys">

const presentPart = (row: GpgKeyRow, primaryKeyId: string, armored: string): Part => ({
  id: row.id,
  primary_key_id: primaryKeyId,
  key_id: row.key_id,
  public_key: armored,
  can_sign: row.can_sign === 1,
  can_encrypt_comms: row.can_encrypt === 1,
  can_encrypt_storage: row.can_encrypt === 1,
  can_certify: row.can_sign === 1,
  verified: row.is_verified === 1,
  created_at: rfc3339(row.created_at),
  expires_at: row.expires_at === 0 ? NEVER : rfc3339(row.expires_at),
})

/** Primary keys with their subkeys and addresses, in two queries. */
export async function presentGpgKeys(db: Handle, rows: readonly GpgKeyRow[]): Promise<GPGKey[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const subkeys = Map.groupBy(await findSubkeys(db, { primaryIds: ids }), ({ primary_id }) => primary_id)
  const emails = Map.groupBy(await findGpgKeyEmails(db, { gpgKeyIds: ids }), ({ gpg_key_id }) => gpg_key_id)
  return Promise.all(
    rows.map(async (row) => ({
      ...presentPart(row, "", await armorCertificates([row.certificate])),
      emails: (emails.get(row.id) ?? []).map(({ email, address_id }): GPGKeyEmail => ({ email, verified: address_id !== null })),
      subkeys: await Promise.all((subkeys.get(row.id) ?? []).map((subkey) => presentSubkey(subkey, row))),
    })),
  )
}

/** A subkey, with as much of its primary key as is needed to import it. */
export const presentSubkey = async (row: GpgKeyRow, primary: GpgKeyRow): Promise<GPGKey> => ({
  ...presentPart(row, primary.key_id, await armorCertificates([await certificateOfSubkey(primary.certificate, row.key_id)])),
  emails: [],
  subkeys: [],
})
