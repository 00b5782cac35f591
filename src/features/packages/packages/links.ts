import { Mode } from "../../../access/modes.ts"
import { type Repository, unitModeOrAdmin } from "../../../access/permission.ts"
import { locateRepository, type OnRepository } from "../../../access/policies/repositories.ts"
import { findRepositoryById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { Renamed, refuse } from "../../../core/errors.ts"
import type { Listener } from "../../../core/events/events.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { beginChange, type Changing, requirePackage } from "./change.ts"
import { bumpRevision, findLinked, setLink } from "./changes-store.ts"
import type { Named, Package } from "./store.ts"

/** Whether the caller may link packages to the repository, and take links away. */
export const mayLink = ({ permission, repository }: OnRepository): boolean =>
  unitModeOrAdmin(permission, repository, "repo.packages") >= Mode.write

function requireLinker(on: OnRepository): void {
  if (!mayLink(on)) throw refuse.forbidden(t`you may not write to the packages of the repository ${on.repository.name}`)
}

/**
 * Links a package to a repository of the same owner. Refuses `notFound` for a package or repository that is not there, `forbidden` without the right to
 * write to both, `badRequest` where the package is linked already.
 */
export async function linkPackage(tx: Transaction, changing: Changing, named: Named, repositoryName: string): Promise<void> {
  const found = await locateOwn(tx, changing, repositoryName)
  const repository = await lockRow(tx, "repositories", found.repository.id)
  const asking = await beginChange(tx, changing)
  if (repository?.owner_id !== asking.owner.id) throw refuse.notFound()
  const of = await requirePackage(tx, asking, named)
  requireLinker(found)
  if (of.repository_id !== null) throw refuse.badRequest(t`${of.name} is linked to a repository already`)
  await setLink.changes(tx, { id: of.id, repositoryId: repository.id, isRestricted: of.is_restricted })
  await bumpRevision.changes(tx, { id: of.id })
  publish(tx, { kind: "package.linked", repositoryId: repository.id, ownerId: of.owner_id, package: of, actor: changing.actor.user })
}

/** A name that a repository had before is none of the same owner's. */
async function locateOwn(tx: Transaction, { owner, actor }: Changing, name: string): Promise<OnRepository> {
  try {
    return await locateRepository(tx, actor, owner.name, name)
  } catch (error) {
    throw error instanceof Renamed ? refuse.notFound() : error
  }
}

/**
 * Takes the link away. A package of a private repository stays hidden from those who don't belong to the owner. Refuses `badRequest` without a link,
 * `forbidden` without the right to write to the repository's packages, and for packages of an organisation all but those who own them.
 */
export async function unlinkPackage(tx: Transaction, changing: Changing, named: Named): Promise<void> {
  const asking = await beginChange(tx, changing)
  const of = await requirePackage(tx, asking, named)
  const repository = of.repository_id === null ? undefined : await findRepositoryById.first(tx, { id: of.repository_id })
  if (!repository) throw refuse.badRequest(t`${of.name} is not linked to a repository`)
  const on = await locateOwn(tx, changing, repository.name)
  requireLinker(on)
  if (asking.owner.kind === "organization" && asking.rights.mode < Mode.owner)
    throw refuse.forbidden("only owners of the organization may take the link of its packages away")
  await unlink(tx, of, repository)
  publish(tx, { kind: "package.unlinked", repositoryId: repository.id, ownerId: of.owner_id, package: of, actor: changing.actor.user })
}

async function unlink(tx: Transaction, of: Package, { is_private }: Pick<Repository, "is_private">): Promise<void> {
  await setLink.changes(tx, { id: of.id, repositoryId: null, isRestricted: flag(of.is_restricted === 1 || is_private === 1) })
  await bumpRevision.changes(tx, { id: of.id })
}

/**
 * A repository that is deleted, or gets another owner, loses its packages, which stay with theirs. What belonged to a private one must not become public
 * by that.
 */
export const packageLinks: Listener = {
  name: "links of packages",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind !== "repository.deleted" && event.kind !== "repository.transferred") continue
      const { repository, actor } = event
      const linked = await findLinked(tx, { repositoryId: repository.id })
      const [first] = linked
      // As all changes of packages do; the repository is locked before its owner.
      if (first) await lockRow(tx, "users", first.owner_id)
      for (const of of linked) {
        await unlink(tx, of, repository)
        publish(tx, { kind: "package.unlinked", repositoryId: repository.id, ownerId: of.owner_id, package: of, actor })
      }
    }
  },
}
