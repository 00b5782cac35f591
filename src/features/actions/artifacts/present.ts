import type { Owned } from "../../../access/permission.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { repositoryApiUrl } from "../../code/repositories/urls.ts"
import { presentRuns } from "../runs/present.ts"
import { findRunsByIds, type Run } from "../runs/store.ts"
import { isExpired } from "./artifacts.ts"
import type { ActionArtifact } from "./records.ts"
import type { Artifact } from "./store.ts"

/** Artifacts of one repository, each with its run; `only` is their common run, where it is known. */
export async function presentArtifacts(
  db: Handle,
  { site, now }: Pick<Services, "site" | "now">,
  actor: Actor,
  { owner, repository }: Owned,
  artifacts: readonly Artifact[],
  only?: Run,
): Promise<ActionArtifact[]> {
  if (artifacts.length === 0) return []
  const rows = only ? [only] : await findRunsByIds(db, { ids: [...new Set(artifacts.map((one) => one.run_id))] })
  const runs = new Map((await presentRuns(db, site, actor, rows, { withPulls: false })).map((run) => [run.id, run]))
  return artifacts.flatMap((artifact) => {
    const run = runs.get(artifact.run_id)
    const url = `${repositoryApiUrl(site, owner.name, repository.name)}/actions/artifacts/${artifact.id}`
    return run
      ? [
          {
            id: artifact.id,
            name: artifact.name,
            size_in_bytes: artifact.size,
            expired: isExpired(artifact, now()),
            url,
            archive_download_url: `${url}/zip`,
            workflow_run: run,
            created_at: rfc3339(artifact.created_at),
            updated_at: rfc3339(artifact.updated_at),
            expires_at: rfc3339(artifact.expires_at),
          },
        ]
      : []
  })
}
