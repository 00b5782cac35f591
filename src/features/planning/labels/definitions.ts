import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { CreateLabelOption, EditLabelOption } from "./records.ts"
import { findLabel, type Label, type LabelOwner } from "./store.ts"

/** A colour as it is stored: six hex digits in lower case, from three or six with or without "#". */
export function normalizeColor(text: string): string {
  const digits = text.replace("#", "").toLowerCase()
  return digits.length === 3 ? digits.replace(/./g, "$&$&") : digits
}

/** Creates a label of a repository or an organisation. Several may have the same name. */
export const createLabel = (tx: Transaction, labelOwner: LabelOwner, options: CreateLabelOption, now: Seconds): Promise<Label> =>
  tx
    .insertInto("labels")
    .values({
      ...labelOwner,
      name: options.name,
      color: normalizeColor(options.color),
      description: options.description ?? "",
      exclusive: flag(options.exclusive ?? false),
      is_archived: flag(options.is_archived ?? false),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Changes the given members of a label. Refuses `notFound` where the owner has no such label. */
export async function editLabel(
  tx: Transaction,
  labelOwner: LabelOwner,
  id: number,
  options: EditLabelOption,
  now: Seconds,
): Promise<Label> {
  const label = await findLabel(tx, labelOwner, id)
  if (!label) throw refuse.notFound()
  const { name, color, description, exclusive, is_archived } = options
  const edited = await tx
    .updateTable("labels")
    .set({
      ...(name !== undefined && { name }),
      ...(color !== undefined && { color: normalizeColor(color) }),
      ...(description !== undefined && { description }),
      ...(exclusive !== undefined && { exclusive: flag(exclusive) }),
      ...(is_archived !== undefined && { is_archived: flag(is_archived) }),
      updated_at: now,
    })
    .where("id", "=", label.id)
    .returningAll()
    .executeTakeFirst()
  if (!edited) throw refuse.notFound()
  return edited
}

/** Deletes a label, which removes it from all issues and timelines. Does nothing where the owner has no such label. */
export async function deleteLabel(tx: Transaction, labelOwner: LabelOwner, id: number): Promise<void> {
  const label = await findLabel(tx, labelOwner, id)
  if (label) await tx.deleteFrom("labels").where("id", "=", label.id).execute()
}
