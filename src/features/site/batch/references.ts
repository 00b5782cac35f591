import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"

/*
 * What later operations of a batch use of earlier answers: `$0.number` is the member `number` of the answer of the first one, `$2.labels.0.name` a deeper one. `$$0.number` is the text
 * `$0.number` itself. A member begins with a letter, so that prices such as $5.99 are left alone.
 */

const REFERENCE = /(\$\$?)(\d{1,3})((?:\.[A-Za-z_]\w*)(?:\.\w+)*)/g
const ALONE = /^\$(\d{1,3})((?:\.[A-Za-z_]\w*)(?:\.\w+)*)$/

/** Gives the value of a member of an earlier answer. Refuses what is not there. */
export type ValueAt = (index: number, members: readonly string[]) => unknown

/** A body that is to be sent as it is, whatever its texts look like. */
export function literally(body: unknown): unknown {
  if (typeof body === "string") return body.replace(REFERENCE, "$$$&")
  if (Array.isArray(body)) return body.map(literally)
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([name, member]) => [name, literally(member)]))
}

const membersIn = (text: string): readonly string[] => text.split(".").slice(1)

/** A path whose references are replaced by something that stands for any value. */
export const withoutReferences = (path: string): string =>
  path.replace(REFERENCE, (whole, mark: string) => (mark === "$$" ? whole.slice(1) : "0"))

/** The indexes of answers that a path and a body use. */
export function referencesIn(path: string, body: unknown): ReadonlySet<number> {
  const found = new Set<number>()
  const look = (value: unknown): void => {
    if (typeof value === "string") for (const [, mark, index] of value.matchAll(REFERENCE)) if (mark === "$") found.add(Number(index))
    if (typeof value === "object" && value !== null) for (const member of Object.values(value)) look(member)
  }
  look(path)
  look(body)
  return found
}

function scalarOf(value: unknown, field: string, reference: string): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value)
  throw refuse.invalid(field, t`${reference} is no text, number or truth value`)
}

/** A path with the values of its references, each escaped, so that it stays one part of the path. */
export const pathWith = (path: string, valueAt: ValueAt): string =>
  path.replace(REFERENCE, (whole, mark: string, index: string, members: string) => {
    if (mark === "$$") return whole.slice(1)
    const text = scalarOf(valueAt(Number(index), membersIn(members)), "path", whole)
    if (/^\.{0,2}$/.test(text)) throw refuse.invalid("path", t`${whole} is nothing that can stand in a path`)
    return encodeURIComponent(text)
  })

/** A body with the values of its references: one that is a whole text is replaced by the value itself, one within a text by its words. Names of members stay as they are. */
export function bodyWith(body: unknown, valueAt: ValueAt): unknown {
  if (typeof body === "string") {
    const [, index, members] = ALONE.exec(body) ?? []
    if (index !== undefined && members !== undefined) return valueAt(Number(index), membersIn(members))
    return body.replace(REFERENCE, (whole, mark: string, at: string, inside: string) =>
      mark === "$$" ? whole.slice(1) : scalarOf(valueAt(Number(at), membersIn(inside)), "body", whole),
    )
  }
  if (Array.isArray(body)) return body.map((each) => bodyWith(each, valueAt))
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([name, member]) => [name, bodyWith(member, valueAt)]))
}

/** The member of a value, of those that it has itself; undefined where there is none. */
export function memberAt(value: unknown, members: readonly string[]): unknown {
  let at = value
  for (const name of members) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}
