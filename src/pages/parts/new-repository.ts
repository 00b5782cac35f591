import type { User } from "../../core/actor.ts"
import { memberOf } from "../../core/check.ts"
import type { Handle } from "../../core/database/database.ts"
import { t } from "../../core/language/message.ts"
import { findOrganizationsToCreateIn } from "../../features/people/organizations/store.ts"
import { path } from "../../web/address.ts"
import type { Field } from "../../web/form.ts"

/** What the forms that make a repository share. */

const MOST = 200

/** `wanted` is the name of the owner to begin with, by default the person themselves. */
export async function ownerField(db: Handle, me: User, name: string, wanted = me.name): Promise<Field> {
  const organizations = await findOrganizationsToCreateIn(db, { userId: me.id, limit: MOST })
  const names = [me.name, ...organizations.map((each) => each.name)]
  const value = names.find((each) => each.toLowerCase() === wanted.toLowerCase()) ?? me.name
  return { kind: "menu", name, label: t("Owner"), value, options: names.map((each) => [each, each]) }
}

/** Where a repository that was just made is, from its record. */
export const addressOfMade = ({ record }: { readonly record: unknown }): string => path(...String(memberOf(record, "full_name")).split("/"))

/** What every new repository is asked for. */
export const identity: readonly Field[] = [
  {
    kind: "line",
    name: "name",
    label: t("Name"),
    required: true,
    autofocus: true,
    maxlength: 100,
    hint: t("Letters, digits, hyphens, underscores and dots."),
  },
  { kind: "line", name: "description", label: t("Description"), maxlength: 2048 },
  { kind: "box", name: "private", label: t("Private"), hint: t("Only people with access can see it.") },
]
