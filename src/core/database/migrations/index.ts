import type { Migration } from "../migrate.ts"
import { foundation } from "./0001-foundation.ts"
import { issues } from "./0002-issues.ts"
import { search } from "./0003-search.ts"
import { protections } from "./0004-protections.ts"
import { releases } from "./0005-releases.ts"
import { pulls } from "./0006-pulls.ts"
import { projects } from "./0007-projects.ts"
import { keys } from "./0008-keys.ts"
import { webhooks } from "./0009-webhooks.ts"
import { actions } from "./0010-actions.ts"
import { audit } from "./0011-audit.ts"
import { mirrors } from "./0012-mirrors.ts"
import { lfs } from "./0013-lfs.ts"
import { events } from "./0014-events.ts"
import { guesses } from "./0015-guesses.ts"
import { readOnlyKeys } from "./0016-read-only-keys.ts"
import { trackedTimeUpdates } from "./0017-tracked-time-updates.ts"
import { wikis } from "./0018-wikis.ts"
import { runnerProtocol } from "./0019-runner-protocol.ts"
import { unusedPackets } from "./0020-unused-packets.ts"
import { oauth2 } from "./0021-oauth2.ts"
import { packages } from "./0022-packages.ts"
import { signing } from "./0023-signing.ts"
import { results } from "./0024-results.ts"
import { workflowTriggers } from "./0025-workflow-triggers.ts"
import { codeSearch } from "./0026-code-search.ts"
import { history } from "./0027-history.ts"
import { signIn } from "./0028-sign-in.ts"
import { runFollowups } from "./0029-run-followups.ts"
import { forms } from "./0030-forms.ts"
import { reviewing } from "./0031-reviewing.ts"
import { texts } from "./0032-texts.ts"
import { transfer } from "./0033-transfer.ts"
import { unboundFiles } from "./0034-unbound-files.ts"
import { attention } from "./0035-attention.ts"
import { movingBranches } from "./0036-moving-branches.ts"
import { shortGrams } from "./0037-short-grams.ts"
import { holders } from "./0038-holders.ts"
import { logParts } from "./0039-log-parts.ts"
import { storedRepositories } from "./0040-stored-repositories.ts"
import { lengths } from "./0041-lengths.ts"
import { referenceTotals } from "./0042-reference-totals.ts"
import { takeover } from "./0043-takeover.ts"
import { imports } from "./0044-imports.ts"
import { restrictions } from "./0045-restrictions.ts"
import { devicesAndDirectories } from "./0046-devices-and-directories.ts"
import { offeredPulls } from "./0047-offered-pulls.ts"
import { importRuns } from "./0048-import-runs.ts"
import { eventPositions } from "./0049-event-positions.ts"
import { keptAnswers } from "./0050-kept-answers.ts"
import { taskTokens } from "./0051-task-tokens.ts"
import { mergeQueue } from "./0052-merge-queue.ts"
import { stacks } from "./0053-stacks.ts"
import { undo } from "./0054-undo.ts"
import { newcomers } from "./0055-newcomers.ts"
import { trialsAnew } from "./0056-trials-anew.ts"

/** The migrations, oldest first. A released one is never changed. */
export const migrations: readonly Migration[] = [
  foundation,
  issues,
  search,
  protections,
  releases,
  pulls,
  projects,
  keys,
  webhooks,
  actions,
  audit,
  mirrors,
  lfs,
  events,
  guesses,
  readOnlyKeys,
  trackedTimeUpdates,
  wikis,
  runnerProtocol,
  unusedPackets,
  oauth2,
  packages,
  signing,
  results,
  workflowTriggers,
  codeSearch,
  history,
  signIn,
  runFollowups,
  forms,
  reviewing,
  texts,
  transfer,
  unboundFiles,
  attention,
  movingBranches,
  shortGrams,
  holders,
  logParts,
  storedRepositories,
  lengths,
  referenceTotals,
  takeover,
  imports,
  restrictions,
  devicesAndDirectories,
  offeredPulls,
  importRuns,
  eventPositions,
  keptAnswers,
  taskTokens,
  mergeQueue,
  stacks,
  undo,
  newcomers,
  trialsAnew,
]
