import { flag } from "../../../../core/database/tables/index.ts"
import { cut } from "../../../code/mirrors/import-target.ts"
import { branchPattern, isPattern, isUsable } from "../../../code/protections/names.ts"
import { findProtections, insertRule, replaceList } from "../../../code/protections/store.ts"
import type { BranchRule, Person } from "../origins/model.ts"
import { findItems } from "./items-store.ts"
import { type Landing, remember } from "./landing.ts"

/** Writes rules for branches that are not here yet. Those that are here stay as they are: they are this repository's own from then on. */
export async function writeBranchRules(landing: Landing, records: readonly BranchRule[]): Promise<void> {
  const { tx, repository, imported, people, services } = landing
  const now = services.now()
  const known = await findItems(
    tx,
    { repositoryId: repository.id, kind: "branch_rules" },
    records.map(({ key }) => key),
  )
  const rules = await findProtections(tx, repository.id)
  // Two plain names that differ only in case would match the same branches.
  const names = new Set(rules.map(({ rule_name }) => rule_name.toLowerCase()))
  let priority = Math.max(0, ...rules.map((rule) => rule.priority))
  for (const record of records) {
    const name = cut(record.name, 255)
    if (known.has(record.key) || names.has(name.toLowerCase()) || name === "" || (isPattern(name) && !isUsable(branchPattern(name))))
      continue
    if (names.size >= services.config.limits.rules) break
    names.add(name.toLowerCase())
    priority++
    const id = await insertRule(tx, {
      repository_id: repository.id,
      rule_name: name,
      priority,
      enable_push: flag(record.allowsPushes),
      enable_push_whitelist: flag(record.allowsPushes && record.pushers !== undefined),
      push_whitelist_deploy_keys: 0,
      enable_force_push: flag(record.allowsForcePushes),
      enable_force_push_allowlist: 0,
      force_push_allowlist_deploy_keys: 0,
      enable_merge_whitelist: flag(record.mergers !== undefined),
      enable_bypass_allowlist: 0,
      enable_status_check: flag(record.checks !== undefined),
      status_check_contexts: JSON.stringify((record.checks ?? []).slice(0, 100).map((check) => cut(check, 255))),
      required_approvals: Math.min(Math.max(0, record.approvals), 100),
      enable_approvals_whitelist: 0,
      block_on_rejected_reviews: flag(record.blocksRejected),
      block_on_official_review_requests: 0,
      block_on_outdated_branch: flag(record.blocksOutdated),
      dismiss_stale_approvals: flag(record.dismissesStale),
      ignore_stale_approvals: 0,
      require_signed_commits: flag(record.wantsSignatures),
      protected_file_patterns: "",
      unprotected_file_patterns: "",
      block_admin_merge_override: flag(record.bindsAdministrators),
      created_at: now,
      updated_at: now,
    })
    await replaceList(tx, id, "push", { userIds: await idsOf(record.pushers), teamIds: [] })
    await replaceList(tx, id, "merge", { userIds: await idsOf(record.mergers), teamIds: [] })
    await remember(landing, "branch_rules", { key: record.key, updatedAt: now }, id)
  }

  /** Those of them who are known here, and who brought the repository: a list that names none would let nobody in. */
  async function idsOf(listed: readonly Person[] | undefined): Promise<readonly number[]> {
    const ids = new Set(listed === undefined ? [] : [imported.doer_id])
    for (const person of listed ?? []) {
      const id = await people.idOf(person)
      if (id !== 0) ids.add(id)
    }
    return [...ids]
  }
}
