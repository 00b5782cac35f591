import { Mode } from "../../../access/modes.ts"
import { type OnPackages, onPackagesAsWriter } from "../../../access/policies/packages.ts"
import { findRepositoryById } from "../../../access/store.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { packageOperations } from "../../../features/packages/packages/operations.ts"
import { findVersions } from "../../../features/packages/packages/store.ts"
import { path } from "../../../web/address.ts"
import { type Field, formButton, formView, unfold } from "../../../web/form.ts"
import { locatePackage, ownerPage, SOME_VERSIONS } from "./frame.ts"
import { packagePath } from "./view.ts"

/** What those who may write to a package change by hand: who sees it, the repository that it belongs to, and that it is there. */

type Names = Readonly<Record<string, string>>

const ADDRESS = "/{owner}/-/packages/settings/{type}/{package}"
const ofOperation = ({ owner = "", type = "", package: name = "" }: Names): Names => ({ owner, type, name })
const packageName = ({ package: name = "" }: Names): string => name

const ACCESS: Field = {
  kind: "choice",
  name: "access",
  label: t("Visibility"),
  options: [
    ["public", t("Everyone who can see its owner"), t("Packages of a private repository are visible only to people with access to it.")],
    ["restricted", t("The owner and its members")],
  ],
}

const settings: Page = page({
  id: "package.settings",
  address: `GET ${ADDRESS}`,
  access: onPackagesAsWriter,
  answer: async (call) => {
    const { db, owner, draft, path: names } = call
    const of = await locatePackage(call)
    const repository = of.repository_id === null ? undefined : await findRepositoryById.first(db, { id: of.repository_id })
    const { listed } = await findVersions(db, call, { packageId: of.id }, SOME_VERSIONS)
    const shown = { path: names, draft } as const
    const danger = { ...shown, look: "danger", confirm: of.name } as const
    return ownerPage(
      call,
      t("Settings · {name}", { name: of.name }),
      html`
        <h1>Settings of <bdi>${of.name}</bdi></h1>
        ${formView(changeAccess, {
          ...shown,
          record: { access: of.is_restricted === 1 ? "restricted" : "public" },
          submit: t("Save"),
          fields: [ACCESS],
        })}
        <h2 id="repository">Repository</h2>
        ${
          repository
            ? html`
              <p>
                It is linked to <a href="${path(owner.name, repository.name)}"><bdi>${repository.name}</bdi></a>.
                ${
                  repository.is_private === 1 &&
                  t(" Without the link, only the owner and its members can see the package, until you change its visibility.")
                }
              </p>
              ${formButton(unlink, names, t("Unlink"), {}, draft)}
            `
            : formView(link, {
                ...shown,
                submit: t("Link"),
                look: "plain",
                fields: [
                  { kind: "line", name: "repository", label: t("Name"), hint: t("A repository of the same owner."), required: true },
                ],
              })
        }
        <h2 id="delete">Delete</h2>
        ${unfold(removeVersion, draft, t("Delete a version"), [
          html`<p>Tools can no longer install this version. It can be published again.</p>`,
          formView(removeVersion, {
            ...danger,
            submit: t("Delete version"),
            fields: [
              { kind: "line", name: "version", label: t("Version"), required: true, options: listed.map(({ version }) => version.version) },
            ],
          }),
        ])}
        ${unfold(remove, draft, t("Delete package"), [
          html`<p>All its versions are deleted. This cannot be undone.</p>`,
          formView(remove, { ...danger, submit: t("Delete package") }),
        ])}
      `,
      [[packagePath({ owner, of }), of.name]],
    )
  },
})

const changeAccess = form({
  id: "package.changeAccess",
  address: `POST ${ADDRESS}`,
  does: named(packageOperations, "setPackageAccess"),
  on: settings,
  path: ofOperation,
  takes: ["access"],
  done: t("Saved."),
})

const link = form({
  id: "package.link",
  address: `POST ${ADDRESS}/link`,
  does: named(packageOperations, "linkPackage"),
  on: settings,
  also: ["repository"],
  picks: (names, field) => ({ ...ofOperation(names), repo_name: field("repository") }),
  missing: ["repository", t("the owner has no such repository")],
  done: t("Linked."),
})

const unlink = form({
  id: "package.unlink",
  address: `POST ${ADDRESS}/unlink`,
  does: named(packageOperations, "unlinkPackage"),
  on: settings,
  path: ofOperation,
  done: t("Repository unlinked."),
})

const removeVersion = form({
  id: "package.deleteVersion",
  address: `POST ${ADDRESS}/versions/delete`,
  does: named(packageOperations, "deletePackageVersion"),
  on: settings,
  also: ["version"],
  picks: (names, field) => ({ ...ofOperation(names), version: field("version") }),
  missing: ["version", t("there is no such version")],
  confirms: packageName,
  done: t("Version deleted."),
})

const remove = form({
  id: "package.delete",
  address: `POST ${ADDRESS}/delete`,
  does: named(packageOperations, "deletePackage"),
  on: settings,
  path: ofOperation,
  confirms: packageName,
  done: t("Package deleted."),
  to: ({ path: { owner } }) => path(owner, "-", "packages"),
})

/** The button that leads to the settings, for those who may change them. */
export const settingsLink = (
  { owner, rights }: OnPackages,
  { type, name }: { readonly type: string; readonly name: string },
): Html | undefined =>
  rights.mode >= Mode.write
    ? html`<a class="button small" href="${path(owner.name, "-", "packages", "settings", type, name)}">Settings</a>`
    : undefined

export const packageSettingsPages: readonly Page[] = [settings, changeAccess, link, unlink, removeVersion, remove]
