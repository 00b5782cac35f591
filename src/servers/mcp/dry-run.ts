import { ActsOutside } from "../../core/database/database.ts"
import { heldOrUndone } from "../../core/held/undone.ts"
import type { Services } from "../../core/services.ts"
import type { Called } from "../../features/site/batch/calls.ts"
import { type Answered, callOperation } from "../api/call.ts"

const WOULD = "Nothing was done. It would be done, with this status:"
const CANT_TELL =
  "Nothing was done. You may do it and the input fits; whether it succeeds is known only when it is done, since it changes more than the database."

/**
 * Does what a call would do, in a transaction that is rolled back: gives what it would answer, without its body, whose numbers would mean nothing. It is refused as the call
 * would be. Of what changes git or files only rights and input are judged.
 */
export async function tryCall(services: Services, call: Called): Promise<Answered> {
  try {
    const { status } = await heldOrUndone(services, async (held) => ({ value: await callOperation(held, call), isUndone: true }))
    return answerOf({ dry_run: WOULD, status })
  } catch (error) {
    if (error instanceof ActsOutside) return answerOf({ dry_run: CANT_TELL })
    throw error
  }
}

const answerOf = (body: object): Answered => ({ status: 200, headers: {}, body })
