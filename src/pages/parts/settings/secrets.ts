import { onRepositoryAsOwner } from "../../../access/policies/repositories.ts"
import { addressOf, form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { settingOperations } from "../../../features/actions/settings/operations.ts"
import { presentVariable, requireVariable } from "../../../features/actions/settings/rules.ts"
import { findSecrets, findVariables } from "../../../features/actions/settings/store.ts"
import { withQuery } from "../../../web/address.ts"
import { empty, pager } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { inPlacesBelowSite, type Place } from "./places.ts"

/** Secrets and variables of a repository, an organisation and a person: the same pages in each place. */

const NAME_HINT = "Letters, digits and _. Workflows use it in upper case."

const nameField = (value = ""): Field => ({
  kind: "line",
  name: "name",
  label: "Name",
  required: true,
  maxlength: 255,
  hint: NAME_HINT,
  value,
})
const descriptionField = (value = ""): Field => ({ kind: "line", name: "description", label: "Description", maxlength: 4096, value })

const secretPages = (place: Place): readonly Page[] => {
  const { id, name, at, access } = place
  const address = `${at}/actions/secrets` as const

  const list: Page = page({
    id: `${id}Secrets.list`,
    address: `GET ${address}`,
    access,
    query: { name: Type.Optional(Type.String()) },
    answer: async ({ services, db, path, query, page: rows, reader, draft, owning, framed }) => {
      const { rows: secrets, total } = await findSecrets(db, owning, rows)
      const changed = secrets.find((each) => each.name === query.name)
      const now = services.now()
      return framed({
        part: "secrets",
        title: "Secrets",
        body: html`
          <h1>Secrets</h1>
          <p class="muted">
            Values that workflows use as <code>\${{ secrets.NAME }}</code>, and that are shown to nobody, also not in
            logs.
          </p>
          ${
            secrets.length === 0
              ? empty("lock", "There are no secrets", `The names of those ${place.whose} are listed here.`)
              : html`
                <ul class="rows">
                  ${secrets.map(
                    (each) =>
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
                          <a class="button small" href="${withQuery(reader.url, { name: each.name })}#set">
                            Change<span class="hidden-text"> ${each.name}</span>
                          </a>
                          ${formButton(
                            remove,
                            { ...path, secretname: each.name },
                            html`Delete<span class="hidden-text"> ${each.name}</span>`,
                          )}
                        </li>
                      `,
                  )}
                </ul>
                ${pager(reader.url, rows, total)}
              `
          }
          <h2 id="set">${changed ? html`Change <code>${changed.name}</code>` : "Set a secret"}</h2>
          ${formView(set, {
            path,
            draft,
            submit: "Set secret",
            fields: [
              nameField(changed?.name),
              { kind: "text", name: "data", label: "Value", isCode: true, hint: "Replaces a secret of the same name." },
              descriptionField(changed?.description),
            ],
          })}
        `,
      })
    },
  })

  const set = form({
    id: `${id}Secrets.set`,
    address: `POST ${address}`,
    does: named(settingOperations, `update${name}Secret`),
    on: list,
    takes: ["data", "description"],
    also: ["name"],
    picks: (path, field) => ({ ...path, secretname: field("name").trim() }),
    done: "Secret set.",
  })

  const remove = form({
    id: `${id}Secrets.delete`,
    address: `POST ${address}/{secretname}/delete`,
    does: named(settingOperations, `delete${name}Secret`),
    on: list,
    done: "Secret deleted.",
  })

  return [list, set, remove]
}

const variablePages = (place: Place): readonly Page[] => {
  const { id, name, at, access } = place
  const address = `${at}/actions/variables` as const
  const valueField: Field = { kind: "text", name: "value", label: "Value", isCode: true }

  const list: Page = page({
    id: `${id}Variables.list`,
    address: `GET ${address}`,
    access,
    answer: async ({ db, path, page: rows, reader, draft, owning, framed }) => {
      const { rows: variables, total } = await findVariables(db, owning, rows)
      return framed({
        part: "variables",
        title: "Variables",
        body: html`
          <h1>Variables</h1>
          <p class="muted">
            Values that workflows use as <code>\${{ vars.NAME }}</code>. They are no secrets: logs show them.
          </p>
          ${
            variables.length === 0
              ? empty("list-unordered", "There are no variables", `Those ${place.whose} are listed here.`)
              : html`
                <ul class="rows">
                  ${variables.map(
                    (each) =>
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
                          <a class="button small" href="${addressOf(shown, { ...path, variablename: each.name })}">
                            Edit<span class="hidden-text"> ${each.name}</span>
                          </a>
                          ${formButton(
                            remove,
                            { ...path, variablename: each.name },
                            html`Delete<span class="hidden-text"> ${each.name}</span>`,
                          )}
                        </li>
                      `,
                  )}
                </ul>
                ${pager(reader.url, rows, total)}
              `
          }
          <h2 id="make">New variable</h2>
          ${formView(make, { path, draft, submit: "Add variable", fields: [nameField(), valueField, descriptionField()] })}
        `,
      })
    },
  })

  const make = form({
    id: `${id}Variables.make`,
    address: `POST ${address}`,
    does: named(settingOperations, `create${name}Variable`),
    on: list,
    takes: ["value", "description"],
    also: ["name"],
    picks: (path, field) => ({ ...path, variablename: field("name").trim() }),
    done: "Variable added.",
  })

  const shown: Page = page({
    id: `${id}Variables.edit`,
    address: `GET ${address}/{variablename}`,
    access,
    answer: async ({ db, path, draft, owning, framed }) => {
      const variable = presentVariable(await requireVariable(db, owning, path["variablename"] ?? ""))
      return framed({
        part: "variables",
        title: variable.name,
        body: html`
          <p class="crumbs">
            <a href="${addressOf(list, path)}">Variables</a><span class="sep">/</span>${variable.name}
          </p>
          <h1><code>${variable.name}</code></h1>
          ${formView(edit, {
            path,
            record: { ...variable, value: variable.data },
            draft,
            submit: "Save",
            fields: [nameField(), valueField, descriptionField()],
          })}
        `,
      })
    },
  })

  const edit = form({
    id: `${id}Variables.save`,
    address: `POST ${address}/{variablename}`,
    does: named(settingOperations, `update${name}Variable`),
    on: shown,
    takes: ["name", "value", "description"],
    done: "Saved.",
    to: ({ path }) => addressOf(list, path),
  })

  const remove = form({
    id: `${id}Variables.delete`,
    address: `POST ${address}/{variablename}/delete`,
    does: named(settingOperations, `delete${name}Variable`),
    on: list,
    done: "Variable deleted.",
  })

  return [list, make, shown, edit, remove]
}

export const actionSettingPages: readonly Page[] = inPlacesBelowSite(onRepositoryAsOwner, (place) => [
  ...secretPages(place),
  ...variablePages(place),
])
