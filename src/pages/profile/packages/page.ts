import { packageRights } from "../../../access/permission.ts"
import { type OnPackages, onVisiblePackages } from "../../../access/policies/packages.ts"
import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { findRepositoryById } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Page as ListPage, pathNumber, type Request } from "../../../core/operation.ts"
import { moved, type Page, page, type Reader, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { viewVersions } from "../../../features/packages/packages/present.ts"
import type { Description } from "../../../features/packages/packages/registry.ts"
import {
  type Asking,
  findFiles,
  findNewest,
  findPackages,
  findTags,
  findVersion,
  findVersions,
  type Listed,
  type Package,
} from "../../../features/packages/packages/store.ts"
import { registries } from "../../../features/packages/registries.ts"
import { path, repositoryPath, withQuery } from "../../../web/address.ts"
import { choices, empty, filterForm, pager } from "../../../web/components.ts"
import { accountPage } from "../../parts/account/frame.ts"
import { renderPlainText, renderText } from "../../parts/texts.ts"
import { repositoryPage } from "../../repository/frame.ts"
import { locatePackage, ownerPage, SOME_VERSIONS } from "./frame.ts"
import { packageSettingsPages, settingsLink } from "./settings.ts"
import { packageRows, TYPE_TEXTS, versionRows, versionView } from "./view.ts"

/** The pages of packages: those of an owner, those of a repository, and each version. */

const listFields = { q: Type.Optional(Type.String()), type: Type.Optional(Type.String()) } as const

interface ListCall extends Pick<Request, "services" | "db"> {
  readonly query: { readonly q?: string; readonly type?: string }
  readonly page: ListPage
  readonly reader: Reader
}

interface ListOf {
  readonly asking: Asking
  readonly action: string
  readonly repositoryId?: number
  readonly nothing: Text
}

async function packageList(
  { services, db, query, page: rows, reader }: ListCall,
  { asking, action, repositoryId, nothing }: ListOf,
): Promise<Html> {
  const { q = "", type } = query
  const found = await findPackages(db, asking, { q: q.trim(), type, ...(repositoryId !== undefined && { repositoryId }) }, rows)
  const packages = await viewVersions(db, asking.actor, asking.owner, found.listed)
  const kinds = registries.map((registry) => ({
    href: withQuery(reader.url, { type: registry.type === type ? undefined : registry.type }),
    text: TYPE_TEXTS[registry.type] ?? registry.type,
    current: registry.type === type,
  }))
  const isFiltered = q.trim() !== "" || type !== undefined
  return html`
    <div class="bar">${filterForm(action, q, t("Search packages"), { type })}${choices(t("Registries"), kinds)}</div>
    ${
      packages.length > 0
        ? packageRows(packages, services.now())
        : isFiltered
          ? empty("search", t("No packages found"), t("Search for part of a name."), html`<a class="button" href="${action}">Show all</a>`)
          : empty("package", nothing, t("Packages are published with npm, or uploaded with curl, below /api/packages."))
    }
    ${pager(reader.url, rows, found.total)}
  `
}

type VersionCall = OnPackages & Request & { readonly page: ListPage; readonly reader: Reader }

async function locateVersion(call: VersionCall): Promise<Listed> {
  const of = await locatePackage(call)
  const version = await findVersion(call.db, of, call.path["version"] ?? "")
  if (!version) throw refuse.notFound()
  return { of, version }
}

const registryOf = ({ type }: Pick<Package, "type">) => registries.find((registry) => registry.type === type)

async function versionPage(call: VersionCall, { of, version }: Listed): Promise<Shown> {
  const { services, db, actor, owner } = call
  const newest = await findVersions(db, call, { packageId: of.id }, SOME_VERSIONS)
  const [view, ...versions] = await viewVersions(db, actor, owner, [{ of, version }, ...newest.listed])
  if (!view) throw refuse.notFound()
  const files = await findFiles(db, { versionId: version.id })
  const tags = await findTags(db, { packageId: of.id })
  const registry = registryOf(of)
  const description: Description = registry?.describe({ site: services.site, owner, of, version, files }) ?? { commands: [] }
  const body = versionView({
    view,
    settings: settingsLink(call, of),
    registry,
    description,
    readme: await readmeOf(call, of, description, view.linked !== undefined),
    files,
    tags: tags.filter((tag) => tag.version_id === version.id).map(({ name }) => name),
    versions,
    versionsTotal: newest.total,
    now: services.now(),
  })
  return ownerPage(call, `${of.name} ${version.version}`, body)
}

/** The README; its links are those of the repository, where the reader may see that. */
async function readmeOf(
  { services, db, actor, owner }: VersionCall,
  of: Package,
  { readme = "" }: Description,
  seesRepository: boolean,
): Promise<Html | undefined> {
  if (readme.trim() === "") return undefined
  const repository = seesRepository && of.repository_id !== null ? await findRepositoryById.first(db, { id: of.repository_id }) : undefined
  if (!repository) return renderPlainText(services, db, actor, readme, "document")
  const file = { at: `branch/${escapePath(repository.default_branch)}`, folder: "" }
  return renderText({ services, db, actor, owner, repository }, readme, { style: "document", file })
}

export const packagePages: readonly Page[] = [
  page({
    id: "package.list",
    address: "GET /{owner}/-/packages",
    access: onVisiblePackages,
    query: listFields,
    answer: async (call) => {
      const action = path(call.owner.name, "-", "packages")
      const list = await packageList(call, { asking: call, action, nothing: t("No packages") })
      return accountPage(call, call.owner, {
        tab: "packages",
        title: t("Packages"),
        body: html`
          <h2 class="hidden-text">Packages</h2>
          ${list}
        `,
      })
    },
  }),

  page({
    id: "package.show",
    address: "GET /{owner}/-/packages/{type}/{package}",
    access: onVisiblePackages,
    answer: async (call) => {
      const of = await locatePackage(call)
      const version = await findNewest.first(call.db, { packageId: of.id })
      if (!version) throw refuse.notFound()
      return versionPage(call, { of, version })
    },
  }),

  page({
    id: "package.versions",
    address: "GET /{owner}/-/packages/{type}/{package}/versions",
    access: onVisiblePackages,
    answer: async (call) => {
      const { services, db, actor, owner, page: rows, reader } = call
      const of = await locatePackage(call)
      const found = await findVersions(db, call, { packageId: of.id }, rows)
      const versions = await viewVersions(db, actor, owner, found.listed)
      return ownerPage(
        call,
        t("Versions · {name}", { name: of.name }),
        html`
          <h1>Versions of <bdi>${of.name}</bdi></h1>
          ${versions.length > 0 ? versionRows(versions, services.now()) : empty("tag", t("No versions on this page"))}
          ${pager(reader.url, rows, found.total)}
        `,
        [[path(owner.name, "-", "packages", of.type, of.name), of.name]],
      )
    },
  }),

  page({
    id: "package.version",
    address: "GET /{owner}/-/packages/{type}/{package}/{version}",
    access: onVisiblePackages,
    answer: async (call) => versionPage(call, await locateVersion(call)),
  }),

  page({
    id: "package.file",
    address: "GET /{owner}/-/packages/{type}/{package}/{version}/files/{id}",
    access: onVisiblePackages,
    answer: async (call) => {
      const { db, owner, path: asked } = call
      const { of, version } = await locateVersion(call)
      const file = (await findFiles(db, { versionId: version.id })).find(({ id }) => id === pathNumber(asked.id))
      const registry = registryOf(of)
      if (!file || !registry) throw refuse.notFound()
      return moved(registry.filePath(owner, { name: of.name, version: version.version, fileName: file.name }))
    },
  }),

  page({
    id: "repository.packages",
    address: "GET /{owner}/{repo}/packages",
    access: onRepositoryUnitRead("packages"),
    query: listFields,
    answer: async (call) => {
      const { db, actor, owner, repository } = call
      const list = await packageList(call, {
        asking: { actor, owner, rights: await packageRights(db, actor, owner) },
        action: `${repositoryPath(call)}/packages`,
        repositoryId: repository.id,
        nothing: t("No packages linked to this repository"),
      })
      return repositoryPage(call, {
        tab: "packages",
        title: t("Packages"),
        body: html`
          <h1>Packages</h1>
          ${list}
        `,
      })
    },
  }),
  ...packageSettingsPages,
]
