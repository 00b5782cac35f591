import { sql } from "kysely"
import { Mode } from "../../../../access/modes.ts"
import { unitMode } from "../../../../access/permission.ts"
import { type Params, query } from "../../../../core/database/query.ts"
import { type Content, type Html, html } from "../../../../core/html.ts"
import type { OnCode } from "../../../../features/code/contents/locate.ts"
import { escapePath, repositoryPath } from "../../../../web/address.ts"
import { icon } from "../../../../web/icon.ts"
import { time } from "../../../../web/time.ts"

/** How long after a push its branch is shown, in seconds, and how many branches are. */
const RECENT = 2 * 3600
const MOST = 3

/** The most branches that are looked at. */
const MOST_RECENT = 100

/**
 * Branches of a repository or of the user's own forks of it that the user was the last to push to, the newest push first: of the newest hundred those that differ from the default
 * branch, and have neither an open pull request into the repository nor one with the same commit.
 */
const findPushed = query(
  "pulls.pushedBranches",
  (db, p: Params<{ userId: number; repositoryId: number; since: number; defaultBranch: string }>) => {
    const recent = db
      .selectFrom("branches")
      .innerJoin("repositories", "repositories.id", "branches.repository_id")
      .select(["branches.name", "branches.repository_id", "branches.commit_id", "branches.updated_at", "repositories.name as repository"])
      .where("branches.pusher_id", "=", p.userId)
      .where("branches.updated_at", ">=", p.since)
      .where((where) =>
        where.or([
          where.and([where("repositories.id", "=", p.repositoryId), where("branches.name", "!=", p.defaultBranch)]),
          where.and([where("repositories.fork_of_id", "=", p.repositoryId), where("repositories.owner_id", "=", p.userId)]),
        ]),
      )
      .orderBy("branches.updated_at", "desc")
      .orderBy("branches.repository_id")
      .orderBy("branches.name")
      .limit(sql.lit(MOST_RECENT))
    return db
      .selectFrom(recent.as("recent"))
      .select(["recent.name", "recent.repository_id", "recent.updated_at", "recent.repository"])
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom("branches as main")
              .select("main.name")
              .where("main.repository_id", "=", p.repositoryId)
              .where((main) => main("main.name", "in", [main.val(p.defaultBranch), main.ref("recent.name")]))
              .whereRef("main.commit_id", "=", "recent.commit_id")
              // A new fork has all branches of the repository.
              .where((main) =>
                main.or([main("main.name", "=", p.defaultBranch), main("main.repository_id", "!=", main.ref("recent.repository_id"))]),
              ),
          ),
        ),
      )
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom("pulls")
              .innerJoin("issues", "issues.id", "pulls.issue_id")
              .select("pulls.id")
              .where("pulls.repository_id", "=", p.repositoryId)
              .whereRef("pulls.head_repository_id", "=", "recent.repository_id")
              .whereRef("pulls.head_branch", "=", "recent.name")
              .where((pull) => pull.or([pull("issues.is_closed", "=", 0), pull("pulls.head_id", "=", pull.ref("recent.commit_id"))])),
          ),
        ),
      )
      .orderBy("recent.updated_at", "desc")
      .orderBy("recent.repository_id")
      .orderBy("recent.name")
      .limit(sql.lit(MOST))
  },
)

/** Leads from a branch that the reader pushed to a moment ago to the form of a pull request. One query for those who may open one, none for others. */
export async function pushedBranches(call: OnCode): Promise<Content> {
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
    return html`<div class="notice info bar"><span class="break">${icon("git-branch")} You pushed to <bdi class="strong">${name}</bdi>${isFork && html` of <bdi>${actor.user.name}/${fork}</bdi>`} ${time(updated_at)}.</span><span class="end"></span><a class="button small" href="${address}" rel="nofollow">${icon("git-pull-request")}Open a pull request</a></div>`
  })
}
