import { onPackages, onPackagesAsWriter } from "../../../access/policies/packages.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { knownWord } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { deletePackage, deleteVersion, setAccess } from "./change.ts"
import { linkPackage, unlinkPackage } from "./links.ts"
import { presentFile, presentVersions } from "./present.ts"
import { Package, PackageFile, SetPackageAccessOption, TYPES } from "./records.ts"
import { type Asking, findFiles, findNewest, findPackage, findVersion, findVersions, type Listed, type Named } from "./store.ts"

const common = { tag: "package", scope: ["package"] } as const

async function locate(db: Handle, asking: Asking, named: Named) {
  const of = await findPackage(db, asking, named)
  if (!of) throw refuse.notFound()
  return of
}

async function locateVersion(db: Handle, asking: Asking, named: Named & { readonly version: string }): Promise<Listed> {
  const of = await locate(db, asking, named)
  const version = await findVersion(db, of, named.version)
  if (!version) throw refuse.notFound()
  return { version, of }
}

/** The operations about packages. What they consist of is sent and fetched at the registries, below /api/packages. */
export const packageOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "listPackages",
    since: "0.2.0",
    route: "GET /packages/{owner}",
    summary: "List the packages of a person or organization",
    description: "All versions, newest first.",
    access: onPackages,
    paged: true,
    query: {
      type: Type.Optional(knownWord(TYPES, { description: "the registry; there is nothing of those that this service doesn't have" })),
      q: Type.Optional(Type.String({ description: "a part of the name" })),
    },
    answers: { 200: Type.Array(Package) },
    refuses: ["notFound"],
    handle: async ({ services, db, page, query, ...asking }) => {
      const found = await findVersions(db, asking, query, page)
      return listed(await presentVersions(db, services.site, asking.actor, asking.owner, found.listed), found.total)
    },
  }),

  operation({
    ...common,
    id: "listPackageVersions",
    since: "0.2.0",
    route: "GET /packages/{owner}/{type}/{name}",
    summary: "List the versions of a package",
    description: "Newest first.",
    access: onPackages,
    paged: true,
    answers: { 200: Type.Array(Package) },
    refuses: ["notFound"],
    handle: async ({ services, db, page, path, ...asking }) => {
      const { id } = await locate(db, asking, path)
      const found = await findVersions(db, asking, { packageId: id }, page)
      return listed(await presentVersions(db, services.site, asking.actor, asking.owner, found.listed), found.total)
    },
  }),

  operation({
    ...common,
    id: "deletePackage",
    since: "0.2.0",
    route: "DELETE /packages/{owner}/{type}/{name}",
    summary: "Delete a package with all its versions",
    access: onPackagesAsWriter,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, path, owner, actor }) => {
      await services.database.write((tx) => deletePackage(tx, services, { owner, actor }, path))
      return noContent()
    },
  }),

  operation({
    ...common,
    id: "getLatestPackageVersion",
    since: "0.2.0",
    route: "GET /packages/{owner}/{type}/{name}/-/latest",
    summary: "Get the latest version of a package",
    access: onPackages,
    answers: { 200: Package },
    refuses: ["notFound"],
    handle: async ({ services, db, path, ...asking }) => {
      const of = await locate(db, asking, path)
      const version = await findNewest.first(db, { packageId: of.id })
      const [record] = version ? await presentVersions(db, services.site, asking.actor, asking.owner, [{ version, of }]) : []
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...common,
    id: "linkPackage",
    since: "0.2.0",
    route: "POST /packages/{owner}/{type}/{name}/-/link/{repo_name}",
    summary: "Link a package to a repository of the same owner",
    description: "Those who may not read a private repository's packages no longer see the package.",
    access: onPackagesAsWriter,
    answers: { 201: null },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, path, owner, actor }) => {
      await services.database.write((tx) => linkPackage(tx, { owner, actor }, path, path.repo_name))
      return created(undefined)
    },
  }),

  operation({
    ...common,
    id: "unlinkPackage",
    since: "0.2.0",
    route: "POST /packages/{owner}/{type}/{name}/-/unlink",
    summary: "Unlink a package from its repository",
    description: "A package of a private repository stays hidden from those who don't belong to the owner.",
    access: onPackagesAsWriter,
    // The description that clients are made from names 201; what they have always got is 204.
    answers: { 201: null, 204: null },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, path, owner, actor }) => {
      await services.database.write((tx) => unlinkPackage(tx, { owner, actor }, path))
      return noContent()
    },
  }),

  operation({
    ...common,
    id: "setPackageAccess",
    since: "0.2.0",
    route: "PUT /packages/{owner}/{type}/{name}/-/access",
    summary: "Show a package to everyone who may see its owner, or only to those who belong to the owner",
    description: "A package that is linked to a private repository is hidden from those who may not read that in either case.",
    access: onPackagesAsWriter,
    body: SetPackageAccessOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, path, owner, actor, body }) => {
      await services.database.write((tx) => setAccess(tx, { owner, actor }, path, body.access))
      return noContent()
    },
  }),

  operation({
    ...common,
    id: "getPackage",
    since: "0.2.0",
    route: "GET /packages/{owner}/{type}/{name}/{version}",
    summary: "Get a version of a package",
    access: onPackages,
    answers: { 200: Package },
    refuses: ["notFound"],
    handle: async ({ services, db, path, ...asking }) => {
      const found = await locateVersion(db, asking, path)
      const [record] = await presentVersions(db, services.site, asking.actor, asking.owner, [found])
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...common,
    id: "deletePackageVersion",
    since: "0.2.0",
    route: "DELETE /packages/{owner}/{type}/{name}/{version}",
    summary: "Delete a version of a package",
    access: onPackagesAsWriter,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, path, owner, actor }) => {
      await services.database.write((tx) => deleteVersion(tx, services, { owner, actor }, path))
      return noContent()
    },
  }),

  operation({
    ...common,
    id: "listPackageFiles",
    since: "0.2.0",
    route: "GET /packages/{owner}/{type}/{name}/{version}/files",
    summary: "List the files of a version of a package",
    description: "By name.",
    access: onPackages,
    answers: { 200: Type.Array(PackageFile) },
    refuses: ["notFound"],
    handle: async ({ db, path, ...asking }) => {
      const { version } = await locateVersion(db, asking, path)
      return ok((await findFiles(db, { versionId: version.id })).map(presentFile))
    },
  }),
]
