import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Answers to writes that may be sent again. */
export const keptAnswers = { id: 50, name: "kept-answers", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "kept_answers",
    { digest: "text", user_id: "reference", request: "text", status: "integer", answer: "text", bytes: "integer", created_at: "time" },
    { user_id: "users" },
    ["digest"],
  )
  await index("kept_answers_user", "kept_answers", ["user_id", "bytes"])
  await index("kept_answers_created", "kept_answers", ["created_at"])
}
