import type { Updateable } from "kysely"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import type { UsersTable, Visibility } from "../../../core/database/tables/people.ts"
import { refuse } from "../../../core/errors.ts"
import { changedColumns } from "../../../core/events/changed.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { type Acting, insertAccount, renameAccount } from "./accounts.ts"
import { updateUser } from "./accounts-store.ts"
import { addAddress } from "./addresses.ts"
import { confirmPrimaryAddress } from "./addresses-store.ts"
import { countOtherAdministrators, deleteSessionsOf, lockAdministrators, lockUser } from "./store.ts"

export interface NewPerson {
  readonly name: string
  readonly email: string
  /** From `services.passwords.hash`, made before the transaction; with "" there is no sign-in by password. */
  readonly passwordHash: string
  readonly fullName?: string | undefined
  readonly isAdmin?: boolean | undefined
  readonly isActive?: boolean | undefined
  readonly mustChangePassword?: boolean | undefined
  readonly restricted?: boolean | undefined
  readonly visibility?: Visibility | undefined
  readonly allowCreateOrganization?: boolean | undefined
  readonly loginName?: string | undefined
  readonly sourceId?: number | undefined
  /** When the account was created elsewhere; `now` by default. */
  readonly createdAt?: Seconds | undefined
  readonly now: Seconds
  readonly actor?: Acting
}

/**
 * Creates a user with a primary address; a user who isn't active yet has to confirm it. Refuses as `invalid`, for `username` or `email`, an
 * invalid or taken name or address.
 */
export async function createPerson(tx: Transaction, person: NewPerson): Promise<User> {
  const { email, now } = person
  const user = await insertAccount(
    tx,
    {
      kind: "person",
      name: person.name,
      full_name: person.fullName ?? "",
      email,
      visibility: person.visibility ?? "public",
      created_at: person.createdAt ?? now,
      updated_at: now,
      password_hash: person.passwordHash,
      login_name: person.loginName ?? "",
      source_id: person.sourceId ?? 0,
      is_admin: flag(person.isAdmin ?? false),
      is_active: flag(person.isActive ?? true),
      is_restricted: flag(person.restricted ?? false),
      must_change_password: flag(person.mustChangePassword ?? false),
      allow_create_organization: flag(person.allowCreateOrganization ?? true),
    },
    "username",
  )
  await addAddress(tx, { userId: user.id, email, primary: true, confirmed: user.is_active === 1, now }, "email")
  publish(tx, { kind: "user.created", user, actor: person.actor, at: now })
  return user
}

/** Columns that can be changed independently; names and addresses have rules of their own. */
export type PersonChanges = Updateable<
  Pick<
    UsersTable,
    | "full_name"
    | "website"
    | "description"
    | "location"
    | "language"
    | "theme"
    | "diff_view_style"
    | "hide_email"
    | "hide_activity"
    | "visibility"
    | "avatar"
    | "password_hash"
    | "must_change_password"
    | "login_name"
    | "source_id"
    | "is_admin"
    | "is_active"
    | "prohibit_login"
    | "is_restricted"
    | "allow_create_organization"
    | "max_repositories"
  >
>

/** A change of these voids remembered sign-ins. */
const CREDENTIALS = ["password_hash", "must_change_password", "login_name", "source_id", "is_admin", "is_active", "prohibit_login"] as const

/**
 * Changes the members that are given; undefined leaves a member as it is. Tokens outlive a new password.
 * Refuses `badRequest` where the site would have no administrator left, `notFound` for a deleted user.
 */
export async function changePerson(
  tx: Transaction,
  id: number,
  changes: PersonChanges,
  { now, actor }: { readonly now: Seconds; readonly actor: Acting },
): Promise<User> {
  const user = await lockUser(tx, id)
  requirePerson(user)
  const { is_admin = user.is_admin, is_active = user.is_active, prohibit_login = user.prohibit_login } = changes
  const stays = is_admin === 1 && is_active === 1 && prohibit_login === 0
  if (!stays && (await isLastAdministrator(tx, user)))
    throw refuse.badRequest(t`${user.name} is the last administrator who can sign in; make someone else an administrator first`)
  // From here on only administrators deactivate the account, and its address can't be used to undo that.
  if (is_active === 1 && user.is_active === 0) await confirmPrimaryAddress(tx, { userId: user.id })
  const touched = CREDENTIALS.some((column) => changes[column] !== undefined && changes[column] !== user[column])
  const edited = await updateUser(tx, { id: user.id, changes, now, isVoid: touched })
  if (edited.password_hash !== user.password_hash || edited.is_active < user.is_active || edited.prohibit_login > user.prohibit_login)
    await deleteSessionsOf.changes(tx, { userId: user.id })
  const changed = changedColumns(user, edited)
  if (changed.length > 0) publish(tx, { kind: "user.edited", user: edited, changed, actor, at: now })
  return edited
}

/**
 * Renames a user; the old name redirects to the new one from then on. Refuses as `invalid`, for `new_username`, an invalid or taken name; as
 * `notFound` a deleted user.
 */
export async function renamePerson(tx: Transaction, id: number, name: string, now: Seconds, actor: Acting): Promise<User> {
  const user = await lockUser(tx, id)
  requirePerson(user)
  return renameAccount(tx, user, { name, field: "new_username", now, actor })
}

/** Refuses an organisation, as `invalid`, where only users are allowed. */
export function requirePerson(user: User): void {
  if (user.kind !== "person") throw refuse.invalid("username", t`${user.name} is an organization, not a user`)
}

/** Whether the user is the only administrator of the site. If several give up the role at once, the last one is refused. */
export async function isLastAdministrator(tx: Transaction, user: User): Promise<boolean> {
  if (user.is_admin === 0 || user.is_active === 0 || user.prohibit_login === 1) return false
  await lockAdministrators(tx)
  return (await countOtherAdministrators.first(tx, { id: user.id }))?.total === 0
}
