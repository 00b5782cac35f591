import type { Label } from "./store.ts"

/** The scope of an exclusive label: the part of its name before the last slash. A label without one excludes no other. */
export function exclusiveScope({ exclusive, name }: Pick<Label, "exclusive" | "name">): string | undefined {
  const slash = name.lastIndexOf("/")
  return exclusive === 1 && slash > 0 && slash < name.length - 1 ? name.slice(0, slash) : undefined
}

/** How an issue's labels change: add some, replace all, remove some, or remove all. */
export type LabelMode = "add" | "replace" | "remove" | "clear"

/**
 * The labels of an issue after a change, from its present ones and the named ones. Of several new labels in one exclusive scope the last
 * counts and replaces the present ones of that scope; other present labels stay.
 */
export function labelsAfter(present: readonly Label[], named: readonly Label[], mode: LabelMode): readonly Label[] {
  const names = new Set(named.map(({ id }) => id))
  if (mode === "clear") return []
  if (mode === "remove") return present.filter(({ id }) => !names.has(id))
  if (mode === "replace") return lastOfScopes(named)
  const had = new Set(present.map(({ id }) => id))
  const added = lastOfScopes(named.filter(({ id }) => !had.has(id)))
  const scopes = new Set(added.map(exclusiveScope))
  return [...present.filter((label) => !isAmong(scopes, exclusiveScope(label))), ...added]
}

const isAmong = (scopes: ReadonlySet<string | undefined>, scope: string | undefined): boolean => scope !== undefined && scopes.has(scope)

function lastOfScopes(labels: readonly Label[]): readonly Label[] {
  const last = new Map(labels.map((label) => [exclusiveScope(label), label.id]))
  return labels.filter((label) => {
    const scope = exclusiveScope(label)
    return scope === undefined || last.get(scope) === label.id
  })
}
