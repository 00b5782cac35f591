import { onRepositoryUnitRead, orMissing } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { type File, file } from "../../../core/file.ts"
import type { Request } from "../../../core/operation.ts"
import { attachmentDownload } from "../../../features/code/attachments/download.ts"
import { findAttachmentsOfReleases } from "../../../features/code/attachments/store.ts"
import { admitRelease, locateReleaseOfTag } from "../../../features/code/releases/locate.ts"
import { findLatestRelease, type Release } from "../../../features/code/releases/store.ts"

const access = orMissing(onRepositoryUnitRead("releases"))

/**
 * Files of a release by its tag, or of the latest release, and by their names, as packages and scripts write their addresses. They are sent from there:
 * some clients follow no redirect, and others drop their credentials on the way.
 */
export const releaseFiles: readonly File[] = [
  file({
    id: "releases.download",
    address: "GET /{owner}/{repo}/releases/download/{filepath}",
    access,
    programs: ["repository"],
    answer: async (call) => {
      const { filepath } = call.path
      const slash = filepath.lastIndexOf("/")
      if (slash < 1) throw refuse.notFound()
      return assetOf(call, await locateReleaseOfTag(call, filepath.slice(0, slash)), filepath.slice(slash + 1))
    },
  }),
  file({
    id: "releases.downloadLatest",
    address: "GET /{owner}/{repo}/releases/latest/download/{filepath}",
    access,
    programs: ["repository"],
    answer: async (call) => {
      const latest = await findLatestRelease.first(call.db, { repositoryId: call.repository.id })
      return assetOf(call, admitRelease(call.actor, call, latest), call.path.filepath)
    },
  }),
]

async function assetOf({ services, db }: Pick<Request, "services" | "db">, { id }: Release, name: string) {
  const found = (await findAttachmentsOfReleases(db, { releaseIds: [id] })).find((each) => each.name === name)
  if (!found) throw refuse.notFound()
  return attachmentDownload(services, found)
}
