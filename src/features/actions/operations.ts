import type { Operation } from "../../core/operation.ts"
import { artifactOperations } from "./artifact-operations.ts"
import { jobOperations } from "./job-operations.ts"
import { rerunOperations } from "./rerun-operations.ts"
import { runOperations } from "./run-operations.ts"
import { runnerOperations } from "./runner-operations.ts"
import { settingOperations } from "./setting-operations.ts"
import { workflowOperations } from "./workflow-operations.ts"

/** Runners, runs and jobs, workflows, and what these are given. */
export const actionOperations: readonly Operation[] = [
  ...runnerOperations,
  ...runOperations,
  ...rerunOperations,
  ...jobOperations,
  ...artifactOperations,
  ...workflowOperations,
  ...settingOperations,
]
