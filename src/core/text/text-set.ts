import type { Work } from "../work.ts"

/*
 * Finding many texts in another one in a single pass, by the automaton of Aho and Corasick: a tree of all texts, in which each place knows where to go on when the next
 * character doesn't fit. Time and memory are proportional to the texts, whatever is in them; the tree is in a few arrays of numbers, about 30 bytes a character.
 */

/** Texts that are looked for together. */
export interface TextSet {
  /** Where a text has any of them, as places from and up to, in order; what overlaps is one. Takes steps in proportion to the text, and lets others have their turn. */
  readonly placesIn: (text: string, work: Work) => Promise<readonly (readonly [from: number, to: number])[]>
}

/** Characters after which the clock is looked at. */
const AT_ONCE = 10_000

/** Compiles texts. Empty ones are passed over. Takes a step a character, and lets others have their turn. */
export async function textSet(texts: readonly string[], work: Work): Promise<TextSet> {
  const tree = plantTree(texts.reduce((sum, { length }) => sum + length, 0) + 1)
  for (const text of texts) {
    let node = 0
    for (let at = 0; at < text.length; at++) {
      node = tree.child(node, text.charCodeAt(at)) || tree.grow(node, text.charCodeAt(at))
      if (at % AT_ONCE === 0) await work.step(Math.min(AT_ONCE, text.length - at))
    }
    tree.end(node)
  }
  await tree.connect(work)
  const { follow, longest } = tree

  return {
    async placesIn(text, work) {
      const places: [from: number, to: number][] = []
      let node = 0
      for (let at = 0; at < text.length; at++) {
        if (at % AT_ONCE === 0) await work.step(Math.min(AT_ONCE, text.length - at))
        node = follow(node, text.charCodeAt(at))
        const found = longest(node)
        if (found === 0) continue
        let from = at + 1 - found
        for (let last = places.at(-1); last !== undefined && last[1] > from; last = places.at(-1)) {
          from = Math.min(from, last[0])
          places.pop()
        }
        places.push([from, at + 1])
      }
      return places
    },
  }
}

/** A tree of at most so many nodes, by their numbers; the root is 0, which also stands for none. */
function plantTree(most: number) {
  const parents = new Int32Array(most)
  const codes = new Uint16Array(most)
  const depths = new Int32Array(most)
  const fallbacks = new Int32Array(most)
  /** The length of the longest text that ends at a node. */
  const ends = new Int32Array(most)
  /** The nodes by a hash of their parent and character, each at the first place that was free. */
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most)))
  const mask = slots.length - 1
  let size = 1

  const slotOf = (parent: number, code: number): number => {
    let mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(code + 1, 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
    let slot = (mixed ^ (mixed >>> 13)) & mask
    for (let node = slots[slot] ?? 0; node !== 0; node = slots[slot] ?? 0) {
      if (parents[node] === parent && codes[node] === code) break
      slot = (slot + 1) & mask
    }
    return slot
  }
  const child = (parent: number, code: number): number => slots[slotOf(parent, code)] ?? 0
  const follow = (from: number, code: number): number => {
    let node = from
    for (;;) {
      const next = child(node, code)
      if (next !== 0 || node === 0) return next
      node = fallbacks[node] ?? 0
    }
  }

  return {
    child,
    follow,
    longest: (node: number): number => ends[node] ?? 0,
    grow(parent: number, code: number): number {
      const node = size++
      parents[node] = parent
      codes[node] = code
      depths[node] = (depths[parent] ?? 0) + 1
      slots[slotOf(parent, code)] = node
      return node
    },
    end(node: number): void {
      ends[node] = depths[node] ?? 0
    },
    /** Finds for each node the longest other one that its text ends with: those near the root first. */
    async connect(work: Work): Promise<void> {
      let taken = 0
      for (const node of byDepth(depths.subarray(0, size))) {
        if (taken++ % AT_ONCE === 0) await work.step(0)
        const parent = parents[node] ?? 0
        if (parent !== 0) fallbacks[node] = follow(fallbacks[parent] ?? 0, codes[node] ?? 0)
        ends[node] ||= ends[fallbacks[node] ?? 0] ?? 0
      }
    },
  }
}

/** The nodes but the root in the order of their depths. */
function byDepth(depths: Int32Array): Int32Array {
  const starts = new Int32Array(depths.length + 2)
  for (const depth of depths) starts[depth + 1] = (starts[depth + 1] ?? 0) + 1
  for (let depth = 1; depth < starts.length; depth++) starts[depth] = (starts[depth] ?? 0) + (starts[depth - 1] ?? 0)
  const nodes = new Int32Array(depths.length)
  depths.forEach((depth, node) => {
    const at = starts[depth] ?? 0
    nodes[at] = node
    starts[depth] = at + 1
  })
  return nodes.subarray(1)
}
