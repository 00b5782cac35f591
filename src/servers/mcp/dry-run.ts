import { ActsOutside } from "../../core/database/database.ts"
import { servicesInside } from "../../core/held/services.ts"
import type { Services } from "../../core/services.ts"
import { type Answered, callOperation, type OperationCall } from "../api/call.ts"

/** Rolls back what was only to be tried. */
class Tried extends Error {
  readonly status: number
  constructor(status: number) {
    super("only tried")
    this.name = "Tried"
    this.status = status
  }
}

const WOULD = "Nothing was done. It would be done, with this status:"
const CANT_TELL =
  "Nothing was done. You may do it and the input fits; whether it succeeds is known only when it is done, since it changes more than the database."

/**
 * Does what a call would do, in a transaction that is rolled back: gives what it would answer, without its body, whose numbers would mean nothing. It is refused as the call
 * would be. Of what changes git or files only rights and input are judged.
 */
export async function tryCall(services: Services, call: OperationCall): Promise<Answered> {
  try {
    await services.database.hold(async (tx) => {
      const { status } = await callOperation(servicesInside(services, tx), call)
      throw new Tried(status)
    })
  } catch (error) {
    if (error instanceof Tried) return answerOf({ dry_run: WOULD, status: error.status })
    if (error instanceof ActsOutside) return answerOf({ dry_run: CANT_TELL })
    throw error
  }
  throw new TypeError("what is tried is rolled back")
}

const answerOf = (body: object): Answered => ({ status: 200, headers: {}, body })
