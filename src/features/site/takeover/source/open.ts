import { SourceRefused } from "./layout.ts"
import type { Source } from "./reader.ts"

/** Opens the database at an address. `copy` is where a file that another program may write to is copied. Throws {@link SourceRefused}. */
export async function openSource(url: string, { schema, copy }: { readonly schema: string; readonly copy: string }): Promise<Source> {
  const file = /^sqlite3?:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1]
  if (file !== undefined) return (await import("./sqlite.ts")).openSqlite(file, copy)
  if (/^postgres(ql)?:/.test(url)) return (await import("./postgres.ts")).openPostgres(url, schema)
  if (/^mysql:/.test(url)) return (await import("./mysql.ts")).openMysql(url)
  throw new SourceRefused(
    "The address of the old database is of an unknown kind.",
    "Give --database sqlite:/path, postgres://… or mysql://…",
  )
}
