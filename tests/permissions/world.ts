import { randomUUID } from "node:crypto"
import type { Hearth } from "../../src/app.ts"
import type { Transaction } from "../../src/core/database/database.ts"
import { insertAttachment } from "../../src/features/code/attachments/store.ts"
import { createToken } from "../../src/features/people/sign-in/credentials/tokens.ts"
import { createPerson } from "../../src/features/people/users/rules.ts"
import { basic, must } from "../support/http.ts"

/** A small world in which every kind of caller meets every kind of subject. */

export const roles = [
  "anonymous",
  "stranger",
  "reader",
  "writer",
  "administrator",
  "owner",
  "siteAdministrator",
  "inactive",
  "prohibited",
] as const
export type Role = (typeof roles)[number]

export const visibilities = ["public", "limited", "private"] as const
export type Visibility = (typeof visibilities)[number]

export const credentials = ["password", "full", "narrow", "publicOnly"] as const
export type Credential = (typeof credentials)[number]

/** The scopes of the tokens of each kind; the narrow one is enough only for operations without a scope. */
const TOKEN_SCOPES = { full: ["all"], narrow: ["read:misc"], publicOnly: ["all", "public-only"] } as const

export const PASSWORD = "one password for all"

export interface World {
  /** The Authorization header of a caller; undefined for anonymous. */
  readonly authorization: (role: Role, credential: Credential) => string | undefined
  /** The values of path parameters, by the subject's visibility. */
  readonly parameters: (visibility: Visibility) => Readonly<Record<string, string>>
}

/**
 * For each visibility V an organisation `org-V` with a team and a repository that has an issue with a comment and a pull request with a review (private in the private one), and a person
 * `person-V`. Reader, writer and administrator are collaborators of each repository; the owner owns each organisation.
 */
export async function buildWorld({ url, services }: Hearth): Promise<World> {
  const headers = await buildCallers({ services })
  const owner = headers.get("owner full")
  const call = <T>(route: string, body?: object): Promise<T> => {
    const [method = "", path = ""] = route.split(" ")
    return must<T>(url, method, path, { authorization: owner, body })
  }
  const values = new Map<Visibility, Readonly<Record<string, string>>>()
  for (const visibility of visibilities) {
    const person = `person-${visibility}`
    const now = services.now()
    await services.database.write((tx) =>
      createPerson(tx, { name: person, email: `${person}@example.com`, passwordHash: "", visibility, now }),
    )
    const org = `org-${visibility}`
    await call("POST /orgs", { username: org, visibility })
    const team = await call<{ id: number }>(`POST /orgs/${org}/teams`, { name: "team", visibility, units_map: { "repo.code": "read" } })
    const made = { name: "repo", private: visibility === "private", auto_init: true, template: true }
    const repository = await call<{ id: number }>(`POST /orgs/${org}/repos`, made)
    // A template has none by default.
    await call(`PATCH /repos/${org}/repo`, { has_actions: true })
    for (const [name, permission] of [
      ["reader", "read"],
      ["writer", "write"],
      ["administrator", "admin"],
    ] as const)
      await call(`PUT /repos/${org}/repo/collaborators/${name}`, { permission })
    const comment = await services.database.write(async (tx) => {
      const { id } = await tx.selectFrom("users").select("id").where("lower_name", "=", "owner").executeTakeFirstOrThrow()
      const moment = { created_at: now, updated_at: now }
      const issue = {
        repository_id: repository.id,
        number: 1,
        is_pull: 0,
        author_id: id,
        title: "An issue",
        content: "",
        ...moment,
      } as const
      const { id: issueId } = await tx.insertInto("issues").values(issue).returning("id").executeTakeFirstOrThrow()
      const comment = { issue_id: issueId, kind: "comment", author_id: id, content: "A comment", ...moment }
      return tx.insertInto("comments").values(comment).returning("id").executeTakeFirstOrThrow()
    })
    const review = await services.database.write((tx) => buildPull(tx, repository.id, now))
    const uuid = await services.database.write((tx) => buildAttachment(tx, repository.id, now))
    values.set(visibility, {
      owner: org,
      repo: "repo",
      template_owner: org,
      template_repo: "repo",
      org,
      username: person,
      user: person,
      team_id: String(team.id),
      repository_id: String(repository.id),
      comment_id: String(comment.id),
      review_id: String(review.id),
      uuid,
    })
  }
  return {
    authorization: (role, credential) => headers.get(`${role} ${credential}`),
    parameters: (visibility) => values.get(visibility) ?? {},
  }
}

/** A pull request of the owner's, number 2, that the owner has reviewed; gives the review. */
async function buildPull(tx: Transaction, repositoryId: number, now: number): Promise<{ readonly id: number }> {
  const { id: ownerId } = await tx.selectFrom("users").select("id").where("lower_name", "=", "owner").executeTakeFirstOrThrow()
  const moment = { created_at: now, updated_at: now }
  const issue = {
    repository_id: repositoryId,
    number: 2,
    is_pull: 1,
    author_id: ownerId,
    title: "A pull request",
    content: "",
    ...moment,
  } as const
  const { id } = await tx.insertInto("issues").values(issue).returning("id").executeTakeFirstOrThrow()
  const branches = { base_branch: "main", head_branch: "work", head_repository_id: repositoryId }
  const commits = { head_id: "1".repeat(40), base_id: "", merge_base: "", mergeability: "checking", conflicted_files: "[]" } as const
  const sums = { additions: 0, deletions: 0, changed_files: 0, commits_ahead: 0, commits_behind: 0 }
  const merge = { is_merged: 0, merged_at: 0, merged_by_id: 0, merge_commit_id: "", is_merged_manually: 0, merge_entry: 0 } as const
  const pull = { issue_id: id, repository_id: repositoryId, allow_maintainer_edit: 0, ...branches, ...commits, ...sums, ...merge } as const
  await tx.insertInto("pulls").values(pull).execute()
  const review = { issue_id: id, reviewer_id: ownerId, state: "COMMENT", commit_id: pull.head_id, patch_id: "", ...moment } as const
  return tx
    .insertInto("reviews")
    .values({ ...review, is_official: 0, is_stale: 0, is_dismissed: 0 })
    .returning("id")
    .executeTakeFirstOrThrow()
}

/** A file that is attached to the issue; gives its uuid. */
async function buildAttachment(tx: Transaction, repositoryId: number, now: number): Promise<string> {
  const { id, author_id } = await tx
    .selectFrom("issues")
    .select(["id", "author_id"])
    .where("repository_id", "=", repositoryId)
    .where("number", "=", 1)
    .executeTakeFirstOrThrow()
  const place = { repositoryId, issueId: id, commentId: 0, releaseId: null }
  const uuid = randomUUID()
  await insertAttachment(tx, { uuid, ...place, uploaderId: author_id, name: "notes.txt", size: 1, now })
  return uuid
}

/** A person for each role, all with one password; gives their Authorization headers by role and credential. */
async function buildCallers({ services }: Pick<Hearth, "services">): Promise<ReadonlyMap<string, string>> {
  const headers = new Map<string, string>()
  const passwordHash = await services.passwords.hash(PASSWORD)
  const now = services.now()
  await services.database.write(async (tx) => {
    for (const role of roles) {
      if (role === "anonymous") continue
      const name = role.toLowerCase()
      const email = `${name}@example.com`
      const user = await createPerson(tx, {
        name,
        email,
        passwordHash,
        now,
        isAdmin: role === "siteAdministrator",
        isActive: role !== "inactive",
      })
      if (role === "prohibited") await tx.updateTable("users").set({ prohibit_login: 1 }).where("id", "=", user.id).execute()
      headers.set(`${role} password`, basic(name, PASSWORD))
      for (const [kind, scopes] of Object.entries(TOKEN_SCOPES)) {
        const { token } = await createToken(tx, { userId: user.id, name: kind, scopes, now })
        headers.set(`${role} ${kind}`, `token ${token}`)
      }
    }
  })
  return headers
}
