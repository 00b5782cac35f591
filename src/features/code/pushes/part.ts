import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import type { PushOutcome, Repository } from "../../../git/index.ts"
import { type Admitted, admitFetch, admitPushOrOffer } from "./admission.ts"
import { type PushRequest, servePush } from "./push.ts"

/** A git repository that clients fetch from and push to: the code of a repository, or its wiki. */
export interface Part {
  readonly admitFetch: (services: Services, actor: Actor, owner: string, name: string) => Promise<OnRepository>
  readonly admitPush: (services: Services, actor: Actor, owner: string, name: string) => Promise<Admitted>
  /** Where it is stored; made first, if it need not have been there. */
  readonly open: (services: Services, row: RepositoryRow) => Promise<Repository> | Repository
  /** Receives an admitted push. Throws what `git.transport.receive` throws. */
  readonly push: (services: Services, found: Admitted, request: PushRequest) => Promise<PushOutcome>
  /** Whether pushing to a missing repository may create it. */
  readonly isCreatedByPush: boolean
}

export const code: Part = {
  admitFetch,
  admitPush: admitPushOrOffer,
  open: ({ git }, { storage, object_format }) => git.at(storage, object_format),
  push: servePush,
  isCreatedByPush: true,
}
