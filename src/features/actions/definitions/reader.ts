import { Mode } from "../../../access/modes.ts"
import type { Repository } from "../../../access/permission.ts"
import type { JobCredential, SignedIn } from "../../../core/actor.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"

/** The user that jobs act as, who may sign in this way and in no other. */
const SERVICE = { ...ACTIONS_USER, prohibit_login: 0 as const }

/** The caller that a job is. */
export const jobActor = (credential: Omit<JobCredential, "kind">, taskId: number): SignedIn => ({
  kind: "user",
  user: { ...SERVICE, login_name: `@gitea-actions/${taskId}` },
  credential: { kind: "job", ...credential },
  basic: false,
})

/** What is known of a run that reads other repositories. */
export interface ReadingRun {
  readonly repository: Pick<Repository, "id" | "owner_id" | "is_private">
  /** It runs code of a fork. */
  readonly isUntrusted: boolean
}

/** The owner whose repositories may share with a run: its own. None where everyone may read its logs, and none for code of forks. */
export const sharingOwner = ({ repository, isUntrusted }: ReadingRun): number =>
  repository.is_private === 1 && !isUntrusted ? repository.owner_id : 0

/** A run as the caller that reads the workflows which it calls. */
export const readerFor = (run: ReadingRun): SignedIn =>
  jobActor({ taskId: 0, repositoryId: run.repository.id, ownerId: sharingOwner(run), units: { "repo.code": Mode.read } }, 0)
