import type { User } from "../../../core/actor.ts"
import { GHOST } from "./present.ts"

/** In whose name the service itself acts for workflows, as clients know it. It has no row, and nobody can sign in as it. */
export const ACTIONS_USER: User = {
  ...GHOST,
  id: -2,
  name: "gitea-actions",
  lower_name: "gitea-actions",
  full_name: "Gitea Actions",
  is_active: 1,
}

/** Who stands where an account is not found: the service itself, or for one that is gone its ghost. */
export const standIn = (id: number): User => (id === ACTIONS_USER.id ? ACTIONS_USER : GHOST)
