import type { OnPull } from "../../../access/policies/pulls.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Page } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { usersById } from "../../code/repositories/store.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { presentUser } from "../../people/users/present.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"
import { presentChangedFile } from "../pulls/files.ts"
import { compareCommits, interdiff, versionsOf } from "./interdiff.ts"
import { isOutdated, stackOf } from "./members.ts"
import type { PullRequestInterdiff, PullRequestStack, PullRequestVersion, StackedPullRequest } from "./records.ts"
import { countVersions, findVersions, type Member } from "./store.ts"

interface Call extends OnPull {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
}

/** What has become of a pull request. */
export const stateOf = ({ is_merged, is_closed }: Member): StackedPullRequest["state"] =>
  is_merged === 1 ? "merged" : is_closed === 1 ? "closed" : "open"

export async function presentStack({ services: { site }, db, repository, owner, pull }: Call): Promise<Static<typeof PullRequestStack>> {
  const stack = await stackOf(db, repository, pull)
  const at = `${repositoryHtmlUrl(site, owner.name, repository.name)}/pulls`
  return {
    base: stack[0]?.member.base_branch ?? pull.base_branch,
    pulls: stack.map((placed) => {
      const { member, belowId } = placed
      return {
        number: member.number,
        title: member.title,
        state: stateOf(member),
        draft: isUnfinished(member.title),
        html_url: `${at}/${member.number}`,
        change_id: member.change_id ?? "",
        head: member.head_id,
        base: member.stands_on === "" ? member.base_id : member.stands_on,
        base_branch: member.base_branch,
        stands_on: stack.find((other) => other.member.id === belowId)?.member.number ?? null,
        outdated: isOutdated(placed, stack),
        current: member.id === pull.id,
        note: member.note ?? "",
      }
    }),
  }
}

export async function presentVersions({
  services: { site },
  db,
  actor,
  pull,
  page: { limit, offset },
}: Call & { readonly page: Page }): Promise<{ readonly versions: Static<typeof PullRequestVersion>[]; readonly total: number }> {
  const rows = await findVersions(db, { pullId: pull.id, limit, offset })
  const total = (await countVersions.first(db, { pullId: pull.id }))?.total ?? 0
  const people = await usersById(db, [...new Set(rows.map(({ pusher_id }) => pusher_id))])
  const versions = rows.map(({ number, head_id, base_id, pusher_id, created_at }) => {
    const pusher = people.get(pusher_id)
    return {
      number,
      head: head_id,
      base: base_id,
      pusher: pusher ? presentUser(site, pusher, actor) : null,
      created_at: rfc3339(created_at),
    }
  })
  return { versions, total }
}

/** The most files of a comparison. */
const MOST_FILES = 3_000

export async function presentInterdiff({
  services,
  db,
  pull,
  query,
  ...found
}: Call & { readonly query: { readonly from?: number; readonly to?: number } }): Promise<Static<typeof PullRequestInterdiff>> {
  const versions = await versionsOf(db, pull.id, query)
  const repository = services.git.at(found.repository.storage, found.repository.object_format)
  const { from, to, isClean } = await interdiff(services, repository, versions)
  const files = await services.git.diffs.files(repository, from, to, { limit: MOST_FILES })
  const { pairs, text } = await compareCommits(services, repository, versions)
  return {
    from: versions.before.number,
    to: versions.after.number,
    clean: isClean,
    files: files.map((file) => presentChangedFile(services.site, found, to, file)),
    commits: pairs.map(({ kind, before, after, subject }) => ({ state: kind, before: before ?? null, after: after ?? null, subject })),
    range_diff: text,
  }
}
