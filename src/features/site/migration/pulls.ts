import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { isObjectId, type ObjectId, type RefName } from "../../../git/index.ts"
import { type ImportTarget, parseTime } from "../../code/mirrors/import-target.ts"
import { type RemoteAddress, reach } from "../../code/mirrors/remote.ts"
import { alignPull, headRef } from "../../review/pulls/refs.ts"
import { insertPull, setMerged } from "../../review/pulls/store.ts"
import type { RecordOf } from "./source.ts"

/** The imported head commits of pull requests, by number. */
export type PullHeads = ReadonlyMap<number, ObjectId>

type Pull = RecordOf<"pull_requests">

/** Fetches the heads of pull requests and creates references to them, so that they are not garbage collected. Heads that the server no longer has are skipped. */
export async function readPullHeads(
  { services, repository }: ImportTarget,
  target: RemoteAddress,
  records: readonly Pull[],
  signal: AbortSignal,
): Promise<PullHeads> {
  if (records.length === 0) return new Map()
  const { git } = services
  const place = git.at(repository.storage, repository.object_format)
  const remote = await reach(services, target)
  const there = new Map<RefName, ObjectId>((await git.remotes.list(remote, signal)).references.map(({ name, id }) => [name, id]))
  const heads = new Map<number, ObjectId>()
  for (const { number } of records) {
    const id = there.get(headRef(number))
    if (id !== undefined) heads.set(number, id)
  }
  const absent: ObjectId[] = []
  for (const id of heads.values()) if (!(await git.objects.info(place, id))) absent.push(id)
  await git.remotes.fetch(place, remote, { ids: absent, signal })
  const updates: { readonly name: RefName; readonly to: ObjectId }[] = []
  for (const [number, id] of heads) {
    if ((await git.objects.info(place, id))?.type !== "commit") heads.delete(number)
    else updates.push({ name: headRef(number), to: id })
  }
  await git.references.update(place, updates)
  return heads
}

/** Writes the columns of pull requests that issues don't have. Open ones are checked afterwards by a job of their own. */
export async function importPulls(
  tx: Transaction,
  { services, repository, imported }: ImportTarget,
  records: readonly Pull[],
  heads: PullHeads,
  issueIds: ReadonlyMap<number, number>,
): Promise<void> {
  const commit = (text: string | null | undefined): string => (text && isObjectId(text, repository.object_format) ? text : "")
  for (const record of records) {
    const [issueId, headId] = [issueIds.get(record.number), heads.get(record.number)]
    if (issueId === undefined || headId === undefined) continue
    const isMerged = record.merged ?? false
    const isOfFork = record.head.repo_id !== record.base.repo_id
    const pull = await insertPull.first(tx, {
      issue_id: issueId,
      repository_id: repository.id,
      base_branch: record.base.ref || repository.default_branch,
      // The forks are not imported.
      head_repository_id: isOfFork ? null : repository.id,
      head_branch: record.head.ref ?? "",
      head_id: headId,
      base_id: "",
      merge_base: commit(record.merge_base),
      mergeability: "checking",
      conflicted_files: "[]",
      additions: 0,
      deletions: 0,
      changed_files: 0,
      commits_ahead: 0,
      commits_behind: 0,
      allow_maintainer_edit: flag(record.allow_maintainer_edit ?? false),
    })
    if (!pull) continue
    if (isMerged)
      await setMerged(tx, pull.id, {
        is_merged: 1,
        merged_at: parseTime(record.merged_at, parseTime(record.closed_at, services.now())),
        merged_by_id: imported.doer_id,
        merge_commit_id: commit(record.merge_commit_sha),
      })
    else if (record.state !== "closed") await services.jobs.enqueue(tx, alignPull, { pullId: pull.id })
  }
}
