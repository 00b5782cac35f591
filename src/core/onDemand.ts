import { createRequire } from "node:module"

/** Packages that a server does without until it is asked for what takes them, and that must then be there at once. */
interface Packages {
  readonly "smol-toml": typeof import("smol-toml")
  readonly "typebox/schema": typeof import("typebox/schema")
  readonly yaml: typeof import("yaml")
}

const load = createRequire(import.meta.url)

/**
 * A package, loaded at its first use: each one costs every start time and memory. Only for code that can't wait; whatever may wait
 * says `await import()` where it needs a package.
 */
export const onDemand = <Name extends keyof Packages>(name: Name): Packages[Name] => load(name)
