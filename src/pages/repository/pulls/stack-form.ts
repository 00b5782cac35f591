import { memberOf } from "../../../core/check.ts"
import { type Sketch, sketch } from "../../../core/forms/form.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { moved } from "../../../core/page.ts"
import { stackOperations } from "../../../features/review/stacks/operations.ts"
import { path as pathTo } from "../../../web/address.ts"

/** Merges a stack up to a pull request. */
export const mergeStackForm: Sketch = sketch({
  id: "pull.mergeStack",
  address: "POST /{owner}/{repo}/pulls/{index}/stack/merge",
  does: named(stackOperations, "repoMergePullRequestStack"),
  takes: ["do", "head_commit_id"],
  shows: ({ record, path: { owner = "", repo = "", index = "" } }) => {
    const number = memberOf(record, "stopped_at")
    const reason = String(memberOf(record, "message"))
    const isStopped = typeof number === "number"
    const words = isStopped
      ? t("Merged up to the one below #{number}, which can’t be merged: {reason}", { number: String(number), reason })
      : t("Merged.")
    return moved(`${pathTo(owner, repo)}/pulls/${index}`, { flash: words })
  },
})
