import { siteAdministrator } from "../../access/policies/site.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { migrationOperations } from "../../features/site/migration/operations.ts"
import { withQuery } from "../../web/address.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, pager, rowsOr } from "../../web/components.ts"
import { formView } from "../../web/form.ts"

/** Whose texts imports have brought, and who these people are here. */

const ABOUT = t(
  "Imports name these people of other servers as authors. Whoever you assign becomes the author of their texts; this can't be taken back.",
)

const IMPORTED = `${ADMINISTRATION_PATH}/imports` as const

const people: Page = page({
  id: "admin.importedPeople",
  address: `GET ${IMPORTED}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()) },
  rows: 50,
  answer: async ({ db, query: { q = "" }, page: list, draft }) => {
    const { listPeople } = await import("../../features/site/migration/writers/people-store.ts")
    const { rows, total } = await listPeople(db, { begins: q, isOpen: false }, list)
    return administrationPage({
      part: "imports",
      title: t("People of imports"),
      body: html`
        <h1>People of imports</h1>
        <p class="muted">${ABOUT}</p>
        ${rowsOr(
          rows,
          ({ id, host, login, name, waiting, user_name }) => html`
            <li>
              <div class="main">
                <span translate="no">${login} (${host}) ${name}</span>
                <span class="muted small">${Number(waiting)}</span>
              </div>
              ${
                user_name !== null
                  ? html`<a href="/${user_name}">${user_name}</a>`
                  : formView(assign, {
                      path: { id: String(id) },
                      draft,
                      key: id,
                      name: "inline",
                      look: "small",
                      submit: t("Assign"),
                      fields: [{ kind: "line", name: "login", label: t("Name here"), required: true, maxlength: 255 }],
                    })
              }
            </li>
          `,
          empty("people", t("Imports have named nobody yet")),
          undefined,
          true,
        )}
        ${pager(withQuery(IMPORTED, { q: q || undefined }), list, total)}
      `,
    })
  },
})

const assign = form({
  id: "admin.assignImported",
  address: `POST ${IMPORTED}/{id}`,
  does: named(migrationOperations, "adminAssignImportedPerson"),
  on: people,
  takes: ["login"],
  done: t("Their texts become that account's in a moment."),
})

export const importedPeoplePages: readonly Page[] = [people, assign]
