import { permissionOn, reaches } from "../../../../access/permission.ts"
import { findMembership, findRepositoryByName, findUserByName } from "../../../../access/store.ts"
import { type Chosen, type Credential, signedInAs, type Task, type User } from "../../../../core/actor.ts"
import type { Handle } from "../../../../core/database/database.ts"
import { refuse } from "../../../../core/errors.ts"
import { t } from "../../../../core/language/message.ts"
import { secondsOf } from "../../../../core/record.ts"
import type { Services } from "../../../../core/services.ts"
import { operationIds } from "../../../../core/task-token.ts"
import { parseGlob } from "../../../../core/text/globs.ts"
import { isToolset } from "../../../../core/toolsets.ts"

/** How far a new token reaches, and for how long. */

/**
 * What a token is limited to, by names; undefined where nothing is named. Refuses `invalid` for repositories that the person can't reach, and for owners other
 * than the person and organisations that they belong to. A repository is kept by its id: it stays chosen when it is renamed or transferred, and no other one of
 * its name ever is.
 */
export async function chosenByNames(db: Handle, person: User, { repositories = [], owners = [] }: Named): Promise<Chosen | undefined> {
  if (repositories.length === 0 && owners.length === 0) return undefined
  const [repositoryIds, ownerIds] = [new Set<number>(), new Set<number>()]
  for (const name of repositories) repositoryIds.add(await reachableBy(db, person, name))
  for (const name of owners) ownerIds.add(await ownerFor(db, person, name))
  return { repositoryIds: [...repositoryIds], ownerIds: [...ownerIds] }
}

interface Named {
  readonly repositories?: readonly string[] | undefined
  readonly owners?: readonly string[] | undefined
}

async function reachableBy(db: Handle, person: User, fullName: string): Promise<number> {
  const [ownerName = "", name = "", ...more] = fullName.trim().toLowerCase().split("/")
  const owner = more.length === 0 && name !== "" ? await findUserByName.first(db, { lowerName: ownerName }) : undefined
  const repository = owner && (await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: name }))
  if (!owner || !repository || !reaches(await permissionOn(db, signedInAs(person), { repository, owner })))
    throw refuse.invalid("repositories", t`there is no repository ${fullName.trim()}`)
  return repository.id
}

async function ownerFor(db: Handle, person: User, name: string): Promise<number> {
  const owner = await findUserByName.first(db, { lowerName: name.trim().toLowerCase() })
  const isMember = async (id: number) => (await findMembership.first(db, { organizationId: id, userId: person.id })) !== undefined
  if (owner && (owner.id === person.id || (owner.kind === "organization" && (await isMember(owner.id))))) return owner.id
  throw refuse.invalid("owners", t`${name.trim()} is neither you nor an organization that you belong to`)
}

/**
 * When a new token ends, in seconds since 1970; 0 for never. Refuses `invalid` for a time that can't be read, is past, or is later than the site allows, and
 * `forbidden` for one later than the end of the token that the request was made with.
 */
export function expiryOf(
  { config, now }: Pick<Services, "config" | "now">,
  wanted: string | undefined,
  by: Credential | undefined,
): number {
  const moment = now()
  const most = config.security.tokenSeconds === 0 ? undefined : moment + config.security.tokenSeconds
  const makersEnd = by?.kind === "token" ? by.expiresAt : undefined
  if (wanted === undefined || wanted === "") return Math.min(...[most, makersEnd].filter((end) => end !== undefined), NEVER) % NEVER
  const at = secondsOf(wanted)
  if (at === undefined) throw refuse.invalid("expires_at", "must be a time such as 2027-01-31T12:00:00Z")
  if (at <= moment) throw refuse.invalid("expires_at", "must be in the future")
  if (most !== undefined && at > most)
    throw refuse.invalid("expires_at", t`must be at most ${Math.floor(config.security.tokenSeconds / DAY)} days from now`)
  if (makersEnd !== undefined && at > makersEnd)
    throw refuse.forbidden("cannot create an access token that outlives the authenticating token")
  return at
}

interface Wished extends Named {
  readonly branches?: readonly string[] | undefined
  readonly operations?: readonly string[] | undefined
  readonly writes?: number | undefined
  readonly expires_at?: string | undefined
}

/**
 * The task that a token is for, where one is described. Refuses `invalid` where it has no end and where no repository or owner is chosen, for patterns that can't be
 * read, and for operations and toolsets that there are not.
 */
export function taskFrom(services: Services, { branches = [], operations = [], writes, ...rest }: Wished): Omit<Task, "name"> | undefined {
  if (branches.length === 0 && operations.length === 0 && writes === undefined) return undefined
  if (!rest.expires_at) throw refuse.invalid("expires_at", "is required for a token for one task")
  if (!rest.repositories?.length && !rest.owners?.length) throw refuse.invalid("repositories", "is required for a token for one task")
  const unreadable = branches.find((pattern) => /[\s\0]/.test(pattern) || parseGlob(pattern, { separator: "/" }) === undefined)
  if (unreadable !== undefined) throw refuse.invalid("branches", t`${unreadable} is no pattern such as bot/*`)
  const known = new Set<string>(["git.fetch", "git.push"])
  for (const ids of operationIds.of(services)) for (const id of ids()) known.add(id)
  const unknown = operations.find((name) => !isToolset(name) && !known.has(name))
  if (unknown !== undefined) throw refuse.invalid("operations", t`there is no operation or toolset ${unknown}`)
  return { branches, operations, ...(writes !== undefined && { writes }) }
}

const DAY = 86_400
const NEVER = Number.MAX_SAFE_INTEGER
