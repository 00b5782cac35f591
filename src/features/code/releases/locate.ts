import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { scopeAllows } from "../../../access/scopes.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { findReleaseOfTag } from "../tags/releases.ts"
import { findRelease, type Release } from "./store.ts"

/** Whether the caller knows of releases that are not published: whoever may write them, and with a token that may. */
export function seesDrafts(actor: Actor, { permission, repository }: OnRepository): boolean {
  if (actor.kind === "anonymous") return false
  if (permission.mode < Mode.admin && unitMode(permission, repository, "repo.releases") < Mode.write) return false
  return actor.credential.kind !== "token" || scopeAllows(actor.credential.scopes, "write:repository")
}

/** The release, if it is there and the caller may know of it; otherwise refuses `notFound`. */
export function admitRelease(actor: Actor, on: OnRepository, release: Release | undefined): Release {
  if (!release || release.repository_id !== on.repository.id || (release.is_draft === 1 && !seesDrafts(actor, on))) throw refuse.notFound()
  return release
}

interface Call extends OnRepository {
  readonly db: Handle
  readonly actor: Actor
}

/** The release of that id in the repository. Refuses like `admitRelease`. */
export const locateRelease = async ({ db, actor, ...on }: Call, id: number): Promise<Release> =>
  admitRelease(actor, on, id === 0 ? undefined : await findRelease.first(db, { repositoryId: on.repository.id, id }))

/** The release of a tag. Refuses like `admitRelease`. */
export const locateReleaseOfTag = async ({ db, actor, ...on }: Call, tagName: string): Promise<Release> =>
  admitRelease(actor, on, await findReleaseOfTag.first(db, { repositoryId: on.repository.id, tagName }))
