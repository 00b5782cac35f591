import type { Owned } from "../../../access/permission.ts"
import { refuse } from "../../../core/errors.ts"
import type { Page } from "../../../core/operation.ts"
import { secondsOf } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { isTreeEntryName, type Log } from "../../../git/index.ts"
import { commitNamed, gitOf } from "./revision.ts"

/** Which commits are listed. */
export interface CommitFilter {
  readonly sha?: string | undefined
  readonly path?: string | undefined
  readonly not?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/**
 * A page of the commits that match a filter, newest first. Refuses `conflict` for an empty repository, `notFound` for an unknown revision
 * and a path that no commit has touched.
 */
export async function listCommits(services: Services, on: Owned, filter: CommitFilter, page: Page): Promise<Log> {
  if (on.repository.is_empty === 1) throw refuse.conflict("Git Repository is empty.")
  const { git } = services
  const repository = gitOf(services, on)
  const to = [(await commitNamed(services, on, filter.sha ?? "")).id]
  const not = filter.not ? [(await commitNamed(services, on, filter.not)).id] : undefined
  const path = filter.path ? pathOf(filter.path) : undefined
  const [since, until] = [secondsOf(filter.since), secondsOf(filter.until)]
  const log = await git.history.log(repository, { to, not, path, since, until, skip: page.offset, limit: page.limit })
  if (path !== undefined && log.total === 0) {
    const isNarrowed = not !== undefined || since !== undefined || until !== undefined
    const { total } = isNarrowed ? await git.history.log(repository, { to, path, skip: 0, limit: 0 }) : log
    if (total === 0) throw refuse.notFound()
  }
  return log
}

function pathOf(text: string): string | undefined {
  const parts = text.split("/").filter((part) => part !== "")
  if (!parts.every(isTreeEntryName)) throw refuse.notFound()
  return parts.length === 0 ? undefined : parts.join("/")
}
