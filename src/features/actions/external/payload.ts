/** What webhooks and workflows are told, besides the repository and the user: read from the rows as they are now, in the transaction of the change. */
import type { Owned } from "../../../access/permission.ts"
import { anonymous } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { EventOf } from "../../../core/events/event.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import type { Commit } from "../../../git/index.ts"
import { presentPayloadCommit } from "../../code/commits/present.ts"
import { presentRelease } from "../../code/releases/present.ts"
import { EVERYTHING, presentRepository } from "../../code/repositories/present.ts"
import { presentVersions } from "../../packages/packages/present.ts"
import { presentOrganization } from "../../people/organizations/present.ts"
import { presentUser } from "../../people/users/present.ts"
import { presentWorkflow } from "../definitions/present.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { readCommit } from "../runs/checked-commit.ts"
import { presentJobs, presentRun } from "../runs/present.ts"
import { isDone, presentState } from "../runs/status.ts"
import type { Job, Run } from "../runs/store.ts"

type Release = EventOf<"release.published">["release"]
type Status = EventOf<"commit.checked">["statuses"][number]
export type VersionEvent = EventOf<"package.published" | "package.deleted">

/** `forkee` is the original, and `repository` the fork. */
export const forkPayload = async (db: Handle, { site }: Services, home: Owned, fork: Owned) => ({
  forkee: await presentRepository(db, site, anonymous, home, EVERYTHING),
  repository: await presentRepository(db, site, anonymous, fork, EVERYTHING),
})

export const repositoryPayload = (_db: Handle, { site }: Services, { owner }: Owned, action: string) => ({
  action,
  organization: presentUser(site, owner),
})

export const releasePayload = async (db: Handle, services: Services, home: Owned, action: string, release: Release) => ({
  action,
  release: await presentRelease(db, services, home, release),
})

export const statusPayload = async (db: Handle, services: Services, home: Owned, commit: Commit, status: Status) => ({
  commit: await presentPayloadCommit(services, db, home, commit),
  context: status.context,
  created_at: rfc3339(status.created_at),
  description: status.description,
  id: status.number,
  sha: status.commit_id,
  state: status.state,
  target_url: status.target_url,
  updated_at: rfc3339(status.created_at),
})

/** A version of a package. `home`: the repository that the package is linked to, if it is. */
export async function packagePayload(db: Handle, { site }: Services, home: Owned | undefined, action: string, event: VersionEvent) {
  const { owner, package: of, version } = event
  const [record] = await presentVersions(db, site, anonymous, owner, [{ version, of }])
  const repository = home ? await presentRepository(db, site, anonymous, home, EVERYTHING) : null
  return {
    action,
    package: { ...record, repository },
    organization: owner.kind === "organization" ? presentUser(site, owner) : null,
  }
}

export const runAction = (state: Run["state"]): "requested" | "in_progress" | "completed" =>
  isDone(state) ? "completed" : state === "running" || state === "cancelling" ? "in_progress" : "requested"

export const runPayload = async (db: Handle, { site }: Services, home: Owned, run: Run) => ({
  action: runAction(run.state),
  workflow: presentWorkflow(site, home, {
    file: run.workflow,
    folder: run.workflow_folder,
    name: run.workflow_name,
    isDisabled: (await disabledWorkflows(db, run.repository_id)).has(run.workflow),
    writtenAt: readCommit(run.checked_commit).author.when,
  }),
  workflow_run: await presentRun(db, site, anonymous, run, { withPulls: true }),
  ...organizationIn(site, home),
})

/** The payloads of jobs of one run, whose records are made together when the first is asked for. */
export function jobPayloads(jobs: readonly Job[]) {
  let records: ReturnType<typeof presentJobs> | undefined
  return async (db: Handle, { site }: Services, home: Owned, { id, state }: Job) => {
    records ??= presentJobs(db, site, jobs)
    return {
      action: presentState(state).status,
      workflow_job: (await records).find((record) => record.id === id),
      ...organizationIn(site, home),
    }
  }
}

/** The organisation that owns the repository, where one does. */
const organizationIn = (site: Site, { owner }: Owned) =>
  owner.kind === "organization" ? { organization: presentOrganization(site, owner, anonymous) } : {}
