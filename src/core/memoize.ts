/** Remembers the result for each row, by its id: a list contains the same person and the same label many times. */
export function memoize<Row extends { readonly id: number }, Made>(make: (row: Row) => Made): (row: Row) => Made {
  const known = new Map<number, Made>()
  return (row) => {
    const seen = known.get(row.id)
    if (seen !== undefined) return seen
    const made = make(row)
    known.set(row.id, made)
    return made
  }
}

/** Makes something at its first use, and keeps it: what costs milliseconds and is not needed at a start, such as formats of `Intl`. */
export function onFirstUse<Made>(make: () => Made): () => Made {
  let made: { readonly it: Made } | undefined
  return () => {
    made ??= { it: make() }
    return made.it
  }
}

const originals = new WeakMap<object, object>()

/** Has `copy` stand for `original` in all that is kept of it by {@link onFirstUseOf}: it is the same with other parts. */
export function standsFor<Key extends object>(copy: Key, original: Key): Key {
  originals.set(copy, originals.get(original) ?? original)
  return copy
}

/** The same for each of several, such as running forges: what keeps something in memory from one request to the next. */
export function onFirstUseOf<Key extends WeakKey, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { readonly it: Made }>()
  return (given) => {
    // An original has the type of what stands for it.
    const key = ((typeof given === "object" && originals.get(given)) || given) as Key
    const known = made.get(key)
    if (known) return known.it
    const it = make(key)
    made.set(key, { it })
    return it
  }
}
