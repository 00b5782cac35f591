/**
 * Extension points: lists that a lower part asks and the root fills, so that the lower part need not know who is asked. What happens after a change is
 * an event's affair (core/events); an extension point is for what has a say in it, or prepares it.
 */

/** What the root has filled in for one forge. */
export interface Extensions {
  readonly filled: readonly string[]
}

export interface ExtensionPoint<Entry> {
  /** What was filled in, in its order. Throws where the root left it out. */
  readonly of: (services: { readonly extensions: Extensions }) => readonly Entry[]
  /** For the root: the list that is to be asked. */
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
