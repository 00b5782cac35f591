import type { Insertable } from "kysely"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { UsersTable } from "../../../core/database/tables/people.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { deleteRedirects, insertRedirect, insertUser, renameUser } from "./accounts-store.ts"
import { requireAccountName } from "./names.ts"

/** What users and organisations share: the table, and with it one namespace. */

const BLANK = {
  full_name: "",
  email: "",
  description: "",
  location: "",
  website: "",
  language: "",
  theme: "",
  diff_view_style: "",
  visibility: "public",
  avatar: "",
  last_login_at: 0,
  password_hash: "",
  credentials_version: 1,
  login_name: "",
  source_id: 0,
  is_admin: 0,
  is_active: 1,
  is_restricted: 0,
  prohibit_login: 0,
  must_change_password: 0,
  hide_email: 0,
  hide_activity: 0,
  allow_create_organization: 1,
  max_repositories: -1,
  repo_admin_change_team_access: 0,
  followers_count: 0,
  following_count: 0,
  stars_count: 0,
  repositories_count: 0,
  has_second_factor: 0,
  lacks_required_factor: 0,
  second_factor_due_at: 0,
  requires_second_factor: 0,
} as const satisfies Partial<Insertable<UsersTable>>

/** The signed-in user who acts; undefined at the command line. */
export type Acting = Pick<User, "id"> | undefined

type NewAccount = Pick<UsersTable, "kind" | "name" | "created_at" | "updated_at"> & Partial<Omit<Insertable<UsersTable>, "lower_name">>

/**
 * Inserts the row of a user or an organisation; columns that are not given are blank. Deletes a redirect from the name.
 * Refuses as `invalid`, for `field`, an invalid or taken name.
 */
export async function insertAccount(tx: Transaction, account: NewAccount, field: string): Promise<User> {
  requireAccountName(account.name, field)
  const lowerName = account.name.toLowerCase()
  await deleteRedirects(tx, [lowerName])
  return refusingTaken(field, account.name, () => insertUser(tx, { ...BLANK, ...account, lower_name: lowerName }))
}

/**
 * Renames a user or an organisation; the old name redirects to it from then on. A change of letter case alone is a rename too.
 * Refuses as `invalid`, for `field`, an invalid or taken name.
 */
export async function renameAccount(
  tx: Transaction,
  account: User,
  { name, field, now, actor }: { readonly name: string; readonly field: string; readonly now: Seconds; readonly actor: Acting },
): Promise<User> {
  requireAccountName(name, field)
  if (name === account.name) return account
  const lowerName = name.toLowerCase()
  const renamed = await refusingTaken(field, name, () => renameUser(tx, { name, lowerName, now, id: account.id }))
  if (lowerName !== account.lower_name) {
    await deleteRedirects(tx, [lowerName, account.lower_name])
    await insertRedirect(tx, { lowerName: account.lower_name, userId: account.id })
  }
  const renaming = { from: account.name, actor, at: now }
  if (account.kind === "person") publish(tx, { kind: "user.renamed", user: renamed, ...renaming })
  else publish(tx, { kind: "organization.renamed", organization: renamed, ...renaming })
  return renamed
}

async function refusingTaken(field: string, name: string, write: () => Promise<User>): Promise<User> {
  try {
    return await write()
  } catch (error) {
    if (isUniqueViolation(error, ["users.lower_name"])) throw refuse.invalid(field, t`${name} is taken; choose another name`)
    throw error
  }
}
