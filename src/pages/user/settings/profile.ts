import { signedIn } from "../../../access/policies/site.ts"
import type { User } from "../../../core/actor.ts"
import { form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { LANGUAGES, languageOf } from "../../../core/language/languages.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { presentSettings, settingsOperations } from "../../../features/people/users/settings-operations.ts"
import { path } from "../../../web/address.ts"
import { avatar } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { personalSettings } from "./frame.ts"

const about: readonly Field[] = [
  { kind: "line", name: "full_name", label: t("Name"), hint: t("Shown beside your user name."), maxlength: 100, autocomplete: "name" },
  { kind: "text", name: "description", label: t("About you"), rows: 3 },
  { kind: "line", name: "location", label: t("Location"), maxlength: 50 },
  { kind: "line", name: "website", label: t("Website"), type: "url", maxlength: 255, placeholder: "https://…", autocomplete: "url" },
  {
    kind: "menu",
    name: "language",
    label: t("Language"),
    options: [["", t("As in the browser")], ...Object.entries(LANGUAGES)],
  },
  {
    kind: "group",
    label: t("Privacy"),
    fields: [
      { kind: "box", name: "hide_email", label: t("Hide my e-mail address"), hint: t("Others see a no-reply address instead.") },
      {
        kind: "box",
        name: "hide_activity",
        label: t("Hide my activity"),
        hint: t("Your activity is hidden from feeds, and so is your heatmap."),
      },
    ],
  },
]

const settingsOf = (me: User) => ({ ...presentSettings(me), language: languageOf(me.language) ?? "" })

const profile: Page = page({
  id: "personal.profile",
  address: "GET /user/settings",
  access: signedIn,
  answer: ({ me, draft }) =>
    personalSettings({
      part: "profile",
      title: t("Profile"),
      body: html`
        <h1>Profile</h1>
        <p><a href="${path(me.name)}">View public profile</a></p>
        ${formView(edit, { record: settingsOf(me), draft, submit: t("Save"), fields: about })}
        <h2 id="picture">Picture</h2>
        <p>${avatar(me, 96)}</p>
        ${formView(upload, {
          draft,
          submit: t("Upload"),
          look: "plain",
          fields: [
            {
              kind: "file",
              name: "image",
              label: t("New avatar"),
              accept: "image/png,image/jpeg,image/gif,image/webp",
              hint: t("PNG, JPEG, GIF or WebP of at most 1 MiB and 4096 pixels on either side."),
            },
          ],
        })}
        ${me.avatar !== "" && formButton(dropPicture, {}, t("Remove avatar"))}
      `,
    }),
})

const edit = form({
  id: "personal.editProfile",
  address: "POST /user/settings",
  does: named(settingsOperations, "updateUserSettings"),
  on: profile,
  takes: ["full_name", "description", "location", "website", "language", "hide_email", "hide_activity"],
  done: t("Saved."),
})

const upload = form({
  id: "personal.picture",
  address: "POST /user/settings/avatar",
  does: named(settingsOperations, "userUpdateAvatar"),
  on: profile,
  picture: "image",
  done: t("Avatar updated."),
})

const dropPicture = form({
  id: "personal.dropPicture",
  address: "POST /user/settings/avatar/delete",
  does: named(settingsOperations, "userDeleteAvatar"),
  on: profile,
  done: t("Avatar removed."),
})

/** What others see of a person, as they change it themselves. */
export const profileSettingsPages: readonly Page[] = [profile, edit, upload, dropPicture]
