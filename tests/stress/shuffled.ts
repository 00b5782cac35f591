import { createHash } from "node:crypto"

/** The texts in an order that follows from the seed. */
export function shuffled(texts: readonly string[], seed: number): readonly string[] {
  const rank = (text: string) => createHash("sha256").update(`${seed} ${text}`).digest("hex")
  return [...texts].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}
