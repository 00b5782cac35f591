import { onPull } from "../../../access/policies/pulls.ts"
import { type File, file } from "../../../core/file.ts"
import { patchDownload } from "../../../features/code/commits/patches.ts"
import { rangeOf } from "../../../features/review/pulls/contents.ts"
import { ensureMergeability } from "../../../features/review/pulls/mergeability.ts"

/** What a pull request changes, as a diff or as mails: at the address of its page with an ending. */
export const pullFiles: readonly File[] = [
  file({
    id: "pull.patch",
    address: "GET /{owner}/{repo}/pulls/{index}.{diffType}",
    access: onPull,
    programs: ["repository"],
    answer: async (call) => {
      const { services, path, pull } = call
      const { repository, from, to } = rangeOf(services, call, await ensureMergeability(services, pull))
      return patchDownload(services.git, repository, { from, to, form: path.diffType === "patch" ? "patch" : "diff" })
    },
  }),
]
