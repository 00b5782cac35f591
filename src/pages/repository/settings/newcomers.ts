import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { newcomerOperations } from "../../../features/review/newcomers/operations.ts"
import { repositoryPath } from "../../../web/address.ts"
import { formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { ruleBody, ruleFields, ruleRecord } from "../../parts/held.ts"
import { settingsPage } from "./frame.ts"

const newcomers: Page = page({
  id: "settings.newcomers",
  address: "GET /{owner}/{repo}/settings/newcomers",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { presentRules } = await import("../../../features/planning/newcomers/present.ts")
    const record = ruleRecord(presentRules(call.services.config, call.repository, call.owner))
    return settingsPage(call, {
      part: "newcomers",
      title: t("Newcomers"),
      body: html`
        <h1>Newcomers</h1>
        <p class="bar"><a class="button" href="${repositoryPath(call)}/held">${icon("hourglass")}Waiting for approval</a></p>
        ${formView(edit, { path: call.path, record, draft: call.draft, submit: t("Save"), fields: ruleFields })}
      `,
    })
  },
})

const edit = form({
  id: "settings.editNewcomers",
  address: "POST /{owner}/{repo}/settings/newcomers",
  does: named(newcomerOperations, "repoEditNewcomerRules"),
  on: newcomers,
  also: ["mode", "days", "per_day"],
  body: (_, typed) => ruleBody(typed),
  done: t("Saved."),
})

export const newcomerPages: readonly Page[] = [newcomers, edit]
