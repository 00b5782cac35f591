import type { User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { findOrganizationsToCreateIn } from "../../features/people/organizations/store.ts"
import type { Field } from "../../web/form.ts"

/** For whom somebody can make a repository, as a field of the forms that make one. */

const MOST = 200

/** `wanted` is the name of the owner to begin with, by default the person themselves. */
export async function ownerField(db: Handle, me: User, name: string, wanted = me.name): Promise<Field> {
  const organizations = await findOrganizationsToCreateIn(db, { userId: me.id, limit: MOST })
  const names = [me.name, ...organizations.map((each) => each.name)]
  const value = names.find((each) => each.toLowerCase() === wanted.toLowerCase()) ?? me.name
  return { kind: "menu", name, label: "Owner", value, options: names.map((each) => [each, each]) }
}
