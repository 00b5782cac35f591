import type { Label } from "./store.ts"

/** What the names of exclusive labels are compared by: all before the last slash. A label without one excludes no other. */
export function exclusiveScope({ exclusive, name }: Pick<Label, "exclusive" | "name">): string | undefined {
  const slash = name.lastIndexOf("/")
  return exclusive === 1 && slash > 0 && slash < name.length - 1 ? name.slice(0, slash) : undefined
}

/** What is to be done with an issue's labels: give it more, give it these instead, take these off, take all off. */
export type LabelMode = "add" | "replace" | "remove" | "clear"

/**
 * The labels that an issue is to bear, from those that it bears and those that are named. Of new ones in one exclusive scope the last stays,
 * and it drives out what the issue bore of that scope; what it bears already is left alone otherwise.
 */
export function labelsAfter(borne: readonly Label[], named: readonly Label[], mode: LabelMode): readonly Label[] {
  const names = new Set(named.map(({ id }) => id))
  if (mode === "clear") return []
  if (mode === "remove") return borne.filter(({ id }) => !names.has(id))
  if (mode === "replace") return lastOfScopes(named)
  const had = new Set(borne.map(({ id }) => id))
  const gained = lastOfScopes(named.filter(({ id }) => !had.has(id)))
  const scopes = new Set(gained.map(exclusiveScope))
  return [...borne.filter((label) => !isAmong(scopes, exclusiveScope(label))), ...gained]
}

const isAmong = (scopes: ReadonlySet<string | undefined>, scope: string | undefined): boolean => scope !== undefined && scopes.has(scope)

function lastOfScopes(labels: readonly Label[]): readonly Label[] {
  const last = new Map(labels.map((label) => [exclusiveScope(label), label.id]))
  return labels.filter((label) => {
    const scope = exclusiveScope(label)
    return scope === undefined || last.get(scope) === label.id
  })
}
