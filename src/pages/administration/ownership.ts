import { siteAdministrator } from "../../access/policies/site.ts"
import { Refusal } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { lifecycleOperations } from "../../features/code/lifecycle/operations.ts"
import { organizationOperations } from "../../features/people/organizations/operations.ts"
import { exploreAccounts } from "../../features/people/users/store.ts"
import { findUnadopted } from "../../features/site/adoption/list.ts"
import { adoptionOperations } from "../../features/site/adoption/operations.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, filterForm, pager } from "../../web/components.ts"
import { type Field, formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { problem } from "../../web/problem.ts"
import { accountRows } from "../parts/account/list-view.ts"
import { beforeDeletion, unlessKept } from "../parts/deleted.ts"
import { repositoryFilters, repositoryList } from "../parts/repositories/list.ts"

/** Organisations and repositories, for site administrators; what is theirs is changed in their own settings. */

const ORGANIZATIONS = `${ADMINISTRATION_PATH}/orgs` as const
const REPOSITORIES = `${ADMINISTRATION_PATH}/repos` as const
const UNADOPTED = `${REPOSITORIES}/unadopted` as const

/** The whole name is typed, so that it names and confirms at once. */
const nameOf = (label: Text, placeholder = ""): Field => ({
  kind: "line",
  name: "name",
  label,
  required: true,
  placeholder,
  maxlength: 200,
})

/** The two halves of owner/name. */
const repositoryIn = (_: unknown, field: (name: string) => string) => {
  const [owner = "", repo = ""] = field("name").trim().split("/")
  return { owner, repo }
}

const organizations: Page = page({
  id: "admin.organizations",
  address: `GET ${ORGANIZATIONS}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()) },
  answer: async ({ db, actor, query, page: rows, reader, draft }) => {
    const { q = "" } = query
    const found = await exploreAccounts(db, actor, { kind: "organization", keyword: q.trim(), order: "alphabetically" }, rows)
    return administrationPage({
      part: "organizations",
      title: t("Organizations"),
      body: html`
        <h1>Organizations</h1>
        ${filterForm(ORGANIZATIONS, q, t("Search organizations"))}
        ${
          found.rows.length === 0
            ? empty("organization", t("No organizations found"))
            : html`${accountRows(found.rows)}${pager(reader.url, rows, found.total)}`
        }
        <h2 id="make">New organization</h2>
        ${formView(makeOrganization, {
          draft,
          submit: t("Create organization"),
          fields: [
            { kind: "line", name: "username", label: t("Name"), required: true, maxlength: 40 },
            { kind: "line", name: "owner", label: t("Owner"), required: true, hint: t("The user name of its first owner."), maxlength: 40 },
            {
              kind: "menu",
              name: "visibility",
              label: t("Visibility"),
              options: [
                ["public", t("Everyone")],
                ["limited", t("People who have signed in")],
                ["private", t("Its members")],
              ],
            },
          ],
        })}
        <h2 id="danger">Danger zone</h2>
        ${formView(deleteOrganization, {
          draft,
          look: "danger",
          submit: t("Delete organization"),
          fields: [
            { kind: "content", content: html`<p>This cannot be undone. An organization that owns repositories is not deleted.</p>` },
            nameOf(t("Name of the organization to delete")),
          ],
        })}
      `,
    })
  },
})

const makeOrganization = form({
  id: "admin.organization.create",
  address: `POST ${ORGANIZATIONS}`,
  does: named(organizationOperations, "adminCreateOrg"),
  on: organizations,
  takes: ["username", "visibility"],
  also: ["owner"],
  picks: (_, field) => ({ username: field("owner").trim() }),
  once: true,
  done: t("Organization created."),
})

const deleteOrganization = form({
  id: "admin.organization.delete",
  address: `POST ${ORGANIZATIONS}/delete`,
  does: named(organizationOperations, "orgDelete"),
  on: organizations,
  also: ["name"],
  picks: (_, field) => ({ org: field("name").trim() }),
  done: t("Organization deleted."),
})

const repositories: Page = page({
  id: "admin.repositories",
  address: `GET ${REPOSITORIES}`,
  access: siteAdministrator,
  query: repositoryFilters,
  answer: async (call) =>
    administrationPage({
      part: "repositories",
      title: t("Repositories"),
      body: html`
        <div class="bar">
          <h1>Repositories</h1>
          <a class="button small end" href="${UNADOPTED}">${icon("download")}Adopt from the import folder</a>
        </div>
        ${await repositoryList(call, { action: REPOSITORIES, empty: empty("repo", t("No repositories yet")) })}
        <h2 id="danger">Danger zone</h2>
        ${formView(deleteRepository, {
          draft: call.draft,
          look: "danger",
          submit: t("Delete repository"),
          fields: [
            { kind: "content", content: html`<p>Everything in it is deleted.</p>${beforeDeletion(call)}` },
            nameOf(t("Repository to delete"), "owner/name"),
          ],
        })}
      `,
    }),
})

const deleteRepository = form({
  id: "admin.repository.delete",
  address: `POST ${REPOSITORIES}/delete`,
  does: named(lifecycleOperations, "repoDelete"),
  on: repositories,
  also: ["name"],
  picks: repositoryIn,
  done: unlessKept(t("Repository deleted.")),
})

const unadopted: Page = page({
  id: "admin.unadopted",
  address: `GET ${UNADOPTED}`,
  access: siteAdministrator,
  query: { q: Type.Optional(Type.String()) },
  // It reads a folder.
  changesWithTime: true,
  answer: async ({ services, query, page: rows, reader, draft }) => {
    const { q = "" } = query
    const found = await findUnadopted(services, q.trim()).catch((error: unknown) => {
      if (error instanceof Refusal) return error
      throw error
    })
    const all = found instanceof Refusal ? [] : found
    return administrationPage({
      part: "repositories",
      title: t("Adopt repositories"),
      body: html`
        <p class="crumbs"><a href="${REPOSITORIES}">Repositories</a><span class="sep">/</span>Adopt</p>
        <h1>Adopt repositories</h1>
        <p class="muted">
          Repositories that an operator has put into the import folder, as owner/name.git below <code>imports</code> in the
          data folder, of accounts that have no repository of that name.
        </p>
        ${filterForm(UNADOPTED, q, t("owner or owner/name, as globs"))}${found instanceof Refusal && problem(found)}
        ${draft?.form === adopt.id && problem(draft.refusal)}
        ${
          all.length === 0
            ? empty("repo", t("Nothing to adopt"))
            : html`
              <ul class="rows">
                ${all.slice(rows.offset, rows.offset + rows.limit).map(
                  ({ owner, name }) =>
                    html`
                      <li>
                        ${icon("repo")}
                        <div class="main">
                          <h2 class="title"><bdi>${owner}/${name}</bdi></h2>
                        </div>
                        ${formButton(adopt, { owner, repo: name }, html`Adopt<span class="hidden-text"> ${owner}/${name}</span>`)}
                      </li>
                    `,
                )}
              </ul>
              ${pager(reader.url, rows, all.length)}
              <h2 id="danger">Danger zone</h2>
              ${formView(deleteUnadopted, {
                draft,
                look: "danger",
                submit: t("Delete files"),
                fields: [nameOf(t("Repository whose files to delete"), "owner/name")],
              })}
            `
        }
      `,
    })
  },
})

const adopt = form({
  id: "admin.unadopted.adopt",
  address: `POST ${UNADOPTED}/{owner}/{repo}`,
  does: named(adoptionOperations, "adminAdoptRepository"),
  on: unadopted,
  done: t("Repository adopted. It is private."),
})

const deleteUnadopted = form({
  id: "admin.unadopted.delete",
  address: `POST ${UNADOPTED}/delete`,
  does: named(adoptionOperations, "adminDeleteUnadoptedRepository"),
  on: unadopted,
  also: ["name"],
  picks: repositoryIn,
  done: t("Files deleted."),
})

export const ownershipPages: readonly Page[] = [
  organizations,
  makeOrganization,
  deleteOrganization,
  repositories,
  deleteRepository,
  unadopted,
  adopt,
  deleteUnadopted,
]
