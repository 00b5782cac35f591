import type { Site } from "../../../core/site.ts"
import type { Label as LabelRecord } from "./records.ts"
import type { Label } from "./store.ts"

/** Where a label is met: on its organisation, or in a repository, whose owner may be the organisation that shares the label. */
export interface LabelPlace {
  readonly owner: { readonly name: string }
  readonly repository?: { readonly name: string }
}

/** A label as the API shows it. Its address is that of the repository, or of the organisation, that it belongs to. */
export function presentLabel(site: Site, { owner, repository }: LabelPlace, label: Label): LabelRecord {
  const home = label.repository_id === null || !repository ? `orgs/${owner.name}` : `repos/${owner.name}/${repository.name}`
  return {
    id: label.id,
    name: label.name,
    exclusive: label.exclusive === 1,
    is_archived: label.is_archived === 1,
    color: label.color,
    description: label.description,
    url: `${site.rootUrl}/api/v1/${home}/labels/${label.id}`,
  }
}
