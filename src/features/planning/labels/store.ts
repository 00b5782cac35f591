import { type Insertable, type Selectable, sql, type Updateable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { LabelsTable } from "../../../core/database/tables/issues.ts"
import { type Flag, flag, type Seconds } from "../../../core/database/tables/types.ts"
import type { Page } from "../../../core/operation.ts"
import type { LabelTemplate } from "../../code/repositories/records.ts"
import type { Found } from "../../people/users/store.ts"
import type { LabelSort } from "./records.ts"

export type Label = Selectable<LabelsTable>

/** The owner of labels: a repository, or an organisation, whose labels are available in all its repositories. */
export interface LabelOwner {
  readonly repository_id: number | null
  readonly organization_id: number | null
}

export const ofRepository = (id: number): LabelOwner => ({ repository_id: id, organization_id: null })
export const ofOrganization = (id: number): LabelOwner => ({ repository_id: null, organization_id: id })

/** The labels of a repository, or those of an organisation. */
const labelsOf = (db: Handle, { repository_id, organization_id }: LabelOwner) =>
  repository_id === null
    ? db.selectFrom("labels").where("organization_id", "=", organization_id)
    : db.selectFrom("labels").where("repository_id", "=", repository_id)

/** A page of those labels in the given order, and their total number. */
export async function findLabels(db: Handle, labelOwner: LabelOwner, sort: LabelSort, page: Page): Promise<Found<Label>> {
  const labels = labelsOf(db, labelOwner)
  const { total } = await labels.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await labels
    .selectAll()
    .$if(sort === "mostissues" || sort === "leastissues", (found) =>
      found.orderBy(
        (eb) =>
          eb
            .selectFrom("issue_labels")
            .select((count) => count.fn.countAll<number>().as("issues"))
            .whereRef("issue_labels.label_id", "=", "labels.id"),
        sort === "mostissues" ? "desc" : "asc",
      ),
    )
    .orderBy("name", sort === "reversealphabetically" ? "desc" : "asc")
    .orderBy("id", sort === "reversealphabetically" ? "desc" : "asc")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

/** One of those labels by its id. */
export const findLabel = (db: Handle, labelOwner: LabelOwner, id: number): Promise<Label | undefined> =>
  labelsOf(db, labelOwner).selectAll().where("id", "=", id).executeTakeFirst()

/** The same, locked. */
export const lockLabel = (tx: Transaction, labelOwner: LabelOwner, id: number): Promise<Label | undefined> =>
  labelsOf(tx, labelOwner).selectAll().where("id", "=", id).modifyEnd(forNoKeyUpdate).executeTakeFirst()

/** One of those labels by its name, case-sensitive; of several the oldest. */
export const findLabelByName = (db: Handle, labelOwner: LabelOwner, name: string): Promise<Label | undefined> =>
  labelsOf(db, labelOwner).selectAll().where("name", "=", name).orderBy("id").limit(1).executeTakeFirst()

/** The labels of issues, each with its issue, by name. */
export const findLabelsOfIssues = query("labels.findOfIssues", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db
    .selectFrom("issue_labels")
    .innerJoin("labels", "labels.id", "issue_labels.label_id")
    .selectAll("labels")
    .select("issue_labels.issue_id")
    .where("issue_labels.issue_id", "in", p.issueIds)
    .orderBy("labels.name")
    .orderBy("labels.id"),
)

/** The labels of an issue, by name. */
export const findIssueLabels = query("labels.findOfIssue", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("issue_labels")
    .innerJoin("labels", "labels.id", "issue_labels.label_id")
    .selectAll("labels")
    .where("issue_labels.issue_id", "=", p.issueId)
    .orderBy("labels.name")
    .orderBy("labels.id"),
)

interface UsableBy {
  readonly repositoryId: number
  readonly ownerId: number
}

/** Those of the labels that the repository's issues can have, by name: its own, and those of the organisation that owns it. */
export const findUsableLabelsById = query("labels.findUsableById", (db, p: Params<UsableBy & { ids: readonly number[] }>) =>
  db
    .selectFrom("labels")
    .selectAll()
    .where("id", "in", p.ids)
    .where((eb) => eb.or([eb("repository_id", "=", p.repositoryId), eb("organization_id", "=", p.ownerId)]))
    .orderBy("name")
    .orderBy("id"),
)

/** The same by names, case-sensitive; a name can match several labels. */
export const findUsableLabelsByName = query("labels.findUsableByName", (db, p: Params<UsableBy & { names: readonly string[] }>) =>
  db
    .selectFrom("labels")
    .selectAll()
    .where("name", "in", p.names)
    .where((eb) => eb.or([eb("repository_id", "=", p.repositoryId), eb("organization_id", "=", p.ownerId)]))
    .orderBy("name")
    .orderBy("id"),
)

/** How many open issues and pull requests of a repository have each of these labels. */
export const countOpen = query("labels.countOpen", (db, p: Params<{ repositoryId: number; ids: readonly number[] }>) =>
  db
    // SQLite keeps the order of a cross join: the open issues are in an index that has all that is asked of them.
    .selectFrom("issues")
    .crossJoin("issue_labels")
    .select(["issue_labels.label_id", "issues.is_pull", (eb) => eb.fn.countAll<number>().as("total")])
    .where("issues.repository_id", "=", p.repositoryId)
    .where("issues.is_pull", "in", [sql.lit<Flag>(0), sql.lit<Flag>(1)])
    .where("issues.is_closed", "=", 0)
    .whereRef("issue_labels.issue_id", "=", "issues.id")
    .where("issue_labels.label_id", "in", p.ids)
    .groupBy(["issue_labels.label_id", "issues.is_pull"]),
)

export const insertLabel = (tx: Transaction, row: Insertable<Tables["labels"]>) =>
  tx.insertInto("labels").values(row).returningAll().executeTakeFirstOrThrow()

export const updateLabel = (tx: Transaction, id: number, changes: Updateable<Tables["labels"]>) =>
  tx.updateTable("labels").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow()

/** It is removed from all issues and timelines with it. */
export const deleteLabelById = (tx: Transaction, id: number) => tx.deleteFrom("labels").where("id", "=", id).execute()

/** Gives a repository copies of the labels of another one. */
export async function copyLabels(tx: Transaction, from: number, to: number, now: number): Promise<void> {
  const labels = await tx
    .selectFrom("labels")
    .select(["name", "description", "color", "exclusive", "is_archived"])
    .where("repository_id", "=", from)
    .orderBy("id")
    .execute()
  for (const slice of slicesOf(labels))
    await tx
      .insertInto("labels")
      .values(slice.map((label) => ({ ...label, repository_id: to, organization_id: null, created_at: now, updated_at: now })))
      .execute()
}

/** Gives a repository these labels. */
export async function insertLabels(tx: Transaction, repositoryId: number, labels: readonly LabelTemplate[], now: Seconds): Promise<void> {
  await tx
    .insertInto("labels")
    .values(
      labels.map(({ name, color, description, exclusive }) => ({
        repository_id: repositoryId,
        organization_id: null,
        name,
        color,
        description,
        exclusive: flag(exclusive),
        is_archived: flag(false),
        created_at: now,
        updated_at: now,
      })),
    )
    .execute()
}
