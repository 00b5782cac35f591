import type { Pull } from "../../../access/policies/pulls.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Page } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { type ChangedFile, type FilesOptions, type Log, type ObjectId, objectId, type Repository } from "../../../git/index.ts"

/** The changes of a pull request, from where it left its base to its head. */
export interface PullRange {
  readonly repository: Repository
  readonly from: ObjectId
  readonly to: ObjectId
}

/** The changes of a pull request. Where it has no commit in common with its base, they are relative to the base itself. */
export const rangeOf = ({ git }: Services, { repository }: Pick<OnRepository, "repository">, pull: Pull): PullRange => ({
  repository: git.at(repository.storage, repository.object_format),
  from: objectId(pull.merge_base === "" ? pull.base_id : pull.merge_base),
  to: objectId(pull.head_id),
})

/** The API's names for the kinds of whitespace to ignore. */
export const WHITESPACE = ["ignore-all", "ignore-change", "ignore-eol", "show-all"] as const
const IGNORED: Readonly<Partial<Record<(typeof WHITESPACE)[number], FilesOptions["whitespace"]>>> = {
  "ignore-all": "all",
  "ignore-change": "change",
  "ignore-eol": "eol",
}

export interface FilesAsked {
  /** The path of the first file; one that isn't there leaves the list whole. */
  readonly skipTo: string | undefined
  readonly whitespace: (typeof WHITESPACE)[number] | undefined
}

/** A page of the changed files, and how many there are from the start of the list. */
export async function filesOf(
  { git }: Services,
  { repository, from, to }: PullRange,
  { skipTo, whitespace }: FilesAsked,
  { limit, offset }: Page,
): Promise<{ readonly files: readonly ChangedFile[]; readonly total: number }> {
  const ignored = IGNORED[whitespace ?? "show-all"]
  const all = await git.diffs.files(repository, from, to, ignored ? { whitespace: ignored } : {})
  const first = skipTo
    ? Math.max(
        0,
        all.findIndex(({ path }) => path === skipTo),
      )
    : 0
  const files = all.slice(first)
  return { files: files.slice(offset, offset + limit), total: files.length }
}

/** Up to this offset it costs little to read all commits that come before. */
const READ_THROUGH = 100

/** A page of the commits, newest first, and how many there are. A short linear history takes no process. */
export async function commitsOf({ git }: Services, { repository, from, to }: PullRange, { limit, offset }: Page): Promise<Log> {
  if (offset + limit > READ_THROUGH) return git.history.log(repository, { to: [to], not: [from], skip: offset, limit })
  const { commits, total } = await git.history.between(repository, { to, from, limit: offset + limit })
  return { commits: commits.slice(offset), total }
}
