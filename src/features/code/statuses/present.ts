import type { Owned } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { usersById } from "../repositories/store.ts"
import { repositoryApiUrl } from "../repositories/urls.ts"
import { type CommitStatus, STATES, type State } from "./records.ts"
import type { Status } from "./store.ts"

/** Statuses of one repository as records, with their creators' public profile. One query. */
export async function presentStatuses(
  db: Handle,
  { site }: Pick<Services, "site">,
  { owner, repository }: Owned,
  statuses: readonly Status[],
): Promise<CommitStatus[]> {
  const creators = await usersById(
    db,
    statuses.map(({ creator_id }) => creator_id),
  )
  const api = repositoryApiUrl(site, owner.name, repository.name)
  return statuses.map(({ number, state, target_url, description, context, commit_id, creator_id, created_at }) => ({
    id: number,
    status: stateOf(state),
    target_url,
    description,
    url: `${api}/statuses/${commit_id}`,
    context,
    creator: presentUser(site, creators.get(creator_id) ?? standIn(creator_id)),
    created_at: rfc3339(created_at),
    updated_at: rfc3339(created_at),
  }))
}

const stateOf = (text: string): State => STATES.find((state) => state === text) ?? "pending"
