import type { Actor } from "../../../core/actor.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { CallRequest } from "../../../core/operation.ts"
import type { Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { type Outcome, runBatch } from "./batch.ts"
import { type Calls, callsOf } from "./calls.ts"
import type { BatchAnswers, BatchOption } from "./records.ts"

interface Call {
  readonly services: Services
  readonly actor: Actor
  readonly body: Static<typeof BatchOption>
  readonly request: CallRequest
}

type Result = BatchAnswers["results"][number]

/** Runs a batch, and gives what its client is told. Refuses `invalid` one that was all or nothing, and is nothing. */
export async function answersOf({ services, actor, body, request }: Call): Promise<BatchAnswers> {
  const { operations, atomic = false, dry_run: dryRun = false } = body
  const caller = { actor, behind: request.behind }
  const outcomes = await runBatch(services, { items: operations, atomic, dryRun, caller, request })
  const calls = await callsOf(services)
  const results = outcomes.map((outcome) => resultOf(services, calls, request, outcome))
  const failed = atomic ? outcomes.findIndex(({ kind }) => kind === "refused") : -1
  const outcome = outcomes[failed]
  if (outcome?.kind !== "refused") return { results }
  const { error } = outcome
  // What is no fault of the batch is answered as it is alone.
  if (!(error instanceof Refusal) || error.status >= 500) throw error
  throw refuse.invalid(`operations.${failed}`, t`${error.message}; nothing was done`, { results })
}

function resultOf(services: Services, calls: Calls, request: CallRequest, outcome: Outcome): Result {
  if (outcome.kind === "undone")
    return { status: 424, body: { message: `nothing was done, because operation ${outcome.because} was refused` } }
  const { status, body } =
    outcome.kind === "sent"
      ? calls.answerOf(services, outcome.given, outcome.sent)
      : calls.answerThrown(services, request.id, outcome.given, outcome.error)
  return body === undefined ? { status } : { status, body }
}
