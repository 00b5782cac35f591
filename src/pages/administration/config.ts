import { siteAdministrator } from "../../access/policies/site.ts"
import { describeConfig } from "../../core/config.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import type { Services } from "../../core/services.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, filterForm, rowsOr } from "../../web/components.ts"

/** How the site is set up. */

const CONFIGURATION = `${ADMINISTRATION_PATH}/config` as const

export const configuration = page({
  id: "admin.configuration",
  address: `GET ${CONFIGURATION}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()) },
  answer: ({ services, query }) => {
    const { q = "" } = query
    const words = new Map(describeConfig().map((each) => [each.key, each]))
    const shown = services
      .settings()
      .map((each) => ({ ...each, description: words.get(each.key)?.description ?? "", variable: words.get(each.key)?.variable ?? "" }))
      .filter((each) => `${each.key} ${each.variable} ${each.description}`.toLowerCase().includes(q.trim().toLowerCase()))
    return administrationPage({
      part: "configuration",
      title: t("Configuration"),
      body: html`
        <h1>Configuration</h1>
        <p class="muted">
          The current configuration. Change it in a file, the environment or the command line, and restart. Secrets are hidden.
        </p>
        ${filterForm(CONFIGURATION, q, t("Search settings"))}
        ${rowsOr(shown, settingRow, empty("gear", t("No settings found")))}
      `,
    })
  },
})

const settingRow = (each: ReturnType<Services["settings"]>[number] & { readonly description: string }): Html =>
  html`
    <li>
      <div class="main">
        <h2 class="title"><code>${each.key}</code></h2>
        <p class="muted small break">${each.description}</p>
        <p class="break">
          ${each.value === "" ? html`<span class="muted">not set</span>` : html`<code dir="auto">${each.value}</code>`}
        </p>
      </div>
      <span class="muted small break">${each.source}</span>
    </li>
  `
