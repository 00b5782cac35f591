import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

export const deliveryPayload = Type.Object({
  deliveryId: int64(),
  /** Which attempt it is to be, from 1; what was meant for an attempt that has been made does nothing. */
  attempt: Type.Integer(),
})

/** Tries to deliver what a webhook is told. */
export const deliverJob = jobKind("webhooks.deliver", deliveryPayload)
