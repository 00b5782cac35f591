import { roleIn } from "../../../access/policies/organization-role.ts"
import { userVisible } from "../../../access/policies/people.ts"
import { findUserById, findUserByName } from "../../../access/store.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { MigrateRepoOptions } from "../../code/mirrors/records.ts"
import { RemoteRefused, reach, readRemote } from "../../code/mirrors/remote.ts"
import { servicesWithRecords } from "./origins/index.ts"
import type { Kind } from "./origins/model.ts"

/** What may be chosen of an import, whether of one or of several. */

export type ImportChoices = Partial<Omit<MigrateRepoOptions, "clone_addr" | "repo_name">>

/** Refuses `forbidden` where the site allows no imports. */
export function requireImports({ config }: Services): void {
  if (!config.migrations.enabled) throw refuse.forbidden("the site does not allow migrations")
}

/** The parts that only they provide. */
const RECORDS = ["issues", "labels", "milestones", "pull_requests", "releases"] as const

// The Go SDK sends an empty one where its caller names none.
export const serviceOf = ({ service }: ImportChoices): string => service || "git"

/**
 * The parts to import besides git. Mirrors and plain git have none, but existing clients send these options all the same. Refuses `invalid` parts that only
 * another kind of server provides.
 */
export function selectParts(options: ImportChoices): readonly Kind[] {
  const { mirror = false } = options
  const service = serviceOf(options)
  const selected = RECORDS.filter((part) => options[part] === true)
  const isSame = servicesWithRecords.includes(service)
  if (mirror || service === "git") return isSame ? ["topics"] : []
  if (!isSame && selected[0] !== undefined)
    throw refuse.invalid(
      selected[0],
      t`can be brought only from ${servicesWithRecords.join(" or ")}, not from ${service}; leave this out, or send false`,
    )
  if (!isSame) return []
  const has = (part: Kind) => selected.some((word) => word === part)
  return [
    "topics",
    ...selected,
    ...(has("issues") || has("pull_requests") ? ["comments" as const] : []),
    ...(has("pull_requests") ? ["reviews" as const] : []),
    ...(has("issues") ? ["boards" as const] : []),
    ...(has("pull_requests") ? ["branch_rules" as const] : []),
    ...(has("releases") ? ["release_files" as const] : []),
  ]
}

/** The source of large files, "" for where Git LFS looks for them; undefined where none are wanted. Refuses `invalid` an impossible source. */
export async function selectLfsEndpoint(
  services: Services,
  { lfs = false, lfs_endpoint: given = "" }: ImportChoices,
): Promise<string | undefined> {
  if (!lfs) return undefined
  if (!services.config.lfs.enabled) throw refuse.invalid("lfs", "this site keeps no large files; leave this out, or send false")
  if (given === "") return ""
  const endpoint = readRemote(given)
  if (endpoint?.username !== "" || endpoint.secret !== "")
    throw refuse.invalid("lfs_endpoint", "must be an http or https address without credentials")
  await reach(services, endpoint).catch((error: unknown) => {
    throw error instanceof RemoteRefused ? refuse.invalid("lfs_endpoint", error.message) : error
  })
  return endpoint.url
}

/** The future owner. An owner that the caller may not see counts as unknown. */
export async function ownerOf(
  { database: { read: db } }: Services,
  actor: SignedIn,
  { repo_owner: name, uid }: ImportChoices,
): Promise<User> {
  const me = actor.user
  if ((name === undefined || name === "") && (uid === undefined || uid === 0)) return me
  const field = name ? "repo_owner" : "uid"
  const found = name ? await findUserByName.first(db, { lowerName: name.toLowerCase() }) : await findUserById.first(db, { id: uid ?? 0 })
  if (!found || !(await userVisible(db, actor, found))) throw refuse.invalid(field, "there is no one of that name")
  const isOwner = found.kind === "organization" ? (await roleIn(db, actor, found)).isOwner : found.id === me.id || me.is_admin === 1
  if (!isOwner)
    throw refuse.forbidden(
      found.kind === "organization" ? "Given user is not owner of organization." : "Given user is not an organization.",
    )
  return found
}
