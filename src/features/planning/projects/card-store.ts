import { type Expression, type Selectable, type SqlBool, sql } from "kysely"
import type { Issue } from "../../../access/policies/issues.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { forShare } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag } from "../../../core/database/tables/index.ts"
import type { ProjectCardsTable } from "../../../core/database/tables/projects.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"
import type { Column } from "./store.ts"

/**
 * Cards of a column are ordered by `sorting`, then by the id of their issues, newest first. The order is total whatever values clients
 * send, so moving a card writes only its own row.
 */

export type Card = Selectable<ProjectCardsTable>

// --- writing ---------------------------------------------------------------------------------------------------------------------

/** The `sorting` behind the last card of a column, except that of an issue; 0 if there is none. */
function behindLast(columnId: Expression<number>, exceptIssueId?: Expression<number>) {
  const others = exceptIssueId ? sql`and last.issue_id <> ${exceptIssueId}` : sql``
  return sql<number>`coalesce((select last.sorting + 1 from project_cards as last where last.column_id = ${columnId} ${others} order by last.sorting desc limit 1), 0)`
}

type OnCard = { readonly projectId: number; readonly issueId: number }
type InColumn = { readonly issueId: number; readonly columnId: number }

export const findCard = query("projects.findCard", (db, p: Params<OnCard>) =>
  db.selectFrom("project_cards").selectAll().where("project_id", "=", p.projectId).where("issue_id", "=", p.issueId),
)

/** Adds an issue at the end of a column. */
export const insertCard = query("projects.insertCard", (db, p: Params<InColumn>) =>
  db
    .insertInto("project_cards")
    .columns(["project_id", "issue_id", "column_id", "sorting", "repository_id", "is_pull", "is_closed"])
    .expression((eb) =>
      eb
        .selectFrom("issues")
        .innerJoin("project_columns", (join) => join.on("project_columns.id", "=", p.columnId))
        .select(["project_columns.project_id", "issues.id as issue_id", "project_columns.id as column_id"])
        .select(behindLast(p.columnId).as("sorting"))
        .select(["issues.repository_id", "issues.is_pull", "issues.is_closed"])
        .where("issues.id", "=", p.issueId),
    ),
)

/** Adds issues and pull requests at the end of a column, unless the project has them already: the given ones, or all open ones with a label. */
export const insertMissingCards = query(
  "projects.insertMissingCards",
  (db, p: Params<{ repositoryId: number; columnId: number; issueIds: readonly number[]; labelId: number }>) =>
    db
      .insertInto("project_cards")
      .columns(["project_id", "issue_id", "column_id", "sorting", "repository_id", "is_pull", "is_closed"])
      .expression((eb) =>
        eb
          .selectFrom("issues")
          .innerJoin("project_columns", (join) => join.on("project_columns.id", "=", p.columnId))
          .select(["project_columns.project_id", "issues.id as issue_id", "project_columns.id as column_id"])
          .select(sql<number>`${behindLast(p.columnId)} + row_number() over (order by issues.number) - 1`.as("sorting"))
          .select(["issues.repository_id", "issues.is_pull", "issues.is_closed"])
          .where("issues.repository_id", "=", p.repositoryId)
          .where((of) =>
            of.or([
              of("issues.id", "in", p.issueIds),
              of.and([
                of("issues.is_closed", "=", 0),
                of("issues.id", "in", eb.selectFrom("issue_labels").select("issue_id").where("label_id", "=", p.labelId)),
              ]),
            ]),
          ),
      )
      .onConflict((conflict) => conflict.columns(["project_id", "issue_id"]).doNothing()),
)

export const moveCardTo = query("projects.moveCardTo", (db, p: Params<OnCard & InColumn & { readonly sorting: number }>) =>
  db
    .updateTable("project_cards")
    .set({ column_id: p.columnId, sorting: p.sorting })
    .where("project_id", "=", p.projectId)
    .where("issue_id", "=", p.issueId),
)

/** Moves a card behind all others of a column; the last one stays where it is. Returns its `sorting`. */
export const moveCardToEnd = query("projects.moveCardToEnd", (db, p: Params<OnCard & InColumn>) =>
  db
    .updateTable("project_cards")
    .set({ column_id: p.columnId, sorting: behindLast(p.columnId, p.issueId) })
    .where("project_id", "=", p.projectId)
    .where("issue_id", "=", p.issueId)
    .returning("sorting"),
)

export const deleteCards = query("projects.deleteCards", (db, p: Params<{ issueId: number; projectIds: readonly number[] }>) =>
  db.deleteFrom("project_cards").where("issue_id", "=", p.issueId).where("project_id", "in", p.projectIds),
)

/** Moves all cards of a column to the end of another, in their order. */
export const moveAllCards = query("projects.moveAllCards", (db, p: Params<{ from: number; to: number }>) =>
  db
    .updateTable("project_cards")
    .from((eb) =>
      eb
        .selectFrom("project_cards as card")
        .select(["card.project_id", "card.issue_id"])
        .select(sql<number>`row_number() over (order by card.sorting, card.issue_id desc) - 1`.as("place"))
        .where("card.column_id", "=", p.from)
        .as("moved"),
    )
    .set((eb) => ({ column_id: p.to, sorting: sql<number>`${behindLast(p.to)} + ${eb.ref("moved.place")}` }))
    .whereRef("project_cards.project_id", "=", "moved.project_id")
    .whereRef("project_cards.issue_id", "=", "moved.issue_id"),
)

// --- reading ---------------------------------------------------------------------------------------------------------------------

/** The issues and pull requests of some cards of a project: all, unless there are more than `most`. */
export const issuesOnCards = (db: Handle, projectId: number, most: number) =>
  db.selectFrom("project_cards").select("issue_id").where("project_id", "=", projectId).limit(most).execute()

/** The projects that an issue is in. */
export const findProjectIds = query("projects.findIdsOfIssue", (db, p: Params<{ issueId: number }>) =>
  db.selectFrom("project_cards").select("project_id").where("issue_id", "=", p.issueId).orderBy("project_id"),
)

/** The projects that issues are in, each with its issue and the names in its URL. */
export const findProjectsOfIssues = query("projects.findOfIssues", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db
    .selectFrom("project_cards")
    .innerJoin("projects", "projects.id", "project_cards.project_id")
    .leftJoin("repositories", "repositories.id", "projects.repository_id")
    .innerJoin("users as owner", (join) =>
      join.on((eb) => eb("owner.id", "=", eb.fn.coalesce("projects.owner_id", "repositories.owner_id"))),
    )
    .selectAll("projects")
    .select(["project_cards.issue_id", "owner.name as owner_name", "owner.kind as owner_kind", "repositories.name as repository_name"])
    .where("project_cards.issue_id", "in", p.issueIds)
    .orderBy("projects.id"),
)

/**
 * Counts of cards that the caller may read, grouped by repository and kind, so that access is checked once for each group and not for each
 * card.
 */
const seenCards = (db: Handle, actor: Actor) =>
  db
    .selectFrom("project_card_totals as cards")
    .innerJoin("repositories", "repositories.id", "cards.repository_id")
    .where(readableRepositories(actor, sql<string>`case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end`))

const sum = sql<number>`cast(sum(cards.total) as bigint)`.as("total")

/** The number of open or closed cards of a project that the caller may read. */
export interface CardCount {
  readonly project_id: number
  readonly is_closed: Flag
  readonly total: number
}

/** Counts the cards of these projects that the caller may read. */
export const countCards = (db: Handle, actor: Actor, projectIds: readonly number[]): Promise<CardCount[]> =>
  seenCards(db, actor)
    .select(["cards.project_id", "cards.is_closed", sum])
    .where(inList(sql.ref<number>("cards.project_id"), projectIds))
    .groupBy(["cards.project_id", "cards.is_closed"])
    .execute()

/** A card of a board, and how many its column has. */
export interface BoardCard {
  readonly sorting: number
  readonly column_id: number
  readonly issue_id: number
  readonly total: number
}

/**
 * The first cards of every column of a project that the caller may read and that meet all conditions on the row `issues`, in their order. Two queries,
 * however many columns there are.
 */
export async function findBoard(
  db: Handle,
  actor: Actor,
  projectId: number,
  conditions: readonly Expression<SqlBool>[],
  perColumn: number,
): Promise<readonly BoardCard[]> {
  const groups = await seenCards(db, actor)
    .select(["cards.repository_id", "cards.is_pull"])
    .where("cards.project_id", "=", projectId)
    .groupBy(["cards.repository_id", "cards.is_pull"])
    .execute()
  const repositoriesWith = (isPull: Flag) => groups.filter((group) => group.is_pull === isPull).map((group) => group.repository_id)
  const cards = db
    .selectFrom("project_cards")
    .innerJoin("issues", "issues.id", "project_cards.issue_id")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .where("project_cards.project_id", "=", projectId)
    .where((eb) =>
      eb.or([
        eb.and([eb("project_cards.is_pull", "=", 0), inList("project_cards.repository_id", repositoriesWith(0))]),
        eb.and([eb("project_cards.is_pull", "=", 1), inList("project_cards.repository_id", repositoriesWith(1))]),
      ]),
    )
  const matching = conditions.reduce((some, condition) => some.where(condition), cards)
  return db
    .selectFrom(
      matching
        .select(["project_cards.column_id", "project_cards.issue_id", "project_cards.sorting"])
        .select(sql<number>`cast(count(*) over (partition by project_cards.column_id) as bigint)`.as("total"))
        .select(
          sql<number>`row_number() over (partition by project_cards.column_id order by project_cards.sorting, project_cards.issue_id desc)`.as(
            "place",
          ),
        )
        .as("card"),
    )
    .select(["card.column_id", "card.issue_id", "card.sorting", "card.total"])
    .where("card.place", "<=", perColumn)
    .orderBy("card.column_id")
    .orderBy("card.place")
    .execute()
}

const findIssuesOfColumn = query(
  "projects.findIssuesOfColumn",
  (db, p: Params<{ columnId: number; withIssues: readonly number[]; withPulls: readonly number[]; limit: number; offset: number }>) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom("project_cards")
          .select(["issue_id", "sorting"])
          .where("column_id", "=", p.columnId)
          .where((card) =>
            card.or([
              card.and([card("is_pull", "=", 0), card("repository_id", "in", p.withIssues)]),
              card.and([card("is_pull", "=", 1), card("repository_id", "in", p.withPulls)]),
            ]),
          )
          .orderBy("sorting")
          .orderBy("issue_id", "desc")
          .limit(p.limit)
          .offset(p.offset)
          .as("card"),
      )
      .innerJoin("issues", "issues.id", "card.issue_id")
      .selectAll("issues")
      .orderBy("card.sorting")
      .orderBy("card.issue_id", "desc"),
)

/** A page of the issues and pull requests of a column that the caller may read, in their order, and their total number. */
export async function findColumnIssues(db: Handle, actor: Actor, column: Column, { limit, offset }: Page): Promise<Found<Issue>> {
  const groups = await seenCards(db, actor)
    .select(["cards.repository_id", "cards.is_pull", sum])
    .where("cards.project_id", "=", column.project_id)
    .where("cards.column_id", "=", column.id)
    .groupBy(["cards.repository_id", "cards.is_pull"])
    .execute()
  const total = groups.reduce((all, group) => all + group.total, 0)
  if (total <= offset) return { rows: [], total }
  const repositoriesWith = (isPull: Flag) => groups.filter((group) => group.is_pull === isPull).map((group) => group.repository_id)
  const seen = { withIssues: repositoriesWith(0), withPulls: repositoriesWith(1) }
  return { rows: await findIssuesOfColumn(db, { columnId: column.id, ...seen, limit, offset }), total }
}

/** Removes the issues of a repository from the projects of its previous owner after a transfer. */
export async function leaveOwnersProjects(tx: Transaction, repositoryId: number, ownerId: number): Promise<void> {
  await tx
    .deleteFrom("project_cards")
    .where("project_id", "in", tx.selectFrom("projects").select("id").where("owner_id", "=", ownerId))
    .where("repository_id", "=", repositoryId)
    .execute()
}

export const shareRepository = query("projects.shareRepository", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repositories").selectAll().where("id", "=", p.id).modifyEnd(forShare),
)

/** The cards of a transferred issue. */
export const moveCards = (tx: Transaction, { repositoryId, issueId }: { readonly repositoryId: number; readonly issueId: number }) =>
  tx.updateTable("project_cards").set({ repository_id: repositoryId }).where("issue_id", "=", issueId).execute()
