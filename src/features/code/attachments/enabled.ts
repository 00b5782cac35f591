import { refuse } from "../../../core/errors.ts"
import type { Access } from "../../../core/operation.ts"

/** Refuses `notFound` if attachments are switched off. */
export const ifEnabled = <Found>({ rule, open }: Access<Found>): Access<Found> => ({
  rule,
  open: (request) => {
    if (!request.services.config.attachments.enabled) throw refuse.notFound()
    return open(request)
  },
})
