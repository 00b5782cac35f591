import { sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Job } from "./store.ts"

interface Labels {
  readonly labels: string
}

/** Whether all labels of the job in the row are among those of a runner. */
const labelsAreAmong = (labels: Params<Labels>["labels"]) =>
  portable({
    sqlite: sql<boolean>`not exists (select 1 from json_each(action_jobs.labels) where json_each.value not in (select json_each.value from json_each(${labels})))`,
    postgres: sql<boolean>`action_jobs.labels::jsonb <@ cast(${labels} as jsonb)`,
  })

interface ForRunner extends Labels {
  /** Of the runner; 0 for none. */
  readonly repositoryId: number
  readonly ownerId: number
}

/**
 * The job that a runner with these labels should take next: the oldest of the repository with the fewest running jobs. A runner of the site
 * serves all repositories, one of an owner theirs.
 */
export const findNextJob = query("actions.findNextJob", (db, p: Params<ForRunner>) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("action_jobs")
        .innerJoin("repositories", "repositories.id", "action_jobs.repository_id")
        .select(["action_jobs.repository_id", (of) => of.fn.min<number>("action_jobs.id").as("id")])
        .where(sql<boolean>`action_jobs.state = 'waiting'`)
        .where("action_jobs.call", "=", "{}")
        .where("repositories.has_actions", "=", 1)
        .where("repositories.is_archived", "=", 0)
        .where(labelsAreAmong(p.labels))
        .where((of) => of.or([of(p.repositoryId, "=", 0), of("action_jobs.repository_id", "=", p.repositoryId)]))
        .where((of) => of.or([of(p.ownerId, "=", 0), of("repositories.owner_id", "=", p.ownerId)]))
        .groupBy("action_jobs.repository_id")
        .as("oldest"),
    )
    .innerJoin("action_jobs", "action_jobs.id", "oldest.id")
    .select(["action_jobs.id", "action_jobs.run_id"])
    .orderBy((eb) =>
      eb
        .selectFrom("action_jobs as busy")
        .select(eb.fn.countAll<number>().as("count"))
        .whereRef("busy.repository_id", "=", "oldest.repository_id")
        .where(sql<boolean>`busy.state in ('running', 'cancelling')`),
    )
    .orderBy("oldest.id")
    .limit(1),
)

/** Gives a job to a runner, unless it no longer waits. */
export const claimJob = (tx: Transaction, id: number, claim: Pick<Job, "state" | "runner_id" | "started_at">) =>
  tx.updateTable("action_jobs").set(claim).where("id", "=", id).where("state", "=", "waiting").returningAll().executeTakeFirst()
