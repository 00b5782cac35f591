import type { Owned } from "../../../access/permission.ts"
import type { Site } from "../../../core/site.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { ChangedFile, ObjectId } from "../../../git/index.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import type { ChangedFile as ChangedFileRecord } from "./records.ts"

/** The API's names for the kinds of changes. */
const WORDS = {
  added: "added",
  deleted: "deleted",
  modified: "changed",
  typechanged: "changed",
  renamed: "renamed",
  copied: "copied",
} as const satisfies Record<ChangedFile["status"], string>

/** A changed file as the API shows it, with addresses in the base repository, at the head. */
export function presentChangedFile(site: Site, { owner, repository }: Owned, head: ObjectId, file: ChangedFile): ChangedFileRecord {
  const { path, previousPath, status, additions, deletions } = file
  const html = repositoryHtmlUrl(site, owner.name, repository.name)
  const name = escapePath(path)
  return {
    filename: path,
    ...(previousPath !== undefined && { previous_filename: previousPath }),
    status: WORDS[status],
    additions,
    deletions,
    changes: additions + deletions,
    html_url: `${html}/src/commit/${head}/${name}`,
    contents_url: `${repositoryApiUrl(site, owner.name, repository.name)}/contents/${name}?ref=${head}`,
    raw_url: `${html}/raw/commit/${head}/${name}`,
  }
}
