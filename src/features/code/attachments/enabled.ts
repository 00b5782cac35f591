import { refuse } from "../../../core/errors.ts"
import type { Access } from "../../../core/operation.ts"

/** Where attaching files is switched off, nothing of it is there. */
export const ifEnabled = <Found>({ rule, open }: Access<Found>): Access<Found> => ({
  rule,
  open: (request) => {
    if (!request.services.config.attachments.enabled) throw refuse.notFound()
    return open(request)
  },
})
