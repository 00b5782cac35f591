import type { Owned } from "../../../access/permission.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { type Commit, isTagName, type Repository } from "../../../git/index.ts"
import { resolveRevision } from "../contents/revision.ts"

export const gitOf = ({ git }: Services, { repository }: Owned): Repository => git.at(repository.storage, repository.object_format)

/** The commit that a branch, a tag or the beginning of a commit's id names. Refuses `notFound` where there is none. */
export async function commitNamed({ git }: Services, { repository }: Owned, name: string): Promise<Commit> {
  const revision = await resolveRevision(git, repository, name)
  if (!revision) throw refuse.notFound()
  return revision.commit
}

/** Like `commitNamed`; refuses as `invalid` what can be the name of nothing. */
export async function commitOfPath(services: Services, on: Owned, name: string): Promise<Commit> {
  if (!isTagName(name)) throw refuse.invalid("sha", "must be a branch, a tag or a commit's id")
  return commitNamed(services, on, name)
}
