import type { Selectable } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { CommitStatusesTable } from "../../../core/database/tables/protections.ts"
import type { Page } from "../../../core/operation.ts"
import type { StatusSort } from "./records.ts"

export type Status = Selectable<CommitStatusesTable>

interface OfCommit {
  readonly repositoryId: number
  readonly commitId: string
}

/** The number of the commit's last status. The repository must be locked. */
export const findLastNumber = query("statuses.findLastNumber", (db, p: Params<OfCommit>) =>
  db
    .selectFrom("commit_statuses")
    .select((eb) => eb.fn.max<number | null>("number").as("number"))
    .where("repository_id", "=", p.repositoryId)
    .where("commit_id", "=", p.commitId),
)

const newest = query("statuses.findLatest", (db, p: Params<OfCommit>) =>
  db
    .selectFrom("commit_statuses as status")
    .selectAll("status")
    .where("status.repository_id", "=", p.repositoryId)
    .where("status.commit_id", "=", p.commitId)
    .where(({ eb, not, exists }) =>
      not(
        exists(
          eb
            .selectFrom("commit_statuses as later")
            .select("later.id")
            .whereRef("later.repository_id", "=", "status.repository_id")
            .whereRef("later.commit_id", "=", "status.commit_id")
            .whereRef("later.context", "=", "status.context")
            .whereRef("later.number", ">", "status.number"),
        ),
      ),
    )
    .orderBy("status.number"),
)

/** The newest status of each context of a commit, in chronological order. */
export const latestStatuses = (db: Handle, repositoryId: number, commitId: string): Promise<readonly Status[]> =>
  newest(db, { repositoryId, commitId })

export interface StatusFilter {
  readonly sort: StatusSort | undefined
  readonly state: string | undefined
}

/** A page of the statuses of a commit, and how many there are. */
export async function listStatuses(
  db: Handle,
  { repositoryId, commitId }: OfCommit,
  { sort, state }: StatusFilter,
  page: Page,
): Promise<{ readonly rows: readonly Status[]; readonly total: number }> {
  const statuses = db
    .selectFrom("commit_statuses")
    .where("repository_id", "=", repositoryId)
    .where("commit_id", "=", commitId)
    .$if(state !== undefined, (all) => all.where("state", "=", state ?? ""))
  const { total } = await statuses.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  // A status never changes and numbers are chronological, so every sort is by number. Clients expect the names of the sorts the wrong way round.
  const rising = sort === "oldest" || sort === "leastupdate" || sort === "highestindex"
  const rows = await statuses
    .selectAll()
    .orderBy("number", rising ? "asc" : "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

/** The combined state of the newest statuses: failure if one failed, success if all succeeded or were skipped, else pending. */
export function combine(states: readonly string[]): "failure" | "success" | "pending" {
  if (states.some((state) => state === "error" || state === "failure" || state === "warning")) return "failure"
  return states.length > 0 && states.every((state) => state === "success" || state === "skipped") ? "success" : "pending"
}
