import type { Calling } from "../support/http.ts"
import type { World } from "../support/world.ts"

/** One valid call of an operation. */
export interface Example extends Calling {
  readonly path?: Readonly<Record<string, string | number>>
  /** The answer's status if it is a refusal: the feature needs a configuration that the tests don't have. */
  readonly status?: number
}

/**
 * Creates what an operation acts on, and returns the call. `size` is the least number of entries of a list; the call has the token of
 * the site's administrator unless the example names another.
 */
export type MakeExample = (world: World, size: number) => Promise<Example> | Example

/** By the operation's id. */
export type Examples = Readonly<Record<string, MakeExample>>

/** The address of an example's call below /api/v1. */
export const addressOf = (path: string, { path: values = {} }: Example): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? "")))
