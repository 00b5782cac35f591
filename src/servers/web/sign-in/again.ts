import type { FastifyReply } from "fastify"
import { Refusal } from "../../../core/errors.ts"

/** Does the work of a form; where it is refused, shows the form again. */
export async function orAgain(
  work: () => Promise<FastifyReply>,
  again: (refusal: Refusal) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return again(error)
    throw error
  }
}
