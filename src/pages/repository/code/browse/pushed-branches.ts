import { Mode } from "../../../../access/modes.ts"
import { unitMode } from "../../../../access/permission.ts"
import type { OnRepository } from "../../../../access/policies/repositories.ts"
import { type Content, type Html, html } from "../../../../core/html.ts"
import type { Request } from "../../../../core/operation.ts"
import { escapePath } from "../../../../core/text/escape-path.ts"
import { findPushed } from "../../../../features/review/pulls/pushed-branches-store.ts"
import { repositoryPath } from "../../../../web/address.ts"
import { icon } from "../../../../web/icon.ts"
import { time } from "../../../../web/time.ts"

/** How long after a push its branch is shown, in seconds, and how many branches are. */
const RECENT = 2 * 3600

/** Leads from a branch that the reader pushed to a moment ago to the form of a pull request. One query for those who may open one, none for others. */
export async function pushedBranches(call: OnRepository & Pick<Request, "db" | "services" | "actor">): Promise<Content> {
  const { db, services, repository, actor, permission } = call
  if (actor.kind !== "user" || repository.is_archived === 1 || repository.is_mirror === 1) return undefined
  if (unitMode(permission, repository, "repo.pulls") < Mode.read) return undefined
  const found = await findPushed(db, {
    userId: actor.user.id,
    repositoryId: repository.id,
    since: services.now() - RECENT,
    defaultBranch: repository.default_branch,
  })
  return found.map(({ name, repository_id, updated_at, repository: fork }): Html => {
    const isFork = repository_id !== repository.id
    const head = isFork ? `${escapePath(actor.user.name)}/${escapePath(fork)}:${escapePath(name)}` : escapePath(name)
    const address = `${repositoryPath(call)}/compare/${escapePath(repository.default_branch)}...${head}?expand=1`
    return html`
      <div class="notice info bar">
        <span class="break">
          ${icon("git-branch")} You recently pushed to <bdi class="strong">${name}</bdi>
          ${isFork && html` of <bdi>${actor.user.name}/${fork}</bdi>`} ${time(updated_at)}.
        </span>
        <span class="end"></span>
        <a class="button small" href="${address}" rel="nofollow">${icon("git-pull-request")}Open a pull request</a>
      </div>
    `
  })
}
