import { findUserByName } from "../access/store.ts"
import type { User } from "../core/actor.ts"
import type { Services } from "../core/services.ts"
import { CommandFailed } from "./failure.ts"
import { personNamed } from "./installation.ts"

/** Who gets what is imported, and in whose name it comes. */
export interface Whose {
  readonly owner: User
  readonly doer: User
}

export async function whose({ database }: Services, { owner: name, as }: { readonly owner: string; readonly as?: string }): Promise<Whose> {
  const owner = await findUserByName.first(database.read, { lowerName: name.toLowerCase() })
  if (!owner) throw new CommandFailed(`There is no account ${name}.`, "`hearth user list` shows who there is.")
  if (as === undefined && owner.kind !== "person")
    throw new CommandFailed(
      `${owner.name} is an organisation.`,
      "Say with --as in whose name: one of its owners, or an administrator of the site.",
    )
  return { owner, doer: as === undefined ? owner : await personNamed(database.read, as) }
}
