import type { Trial } from "./store.ts"

/** The numbers of a trial's pull requests, in their order. */
export function numbersOf({ numbers }: Pick<Trial, "numbers">): readonly number[] {
  const parsed: unknown = JSON.parse(numbers)
  return Array.isArray(parsed) ? parsed.filter((number) => typeof number === "number") : []
}
