import { oneOf, record, verbatim } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** The most operations of a batch. */
export const MOST_OPERATIONS = 500

export const BatchOperation = record("BatchOperation", {
  method: oneOf(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: Type.String({
    maxLength: 4_096,
    description:
      "with its query, from `/api/v1` or below it. `$0.number` is the member `number` of the answer of the first operation, `$2.labels.0.name` one within another; `$$0.number` is that text itself",
  }),
  body: Type.Optional(
    verbatim({
      description: "what a request of its own would have as its body, as JSON; its texts may use earlier answers in the same way",
    }),
  ),
})

export const BatchOption = record("BatchOption", {
  atomic: Type.Optional(
    Type.Boolean({ description: "all or nothing, in one transaction; otherwise each is done on its own, whatever becomes of the others" }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: "nothing is done; the answers say what would have been" })),
  operations: Type.Array(BatchOperation, { minItems: 1, maxItems: MOST_OPERATIONS }),
})

export const BatchAnswer = record("BatchAnswer", {
  status: Type.Integer({ description: "that of the operation; 424 where it was not tried, or undone, because of another one" }),
  body: Type.Optional(
    verbatim({ description: "the answer of the operation, or the record that tells of its refusal; absent where there is none" }),
  ),
})

export const BatchAnswers = record("BatchAnswers", {
  results: Type.Array(BatchAnswer, { description: "one for each operation, in their order" }),
})
export type BatchAnswers = Static<typeof BatchAnswers>
