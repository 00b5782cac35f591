import type { Dump } from "./load.ts"
import { digesting, readLines, type TableDigest } from "./rows.ts"
import { type AnyHandle, readSequences, readShapes, type TableShape } from "./shapes.ts"

/** The rows of a database as they are, of the tables that `takes` chooses; see core/database/database.ts for one moment of all of them. */
export async function dumpOf(db: AnyHandle, takes: (table: string) => boolean = () => true): Promise<Dump> {
  const [shapes, sequences] = [await readShapes(db), await readSequences(db)]
  const tables = shapes.filter(({ name }) => takes(name)).map((shape) => dumpedTable(db, shape))
  return { tables, sequences: new Map([...sequences].filter(([table]) => takes(table))) }
}

function dumpedTable(db: AnyHandle, shape: TableShape) {
  let found: TableDigest | undefined
  return {
    shape,
    async *lines(): AsyncGenerator<string> {
      const { add, digest } = digesting()
      for await (const line of readLines(db, shape)) {
        add(line)
        yield line
      }
      found = digest()
    },
    digest(): TableDigest {
      if (!found) throw new Error(`the table ${shape.name} was not read to its end`)
      return found
    },
  }
}
