import { record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const TickTaskOption = record("TickTaskOption", {
  task: Type.String({
    description:
      "which box: the number of its line, counted from 1; pages send digests of what they showed with it, so that a text that was changed " +
      "meanwhile is refused where it isn’t clear which box is meant",
  }),
  done: Type.Boolean(),
})
export type TickTaskOption = Static<typeof TickTaskOption>
