import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { actorId } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, ok, operation, pathNumber } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { repositoryApiUrl } from "../../code/repositories/urls.ts"
import { findRun } from "../runs/store.ts"
import { deleteArtifact, linkQuery, requireContent } from "./artifacts.ts"
import { presentArtifacts } from "./present.ts"
import { ActionArtifact, ActionArtifactsResponse } from "./records.ts"
import { findArtifact, findArtifacts } from "./store.ts"

const reading = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("actions") } as const
const NAME = { name: Type.Optional(Type.String({ description: "only those of this very name" })) } as const

/** The artifacts of runs. */
export const artifactOperations: readonly Operation[] = [
  operation({
    ...reading,
    id: "getArtifacts",
    route: "GET /repos/{owner}/{repo}/actions/artifacts",
    summary: "List the artifacts of a repository",
    description: "Newest first.",
    paged: true,
    query: NAME,
    changesWithTime: true,
    answers: { 200: ActionArtifactsResponse },
    handle: async ({ services, db, actor, query, page, repository, owner }) => {
      const { rows, total } = await findArtifacts(db, { repositoryId: repository.id, name: query.name }, page)
      const artifacts = await presentArtifacts(db, services, actor, { repository, owner }, rows)
      return listed({ artifacts, total_count: total }, total)
    },
  }),

  operation({
    ...reading,
    id: "getArtifactsOfRun",
    route: "GET /repos/{owner}/{repo}/actions/runs/{run}/artifacts",
    summary: "List the artifacts of a run",
    description: "Newest first.",
    paged: true,
    query: NAME,
    changesWithTime: true,
    answers: { 200: ActionArtifactsResponse },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, path, query, page, repository, owner }) => {
      const run = await findRun.first(db, { repositoryId: repository.id, id: path.run })
      if (!run) throw refuse.notFound()
      const { rows, total } = await findArtifacts(db, { repositoryId: repository.id, runId: run.id, name: query.name }, page)
      const artifacts = await presentArtifacts(db, services, actor, { repository, owner }, rows, run)
      return listed({ artifacts, total_count: total }, total)
    },
  }),

  operation({
    ...reading,
    id: "getArtifact",
    route: "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}",
    summary: "Get an artifact",
    changesWithTime: true,
    answers: { 200: ActionArtifact },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, path, repository, owner }) => {
      const artifact = await findArtifact.first(db, { repositoryId: repository.id, id: pathNumber(path.artifact_id) })
      const [record] = artifact ? await presentArtifacts(db, services, actor, { repository, owner }, [artifact]) : []
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...reading,
    id: "downloadArtifact",
    route: "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/zip",
    summary: "Download an artifact",
    description: "The answer leads to a zip file that can be read without signing in, for an hour.",
    changesWithTime: true,
    answers: { 302: null },
    refuses: ["notFound"],
    handle: async ({ services, path, repository, owner }) => {
      const artifact = await requireContent(services, { repositoryId: repository.id, id: pathNumber(path.artifact_id) })
      const url = `${repositoryApiUrl(services.site, owner.name, repository.name)}/actions/artifacts/${artifact.id}/zip/raw`
      return { status: 302, body: undefined, headers: { location: `${url}?${linkQuery(services, artifact)}` } } as const
    },
  }),

  operation({
    ...reading,
    access: onRepositoryUnit("actions", "write"),
    id: "deleteArtifact",
    route: "DELETE /repos/{owner}/{repo}/actions/artifacts/{artifact_id}",
    summary: "Delete an artifact",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, actor, path, repository }) => {
      await services.database.write((tx) => deleteArtifact(tx, services, repository, pathNumber(path.artifact_id), { id: actorId(actor) }))
      return noContent()
    },
  }),
]
