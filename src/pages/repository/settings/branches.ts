import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { wholeNumber } from "../../../core/forms/fields.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, type Page, page } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { changeableTeams, type OnOwnedRepository } from "../../../features/code/collaborators/team-operations.ts"
import { protectionOperations } from "../../../features/code/protections/operations.ts"
import { presentProtections } from "../../../features/code/protections/present.ts"
import { findProtections } from "../../../features/code/protections/rules.ts"
import { sentencesOf } from "../../../features/code/protections/summary.ts"
import { repositoryPath } from "../../../web/address.ts"
import { empty } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { settingsPage } from "./frame.ts"
import { OTHERS, PLAIN, ruleFields, ruleOf, teamsIn, valuesOf } from "./rule-fields.ts"

const rules: Page = page({
  id: "settings.branchRules",
  address: "GET /{owner}/{repo}/settings/branches",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, repository, draft } = call
    const at = `${repositoryPath(call)}/settings/branches`
    const found = await findProtections(db, repository.id)
    const ids = found.map(({ id }) => id)
    const records = await presentProtections(db, found)
    return settingsPage(call, {
      part: "branches",
      title: t("Branch protection"),
      body: html`
        <div class="bar">
          <h1>Branch protection</h1>
          <a class="button primary" href="${at}/new">${icon("plus")}New rule</a>
        </div>
        ${
          records.length === 0
            ? empty("git-branch", t("No rules yet"), t("Branch protection rules define who can push and merge, and what a merge requires."))
            : html`
              <p class="muted">If several rules match a branch, the first one applies.</p>
              <ol class="rows">
                ${records.map(
                  (rule, index) =>
                    html`
                      <li>
                        <span class="main">
                          <a class="title" href="${at}/edit/${escapePath(rule.rule_name)}">
                            <code>${rule.rule_name}</code>
                          </a>
                          <span class="summary">${sentencesOf(rule).join(" ")}</span>
                        </span>
                        <span class="bar">
                          ${index > 0 && mover(call.path, draft, ids, index, t("Up"), rule.rule_name)}
                          ${formButton(
                            remove,
                            { ...call.path, name: rule.rule_name },
                            html`Delete<span class="hidden-text"> ${rule.rule_name}</span>`,
                            {},
                            draft,
                          )}
                        </span>
                      </li>
                    `,
                )}
              </ol>
            `
        }
      `,
    })
  },
})

/** Moves a rule before the one above it. */
function mover(
  path: Readonly<Record<string, string>>,
  draft: Draft | undefined,
  ids: readonly number[],
  index: number,
  word: Text,
  name: string,
): Html {
  const order = ids.toSpliced(index, 1).toSpliced(index - 1, 0, ids[index] ?? 0)
  return formButton(
    reorder,
    path,
    html`${word}<span class="hidden-text"> with ${name}</span>`,
    { order: order.join(" ") },
    index === 1 ? draft : undefined,
  )
}

async function teamsFor(call: OnOwnedRepository & { readonly db: Parameters<typeof changeableTeams>[0] }): Promise<readonly string[]> {
  return call.owner.kind === "organization" ? (await changeableTeams(call.db, call)).attached.map(({ name }) => name) : []
}

const newRule: Page = page({
  id: "settings.newBranchRule",
  address: "GET /{owner}/{repo}/settings/branches/new",
  access: onRepositoryAsAdministrator,
  answer: async (call) =>
    settingsPage(call, {
      part: "branches",
      title: t("New branch protection rule"),
      body: html`
        <h1>New branch protection rule</h1>
        ${formView(add, {
          path: call.path,
          draft: call.draft,
          submit: t("Create rule"),
          fields: [
            {
              kind: "line",
              name: "rule_name",
              label: t("Branches"),
              hint: t("The name of a branch, or a glob such as release/*."),
              required: true,
              maxlength: 255,
            },
            ...ruleFields(await teamsFor(call)),
          ],
        })}
      `,
    }),
})

const rule: Page = page({
  id: "settings.branchRule",
  address: "GET /{owner}/{repo}/settings/branches/edit/{name}",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, repository, draft } = call
    const row = (await findProtections(db, repository.id)).find(({ rule_name }) => rule_name === call.path.name)
    const [record] = row ? await presentProtections(db, [row]) : []
    if (!record) throw refuse.notFound()
    const teams = [...new Set([...(await teamsFor(call)), ...teamsIn(record)])]
    return settingsPage(call, {
      part: "branches",
      title: t("Rule for {rule_name}", { rule_name: record.rule_name }),
      body: html`
        <h1>Rule for <code>${record.rule_name}</code></h1>
        <p>${sentencesOf(record).join(" ")}</p>
        ${formView(edit, {
          path: call.path,
          record: valuesOf(record),
          draft,
          submit: t("Save"),
          fields: ruleFields(teams),
        })}
      `,
    })
  },
})

const toList = ({ path: { owner, repo } }: { readonly path: Readonly<Record<string, string>> }): string =>
  `/${owner}/${repo}/settings/branches`

const add = form({
  id: "settings.addBranchRule",
  address: "POST /{owner}/{repo}/settings/branches/new",
  does: named(protectionOperations, "repoCreateBranchProtection"),
  on: newRule,
  takes: ["rule_name", ...PLAIN],
  also: OTHERS,
  body: ruleOf,
  done: t("Rule created."),
  to: toList,
})

const edit = form({
  id: "settings.editBranchRule",
  address: "POST /{owner}/{repo}/settings/branches/edit/{name}",
  does: named(protectionOperations, "repoEditBranchProtection"),
  on: rule,
  takes: PLAIN,
  also: OTHERS,
  body: ruleOf,
  done: t("Saved."),
  to: toList,
})

const remove = form({
  id: "settings.removeBranchRule",
  address: "POST /{owner}/{repo}/settings/branches/delete/{name}",
  does: named(protectionOperations, "repoDeleteBranchProtection"),
  on: rules,
  done: t("Rule deleted."),
})

const reorder = form({
  id: "settings.orderBranchRules",
  address: "POST /{owner}/{repo}/settings/branches/order",
  does: named(protectionOperations, "repoUpdateBranchProtectionPriories"),
  on: rules,
  also: ["order"],
  body: (_, { order = [] }) => ({ ids: order.flatMap((text) => text.split(" ")).map(wholeNumber) }),
  done: t("Order saved."),
})

export const branchRulePages: readonly Page[] = [rules, newRule, rule, add, edit, remove, reorder]
