import type { SignedIn } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { admitFetch, admitPush } from "../pushes/admission.ts"
import { type Address, follow } from "../pushes/follow.ts"
import { lfsUrl } from "../repositories/urls.ts"
import { type LfsOperation, PASS_SECONDS, writePass } from "./passes.ts"

/** The answer to `git-lfs-authenticate`: the HTTP URL of a repository's large files, and a pass for it. */
export interface LfsAuthentication {
  readonly href: string
  readonly header: { readonly Authorization: string }
  /** Seconds. */
  readonly expires_in: number
}

/**
 * Issues a pass for HTTP to a client signed in over SSH, for one repository and one operation. Refuses like `admitFetch` for downloads and `admitPush` for uploads,
 * and `notFound` if Git LFS is switched off.
 */
export async function authenticateLfs(
  services: Services,
  actor: SignedIn,
  address: Address,
  operation: LfsOperation,
): Promise<LfsAuthentication> {
  if (!services.config.lfs.enabled) throw refuse.notFound("Git LFS is switched off here.")
  const admit = operation === "upload" ? admitPush : admitFetch
  const { repository, owner } = await follow(address, (at) => admit(services, actor, at.owner, at.name))
  const pass = writePass(services, actor, repository, operation)
  return { href: lfsUrl(services.site, owner.name, repository.name), header: { Authorization: `Bearer ${pass}` }, expires_in: PASS_SECONDS }
}
