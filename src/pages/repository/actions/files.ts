import { onRepositoryUnitRead, orMissing } from "../../../access/policies/repositories.ts"
import { anyone } from "../../../access/policies/site.ts"
import { madeDownload } from "../../../core/download.ts"
import { Renamed, refuse } from "../../../core/errors.ts"
import { type File, file } from "../../../core/file.ts"
import { pathNumber } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { artifactById, linkHolds } from "../../../features/actions/artifacts/artifacts.ts"
import { badgeOf } from "../../../features/actions/runs/badge.ts"
import { findRuns } from "../../../features/actions/runs/store.ts"

const text = Type.Optional(Type.String())

const onActions = orMissing(onRepositoryUnitRead("actions"))
/** The badges of a renamed repository go on in the documents of others. */
const onBadge: typeof onActions = {
  rule: onActions.rule,
  open: async (request) => {
    try {
      return await onActions.open(request)
    } catch (error) {
      throw error instanceof Renamed ? new Renamed(307, error.replace) : error
    }
  },
}

export const actionFiles: readonly File[] = [
  /**
   * The state of the last run of a workflow on a branch, by default the default branch, and perhaps of one event. The label is the name of the workflow,
   * unless `label` is given. A file that has never run has "no status".
   */
  file({
    id: "actions.badge",
    address: "GET /{owner}/{repo}/actions/workflows/{workflow}/badge.svg",
    access: onBadge,
    programs: ["repository"],
    query: { branch: text, event: text, style: text, label: text },
    answer: async ({ db, repository, path: { workflow }, query: { branch, event, style, label } }) => {
      const filter = { workflow, branch: branch || repository.default_branch, event: event || undefined }
      const of = { of: "repository", repositoryId: repository.id } as const
      const [run] = (await findRuns(db, of, filter, { number: 1, limit: 1, offset: 0 })).rows
      const name = label || run?.workflow_name || workflow.replace(/\.ya?ml$/, "")
      const badge = badgeOf(name, run?.state, style === "flat-square" ? "flat-square" : "flat")
      return madeDownload("image/svg+xml", badge, { caching: "max-age=0, private, must-revalidate" })
    },
  }),
  /**
   * An artifact at the link that the API gives. The signature decides, so that programs need not sign in where they are redirected to. Without a valid one
   * the answer reveals nothing, not even what exists.
   */
  file({
    id: "actions.artifactLink",
    address: "GET /api/v1/repos/{owner}/{repo}/actions/artifacts/{id}/zip/raw",
    access: anyone,
    query: { sig: Type.Optional(Type.Array(Type.String())), expires: text },
    answer: ({ services, path, query }) => {
      const id = pathNumber(path.id)
      const [sig = "", ...more] = query.sig ?? []
      if (more.length > 0 || !linkHolds(services, id, sig, query.expires ?? ""))
        throw refuse.unauthenticated("this link is not signed, or has expired; ask for the artifact again")
      return artifactById(services, id)
    },
  }),
]
