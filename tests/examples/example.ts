import type { Calling } from "../support/http.ts"
import type { World } from "../support/world.ts"

/** One valid call of an operation. */
export interface Example extends Calling {
  readonly path?: Readonly<Record<string, string | number>>
  /** The answer's status where it is a refusal: what is asked for is not there unless the site is set up for it. */
  readonly status?: number
}

/**
 * Makes what an operation acts upon, and gives the call. `size` is how many entries a list is to have at least; the call has the token of
 * the site's administrator where the example doesn't name another.
 */
export type MakeExample = (world: World, size: number) => Promise<Example> | Example

/** By the operation's id. */
export type Examples = Readonly<Record<string, MakeExample>>

/** The address of an example's call below /api/v1. */
export const addressOf = (path: string, { path: values = {} }: Example): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? "")))
