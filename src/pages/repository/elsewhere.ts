import { Mode, type Unit } from "../../access/modes.ts"
import { unitMode } from "../../access/permission.ts"
import { type OnRepository, onRepository, onRepositoryUnitRead } from "../../access/policies/repositories.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import { moved, type Page, page } from "../../core/page.ts"
import { escapePath } from "../../core/text/escape-path.ts"
import { repositoryPath } from "../../web/address.ts"

/*
 * Addresses as GitLab has them, for a repository that came from there: links to it still lead to the right page. GitLab counts issues and merge requests apart,
 * so that an import may have given another number. What follows "#" is the browser's, and means the same here.
 */

type Call = OnRepository & { readonly db: Handle }

const LISTS = { issues: "issues", work_items: "issues", merge_requests: "pull_requests" } as const
const NUMBERED = /^(issues|work_items|merge_requests)(?:\/(\d{1,10})(?:\/(diffs|commits)?)?)?$/
const OF_CODE = /^(tree|blob|raw|blame|commits)\/(.+)$/
const SAME = /^(?:commit|compare)\/.+$|^(?:branches|tags|releases|forks|milestones|labels)$/

/** Pages of imported repositories under the addresses of the server that they came from. */
export const elsewherePages: readonly Page[] = [
  page({
    id: "repository.elsewhere",
    address: "GET /{owner}/{repo}/-/{filepath}",
    access: onRepository,
    answer: async (call) => moved(await placeOf(call, call.path.filepath)),
  }),
  // Before version 12.7 the addresses of GitLab had no "-".
  page({
    id: "repository.mergeRequest",
    address: "GET /{owner}/{repo}/merge_requests/{index}",
    access: onRepositoryUnitRead("pulls"),
    answer: async (call) => moved(await placeOf(call, `merge_requests/${call.path.index}`)),
  }),
]

/** The path here of an address below the project's page. Refuses `notFound` what there is nothing like here, or the caller may not see. */
async function placeOf(call: Call, path: string): Promise<string> {
  const home = repositoryPath(call)
  const [, list, number, tab] = NUMBERED.exec(path) ?? []
  if (list === "issues" || list === "work_items" || list === "merge_requests") {
    const kind = LISTS[list]
    const isPull = kind === "pull_requests"
    requireUnit(call, isPull ? "repo.pulls" : "repo.issues")
    const place = `${home}/${isPull ? "pulls" : "issues"}`
    if (number === undefined) return place
    const { findNumbers } = await import("../../features/site/migration/links-store.ts")
    const found = await findNumbers(call.db, call.repository.id, [String(Number(number))])
    const here = found.find((row) => row.kind === kind)?.number ?? Number(number)
    return `${place}/${here}${isPull && tab !== undefined ? `/${tab === "diffs" ? "files" : tab}` : ""}`
  }
  const [, view, rest] = OF_CODE.exec(path) ?? []
  if (view !== undefined && rest !== undefined) return `${home}/${view}/${escapePath(rest)}`
  if (SAME.test(path)) return `${home}/${escapePath(path)}`
  const [, wiki] = /^wikis(?:\/(.*))?$/.exec(path) ?? []
  if (path.startsWith("wikis")) return `${home}/wiki${wiki ? `/${escapePath(wiki)}` : ""}`
  throw refuse.notFound()
}

/** What is hidden from the caller is missing to them, whatever its number. */
function requireUnit({ permission, repository }: Call, unit: Unit): void {
  if (unitMode(permission, repository, unit) < Mode.read) throw refuse.notFound()
}
