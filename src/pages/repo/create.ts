import { signedIn } from "../../access/policies/site.ts"
import { form } from "../../core/forms/form.ts"
import { type Content, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { moved, type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { creationOperations } from "../../features/code/lifecycle/create-operations.ts"
import { concerning, conditionsOf, listRepositories } from "../../features/code/repositories/search-store.ts"
import { withOwners } from "../../features/code/repositories/store.ts"
import { gitignores } from "../../features/code/repositories/templates/gitignores.ts"
import { labelSetNames } from "../../features/code/repositories/templates/labels.ts"
import { licenseNames } from "../../features/code/repositories/templates/licenses.ts"
import { path } from "../../web/address.ts"
import { type Field, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { addressOfMade, identity, ownerField } from "../parts/new-repository.ts"

const MOST_TEMPLATES = 20

const content = async (): Promise<Field> => ({
  kind: "group",
  label: t("Initial content"),
  hint: t("Skip this if you are pushing an existing repository."),
  fields: [
    { kind: "box", name: "auto_init", label: t("Add a README") },
    {
      kind: "line",
      name: "gitignores",
      label: t(".gitignore templates"),
      options: await gitignores.names(),
      hint: t("Separate several templates by commas."),
    },
    {
      kind: "line",
      name: "license",
      label: t("License"),
      options: await licenseNames(),
      maxlength: 100,
      hint: t("An SPDX identifier, such as MIT or Apache-2.0."),
    },
    {
      kind: "menu",
      name: "issue_labels",
      label: t("Issue labels"),
      options: [["", t("None")], ...(await labelSetNames()).map((name) => [name, name] as const)],
    },
  ],
})

const more = (branch: string): Field => ({
  kind: "group",
  label: t("More options"),
  fields: [
    { kind: "line", name: "default_branch", label: t("Default branch"), placeholder: branch, maxlength: 100 },
    { kind: "box", name: "template", label: t("Template"), hint: t("New repositories can be generated from it.") },
    {
      kind: "menu",
      name: "object_format_name",
      label: t("Object format"),
      hint: t("SHA-256 needs git 2.42 or newer, and can't be changed later."),
      options: [
        ["sha1", "SHA-1"],
        ["sha256", "SHA-256"],
      ],
    },
  ],
})

const fromTemplate = (templates: Awaited<ReturnType<typeof withOwners>>): Content =>
  templates.length > 0 &&
  html`
    <details>
      <summary>From a template</summary>
      <ul class="plain stack tight">
        ${templates.map(
          ({ owner, repository }) =>
            html`
              <li>
                ${icon("copy")} <a href="${path(owner.name, repository.name, "generate")}">
                  <bdi>${owner.name}/${repository.name}</bdi>
                </a>
              </li>
            `,
        )}
      </ul>
    </details>
  `

const create: Page = page({
  id: "repository.new",
  address: "GET /repo/create",
  access: signedIn,
  query: { owner: Type.Optional(Type.String()), name: Type.Optional(Type.String()), template_id: Type.Optional(Type.Integer()) },
  answer: async ({ services, db, actor, me, query, draft }) => {
    const where = [...conditionsOf(actor, { exclusive: false, withHidden: true, isTemplate: true }), concerning(me.id)]
    const order = { by: "updated", direction: "desc" } as const
    const found = await listRepositories(db, actor, { where, order }, { limit: MOST_TEMPLATES, offset: 0 })
    const templates = await withOwners(db, found.rows)
    const wanted = templates.find(({ repository }) => repository.id === query.template_id)
    if (wanted) return moved(path(wanted.owner.name, wanted.repository.name, "generate"))
    return {
      kind: "shown",
      title: t("New repository"),
      width: "narrow",
      unlisted: true,
      body: html`
        <h1>New repository</h1>
        <p class="muted">
          A repository contains all project files and their history, with issues and pull requests. Already have one
          elsewhere? <a href="/repo/migrate">Import it.</a>
        </p>
        ${fromTemplate(templates)}
        ${formView(make, {
          draft,
          record: { name: query.name },
          submit: t("Create repository"),
          fields: [
            await ownerField(db, me, "owner", query.owner),
            ...identity,
            await content(),
            more(services.config.repository.defaultBranch),
          ],
        })}
      `,
    }
  },
})

const make = form({
  id: "repository.make",
  address: "POST /repo/create",
  does: named(creationOperations, "createOrgRepo"),
  on: create,
  takes: [
    "name",
    "description",
    "private",
    "auto_init",
    "gitignores",
    "license",
    "issue_labels",
    "default_branch",
    "template",
    "object_format_name",
  ],
  also: ["owner"],
  picks: (_, field) => ({ org: field("owner") }),
  instead: (field, { actor }) =>
    actor.kind === "user" && ["", actor.user.lower_name].includes(field("owner").toLowerCase())
      ? named(creationOperations, "createCurrentUserRepo")
      : undefined,
  // A .gitignore or a licence is a file of the first commit.
  body: (body) => ({
    ...body,
    auto_init: body["auto_init"] === true || [body["gitignores"], body["license"]].some((each) => each !== undefined && each !== ""),
  }),
  to: addressOfMade,
  once: true,
})

export const createPages: readonly Page[] = [create, make]
