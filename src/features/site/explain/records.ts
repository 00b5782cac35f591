import { record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

const ExplanationStep = record("ExplanationStep", {
  rule: Type.String({ description: "the name of the rule, such as repository.team" }),
  holds: Type.Boolean(),
  because: Type.String({ description: "what decided it, in words for people" }),
})

export const Explanation = record("Explanation", {
  allowed: Type.Boolean(),
  status: Type.Integer({
    description:
      "what the request is answered before its query and body are read; where it is allowed, what it is answered when it succeeds",
  }),
  steps: Type.Array(ExplanationStep, { description: "in the order in which requests are judged" }),
})
export type Explanation = Static<typeof Explanation>
