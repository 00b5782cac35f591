import type { User } from "../../../core/actor.ts"
import { GHOST } from "./present.ts"

/** The user that workflows act as, under the name that clients know. It has no row, and nothing can sign in as it. */
export const ACTIONS_USER: User = {
  ...GHOST,
  id: -2,
  name: "gitea-actions",
  lower_name: "gitea-actions",
  full_name: "Gitea Actions",
  is_active: 1,
}

/** The user shown where an account is not found: the service itself, or the ghost of a deleted account. */
export const standIn = (id: number): User => (id === ACTIONS_USER.id ? ACTIONS_USER : GHOST)
