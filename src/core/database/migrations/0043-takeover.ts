import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What was taken over from another server, and the digests that it made of tokens. */
export const takeover = { id: 43, name: "takeover", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("takeover_chunks", { kind: "text", chunk: "integer", content: "text" }, {}, ["kind", "chunk"])
  await table(
    "takeover_kinds",
    {
      kind: "text",
      position: "integer",
      found: "integer",
      taken: "integer",
      changed: "integer",
      removed: "integer",
      left_out: "integer",
      finished_at: "time",
    },
    {},
    ["kind"],
  )
  await table("takeover_remarks", { id: "id", kind: "text", source_key: "text", content: "text" })
  await index("takeover_remarks_kind", "takeover_remarks", ["kind"])
  await table("former_hashes", { kind: "text", subject_id: "integer", lookup: "text", salt: "text", hash: "text" }, {}, [
    "kind",
    "subject_id",
  ])
  await index("former_hashes_lookup", "former_hashes", ["kind", "lookup"])
}
