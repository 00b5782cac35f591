import type { Owned } from "../../../access/permission.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import type { ActionWorkflow } from "../workflows/records.ts"

/** What a workflow is presented from, besides its repository. */
export interface AboutWorkflow {
  /** The path of its file below the folder. */
  readonly file: string
  readonly folder: string
  /** Its name; "" for none. */
  readonly name: string
  readonly isDisabled: boolean
  /** When its schedule starts it next, in Unix seconds; undefined where it has none, or that isn't asked for. */
  readonly nextAt?: number | undefined
  /** The time of the commit that it was read from, in Unix seconds. */
  readonly writtenAt: number
}

/** A workflow as the API shows it. */
export function presentWorkflow(
  site: Site,
  { owner, repository }: Owned,
  { file, folder, name, isDisabled, nextAt, writtenAt }: AboutWorkflow,
): ActionWorkflow {
  const html = repositoryHtmlUrl(site, owner.name, repository.name)
  const branch = repository.default_branch
  const written = rfc3339(writtenAt)
  return {
    id: file,
    name: name || file,
    path: `${folder}/${file}`,
    state: isDisabled ? "disabled_manually" : "active",
    url: `${repositoryApiUrl(site, owner.name, repository.name)}/actions/workflows/${escapePath(file)}`,
    html_url: `${html}/src/branch/${escapePath(branch)}/${folder}/${escapePath(file)}`,
    badge_url: `${html}/actions/workflows/${escapePath(file)}/badge.svg?branch=${encodeURIComponent(branch)}`,
    created_at: written,
    updated_at: written,
    ...(nextAt !== undefined &&
      !isDisabled &&
      repository.has_actions === 1 &&
      repository.is_archived === 0 && { next_run_at: rfc3339(nextAt) }),
  }
}
