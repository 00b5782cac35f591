import type { User } from "../../../../core/actor.ts"
import type { RefName } from "../../../../git/index.ts"
import { createdPayload, deletedPayload } from "../../../code/pushes/payload.ts"
import type { Announcement } from "../announce.ts"

/** The event of a new branch or tag, at a commit or an annotated tag; none for other references. */
export const createEvents = (ref: RefName, id: string, sender: User): readonly Announcement[] => {
  const payload = createdPayload(ref, id)
  return payload ? [{ event: "create", sender, ref, payload: () => payload }] : []
}

/** The event of a deleted branch or tag; none for other references. */
export const deleteEvents = (ref: RefName, sender: User): readonly Announcement[] => {
  const payload = deletedPayload(ref)
  return payload ? [{ event: "delete", sender, ref, payload: () => payload }] : []
}
