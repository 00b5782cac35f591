/** A small schema for the tests of the database itself, which must not depend on what the project's tables are today. */
import { type Generated, sql } from "kysely"
import type { Migration } from "../../src/core/database/migrate.ts"

export interface Shelf {
  shelves: { id: Generated<number>; name: string; lower_name: string; size: Generated<number> }
  books: { id: Generated<number>; shelf_id: number; place: number; title: string; half: Generated<number> }
}

export const shelfMigrations: readonly Migration[] = [
  {
    id: 1,
    name: "shelves",
    async up(db, types) {
      await db.schema
        .createTable("shelves")
        .addColumn("id", types.id.type, types.id.build)
        .addColumn("name", types.text, (column) => column.notNull())
        .addColumn("lower_name", types.text, (column) => column.notNull().unique())
        .addColumn("size", types.integer, (column) => column.notNull().defaultTo(0))
        .execute()
      await db.schema
        .createTable("books")
        .addColumn("id", types.id.type, types.id.build)
        .addColumn("shelf_id", types.integer, (column) => column.notNull().references("shelves.id"))
        .addColumn("place", types.integer, (column) => column.notNull())
        .addColumn("title", types.text, (column) => column.notNull())
        .addColumn("half", types.flag, (column) => column.notNull().defaultTo(0))
        .addUniqueConstraint("books_place", ["shelf_id", "place", "half"])
        .execute()
      await sql`create unique index books_title on books (lower(title))`.execute(db)
    },
  },
]
