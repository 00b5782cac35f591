import { signedIn } from "../../../access/policies/site.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { BATCH_ID } from "./id.ts"
import { BatchAnswers, BatchOption, MOST_OPERATIONS } from "./records.ts"

export const batchOperations: readonly Operation[] = [
  operation({
    id: BATCH_ID,
    since: "0.2.0",
    route: "POST /batch",
    summary: "Run many operations",
    description: `Up to ${MOST_OPERATIONS} operations of this API, one after the other. Each is judged as a request of its own would be: its access, the scopes of the token, its input. Without \`atomic\` the answer is 200, and each result has a status of its own. With it the batch is refused as 422 once one of them is, with all \`results\`, and nothing is done; operations that change a repository's git data or files, or ask another server, are refused in it. A caller has one batch at a time.`,
    tag: "miscellaneous",
    scope: [],
    access: signedIn,
    changesNothing: true,
    body: BatchOption,
    answers: { 200: BatchAnswers },
    refuses: ["forbidden", "invalid", "tooMany", "busy"],
    handle: async (call) => ok(await (await import("./answers.ts")).answersOf(call)),
  }),
]
