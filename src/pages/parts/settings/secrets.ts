import { onRepositoryAsOwner } from "../../../access/policies/repositories.ts"
import { addressOf, sketch } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { settingOperations } from "../../../features/actions/settings/operations.ts"
import { requireVariable } from "../../../features/actions/settings/rules.ts"
import { findSecrets, findVariables } from "../../../features/actions/settings/store.ts"
import { withQuery } from "../../../web/address.ts"
import { empty, pager, rowsOr } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { inScopesBelowSite, type SettingsScope } from "./scopes.ts"

/** Secrets and variables of a repository, an organisation and a person: the same pages in each scope. */

const NAME_HINT = t("Letters, digits and _. Names are converted to upper case.")

const nameField = (value = ""): Field => ({
  kind: "line",
  name: "name",
  label: t("Name"),
  required: true,
  maxlength: 255,
  hint: NAME_HINT,
  value,
})
const descriptionField = (value = ""): Field => ({ kind: "line", name: "description", label: t("Description"), maxlength: 4096, value })

const secretForms = ({ id, name, at }: SettingsScope) => ({
  set: sketch({
    id: `${id}Secrets.set`,
    address: `POST ${at}/actions/secrets`,
    does: named(settingOperations, `update${name}Secret`),
    takes: ["data", "description"],
    also: ["name"],
    picks: (path, field) => ({ ...path, secretname: field("name").trim() }),
    done: t("Secret set."),
  }),
  remove: sketch({
    id: `${id}Secrets.delete`,
    address: `POST ${at}/actions/secrets/{secretname}/delete`,
    does: named(settingOperations, `delete${name}Secret`),
    done: t("Secret deleted."),
  }),
})

const secretPages = (scope: SettingsScope): readonly Page[] => {
  const { set, remove } = secretForms(scope)
  const list = page({
    id: `${scope.id}Secrets.list`,
    address: `GET ${scope.at}/actions/secrets`,
    access: scope.access,
    query: { name: Type.Optional(Type.String()) },
    answer: async ({ services, db, path, query, page: rows, reader, draft, owning, framed }) => {
      const { rows: secrets, total } = await findSecrets(db, owning, rows)
      const changed = secrets.find((each) => each.name === query.name)
      const now = services.now()
      const actions = ({ name }: Named) => html`
        <a class="button small" href="${withQuery(reader.url, { name })}#set">
          Change<span class="hidden-text"> ${name}</span>
        </a>
        ${formButton(remove, { ...path, secretname: name }, html`Delete<span class="hidden-text"> ${name}</span>`)}
      `
      return framed({
        part: "secrets",
        title: t("Secrets"),
        body: html`
          <h1>Secrets</h1>
          <p class="muted">
            Workflows use them as <code>\${{ secrets.NAME }}</code>. Their values are never shown, not even in
            logs.
          </p>
          ${rowsOr(
            secrets,
            (each) => secretRow(each, now, actions(each)),
            empty("lock", t("No secrets"), t("The names of those {whose} are listed here.", { whose: scope.whose })),
            pager(reader.url, rows, total),
          )}
          <h2 id="set">${changed ? html`Change <code>${changed.name}</code>` : t("Set a secret")}</h2>
          ${formView(set, {
            path,
            draft,
            submit: t("Set secret"),
            fields: [
              nameField(changed?.name),
              { kind: "text", name: "data", label: t("Value"), isCode: true, hint: t("Replaces a secret of the same name.") },
              descriptionField(changed?.description),
            ],
          })}
        `,
      })
    },
  })
  return [list, set.on(list), remove.on(list)]
}

interface Named {
  readonly name: string
  readonly description: string
}

const secretRow = (each: Named & { readonly created_at: number }, now: number, actions: Html): Html =>
  html`
    <li>
      ${icon("lock")}
      <div class="main">
        <h2 class="title"><code>${each.name}</code></h2>
        <p class="meta">
          ${each.description !== "" && html`<span class="break" dir="auto">${each.description}</span>`}
          <span>made ${time(each.created_at, now)}</span>
        </p>
      </div>
      ${actions}
    </li>
  `

const variableForms = ({ id, name, at }: SettingsScope) => {
  const does = (verb: string) => named(settingOperations, `${verb}${name}Variable`)
  const address = `${at}/actions/variables` as const
  return {
    make: sketch({
      id: `${id}Variables.make`,
      address: `POST ${address}`,
      does: does("create"),
      takes: ["value", "description"],
      also: ["name"],
      picks: (path, field) => ({ ...path, variablename: field("name").trim() }),
      done: t("Variable added."),
    }),
    edit: sketch({
      id: `${id}Variables.save`,
      address: `POST ${address}/{variablename}`,
      does: does("update"),
      takes: ["name", "value", "description"],
      done: t("Saved."),
      to: ({ path }) => addressOf({ address }, path),
    }),
    remove: sketch({
      id: `${id}Variables.delete`,
      address: `POST ${address}/{variablename}/delete`,
      does: does("delete"),
      done: t("Variable deleted."),
    }),
  }
}

type VariableForms = ReturnType<typeof variableForms>

const valueField: Field = { kind: "text", name: "value", label: t("Value"), isCode: true }

const variableList = (scope: SettingsScope, { make, edit, remove }: VariableForms): Page =>
  page({
    id: `${scope.id}Variables.list`,
    address: `GET ${scope.at}/actions/variables`,
    access: scope.access,
    answer: async ({ db, path, page: rows, reader, draft, owning, framed }) => {
      const { rows: variables, total } = await findVariables(db, owning, rows)
      const actions = ({ name }: Named) => html`
        <a class="button small" href="${addressOf(edit, { ...path, variablename: name })}">
          Edit<span class="hidden-text"> ${name}</span>
        </a>
        ${formButton(remove, { ...path, variablename: name }, html`Delete<span class="hidden-text"> ${name}</span>`)}
      `
      return framed({
        part: "variables",
        title: t("Variables"),
        body: html`
          <h1>Variables</h1>
          <p class="muted">
            Workflows use them as <code>\${{ vars.NAME }}</code>. They are not secret: logs show them.
          </p>
          ${rowsOr(
            variables,
            (each) => variableRow(each, actions(each)),
            empty("list-unordered", t("No variables"), t("Those {whose} are listed here.", { whose: scope.whose })),
            pager(reader.url, rows, total),
          )}
          <h2 id="make">New variable</h2>
          ${formView(make, { path, draft, submit: t("Add variable"), fields: [nameField(), valueField, descriptionField()] })}
        `,
      })
    },
  })

const variableRow = (each: Named & { readonly data: string }, actions: Html): Html =>
  html`
    <li>
      ${icon("list-unordered")}
      <div class="main">
        <h2 class="title"><code>${each.name}</code></h2>
        <p class="break mono" dir="auto">
          ${each.data.slice(0, 200)}${each.data.length > 200 && "…"}
        </p>
        ${each.description !== "" && html`<p class="meta break" dir="auto">${each.description}</p>`}
      </div>
      ${actions}
    </li>
  `

const variablePage = (scope: SettingsScope, { edit }: VariableForms): Page =>
  page({
    id: `${scope.id}Variables.edit`,
    address: `GET ${scope.at}/actions/variables/{variablename}`,
    access: scope.access,
    answer: async ({ db, path, draft, owning, framed }) => {
      const { name, data, description } = await requireVariable(db, owning, path["variablename"] ?? "")
      return framed({
        part: "variables",
        title: name,
        body: html`
          <p class="crumbs">
            <a href="${addressOf({ address: `${scope.at}/actions/variables` }, path)}">Variables</a>
            <span class="sep">/</span>${name}
          </p>
          <h1><code>${name}</code></h1>
          ${formView(edit, {
            path,
            record: { name, description, value: data },
            draft,
            submit: t("Save"),
            fields: [nameField(), valueField, descriptionField()],
          })}
        `,
      })
    },
  })

const variablePages = (scope: SettingsScope): readonly Page[] => {
  const forms = variableForms(scope)
  const [list, shown] = [variableList(scope, forms), variablePage(scope, forms)]
  return [list, forms.make.on(list), shown, forms.edit.on(shown), forms.remove.on(list)]
}

export const actionSettingPages: readonly Page[] = inScopesBelowSite(onRepositoryAsOwner, (scope) => [
  ...secretPages(scope),
  ...variablePages(scope),
])
