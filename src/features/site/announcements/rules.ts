import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { announceChange } from "./shown.ts"
import {
  type AnnouncementRow,
  changeAnnouncement,
  findAnnouncement,
  findAnnouncements,
  insertAnnouncement,
  removeAnnouncement,
} from "./store.ts"

type Content = Pick<AnnouncementRow, "content" | "tone" | "audience" | "starts_at" | "ends_at">
export type Wanted = Partial<Content>

/** More than that no one reads; browsers remember which were dismissed. */
const MOST = 20

type Needed = Pick<Services, "database" | "now">

function requireOrder({ starts_at = 0, ends_at = 0 }: Wanted): void {
  if (ends_at !== 0 && ends_at <= starts_at) throw refuse.invalid("ends_at", "must be after its beginning")
}

/** Refuses `invalid` where it ends before it begins, or where there are too many. */
export async function createAnnouncement(
  { database, now }: Needed,
  tx: Transaction,
  wanted: Wanted & Pick<Content, "content">,
): Promise<AnnouncementRow> {
  requireOrder(wanted)
  if ((await findAnnouncements(tx)).length >= MOST) throw refuse.invalid("content", t`is one too many: delete one of the ${MOST} before`)
  const at = now()
  const row = await insertAnnouncement(tx, {
    tone: "info",
    audience: "everybody",
    starts_at: 0,
    ends_at: 0,
    ...wanted,
    created_at: at,
    updated_at: at,
  })
  await announceChange(database, tx)
  return row
}

/** Where it says something else, it is shown again to those who have dismissed it. Refuses `notFound`, and `invalid` where it ends before it begins. */
export async function editAnnouncement({ database, now }: Needed, tx: Transaction, id: number, wanted: Wanted): Promise<AnnouncementRow> {
  const before = await findAnnouncement(tx, id)
  if (!before) throw refuse.notFound()
  requireOrder({ ...before, ...wanted })
  const row = await changeAnnouncement(tx, id, { ...wanted, updated_at: now() })
  if (!row) throw refuse.notFound()
  await announceChange(database, tx)
  return row
}

export async function deleteAnnouncement({ database }: Needed, tx: Transaction, id: number): Promise<void> {
  const { numDeletedRows } = await removeAnnouncement(tx, id)
  if (numDeletedRows === 0n) throw refuse.notFound()
  await announceChange(database, tx)
}
