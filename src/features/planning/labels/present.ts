import type { Site } from "../../../core/site.ts"
import type { Label as LabelRecord } from "./records.ts"
import type { Label } from "./store.ts"

/** Where a label is shown: on its organisation, or in a repository, whose owner may be the organisation that shares the label. */
export interface LabelLocation {
  readonly owner: { readonly name: string }
  readonly repository?: { readonly name: string }
}

/** A label as the API shows it. Its URL is below that of the repository or organisation that it belongs to. */
export function presentLabel(site: Site, { owner, repository }: LabelLocation, label: Label): LabelRecord {
  const path = label.repository_id === null || !repository ? `orgs/${owner.name}` : `repos/${owner.name}/${repository.name}`
  return {
    id: label.id,
    name: label.name,
    exclusive: label.exclusive === 1,
    is_archived: label.is_archived === 1,
    color: label.color,
    description: label.description,
    url: `${site.rootUrl}/api/v1/${path}/labels/${label.id}`,
  }
}
