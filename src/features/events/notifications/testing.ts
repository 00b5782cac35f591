/** Issues and events as rows, for tests of notifications. */

import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Hearth } from "../../../app.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { type IssueEvent, notify } from "./rules.ts"

interface NewIssue {
  readonly title?: string
  readonly isPull?: boolean
  readonly number?: number
}

/** The user of that name. */
export const userNamed = async ({ services }: Hearth, name: string) =>
  services.database.read.selectFrom("users").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()

export async function owned({ services }: Hearth, repositoryId: number): Promise<Owned> {
  const { read } = services.database
  const repository = await findRepositoryById.first(read, { id: repositoryId })
  const owner = repository && (await findUserById.first(read, { id: repository.owner_id }))
  if (!repository || !owner) throw new Error("there is no such repository")
  return { repository, owner }
}

/** Inserts an issue or pull request without notifying anyone. */
export async function issueOf(hearth: Hearth, repositoryId: number, author: string, issue: NewIssue = {}): Promise<Issue> {
  const { database, now } = hearth.services
  const { id } = await userNamed(hearth, author)
  return database.write((tx) =>
    tx
      .insertInto("issues")
      .values({
        repository_id: repositoryId,
        number: issue.number ?? 1,
        is_pull: flag(issue.isPull ?? false),
        author_id: id,
        title: issue.title ?? "A title",
        content: "What it is about",
        created_at: now(),
        updated_at: now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

/** Inserts a plain comment without notifying anyone, and returns its row. */
export async function commentOn(hearth: Hearth, issue: Issue, author: string, content = "a comment") {
  const { database, now } = hearth.services
  const { id } = await userNamed(hearth, author)
  return database.write((tx) =>
    tx
      .insertInto("comments")
      .values({ issue_id: issue.id, kind: "comment", author_id: id, content, created_at: now(), updated_at: now() })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

type Happening = Pick<IssueEvent, "kind" | "comment"> & { readonly users?: readonly string[]; readonly at?: number }

/** Notifies of an event of an issue. */
export async function happen(hearth: Hearth, issue: Issue, actor: string, { kind, comment, users = [], at }: Happening): Promise<void> {
  const { services } = hearth
  const place = await owned(hearth, issue.repository_id)
  const doer = await userNamed(hearth, actor)
  const named = await Promise.all(users.map((name) => userNamed(hearth, name)))
  await services.database.write((tx) =>
    notify(tx, services, { kind, issue, ...place, actor: doer, comment, users: named.map(({ id }) => id), now: at ?? services.now() }),
  )
}
