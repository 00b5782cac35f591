import type { Owned, Permission } from "../../../access/permission.ts"
import { type Actor, isSiteAdministrator } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import type { DeployKeyRow } from "../../people/keys/store.ts"
import { presentRepository } from "../repositories/present.ts"
import { repositoryApiUrl } from "../repositories/urls.ts"
import type { DeployKey } from "./records.ts"

/** A repository's keys. The repository itself is included only for its owner and site administrators. */
export async function presentDeployKeys(
  db: Handle,
  site: Site,
  actor: Actor,
  { repository, owner, permission }: Owned & { readonly permission: Permission },
  rows: readonly DeployKeyRow[],
): Promise<DeployKey[]> {
  const shown = rows.length > 0 && actor.kind === "user" && (actor.user.id === owner.id || isSiteAdministrator(actor))
  const more = shown ? { repository: await presentRepository(db, site, actor, { repository, owner }, permission) } : {}
  const url = `${repositoryApiUrl(site, owner.name, repository.name)}/keys`
  return rows.map(({ id, key_id, content, title, fingerprint, created_at, is_read_only }) => ({
    id,
    key_id,
    key: content,
    url: `${url}/${id}`,
    title,
    fingerprint,
    created_at: rfc3339(created_at),
    read_only: is_read_only === 1,
    ...more,
  }))
}
