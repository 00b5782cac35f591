import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { created, listed, type Operation, operation } from "../../../core/operation.ts"
import { knownWord } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { commitNamed, commitOfPath } from "../commits/revision.ts"
import { presentRepository } from "../repositories/present.ts"
import { repositoryApiUrl } from "../repositories/urls.ts"
import { presentStatuses } from "./present.ts"
import { CombinedStatus, CommitStatus, CreateStatusOption, LISTED_STATES, STATUS_SORTS } from "./records.ts"
import { createStatuses, readStatus } from "./rules.ts"
import { combine, latestStatuses, listStatuses } from "./store.ts"

const common = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("code") } as const

const filters = {
  sort: Type.Optional(
    knownWord(STATUS_SORTS, { description: "newest first where it is not sent", synonyms: { newest: ["latest", "created"] } }),
  ),
  state: Type.Optional(knownWord(LISTED_STATES, { synonyms: { failure: ["failed"], success: ["succeeded"], pending: ["running"] } })),
}

export const statusOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoCreateStatus",
    route: "POST /repos/{owner}/{repo}/statuses/{sha}",
    summary: "Create a commit status",
    access: onRepositoryUnit("code", "write"),
    body: CreateStatusOption,
    answers: { 201: CommitStatus },
    refuses: ["notFound"],
    handle: async ({ services, db, me, path, body, ...on }) => {
      const status = readStatus(body)
      const commit = await commitOfPath(services, on, path.sha)
      const made = { repositoryId: on.repository.id, commit, creator: me, statuses: [status] }
      const rows = await services.database.write((tx) => createStatuses(tx, services, made))
      const [record] = await presentStatuses(db, services, on, rows)
      if (!record) throw new TypeError("one status gives one record")
      return created(record)
    },
  }),

  operation({
    ...common,
    id: "repoListStatuses",
    route: "GET /repos/{owner}/{repo}/statuses/{sha}",
    summary: "List the statuses of a commit",
    description: "By the commit's whole id; of an unknown one nothing was said.",
    paged: true,
    query: filters,
    answers: { 200: Type.Array(CommitStatus) },
    handle: async ({ services, db, path, query, page, ...on }) => {
      const of = { repositoryId: on.repository.id, commitId: path.sha }
      const { rows, total } = await listStatuses(db, of, query, page)
      return listed(await presentStatuses(db, services, on, rows), total)
    },
  }),

  operation({
    ...common,
    id: "repoListStatusesByRef",
    route: "GET /repos/{owner}/{repo}/commits/{ref}/statuses",
    summary: "List the latest statuses of a branch, a tag or a commit",
    paged: true,
    query: filters,
    answers: { 200: Type.Array(CommitStatus) },
    refuses: ["notFound"],
    handle: async ({ services, db, path, query, page, ...on }) => {
      const of = { repositoryId: on.repository.id, commitId: (await commitNamed(services, on, path.ref)).id }
      const { rows, total } = await listStatuses(db, of, query, page)
      return listed(await presentStatuses(db, services, on, rows), total)
    },
  }),

  operation({
    ...common,
    id: "repoGetCombinedStatusByRef",
    route: "GET /repos/{owner}/{repo}/commits/{ref}/status",
    summary: "Get the combined status of a commit",
    description: "The newest status of each context counts. The state is that of all contexts, whichever page is asked for.",
    paged: true,
    answers: { 200: CombinedStatus },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, path, page, ...on }) => {
      const { id } = await commitNamed(services, on, path.ref)
      const latest = await latestStatuses(db, on.repository.id, id)
      // The first page has the newest statuses; each page is in chronological order.
      const end = Math.max(0, latest.length - page.offset)
      const rows = latest.slice(Math.max(0, end - page.limit), end)
      const commitUrl = `${repositoryApiUrl(services.site, on.owner.name, on.repository.name)}/commits/${id}`
      return listed(
        {
          state: combine(latest.map(({ state }) => state)),
          sha: id,
          total_count: rows.length,
          statuses: rows.length === 0 ? null : await presentStatuses(db, services, on, rows),
          repository: await presentRepository(db, services.site, actor, on, on.permission),
          commit_url: commitUrl,
          url: `${commitUrl}/status`,
        },
        latest.length,
      )
    },
  }),
]
