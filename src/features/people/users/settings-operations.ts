import { signedIn } from "../../../access/policies/site.ts"
import type { User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { dropAvatar, storeAvatar } from "../avatars/pictures.ts"
import { type Address, addAddresses, removeAddresses } from "./addresses.ts"
import { findAddressesOf } from "./addresses-store.ts"
import {
  CreateEmailOption,
  DEFAULT_THEME,
  DeleteEmailOption,
  Email,
  UpdateUserAvatarOption,
  UserSettings,
  UserSettingsOptions,
} from "./records.ts"
import { changePerson, type PersonChanges } from "./rules.ts"

const shared = { tag: "user", scope: ["user"], access: signedIn, publicOnly: "refused" } as const

export const presentSettings = (user: User): UserSettings => ({
  full_name: user.full_name,
  website: user.website,
  description: user.description,
  location: user.location,
  language: user.language,
  theme: user.theme || DEFAULT_THEME,
  diff_view_style: user.diff_view_style,
  hide_email: user.hide_email === 1,
  hide_activity: user.hide_activity === 1,
})

/** The caller's own addresses; clients expect these two members to be empty. */
const presentOwn = ({ email, is_activated, is_primary }: Address): Email => ({
  email,
  verified: is_activated === 1,
  primary: is_primary === 1,
  user_id: 0,
  username: "",
})

const changeMe = (services: Services, me: User, changes: PersonChanges): Promise<User> =>
  services.database.write((tx) => changePerson(tx, me.id, changes, { now: services.now(), actor: me }))

async function showPicture(services: Services, me: User, avatar: string): Promise<void> {
  await changeMe(services, me, { avatar })
  if (me.avatar !== avatar) await dropAvatar(services, me.avatar)
}

/** The caller's own settings. */
export const settingsOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "getUserSettings",
    route: "GET /user/settings",
    summary: "Get the caller's settings",
    answers: { 200: UserSettings },
    handle: ({ me }) => ok(presentSettings(me)),
  }),

  operation({
    ...shared,
    id: "updateUserSettings",
    route: "PATCH /user/settings",
    summary: "Edit the caller's settings",
    body: UserSettingsOptions,
    answers: { 200: UserSettings },
    refuses: ["invalid"],
    handle: async ({ services, me, body }) => {
      const { full_name, website, description, location, language, theme, diff_view_style, hide_email, hide_activity } = body
      const texts = { full_name, website, description, location, language, theme, diff_view_style }
      const flags = {
        hide_email: hide_email === undefined ? undefined : flag(hide_email),
        hide_activity: hide_activity === undefined ? undefined : flag(hide_activity),
      }
      return ok(presentSettings(await changeMe(services, me, { ...texts, ...flags })))
    },
  }),

  operation({
    ...shared,
    id: "userListEmails",
    route: "GET /user/emails",
    summary: "List the caller's e-mail addresses, the primary one first",
    answers: { 200: Type.Array(Email) },
    handle: async ({ db, me }) => ok((await findAddressesOf(db, { userId: me.id })).map(presentOwn)),
  }),

  operation({
    ...shared,
    id: "userAddEmail",
    route: "POST /user/emails",
    summary: "Add e-mail addresses, all or none",
    description: "Where the site sends mail, an address counts once it is confirmed by the link that is sent to it.",
    body: CreateEmailOption,
    answers: { 201: Type.Array(Email) },
    refuses: ["invalid"],
    handle: async ({ services, me, body }) => {
      const addresses = await services.database.write((tx) => addAddresses(tx, services, me.id, body.emails))
      return created(addresses.map(presentOwn))
    },
  }),

  operation({
    ...shared,
    id: "userDeleteEmail",
    route: "DELETE /user/emails",
    summary: "Remove e-mail addresses, all or none",
    body: DeleteEmailOption,
    answers: { 204: null },
    refuses: ["notFound", "invalid"],
    handle: async ({ services, me, body }) => {
      await services.database.write((tx) => removeAddresses(tx, me.id, body.emails))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "userUpdateAvatar",
    route: "POST /user/avatar",
    summary: "Set the caller's avatar",
    description: "A PNG, JPEG, GIF or WebP of at most 1 MiB and 4096 pixels on either side.",
    body: UpdateUserAvatarOption,
    answers: { 204: null },
    refuses: ["badRequest", "invalid"],
    handle: async ({ services, me, body }) => {
      await storeAvatar(services, body.image, (digest) => showPicture(services, me, digest))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "userDeleteAvatar",
    route: "DELETE /user/avatar",
    summary: "Delete the caller's avatar",
    answers: { 204: null },
    handle: async ({ services, me }) => {
      await showPicture(services, me, "")
      return noContent()
    },
  }),
]
