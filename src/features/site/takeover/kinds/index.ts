import type { Kind } from "../mapping/kind.ts"
import { actionKinds, runnerKinds } from "./actions.ts"
import { credentials, credentialsOfRepositories } from "./credentials.ts"
import { eventKinds } from "./events.ts"
import { packageKinds } from "./packages.ts"
import { people } from "./people.ts"
import { planningAfter, planningBefore } from "./planning.ts"
import { repositoryKinds } from "./repositories.ts"
import { pullKinds, reviewKinds, viewedKinds } from "./review.ts"

/** All kinds of rows, those that others refer to first. */
export const KINDS: readonly Kind[] = [
  ...people,
  ...credentials,
  ...repositoryKinds,
  ...credentialsOfRepositories,
  ...planningBefore,
  ...reviewKinds,
  ...planningAfter,
  ...pullKinds,
  ...packageKinds,
  ...runnerKinds,
  ...actionKinds,
  ...eventKinds,
]

/** Those that are about what git has: after the repositories. */
export const KINDS_AFTER_GIT: readonly Kind[] = viewedKinds

/** Tables whose rows are caches, or end with the old server. */
export const LEFT_BEHIND: Readonly<Record<string, string>> = {
  session: "people sign in again",
  auth_token: "people sign in again",
  notice: "notices of the old server to its administrators",
  task: "background jobs of the old server",
  oauth2_authorization_code: "codes are good for minutes",
  upload: "files that were not in a commit yet",
  package_blob_upload: "uploads that were not complete",
  repo_archiver: "archives are made again",
}
