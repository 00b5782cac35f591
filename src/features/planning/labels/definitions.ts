import type { User } from "../../../core/actor.ts"
import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import type { CreateLabelOption, EditLabelOption } from "./records.ts"
import { deleteLabelById, insertLabel, type Label, type LabelOwner, lockLabel, updateLabel } from "./store.ts"

/** A colour as it is stored: six hex digits in lower case, from three or six with or without "#". */
export function normalizeColor(text: string): string {
  const digits = text.replace("#", "").toLowerCase()
  return digits.length === 3 ? digits.replace(/./g, "$&$&") : digits
}

/** The owner of a label and the user who changes it, in events. */
const concerning = ({ repository_id, organization_id }: LabelOwner, actor: User) => ({
  repositoryId: repository_id,
  ownerId: organization_id,
  actor,
})

/** Creates a label of a repository or an organisation. Several may have the same name. */
export async function createLabel(
  tx: Transaction,
  labelOwner: LabelOwner,
  actor: User,
  options: CreateLabelOption,
  now: Seconds,
): Promise<Label> {
  const label = await insertLabel(tx, {
    ...labelOwner,
    name: options.name,
    color: normalizeColor(options.color),
    description: options.description ?? "",
    exclusive: flag(options.exclusive ?? false),
    is_archived: flag(options.is_archived ?? false),
    created_at: now,
    updated_at: now,
  })
  publish(tx, { kind: "label.created", label, ...concerning(labelOwner, actor), at: now })
  return label
}

/** Changes the given members of a label. Refuses `notFound` where the owner has no such label. */
export async function editLabel(
  tx: Transaction,
  labelOwner: LabelOwner,
  actor: User,
  id: number,
  options: EditLabelOption,
  now: Seconds,
): Promise<Label> {
  const label = await lockLabel(tx, labelOwner, id)
  if (!label) throw refuse.notFound()
  const { name, color, description, exclusive, is_archived } = options
  const changes = differencesFrom(label, {
    name,
    color: color === undefined ? undefined : normalizeColor(color),
    description,
    exclusive: exclusive === undefined ? undefined : flag(exclusive),
    is_archived: is_archived === undefined ? undefined : flag(is_archived),
  })
  const changed = Object.keys(changes)
  if (changed.length === 0) return label
  publish(tx, { kind: "label.edited", label, changed, ...concerning(labelOwner, actor), at: now })
  return updateLabel(tx, label.id, { ...changes, updated_at: now })
}

/** Deletes a label, which removes it from all issues and timelines. Does nothing where the owner has no such label. */
export async function deleteLabel(
  tx: Transaction,
  { events }: Pick<Services, "events">,
  labelOwner: LabelOwner,
  actor: User,
  id: number,
): Promise<void> {
  const label = await lockLabel(tx, labelOwner, id)
  if (!label) return
  publish(tx, { kind: "label.deleted", label, ...concerning(labelOwner, actor) })
  await events.deliver(tx)
  await deleteLabelById(tx, label.id)
}
