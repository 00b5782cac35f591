import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, tagRef } from "../../../git/index.ts"
import { pushPayload, withChanges } from "../../actions/external/push-payload.ts"
import { resolveRevision } from "../../code/commits/revision.ts"
import { presentCommon, queueDeliveries } from "./announce.ts"
import type { Webhook } from "./store.ts"

/**
 * Sends one webhook a push event of the last commit of a reference, without a push; nothing is sent for an empty repository.
 * Refuses `notFound` a reference that doesn't exist.
 */
export async function testWebhook(
  services: Services,
  webhook: Webhook,
  { repository, owner, actor, ref }: Owned & { readonly actor: User; readonly ref: string | undefined },
): Promise<void> {
  const { git, database } = services
  if (repository.is_empty === 1) return
  const revision = await resolveRevision(git, repository, ref)
  if (!revision) throw refuse.notFound(t`there is no ${ref || repository.default_branch}`)
  const { commit, kind, name } = revision
  const place = git.at(repository.storage, repository.object_format)
  const pushed = await withChanges(services, place, { commits: [commit], total: 1 })
  const home = { repository, owner }
  const push = {
    ref: kind === "tag" ? tagRef(name) : branchRef(kind === "branch" ? name : repository.default_branch),
    before: commit.parents[0] ?? commit.id,
    after: commit.id,
    pushed,
    pusher: actor,
  }
  await database.write(async (tx) => {
    const common = await presentCommon(tx, services, home, actor)
    await queueDeliveries(tx, services, [webhook], "push", { ...common, ...(await pushPayload(tx, services, home, push)) })
  })
}
