import { onPullToChange } from "../../../access/policies/pulls.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { applySuggestions } from "../../../features/review/suggestions/rules.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { suggestionsPlace } from "./review-forms.ts"

/** Commits one suggestion, or those that were ticked. */
export const suggestionsForm: Page = page({
  id: suggestionsPlace.id,
  address: `POST ${suggestionsPlace.address}`,
  access: onPullToChange,
  query: { comment: Type.Optional(Type.Array(Type.String())), message: Type.Optional(Type.String()) },
  answer: async (call) => {
    const ids = (call.query.comment ?? []).map((id) => (/^\d{1,15}$/.test(id) ? Number(id) : 0))
    await applySuggestions(call.services, call, ids, unixLines(call.query.message) ?? "")
    return moved(conversationPath(call), { flash: ids.length === 1 ? t("Suggestion committed.") : t("Suggestions committed.") })
  },
})
