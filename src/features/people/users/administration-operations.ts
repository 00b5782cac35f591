import { siteAdministratorOnUser } from "../../../access/policies/people.ts"
import { siteAdministrator } from "../../../access/policies/site.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { type AddressOf, listAddresses } from "./addresses-store.ts"
import { createRequestedUser, editRequestedUser } from "./administration.ts"
import { addBadges, removeBadges } from "./badges.ts"
import { findBadgesOf } from "./badges-store.ts"
import { presentUser } from "./present.ts"
import { Badge, CreateUserOption, EditUserOption, Email, RenameUserOption, User, UserBadgeOption, VISIBILITIES } from "./records.ts"
import { renamePerson } from "./rules.ts"
import { listPeople } from "./store.ts"

const shared = { tag: "admin", scope: ["admin"] } as const

const presentAddress = ({ email, is_activated, is_primary, user_id, name }: AddressOf): Email => ({
  email,
  verified: is_activated === 1,
  primary: is_primary === 1,
  user_id,
  username: name,
})

const optionalFilter = (description: string) => Type.Optional(Type.Boolean({ description }))

/** User management by site administrators. */
export const administrationOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "adminSearchUsers",
    route: "GET /admin/users",
    summary: "List and search all users",
    access: siteAdministrator,
    paged: true,
    query: {
      q: Type.Optional(Type.String({ description: "part of the name, the full name or the address" })),
      source_id: Type.Optional(Type.Integer({ format: "int64", description: "authentication source, 0 is the built-in one" })),
      login_name: Type.Optional(Type.String({ description: "name at the external authenticator" })),
      visibility: Type.Optional(oneOf(VISIBILITIES)),
      is_active: optionalFilter("only accounts that are activated, or are not"),
      is_admin: optionalFilter("only site administrators, or all others"),
      is_restricted: optionalFilter("only restricted accounts, or all others"),
      is_2fa_enabled: optionalFilter("only accounts with a second factor, or all others"),
      is_prohibit_login: optionalFilter("only accounts that may not sign in, or all others"),
      sort: Type.Optional(oneOf(["name", "created", "updated", "id"], { default: "name" })),
      order: Type.Optional(oneOf(["asc", "desc"], { default: "asc" })),
    },
    answers: { 200: Type.Array(User) },
    refuses: ["forbidden", "invalid"],
    handle: async ({ db, services, actor, query, page }) => {
      const filter = {
        keyword: query.q?.trim(),
        sourceId: query.source_id,
        loginName: query.login_name,
        visibility: query.visibility,
        isActive: query.is_active,
        isAdmin: query.is_admin,
        isRestricted: query.is_restricted,
        hasTwoFactor: query.is_2fa_enabled,
        prohibitLogin: query.is_prohibit_login,
        sort: query.sort,
        order: query.order,
      }
      const { rows, total } = await listPeople(db, filter, page)
      return listed(
        rows.map((user) => presentUser(services.site, user, actor)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "adminCreateUser",
    route: "POST /admin/users",
    summary: "Create a user",
    access: siteAdministrator,
    body: CreateUserOption,
    answers: { 201: User },
    refuses: ["badRequest", "forbidden", "invalid"],
    handle: async ({ services, me, actor, body }) =>
      created(presentUser(services.site, await createRequestedUser(services, me, body), actor)),
  }),

  operation({
    ...shared,
    id: "adminEditUser",
    route: "PATCH /admin/users/{username}",
    summary: "Edit a user",
    description: "allow_git_hook and allow_import_local are accepted and change nothing: there are neither hook scripts nor local imports.",
    access: siteAdministratorOnUser,
    body: EditUserOption,
    answers: { 200: User },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ services, me, actor, user, body }) =>
      ok(presentUser(services.site, await editRequestedUser(services, me, user, body), actor)),
  }),

  operation({
    ...shared,
    id: "adminRenameUser",
    route: "POST /admin/users/{username}/rename",
    summary: "Rename a user; the old name leads to the new one",
    access: siteAdministratorOnUser,
    body: RenameUserOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, user, body }) => {
      await services.database.write((tx) => renamePerson(tx, user.id, body.new_username, services.now(), me))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminListUserBadges",
    route: "GET /admin/users/{username}/badges",
    summary: "List a user's badges",
    access: siteAdministratorOnUser,
    answers: { 200: Type.Array(Badge) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, user }) => ok(await findBadgesOf(db, { userId: user.id })),
  }),

  operation({
    ...shared,
    id: "adminAddUserBadges",
    route: "POST /admin/users/{username}/badges",
    summary: "Add badges to a user, all or none",
    access: siteAdministratorOnUser,
    body: UserBadgeOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, user, body }) => {
      await services.database.write((tx) => addBadges(tx, me, user, body.badge_slugs))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminDeleteUserBadges",
    route: "DELETE /admin/users/{username}/badges",
    summary: "Remove badges from a user",
    access: siteAdministratorOnUser,
    body: UserBadgeOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, user, body }) => {
      await services.database.write((tx) => removeBadges(tx, me, user, body.badge_slugs))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminGetAllEmails",
    route: "GET /admin/emails",
    summary: "List the e-mail addresses of all users",
    access: siteAdministrator,
    paged: true,
    answers: { 200: Type.Array(Email) },
    refuses: ["forbidden"],
    handle: async ({ db, page }) => {
      const { rows, total } = await listAddresses(db, "", page)
      return listed(rows.map(presentAddress), total)
    },
  }),

  operation({
    ...shared,
    id: "adminSearchEmails",
    route: "GET /admin/emails/search",
    summary: "Search the e-mail addresses of all users",
    access: siteAdministrator,
    paged: true,
    query: { q: Type.Optional(Type.String({ description: "part of the address, the name or the full name" })) },
    answers: { 200: Type.Array(Email) },
    refuses: ["forbidden"],
    handle: async ({ db, query, page }) => {
      const { rows, total } = await listAddresses(db, query.q?.trim() ?? "", page)
      return listed(rows.map(presentAddress), total)
    },
  }),
]
