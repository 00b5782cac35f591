import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { created, listed, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { deleted, SAYS_UNTIL_WHEN } from "../deletions/answer.ts"
import { releaseAssetOperations } from "./asset-operations.ts"
import { admitRelease, locateRelease, locateReleaseOfTag, seesDrafts } from "./locate.ts"
import { presentRelease, presentReleases } from "./present.ts"
import { CreateReleaseOption, EditReleaseOption, Release } from "./records.ts"
import { createRelease, deleteRelease, editRelease } from "./rules.ts"
import { findLatestRelease, listReleases } from "./store.ts"

const common = { tag: "repository", scope: ["repository"] } as const
const read = { ...common, access: onRepositoryUnitRead("releases") } as const
// Releases of an archived repository can still be edited: only its tags can't be changed.
const write = { ...common, access: onRepositoryUnit("releases", "write") } as const

const releaseRecordOperations: readonly Operation[] = [
  operation({
    ...read,
    id: "repoListReleases",
    route: "GET /repos/{owner}/{repo}/releases",
    summary: "List the releases, the newest first",
    description: "Drafts are shown only to those who may write releases.",
    paged: true,
    query: {
      draft: Type.Optional(Type.Boolean({ description: "only drafts, or none", lenient: true })),
      "pre-release": Type.Optional(Type.Boolean({ description: "only pre-releases, or none", lenient: true })),
    },
    answers: { 200: Type.Array(Release) },
    handle: async ({ services, db, actor, query, page, ...on }) => {
      const filter = { drafts: seesDrafts(actor, on), draft: query.draft, prerelease: query["pre-release"] }
      const { rows, total } = await listReleases(db, { repositoryId: on.repository.id, ...filter }, page)
      return listed(await presentReleases(db, services, on, rows), total)
    },
  }),

  operation({
    ...read,
    id: "repoGetLatestRelease",
    route: "GET /repos/{owner}/{repo}/releases/latest",
    summary: "Get the latest release",
    answers: { 200: Release },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, ...on }) => {
      const latest = await findLatestRelease.first(db, { repositoryId: on.repository.id })
      return ok(await presentRelease(db, services, on, admitRelease(actor, on, latest)))
    },
  }),

  operation({
    ...read,
    id: "repoGetRelease",
    route: "GET /repos/{owner}/{repo}/releases/{id}",
    summary: "Get a release",
    answers: { 200: Release },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => ok(await presentRelease(call.db, services, call, await locateRelease(call, path.id))),
  }),

  operation({
    ...read,
    id: "repoGetReleaseByTag",
    route: "GET /repos/{owner}/{repo}/releases/tags/{tag}",
    summary: "Get the release of a tag",
    answers: { 200: Release },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) =>
      ok(await presentRelease(call.db, services, call, await locateReleaseOfTag(call, path.tag))),
  }),

  operation({
    ...write,
    id: "repoCreateRelease",
    route: "POST /repos/{owner}/{repo}/releases",
    summary: "Create a release, and its tag if missing",
    body: CreateReleaseOption,
    answers: { 201: Release },
    refuses: ["notFound", "conflict", "archived"],
    handle: async ({ services, db, body, ...call }) =>
      created(await presentRelease(db, services, call, await createRelease(services, call, body))),
  }),

  operation({
    ...write,
    id: "repoEditRelease",
    route: "PATCH /repos/{owner}/{repo}/releases/{id}",
    summary: "Edit or publish a release",
    body: EditReleaseOption,
    answers: { 200: Release },
    refuses: ["notFound", "conflict", "archived"],
    handle: async ({ services, path, body, ...call }) => {
      const release = await editRelease(services, call, await locateRelease(call, path.id), body)
      return ok(await presentRelease(call.db, services, call, release))
    },
  }),

  operation({
    ...write,
    id: "repoDeleteRelease",
    route: "DELETE /repos/{owner}/{repo}/releases/{id}",
    summary: "Delete a release with its assets; its tag stays",
    description: SAYS_UNTIL_WHEN,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const release = await locateRelease(call, path.id)
      await deleteRelease(services, release, call.me)
      return deleted(services, "release", release.id)
    },
  }),

  operation({
    ...write,
    id: "repoDeleteReleaseByTag",
    route: "DELETE /repos/{owner}/{repo}/releases/tags/{tag}",
    summary: "Delete the release of a tag with its assets; the tag stays",
    description: SAYS_UNTIL_WHEN,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, path, ...call }) => {
      const release = await locateReleaseOfTag(call, path.tag)
      await deleteRelease(services, release, call.me)
      return deleted(services, "release", release.id)
    },
  }),
]

export const releaseOperations: readonly Operation[] = [...releaseRecordOperations, ...releaseAssetOperations]
