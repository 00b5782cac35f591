/**
 * Extension points: lists that a lower feature calls and the root fills, so that the lower feature need not know the higher ones. Reactions to a
 * change use domain events (core/events); an extension point is for what decides on the change, or prepares it.
 */

/** The extensions of one forge, as the root has registered them. */
export interface Extensions {
  readonly filled: readonly string[]
}

export interface ExtensionPoint<Entry> {
  /** The registered entries, in order. Throws if the root has registered none. */
  readonly of: (services: { readonly extensions: Extensions }) => readonly Entry[]
  /** For the root: registers the list. */
  readonly with: (...entries: readonly Entry[]) => Filling
}

export interface Filling {
  readonly name: string
  readonly fill: (extensions: Extensions) => void
}

/** Declares a list. The name is for messages. */
export function extensionPoint<Entry>(name: string): ExtensionPoint<Entry> {
  const lists = new WeakMap<Extensions, readonly Entry[]>()
  return {
    of({ extensions }) {
      const entries = lists.get(extensions)
      if (!entries) throw new Error(`The extension point "${name}" is not filled in; see src/extensions.ts.`)
      return entries
    },
    with: (...entries) => ({ name, fill: (extensions) => void lists.set(extensions, entries) }),
  }
}

/** Fills extension points for one forge. */
export function extend(fillings: readonly Filling[]): Extensions {
  const extensions: Extensions = { filled: fillings.map(({ name }) => name) }
  for (const { fill } of fillings) fill(extensions)
  return extensions
}
