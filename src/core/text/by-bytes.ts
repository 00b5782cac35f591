/**
 * The order of texts by their bytes in UTF-8, as git has it. It is that of UTF-16, but for characters of two units, which come after all others. For texts without halves of
 * characters.
 */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return placeOf(left) - placeOf(right)
  }
  return a.length - b.length
}

/** The halves of characters of two units, and what is more than any unit. */
const [FIRST_HALF, AFTER_HALVES, BEYOND] = [0xd800, 0xe000, 0x10000]

const placeOf = (unit: number): number => (unit >= FIRST_HALF && unit < AFTER_HALVES ? unit + BEYOND : unit)
