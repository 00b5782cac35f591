import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { numberIn, type Page, page } from "../../../core/page.ts"
import { changeableTeams, type OnOwnedRepository } from "../../../features/code/collaborators/team-operations.ts"
import { protectionOperations } from "../../../features/code/protections/operations.ts"
import { presentTagProtections } from "../../../features/code/protections/present.ts"
import { findTagProtections } from "../../../features/code/protections/store.ts"
import { tagSentenceOf } from "../../../features/code/protections/summary.ts"
import { repositoryPath } from "../../../web/address.ts"
import { empty } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { settingsPage } from "./frame.ts"
import { wordsIn } from "./rule-fields.ts"

/** The fields of a rule; `listed` are teams that it names already. */
async function fieldsFor(call: OnOwnedRepository & { readonly db: Handle }, listed: readonly string[] = []): Promise<readonly Field[]> {
  const attached = call.owner.kind === "organization" ? (await changeableTeams(call.db, call)).attached.map(({ name }) => name) : []
  const teams = [...new Set([...attached, ...listed])]
  return [
    {
      kind: "line",
      name: "name_pattern",
      label: t("Tags"),
      hint: t("A glob such as v*, or a regular expression between slashes."),
      required: true,
      maxlength: 1000,
    },
    {
      kind: "line",
      name: "whitelist_usernames",
      label: t("Allowed users"),
      hint: t("User names, separated by spaces."),
      maxlength: 20_000,
    },
    ...(teams.length === 0
      ? []
      : [
          {
            kind: "boxes",
            name: "whitelist_teams",
            label: t("Allowed teams"),
            options: teams.map((name) => [name, name] as const),
          } as const,
        ]),
  ]
}

const rules: Page = page({
  id: "settings.tagRules",
  address: "GET /{owner}/{repo}/settings/tags",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, repository, draft } = call
    const at = `${repositoryPath(call)}/settings/tags`
    const records = await presentTagProtections(db, await findTagProtections(db, repository.id))
    return settingsPage(call, {
      part: "tags",
      title: t("Tag protection"),
      body: html`
        <h1>Tag protection</h1>
        ${
          records.length === 0
            ? empty("tag", t("No rules yet"), t("Tag protection rules define who can create, move and delete tags."))
            : html`
              <ul class="rows">
                ${records.map(
                  (rule) =>
                    html`
                      <li>
                        ${icon("tag")}
                        <span class="main">
                          <a class="title" href="${at}/${rule.id}"><code>${rule.name_pattern}</code></a>
                          <span class="summary">${tagSentenceOf(rule)}</span>
                        </span>
                        ${formButton(
                          remove,
                          { ...call.path, id: String(rule.id) },
                          html`Delete<span class="hidden-text"> ${rule.name_pattern}</span>`,
                          {},
                          draft,
                        )}
                      </li>
                    `,
                )}
              </ul>
            `
        }
        <h2 id="add">New rule</h2>
        ${formView(add, { path: call.path, draft, submit: t("Create rule"), fields: await fieldsFor(call) })}
      `,
    })
  },
})

const rule: Page = page({
  id: "settings.tagRule",
  address: "GET /{owner}/{repo}/settings/tags/{id}",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, repository, draft } = call
    const row = (await findTagProtections(db, repository.id)).find(({ id }) => id === numberIn(call.path, "id"))
    const [record] = row ? await presentTagProtections(db, [row]) : []
    if (!record) throw refuse.notFound()
    return settingsPage(call, {
      part: "tags",
      title: t("Rule for {name_pattern}", { name_pattern: record.name_pattern }),
      body: html`
        <h1>Rule for <code>${record.name_pattern}</code></h1>
        ${formView(edit, {
          path: call.path,
          record: { ...record, whitelist_usernames: record.whitelist_usernames.join(" ") },
          draft,
          submit: t("Save"),
          fields: await fieldsFor(call, record.whitelist_teams),
        })}
      `,
    })
  },
})

const shared = {
  takes: ["name_pattern", "whitelist_teams"],
  also: ["whitelist_usernames"],
  body: (body: Readonly<Record<string, unknown>>, typed: Readonly<Record<string, readonly string[]>>) => ({
    ...body,
    whitelist_usernames: wordsIn(typed["whitelist_usernames"]),
  }),
} as const

const add = form({
  ...shared,
  id: "settings.addTagRule",
  address: "POST /{owner}/{repo}/settings/tags",
  does: named(protectionOperations, "repoCreateTagProtection"),
  on: rules,
  done: t("Rule created."),
})

const edit = form({
  ...shared,
  id: "settings.editTagRule",
  address: "POST /{owner}/{repo}/settings/tags/{id}",
  does: named(protectionOperations, "repoEditTagProtection"),
  on: rule,
  done: t("Saved."),
  to: ({ path: { owner, repo } }) => `/${owner}/${repo}/settings/tags`,
})

const remove = form({
  id: "settings.removeTagRule",
  address: "POST /{owner}/{repo}/settings/tags/{id}/delete",
  does: named(protectionOperations, "repoDeleteTagProtection"),
  on: rules,
  done: t("Rule deleted."),
})

export const tagRulePages: readonly Page[] = [rules, rule, add, edit, remove]
