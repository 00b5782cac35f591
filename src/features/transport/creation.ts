import type { Repository } from "../../access/permission.ts"
import type { SignedIn, User } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"

export async function createByPush(_services: Services, _pusher: SignedIn, _owner: User, _name: string): Promise<Repository> {
  throw refuse.notFound()
}
