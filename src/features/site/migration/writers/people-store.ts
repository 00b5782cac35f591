import { type SqlBool, sql } from "kysely"
import type { Handle, Transaction } from "../../../../core/database/database.ts"
import { inList } from "../../../../core/database/expressions.ts"
import { type Params, query } from "../../../../core/database/query.ts"
import type { Seconds } from "../../../../core/database/tables/index.ts"
import type { Page } from "../../../../core/operation.ts"

// Written out as in the indexes.
const WAITS = sql<SqlBool>`imported_items.person_id > 0`
const HAS_MAIL = sql<SqlBool>`imported_people.mail <> ''`

/** How many records and reactions wait for a person. */
const WAITING = sql<number>`(select count(*) from imported_items where imported_items.person_id = imported_people.id and ${WAITS})
  + (select count(*) from imported_reactions where imported_reactions.person_id = imported_people.id)`.as("waiting")

interface ImportedPerson {
  readonly host: string
  readonly key: string
  readonly login: string
  readonly name: string
  readonly mail: string
}

/** Remembers someone of another server, or what has changed of them; gives their id, and who they are here: 0 where that is not known. */
export const putPerson = (tx: Transaction, { host, key, login, name, mail }: ImportedPerson) =>
  tx
    .insertInto("imported_people")
    .values({ host, source_key: key, login, name, mail, user_id: 0 })
    .onConflict((conflict) => conflict.columns(["host", "source_key"]).doUpdateSet({ login, name, ...(mail !== "" && { mail }) }))
    .returning(["id", "user_id"])
    .executeTakeFirstOrThrow()

/** Keeps a reaction of someone who is not known here. */
export const keepReaction = (
  tx: Transaction,
  row: {
    readonly person_id: number
    readonly issue_id: number
    readonly comment_id: number
    readonly content: string
    readonly created_at: Seconds
  },
) =>
  tx
    .insertInto("imported_reactions")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Whose verified address this is. */
export const findOwnerOfMail = query("imports.findOwnerOfMail", (db, p: Params<{ mail: string }>) =>
  db.selectFrom("emails").select("user_id").where("lower_email", "=", p.mail).where("is_activated", "=", 1).limit(1),
)

export const findImportedPerson = query("imports.findPerson", (db, p: Params<{ id: number }>) =>
  db.selectFrom("imported_people").selectAll().where("id", "=", p.id),
)

/** Whether a verified address of somebody is that of this person. */
export const findProof = query("imports.findProof", (db, p: Params<{ personId: number; userId: number }>) =>
  db
    .selectFrom("imported_people")
    .innerJoin("emails", "emails.lower_email", "imported_people.mail")
    .select("emails.user_id")
    .where("imported_people.id", "=", p.personId)
    .where(HAS_MAIL)
    .where("emails.user_id", "=", p.userId)
    .where("emails.is_activated", "=", 1)
    .limit(1),
)

/** The people of other servers who have a verified address of somebody, with how many records wait for them. */
export const findOwnPeople = query("imports.findOwnPeople", (db, p: Params<{ userId: number; limit: number }>) =>
  db
    .selectFrom("emails")
    .innerJoin("imported_people", "imported_people.mail", "emails.lower_email")
    .selectAll("imported_people")
    .select(WAITING)
    .where("emails.user_id", "=", p.userId)
    .where("emails.is_activated", "=", 1)
    .where(HAS_MAIL)
    .where("imported_people.user_id", "in", [0, p.userId])
    .orderBy("imported_people.host")
    .orderBy("imported_people.id")
    .limit(p.limit),
)

/** A page of the people of other servers whose login or host begins so, with who they are here, and their total. */
export async function listPeople(
  db: Handle,
  { begins, isOpen }: { readonly begins: string; readonly isOpen: boolean },
  { limit, offset }: Page,
) {
  const like = `${begins.replaceAll(/[\\%_]/g, (mark) => `\\${mark}`)}%`
  const all = db
    .selectFrom("imported_people")
    .$if(begins !== "", (people) => people.where(sql<SqlBool>`lower(imported_people.login) like ${like.toLowerCase()} escape '\\'`))
    .$if(isOpen, (people) => people.where("imported_people.user_id", "=", 0))
  const rows = await all
    .leftJoin("users", "users.id", "imported_people.user_id")
    .selectAll("imported_people")
    .select("users.name as user_name")
    .select(WAITING)
    .orderBy("imported_people.host")
    .orderBy("imported_people.login")
    .orderBy("imported_people.id")
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** Says who somebody of another server is here. False where that was said of another meanwhile. */
export const putClaim = query("imports.putClaim", (db, p: Params<{ id: number; before: number; userId: number }>) =>
  db.updateTable("imported_people").set({ user_id: p.userId }).where("id", "=", p.id).where("user_id", "=", p.before),
)

/** Some records that somebody may take over, and forgets that they may. */
export async function takeWaiting(tx: Transaction, personId: number, limit: number) {
  const rows = await tx
    .selectFrom("imported_items")
    .select(["repository_id", "kind", "source_key", "local_id"])
    .where("person_id", "=", personId)
    .where(WAITS)
    .limit(limit)
    .execute()
  for (const [of, some] of Map.groupBy(rows, ({ repository_id, kind }) => `${repository_id} ${kind}`)) {
    const [repositoryId = "", kind = ""] = of.split(" ")
    await tx
      .updateTable("imported_items")
      .set({ person_id: 0 })
      .where("repository_id", "=", Number(repositoryId))
      .where("kind", "=", kind)
      .where(
        inList(
          "imported_items.source_key",
          some.map(({ source_key }) => source_key),
        ),
      )
      .execute()
  }
  return rows
}

/** Some reactions that somebody may take over, and forgets them. */
export async function takeReactions(tx: Transaction, personId: number, limit: number) {
  const rows = await tx.selectFrom("imported_reactions").selectAll().where("person_id", "=", personId).limit(limit).execute()
  for (const { issue_id, comment_id, content } of rows)
    await tx
      .deleteFrom("imported_reactions")
      .where("person_id", "=", personId)
      .where("issue_id", "=", issue_id)
      .where("comment_id", "=", comment_id)
      .where("content", "=", content)
      .execute()
  return rows
}

/** Those of the comments that are there. */
export const findThere = (tx: Transaction, ids: readonly number[]) =>
  tx.selectFrom("comments").select("id").where(inList("comments.id", ids)).execute()

/** Users by names in lower case, for a file that says who people are here. */
export const findNamed = (db: Handle, lowerNames: readonly string[]) =>
  db.selectFrom("users").select(["id", "lower_name"]).where("kind", "=", "person").where(inList("users.lower_name", lowerNames)).execute()
