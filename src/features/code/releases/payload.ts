import type { Owned } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { EventOf } from "../../../core/events/event.ts"
import { presentRelease } from "./present.ts"

const ACTIONS = { "release.published": "published", "release.edited": "updated", "release.deleted": "deleted" } as const
export type ReleaseEvent = EventOf<keyof typeof ACTIONS>

/** What webhooks and workflows are told of a release, besides the repository and the user. */
export const releasePayload = async (
  db: Handle,
  services: Parameters<typeof presentRelease>[1],
  home: Owned,
  { kind, release }: ReleaseEvent,
) => ({ action: ACTIONS[kind], release: await presentRelease(db, services, home, release) })
