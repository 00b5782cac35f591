import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { newcomerOperations } from "../../features/review/newcomers/operations.ts"
import { formView } from "../../web/form.ts"
import { ruleBody, ruleFields, ruleRecord } from "../parts/held.ts"
import { organizationSettings } from "./settings-frame.ts"

const newcomers: Page = page({
  id: "organization.newcomers",
  address: "GET /org/{org}/settings/newcomers",
  access: onOrganizationAsOwner,
  answer: async (call) => {
    const { presentRules } = await import("../../features/planning/newcomers/present.ts")
    const record = ruleRecord(presentRules(call.services.config, call.organization))
    return organizationSettings(call.organization, {
      part: "newcomers",
      title: t("Newcomers"),
      body: html`
        <h1>Newcomers</h1>
        ${formView(edit, { path: call.path, record, draft: call.draft, submit: t("Save"), fields: ruleFields })}
      `,
    })
  },
})

const edit = form({
  id: "organization.editNewcomers",
  address: "POST /org/{org}/settings/newcomers",
  does: named(newcomerOperations, "orgEditNewcomerRules"),
  on: newcomers,
  also: ["mode", "days", "per_day"],
  body: (_, typed) => ruleBody(typed),
  done: t("Saved."),
})

export const organizationNewcomerPages: readonly Page[] = [newcomers, edit]
