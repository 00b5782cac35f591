/** Builds the object store that these tests use, the Go program beside: Vitest's global set-up, and a program. */
import type { TestProject } from "vitest/node"
import { builtProgram } from "../../support/go-program.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The program of the object store, or why there is none. */
    storeProgram: { readonly path: string } | { readonly fault: string }
  }
}

const store = (): Promise<string> =>
  builtProgram({
    name: "store",
    module: new URL("../", import.meta.url).pathname,
    files: ["go.mod", "go.sum", "main.go"],
    package: ".",
  })

export default async function setup(project: TestProject): Promise<void> {
  try {
    project.provide("storeProgram", { path: await store() })
  } catch (error) {
    // The tests of other projects in the same run don't need it.
    project.provide("storeProgram", { fault: String(error) })
  }
}

// `npm run test:all` begins with it, beside its checks.
if (import.meta.main) await store()
