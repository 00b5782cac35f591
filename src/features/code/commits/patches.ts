import type { Readable } from "node:stream"
import type { Download } from "../../../core/download.ts"
import type { Git, ObjectId, Repository } from "../../../git/index.ts"

export type PatchForm = "diff" | "patch"

/** The change from one commit to another as plain text: one diff, or one mail per commit. Generated while it is sent. */
export function patchDownload(
  { diffs }: Git,
  repository: Repository,
  {
    from,
    to,
    form,
    binary = false,
  }: { readonly from: ObjectId | null; readonly to: ObjectId; readonly form: PatchForm; readonly binary?: boolean },
): Download {
  const content = (): Readable =>
    form === "patch" ? diffs.formatPatch(repository, from, to) : diffs.patch(repository, from, to, { binary })
  return {
    tag: `"${from ?? ""}-${to}-${binary ? "binary-" : ""}${form}"`,
    size: undefined,
    open: async () => ({ type: "text/plain; charset=utf-8", disposition: "inline", content: content() }),
  }
}
