import type { Owned } from "../../../access/permission.ts"
import { anonymous } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { presentOrganization } from "../../people/organizations/present.ts"
import { presentWorkflow } from "../definitions/present.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { readCommit } from "./checked-commit.ts"
import { presentRun } from "./present.ts"
import { isDone } from "./status.ts"
import type { Run } from "./store.ts"

/** What webhooks and workflows are told of a run, besides the repository and the user. */

type Needed = Pick<Services, "site">

export const runAction = (state: Run["state"]): "requested" | "in_progress" | "completed" =>
  isDone(state) ? "completed" : state === "running" || state === "cancelling" ? "in_progress" : "requested"

export const runPayload = async (db: Handle, { site }: Needed, home: Owned, run: Run) => ({
  action: runAction(run.state),
  workflow: presentWorkflow(site, home, {
    file: run.workflow,
    folder: run.workflow_folder,
    name: run.workflow_name,
    isDisabled: (await disabledWorkflows(db, run.repository_id)).has(run.workflow),
    writtenAt: readCommit(run.checked_commit).author.when,
  }),
  workflow_run: await presentRun(db, site, anonymous, run, { withPulls: true }),
  ...organizationIn({ site }, home),
})

/** The organisation that owns the repository, where one does. */
export const organizationIn = ({ site }: Needed, { owner }: Owned) =>
  owner.kind === "organization" ? { organization: presentOrganization(site, owner, anonymous) } : {}
