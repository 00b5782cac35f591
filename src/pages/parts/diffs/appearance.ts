import { signedIn } from "../../../access/policies/site.ts"
import { form } from "../../../core/forms/form.ts"
import { attribute, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { presentSettings, settingsOperations } from "../../../features/people/users/settings-operations.ts"
import { buttonForm } from "../../../web/components.ts"
import { DIFF_CHOICES_PATH, readDiffChoices } from "../../../web/diff-choices.ts"
import { type Field, formView } from "../../../web/form.ts"
import { THEME_PATH } from "../../../web/layout.ts"
import { personalSettings, SETTINGS_PATH } from "../../user/settings/frame.ts"
import { choiceForm } from "./choices.ts"

const APPEARANCE = `${SETTINGS_PATH}/appearance` as const

const ofAccount: readonly Field[] = [
  {
    kind: "menu",
    name: "theme",
    label: t("Colors"),
    options: [
      ["gitea-auto", t("Same as system")],
      ["gitea-light", t("Light")],
      ["gitea-dark", t("Dark")],
    ],
  },
  {
    kind: "menu",
    name: "diff_view_style",
    label: t("Differences"),
    options: [
      ["", t("As usual")],
      ["unified", t("Unified: one below the other")],
      ["split", t("Split: side by side")],
    ],
  },
]

const OF_BROWSER = [
  ["", t("Account default")],
  ["auto", t("System")],
  ["light", t("Light")],
  ["dark", t("Dark")],
] as const

const appearance: Page = page({
  id: "personal.appearance",
  address: `GET ${APPEARANCE}`,
  access: signedIn,
  answer: ({ me, reader, draft }) =>
    personalSettings({
      part: "appearance",
      title: t("Appearance"),
      body: html`
        <h1>Appearance</h1>
        <h2 id="account">On all devices</h2>
        ${formView(edit, { record: presentSettings(me), draft, submit: t("Save"), fields: ofAccount })}
        <h2 id="browser">In this browser</h2>
        <p class="muted">Overrides your account’s setting, in this browser only.</p>
        <form class="bar" method="post" action="${THEME_PATH}" aria-label="Colours in this browser">
          <span>Colors</span>
          <div class="group" role="group" aria-label="Colors">
            ${OF_BROWSER.map(
              ([value, text]) =>
                html`
                  <button
                    class="small"
                    name="theme"
                    value="${value}"
                    ${attribute("aria-pressed", value === (reader.kept.theme ?? "") ? "true" : "false")}
                  >
                    ${text}
                  </button>
                `,
            )}
          </div>
        </form>
        <div class="bar">
          <span>Differences</span>${choiceForm(readDiffChoices(reader.diffs))}
          ${buttonForm(DIFF_CHOICES_PATH, t("Account default"), { forget: "true" })}
        </div>
      `,
    }),
})

const edit = form({
  id: "personal.editAppearance",
  address: `POST ${APPEARANCE}`,
  does: named(settingsOperations, "updateUserSettings"),
  on: appearance,
  takes: ["theme", "diff_view_style"],
  done: t("Saved."),
})

/** How a person wants pages to look. */
export const appearancePages: readonly Page[] = [appearance, edit]
