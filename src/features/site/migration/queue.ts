import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { type SignedIn, signedInAs, type User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { NotYet } from "../../../core/jobs/jobs.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { requireCreatable } from "../../code/lifecycle/establish.ts"
import { opened, type RemoteAddress, readRemote } from "../../code/mirrors/remote.ts"
import type { Import } from "../../code/mirrors/store.ts"
import { faultOfRepositoryName } from "../../code/repositories/names.ts"
import { createEmpty, listReferences } from "./create.ts"
import { importJob } from "./import-job.ts"
import { countUnfinished, findAhead, findImport, insertImport, sealImport, settleImport } from "./imports-store.ts"
import { readPeople } from "./mapping.ts"
import { type ImportChoices, ownerOf, requireImports, selectLfsEndpoint, selectParts, serviceOf } from "./options.ts"
import { WIKI } from "./progress.ts"
import { importSecretContext } from "./secret.ts"

/** Many imports at once: each is a job of its own, and of each person a few go on at the same time. */

export const MOST_ADDRESSES = 200
/** How many imports of one person may be unfinished, and how many of those that were queued go on at once. */
export const MOST_UNFINISHED = 500
const AT_ONCE = 2
/** How long one waits before it looks again whether it is its turn, in seconds. */
const TURN = 5

export interface Several extends ImportChoices {
  /** An address each; behind a space what the repository is to be called here, else its name there. */
  readonly addresses: readonly string[]
}

interface Place {
  readonly target: RemoteAddress
  readonly name: string
}

/**
 * Puts imports into the queue; gives their ids. The repositories come when it is their turn. Refuses `forbidden` where the site allows no imports, `invalid` an
 * address or a name, by its line, and `tooMany` where somebody has too many unfinished ones.
 */
export async function queueImports(services: Services, actor: SignedIn, several: Several): Promise<readonly number[]> {
  const { database, jobs, now, secrets } = services
  requireImports(services)
  const owner = await ownerOf(services, actor, several)
  const parts = selectParts(several)
  const people = await readPeople(database.read, actor, several.people)
  const lfsEndpoint = await selectLfsEndpoint(services, several)
  const places = readPlaces(several)
  return database.write(async (tx) => {
    await requireRoom(tx, actor.user.id, places.length)
    const ids: number[] = []
    for (const { target, name } of places) {
      const { id } = await insertImport(
        tx,
        {
          repository_id: 0,
          doer_id: actor.user.id,
          service: serviceOf(several),
          remote_url: target.url,
          remote_username: target.username,
          lfs: flag(lfsEndpoint !== undefined),
          lfs_endpoint: lfsEndpoint ?? "",
          parts: JSON.stringify(several.wiki ? [WIKI, ...parts] : parts),
          phase: "queued",
          people,
          owner_id: owner.id,
          name,
          is_private: flag(several.private ?? false),
        },
        now(),
      )
      if (target.secret !== "") await sealImport(tx, id, secrets.seal(target.secret, importSecretContext(id)))
      await jobs.enqueue(tx, importJob, { importId: id })
      ids.push(id)
    }
    return ids
  })
}

/** Refuses `tooMany` where somebody's unfinished imports would be too many. */
export async function requireRoom(db: Parameters<typeof countUnfinished.first>[0], doerId: number, more: number): Promise<void> {
  const { count = 0 } = (await countUnfinished.first(db, { doerId })) ?? {}
  if (Number(count) + more > MOST_UNFINISHED)
    throw refuse.tooMany(t`you have ${Number(count)} imports that are not finished, and may have ${MOST_UNFINISHED}; wait, or stop some`)
}

function readPlaces({ addresses, auth_username, auth_password, auth_token }: Several): readonly Place[] {
  const lines = addresses.map((line, index) => ({ line: line.trim(), number: index + 1 })).filter(({ line }) => line !== "")
  if (lines.length === 0) throw refuse.invalid("addresses", "must have an address")
  const names = new Set<string>()
  return lines.map(({ line, number }) => {
    const [address = "", given, ...rest] = line.split(/\s+/)
    const target = readRemote(address, auth_username, auth_token || auth_password)
    if (!target || rest.length > 0)
      throw refuse.invalid("addresses", t`line ${number} must be an http or https address, and perhaps a name`)
    const name = given ?? (new URL(target.url).pathname.split("/").at(-1) ?? "").replace(/\.git$/, "")
    if (faultOfRepositoryName(name) !== undefined)
      throw refuse.invalid("addresses", t`line ${number}: no repository can be called ${name}; write another name behind the address`)
    if (names.has(name.toLowerCase()))
      throw refuse.invalid("addresses", t`line ${number}: another line has the name ${name}; write another name behind the address`)
    names.add(name.toLowerCase())
    return { target, name }
  })
}

/**
 * Creates the repository of a queued import once it is its turn, and gives the import as it is then; undefined where it was stopped meanwhile. Throws NotYet
 * where others are before it, and what is refused when a repository is created.
 */
export async function leaveQueue(services: Services, row: Import, signal: AbortSignal): Promise<Import | undefined> {
  const { database, now } = services
  const db = database.read
  const ahead = await findAhead(db, { doerId: row.doer_id, id: row.id, limit: AT_ONCE })
  if (ahead.length >= AT_ONCE) throw new NotYet("other imports of the same person come first", now() + TURN)
  const { doer, owner } = await requireBoth(services, row)
  const target = opened(services, row, importSecretContext(row.id))
  await requireCreatable(db, services, { doer, owner, name: row.name })
  const listing = await listReferences(services, target, signal)
  const wanted = { doer, owner, name: row.name, target, listing, description: "", isPrivate: row.is_private === 1, isMirror: false }
  let isStopped = false
  await createEmpty(services, {
    ...wanted,
    alongside: async (tx, repositoryId) => {
      isStopped = (await settleImport.changes(tx, { id: row.id, repositoryId, now: now() })) === 0
      if (isStopped) throw new Stopped("the import was stopped")
    },
  }).catch((error: unknown) => {
    if (!(error instanceof Stopped)) throw error
  })
  const settled = isStopped ? undefined : await findImport.first(db, { id: row.id })
  return settled && (await findRepositoryById.first(db, { id: settled.repository_id })) ? settled : undefined
}

/** Who asked for an import, and whose it will be. Rights may have been taken away since it was asked for: refuses `forbidden` or `invalid` then. */
export async function requireBoth(services: Services, row: Import): Promise<{ readonly doer: User; readonly owner: User }> {
  const db = services.database.read
  const doer = await findUserById.first(db, { id: row.doer_id })
  const owner = await findUserById.first(db, { id: row.owner_id })
  if (!doer || doer.is_active === 0 || doer.prohibit_login === 1) throw refuse.forbidden("who asked for it may not sign in any more")
  if (!owner) throw refuse.invalid("repo_owner", "the owner was deleted meanwhile")
  await ownerOf(services, signedInAs(doer), { repo_owner: owner.name })
  return { doer, owner }
}

class Stopped extends Error {
  override readonly name = "Stopped"
}
