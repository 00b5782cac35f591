/** Which files have queries, and which tables these write and read: a part of check.ts. */
import { dirname } from "node:path"
import { GROUPS } from "./directions.ts"
import { OTHER_WRITERS, OWNERS, QUERIES_OUTSIDE_STORES, UPWARD_READS } from "./tables.ts"

/** Files of the product with their texts, by paths below src. */
export type Texts = readonly (readonly [file: string, text: string])[]

const BUILDER = /\.(selectFrom|insertInto|updateTable|deleteFrom|selectNoFrom|replaceInto|mergeInto)\(/
const SQL = /\bsql(<[^`]*>)?`/
/** Files that may not even have a condition of their own. */
const WITHOUT_SQL: readonly RegExp[] = [/^pages\//, /^servers\//, /^web\//, /^access\/policies\//, /(^|[/-])operations\.ts$/]

const isStore = (file: string): boolean => /(^|[/-])store\.ts$/.test(file) || file.startsWith("core/database/")
const lineOf = (text: string, found: (line: string) => boolean): number => text.split("\n").findIndex(found) + 1

/** A sentence for each file with a query that belongs into a store, and for each folder that is listed without need. */
export function queryRefusals(texts: Texts): readonly string[] {
  const found = texts.flatMap(([file, text]) => {
    if (isStore(file)) return []
    const withoutSql = WITHOUT_SQL.some((pattern) => pattern.test(file))
    const line = lineOf(text, (each) => BUILDER.test(each) || (withoutSql && SQL.test(each)))
    return line === 0 ? [] : [{ file, line }]
  })
  return [
    ...found
      .filter(({ file }) => !QUERIES_OUTSIDE_STORES.includes(dirname(file)))
      .map(({ file, line }) => `${file}:${line} has a query of its own: it belongs into the store.ts of the feature whose table it is.`),
    ...QUERIES_OUTSIDE_STORES.filter((folder) => !found.some(({ file }) => dirname(file) === folder)).map(
      (folder) => `${folder} has its queries in stores: take it off QUERIES_OUTSIDE_STORES in tests/structure/tables.ts.`,
    ),
  ]
}

/** The tables that are named after such words, in calls of the query builder and in SQL. */
function tablesIn(text: string, calls: string, words: string): readonly string[] {
  const called = text.matchAll(new RegExp(`\\.(?:${calls})\\(\\s*((?:\\[|"\\w+(?: as \\w+)?",?\\s*)+)`, "g"))
  const templates = [...text.matchAll(/\bsql(?:<[^`]*>)?`([^`]*)`/g)].map(([, sql = ""]) => sql).join("\n")
  return [
    ...[...called].flatMap(([, names = ""]) => [...names.matchAll(/"(\w+)/g)].map(([, table = ""]) => table)),
    ...[...templates.matchAll(new RegExp(`\\b(?:${words}) (\\w+)`, "g"))].map(([, table = ""]) => table).filter((table) => table in OWNERS),
  ]
}

const isBelow = (folder: string, owner: string): boolean => folder === owner || folder.startsWith(`${owner}/`)

/** Each pair of a folder and a table in a list that no file has any more. */
function unused(
  listed: Readonly<Record<string, Readonly<Record<string, string>>>>,
  uses: readonly { readonly table: string; readonly folder: string }[],
): readonly string[] {
  return Object.entries(listed).flatMap(([table, folders]) =>
    Object.keys(folders)
      .filter((folder) => !uses.some((each) => each.table === table && each.folder === folder))
      .map((folder) => `${table}: ${folder}`),
  )
}

/** A sentence for each table that is written by another folder than its owner, and for each exception that is needed no more. */
export function writeRefusals(texts: Texts): readonly string[] {
  const writers = texts.flatMap(([file, text]) =>
    file.includes("/migrations/")
      ? []
      : tablesIn(text, "insertInto|updateTable|deleteFrom|replaceInto|mergeInto", "insert into|update|delete from").map((table) => ({
          table,
          file,
          folder: dirname(file),
        })),
  )
  const others = writers.filter(({ table, folder }) => !isBelow(folder, OWNERS[table] ?? ""))
  const refused = others.flatMap(({ table, file, folder }) => {
    const owner = OWNERS[table]
    if (owner === undefined) return [`${file} writes ${table}, which has no owner: name it in tests/structure/tables.ts.`]
    if (OTHER_WRITERS[table]?.[folder] !== undefined) return []
    return [`${file} writes ${table}, which is ${owner}'s: call a verb or a query of its store, or publish an event that it hears.`]
  })
  return [
    ...refused,
    ...unused(OTHER_WRITERS, others).map(
      (each) => `nothing is written there any more: take "${each}" off OTHER_WRITERS in tests/structure/tables.ts.`,
    ),
  ]
}

const groupOf = (folder: string): number => GROUPS.indexOf(/^features\/(\w+)/.exec(folder)?.[1] ?? "")

/** A sentence for each table that is read by a group below its owner's, and for each exception that is needed no more. */
export function readRefusals(texts: Texts): readonly string[] {
  const readers = texts.flatMap(([file, text]) => {
    const folder = dirname(file)
    if (groupOf(folder) < 0) return []
    return tablesIn(text, "selectFrom|using|(?:inner|left|right|full|cross)Join(?:Lateral)?", "from|join|using").flatMap((table) =>
      groupOf(OWNERS[table] ?? "") > groupOf(folder) ? [{ table, file, folder }] : [],
    )
  })
  return [
    ...readers
      .filter(({ table, folder }) => UPWARD_READS[table]?.[folder] === undefined)
      .map(
        ({ table, file }) =>
          `${file} reads ${table}, which is ${OWNERS[table]}'s, a higher group: ask through an extension point, publish an event, or move what asks up.`,
      ),
    ...unused(UPWARD_READS, readers).map(
      (each) => `nothing is read there any more: take "${each}" off UPWARD_READS in tests/structure/tables.ts.`,
    ),
  ]
}
