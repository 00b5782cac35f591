import type { Repository } from "../../../access/permission.ts"
import { isDeleted } from "../../../access/rules.ts"
import { findRepositoryById, findRepositoryByName, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { requireBelowLimit } from "../../code/lifecycle/establish.ts"
import { dropRedirect } from "../../code/lifecycle/store.ts"
import { forksArePrivate } from "../../code/lifecycle/visibility.ts"
import { recountForks, recountOwned, recountStars, recountWatchers } from "../../code/repositories/counters-store.ts"
import { requireRepositoryName } from "../../code/repositories/names.ts"
import { findRepositoriesByIds, isNameTaken } from "../../code/repositories/store.ts"
import { recountTopics } from "../../code/topics/store.ts"
import { unwatchLost } from "../../code/watches/automatic-store.ts"
import { relinkPackages } from "../../packages/packages/relink.ts"
import { putSharedKey } from "../../people/keys/store.ts"
import { attachTeams } from "../../people/teams/rules.ts"
import type { RestoredThing } from "./records.ts"
import { answered, type Found, numbersOf, rowsOf, take } from "./restore.ts"
import { type Captured, findBlockedWith, foreignKeysOf, putLinksBack, putRepositoryBack, putRowsBack, type Row } from "./rows-store.ts"

/**
 * Gives a deleted repository back to its owner, under its name or another one, with all that it had, as far as it still fits. Refuses `conflict` where the name is taken, `invalid` for a name that is not accepted,
 * `forbidden` where the owner has as many as they may have, and `notFound` where someone was faster.
 */
export async function restoreRepository(services: Services, found: Found, wanted: string | undefined): Promise<RestoredThing> {
  const { deletion, me } = found
  const id = deletion.repository_id ?? 0
  if (wanted !== undefined) requireRepositoryName(wanted)
  return services.database.write(async (tx) => {
    if (!(await lockRow(tx, "repositories", id))) throw refuse.notFound()
    const { captured } = await take(tx, deletion.id)
    const owner = await findUserById.first(tx, { id: deletion.owner_id })
    const [before] = rowsOf(captured, "repositories")
    if (!owner || !before) throw refuse.conflict("its owner is gone")
    const name = wanted ?? deletion.name
    const lowerName = name.toLowerCase()
    const taken = () => refuse.conflict(t`there is a repository ${owner.name}/${name} by now: restore it under another name`)
    if (await findRepositoryByName.first(tx, { ownerId: owner.id, lowerName })) throw taken()
    await dropRedirect(tx, owner.id, lowerName)
    const mirrors = rowsOf(captured, "mirrors").length > 0 ? 1 : 0
    const own: Row = { ...before, ...(await origin(tx, before)), owner_id: owner.id, name, lower_name: lowerName, is_mirror: mirrors }
    await putRepositoryBack(tx, id, own).catch((error: unknown) => {
      throw isNameTaken(error) ? taken() : error
    })
    const count = (await recountOwned(tx, [owner.id])).get(owner.id) ?? 0
    requireBelowLimit(services, me, owner, count)
    const counts = await putBelongingsBack(tx, services, captured, owner)
    const links = await fitting(tx, captured, { is_private: own["is_private"] === 1 ? 1 : 0 }, owner)
    await putLinksBack(tx, { tables: [], links }, null)
    if (owner.kind === "organization") await attachTeams(tx, me, owner, id, [])
    await unwatchLost(tx, [id])
    await recountStars(tx, { repositoryIds: [id], userIds: numbersOf(rowsOf(captured, "stars"), "user_id") })
    await recountWatchers(tx, [id])
    await recountTopics(tx, numbersOf(rowsOf(captured, "repository_topics"), "topic_id"))
    const repository = await findRepositoryById.first(tx, { id })
    if (!repository) throw refuse.notFound()
    await recountForks(tx, [id, ...(repository.fork_of_id === null ? [] : [repository.fork_of_id])])
    await putPackagesBack(tx, captured, repository, me, counts)
    publish(tx, { kind: "repository.restored", repository, owner, actor: me, at: services.now() })
    return answered(found, `${services.site.rootUrl}/${owner.name}/${name}`, counts, { name: repository.name })
  })
}

/** What it was made from, as far as that is there; a fork is as private as that is by now. */
async function origin(tx: Transaction, before: Row): Promise<Row> {
  const ids = ["fork_of_id", "template_id"].flatMap((column) => numbersOf([before], column))
  const there = ids.length === 0 ? [] : (await findRepositoriesByIds(tx, { ids })).filter((row) => !isDeleted(row))
  const template = there.find((row) => row.id === before["template_id"])
  const parent = there.find((row) => row.id === before["fork_of_id"])
  const owner = parent && (await findUserById.first(tx, { id: parent.owner_id }))
  const ties: Row = { template_id: template?.id ?? null, fork_of_id: null }
  if (!parent || !owner) return ties
  const isPrivate = forksArePrivate({ repository: parent, owner })
  if (isPrivate) return { ...ties, fork_of_id: parent.id, is_private: 1 }
  return before["is_private"] === 1 ? ties : { ...ties, fork_of_id: parent.id }
}

/** Its other rows. Who has blocked the owner, or was blocked, does not come back; nor do redirects from what is a repository by now, and keys that are somebody's own by now. */
async function putBelongingsBack(tx: Transaction, services: Services, captured: Captured, owner: User): Promise<Map<string, number>> {
  const blocked = await findBlockedWith(tx, owner.id)
  const keys = await putKeysBack(tx, rowsOf(captured, "public_keys"))
  const names = new Set<Row>()
  for (const row of rowsOf(captured, "repository_redirects")) {
    const [ownerId, lowerName] = [Number(row["owner_id"]), String(row["lower_name"])]
    if (await findRepositoryByName.first(tx, { ownerId, lowerName })) names.add(row)
  }
  const elsewhere: readonly string[] = ["repositories", "public_keys", "packages"]
  const tables = captured.tables.flatMap(([table, rows]) => {
    if (elsewhere.includes(table)) return []
    return [
      [table, table === "deploy_keys" ? rows.map((row) => ({ ...row, key_id: keys.get(Number(row["key_id"])) ?? 0 })) : rows] as const,
    ]
  })
  const fits = (_: string, row: Row) => !names.has(row) && !(typeof row["user_id"] === "number" && blocked.has(row["user_id"]))
  return new Map(await putRowsBack(tx, await foreignKeysOf(services.database, tx), { tables, links: [] }, fits))
}

/** The ids that keys of repositories have now, by those that they had: a key that none used meanwhile was forgotten. */
async function putKeysBack(tx: Transaction, rows: readonly Row[]): Promise<ReadonlyMap<number, number>> {
  const ids = new Map<number, number>()
  for (const { id, fingerprint, content, created_at } of rows) {
    const key = await putSharedKey(tx, { fingerprint: String(fingerprint), content: String(content), created_at: Number(created_at) })
    if (key.owner_id === null) ids.set(Number(id), key.id)
  }
  return ids
}

/** What refers to it again: of its forks only those that are as private as forks of it must be. */
async function fitting(
  tx: Transaction,
  { links }: Captured,
  repository: Pick<Repository, "is_private">,
  owner: User,
): Promise<Captured["links"]> {
  const isPrivate = forksArePrivate({ repository, owner }) ? 1 : 0
  const fit: Captured["links"][number][] = []
  for (const [table, column, target, ids] of links) {
    const rows = table === "repositories" && ids.length > 0 ? await findRepositoriesByIds(tx, { ids }) : undefined
    const there = rows?.filter((row) => !isDeleted(row) && (column !== "fork_of_id" || row.is_private === isPrivate)).map((row) => row.id)
    fit.push([table, column, target, there ?? ids])
  }
  return fit
}

async function putPackagesBack(
  tx: Transaction,
  captured: Captured,
  repository: Repository,
  me: User,
  counts: Map<string, number>,
): Promise<void> {
  const rows = rowsOf(captured, "packages")
  const wereOpen = new Set(
    numbersOf(
      rows.filter((row) => row["is_restricted"] === 0),
      "id",
    ),
  )
  const left = rows.length - (await relinkPackages(tx, repository, me, { ids: numbersOf(rows, "id"), wereOpen }))
  if (left > 0) counts.set("packages", left)
}
