/** Builds the runner that these tests are about, the Go module that `../go.mod` names: Vitest's global set-up, and a program. */
import type { TestProject } from "vitest/node"
import { builtProgram } from "../../support/go-program.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The program of the runner, or why there is none. */
    runnerProgram: { readonly path: string } | { readonly fault: string }
  }
}

const runner = (): Promise<string> =>
  builtProgram({
    name: "runner",
    module: new URL("../", import.meta.url).pathname,
    files: ["go.mod", "go.sum"],
    package: "gitea.com/gitea/runner",
  })

export default async function setup(project: TestProject): Promise<void> {
  try {
    project.provide("runnerProgram", { path: await runner() })
  } catch (error) {
    // The tests of other projects in the same run don't need it.
    project.provide("runnerProgram", { fault: String(error) })
  }
}

// `npm run test:all` begins with it, beside its checks.
if (import.meta.main) await runner()
