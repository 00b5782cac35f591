import { type Actor, jobOf, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import { t } from "../../core/language/message.ts"
import type { Access, Request } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { type PackageRights, packageRights } from "../permission.ts"
import { locateUser } from "./people.ts"
import { asMe, type Me } from "./site.ts"

export interface OnPackages {
  /** The owner of the packages. */
  readonly owner: User
  readonly rights: PackageRights
}

/** The packages of the account of that name; one that the caller may not see is missing, an older name leads to the newer. */
export async function locatePackages(db: Handle, actor: Actor, name: string): Promise<OnPackages> {
  const owner = await locateUser(db, actor, name, "owner")
  const rights = await packageRights(db, actor, owner)
  if (rights.mode < Mode.read) throw refuse.notFound()
  return { owner, rights }
}

/** Refuses `forbidden` unless the caller may change the owner's packages. */
export function requirePackageWriter({ owner, rights }: OnPackages): void {
  if (rights.mode < Mode.write) throw refuse.forbidden(t`you may not write to the packages of ${owner.name}`)
}

/** Refuses `forbidden` the token of a job for a package that is not linked to the repository of the job. */
export function requireOfJob(actor: Actor, repositoryId: number | null): void {
  const job = jobOf(actor)
  if (job && job.repositoryId !== repositoryId)
    throw refuse.forbidden("the token of a job can only change packages that are linked to its repository")
}

const policy = (needs: "packages:read" | "packages:write"): Access<OnPackages & Me> => ({
  rule: { subject: "organization", needs, signIn: "required", asksFirst: true },
  open: async ({ db, actor, path }: Request) => {
    const me = asMe(actor)
    const found = await locatePackages(db, actor, path["owner"] ?? "")
    if (needs === "packages:write") requirePackageWriter(found)
    return { ...me, ...found }
  },
})

/** The packages of the path's {owner}, person or organisation. Clients expect that anonymous callers are refused, also where all is public. */
export const onPackages = policy("packages:read")
export const onPackagesAsWriter = policy("packages:write")

/** The packages of the path's {owner} for callers who may see the owner: pages show everyone what is public. */
export const onVisiblePackages: Access<OnPackages> = {
  rule: { subject: "organization", needs: "packages:read", signIn: "optional" },
  open: ({ db, actor, path }) => locatePackages(db, actor, path["owner"] ?? ""),
}
