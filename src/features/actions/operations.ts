import type { Operation } from "../../core/operation.ts"
import { artifactOperations } from "./artifacts/operations.ts"
import { runnerOperations } from "./runners/operations.ts"
import { jobOperations } from "./runs/job-operations.ts"
import { runOperations } from "./runs/operations.ts"
import { rerunOperations } from "./runs/rerun-operations.ts"
import { settingOperations } from "./settings/operations.ts"
import { workflowOperations } from "./workflows/operations.ts"

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
