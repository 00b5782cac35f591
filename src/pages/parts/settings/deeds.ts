import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { type Page, page } from "../../../core/page.ts"
import { tokenOf } from "../../../features/people/sign-in/credentials/operations.ts"
import { organizationSettings } from "../../organization/settings-frame.ts"
import { settingsPage } from "../../repository/settings/frame.ts"
import { personalSettings, SETTINGS_PATH } from "../../user/settings/frame.ts"

/** What tokens for one task have changed: those of one's own, and those of everyone in a repository or an organisation. */

/** Loaded when one of them is first asked for. */
const deeds: typeof import("./deeds-view.ts").deeds = async (...given) => (await import("./deeds-view.ts")).deeds(...given)

const about = t("Changes that were made with access tokens for one task, and those that were refused. Newest first.")

export const deedPages: readonly Page[] = [
  page({
    id: "personal.tokenDeeds",
    address: `GET ${SETTINGS_PATH}/applications/{id}/deeds`,
    access: signedIn,
    answer: async (call) => {
      const token = await tokenOf(call.db, call.me, String(call.path.id))
      return personalSettings({
        part: "tokens",
        title: t("What was done with {name}", { name: token.name }),
        body: html`
          <h1>${t("What was done with {name}", { name: token.name })}</h1>
          <p class="muted">${about}</p>
          ${await deeds(call, { tokenId: token.id })}
        `,
      })
    },
  }),
  page({
    id: "settings.tokenDeeds",
    address: "GET /{owner}/{repo}/settings/token-deeds",
    access: onRepositoryAsAdministrator,
    answer: async (call) =>
      settingsPage(call, {
        part: "deeds",
        title: t("Changes by tokens"),
        body: html`
          <h1>Changes by tokens</h1>
          <p class="muted">${about}</p>
          ${await deeds(call, { repositoryId: call.repository.id })}
        `,
      }),
  }),
  page({
    id: "organization.tokenDeeds",
    address: "GET /org/{org}/settings/token-deeds",
    access: onOrganizationAsOwner,
    answer: async (call) =>
      organizationSettings(call.organization, {
        part: "deeds",
        title: t("Changes by tokens"),
        body: html`
          <h1>Changes by tokens</h1>
          <p class="muted">${about}</p>
          ${await deeds(call, { ownerId: call.organization.id })}
        `,
      }),
  }),
]
