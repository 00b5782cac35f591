import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Which rows of `table` are counted together, and the table that holds the counts. */
interface Totals {
  readonly table: string
  /** Has the columns of `key`, which are its primary key, and `total`. */
  readonly totals: string
  readonly key: readonly string[]
  /** Rows change often, but seldom in these columns, and seldom many at once: PostgreSQL looks at each changed row by itself then. */
  readonly seldomMoved?: boolean
}

/**
 * Creates triggers that count a table's rows in groups, in the transaction that changes them, cascades included. The length of a list of a
 * million rows is then the sum of a few numbers.
 */
export async function keepTotals(db: Kysely<unknown>, types: ColumnTypes, totals: Totals): Promise<void> {
  const statements = types.kind === "sqlite" ? sqliteTriggers(totals) : postgresTriggers(totals)
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const listed = (columns: readonly string[], prefix = ""): string => columns.map((column) => prefix + column).join(", ")
const same = (columns: readonly string[], one: string, other: string): string =>
  columns.map((column) => `${one}${column} = ${other}${column}`).join(" and ")

function sqliteTriggers({ table, totals, key }: Totals): readonly string[] {
  const add = `insert into ${totals} (${listed(key)}, total) values (${listed(key, "new.")}, 1)
    on conflict (${listed(key)}) do update set total = total + 1;`
  const take = `update ${totals} set total = total - 1 where ${same(key, "", "old.")};`
  return [
    `create trigger ${totals}_insert after insert on ${table} begin ${add} end`,
    `create trigger ${totals}_delete after delete on ${table} begin ${take} end`,
    `create trigger ${totals}_update after update of ${listed(key)} on ${table}
     when not (${same(key, "old.", "new.")}) begin ${take} ${add} end`,
  ]
}

/** Statement by statement, so that a change of a million rows is one change of the counts. Rows are taken in one order, against deadlocks. */
function postgresTriggers({ table, totals, key, seldomMoved = false }: Totals): readonly string[] {
  const columns = listed(key)
  const onto = `on conflict (${columns}) do update set total = ${totals}.total + excluded.total`
  return [
    `create function ${totals}_keep() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into ${totals} (${columns}, total)
        select ${columns}, count(*) from added group by ${columns} order by ${columns} ${onto};
      elsif tg_op = 'UPDATE' then
        insert into ${totals} (${columns}, total)
        select ${columns}, sum(step) from (select ${columns}, 1 as step from added union all select ${columns}, -1 from removed) as moved
        group by ${columns} having sum(step) <> 0 order by ${columns} ${onto};
      else
        -- Not inserted if it is missing: the row that it counts for is being deleted in the same statement.
        update ${totals} set total = ${totals}.total - gone.total
        from (select ${columns}, count(*) as total from removed group by ${columns}) as gone where ${same(key, `${totals}.`, "gone.")};
      end if;
      return null;
    end $$`,
    `create trigger ${totals}_insert after insert on ${table} referencing new table as added
     for each statement execute function ${totals}_keep()`,
    ...(seldomMoved
      ? [
          `create function ${totals}_move() returns trigger language plpgsql as $$
          begin
            perform 1 from ${totals} where (${same(key, `${totals}.`, "old.")}) or (${same(key, `${totals}.`, "new.")})
            order by ${columns} for update;
            update ${totals} set total = total - 1 where ${same(key, `${totals}.`, "old.")};
            insert into ${totals} (${columns}, total) values (${listed(key, "new.")}, 1)
            on conflict (${columns}) do update set total = ${totals}.total + 1;
            return null;
          end $$`,
          `create trigger ${totals}_update after update of ${columns} on ${table}
           for each row when (not (${same(key, "old.", "new.")})) execute function ${totals}_move()`,
        ]
      : [
          `create trigger ${totals}_update after update on ${table} referencing new table as added old table as removed
           for each statement execute function ${totals}_keep()`,
        ]),
    `create trigger ${totals}_delete after delete on ${table} referencing old table as removed
     for each statement execute function ${totals}_keep()`,
  ]
}
