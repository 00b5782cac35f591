/** A set of ids, with a bit for each up to the largest: a million take 125 kB. */
export interface IdSet {
  readonly add: (id: number) => void
  readonly has: (id: number) => boolean
}

/** Ids above this one are kept one by one. */
const LARGEST = 2 ** 31

export function openIdSet(): IdSet {
  let bits = new Uint8Array(1024)
  const large = new Set<number>()
  return {
    add(id) {
      if (id < 1) return
      if (id > LARGEST) {
        large.add(id)
        return
      }
      const at = id >>> 3
      if (at >= bits.length) {
        const grown = new Uint8Array(Math.max(at + 1, bits.length * 2))
        grown.set(bits)
        bits = grown
      }
      bits[at] = (bits[at] ?? 0) | (1 << (id & 7))
    },
    has: (id) => (id > LARGEST ? large.has(id) : id > 0 && ((bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0),
  }
}
